# `make help` lists what can be made. `make test` is exactly what continuous integration runs.
.DEFAULT_GOAL := help
.PHONY: help web demo test

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Properties are tried on the same inputs every time; `make test SEED=$RANDOM` tries others.
SEED ?= 1

# Where nothing is built twice, keeping what a second build needs costs a fifth of the compiler's time. Services that run CI set CI.
ifdef CI
export CARGO_INCREMENTAL = 0
endif

# Built again only when a source of it changed: the command that embeds it is linked again each time.
PAGE := web/dist/index.html

web: $(PAGE) ## the page of the viewer, for the command to embed

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund

$(PAGE): web/node_modules/.package-lock.json web/index.html web/vite.config.ts web/tsconfig.json $(shell find web/src -type f)
	cd web && npm run --silent build

demo: $(PAGE) ## bake, drop, break and ring into out/demo; then look at it in the browser
	cargo build --release --workspace
	target/release/carom demo

# $(call stage,NAME,COMMAND) runs a stage of the tests and prints how long it took.
define stage
	@echo "== $(1)"; begun=$$(date +%s); $(2); status=$$?; \
	echo "== $(1): $$(($$(date +%s) - begun)) s"; exit $$status
endef

test: $(PAGE) ## format, lints, tests and documentation, of the engine and of the page
	$(call stage,format,cargo fmt --all --check)
	$(call stage,lints,cargo clippy --release --workspace --all-targets -- -D warnings)
	$(call stage,tests,PROPTEST_RNG_SEED=$(SEED) cargo test --release --workspace)
	$(call stage,the page: units,cd web && npm run --silent check && npm test --silent)
	$(call stage,the page: browser,cargo build --release --workspace && cd web && npm run --silent browser)
	$(call stage,documentation,RUSTDOCFLAGS=-Dwarnings cargo doc --release --workspace --no-deps)
	@echo "== all passed"

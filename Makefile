# `make help` lists what can be made. `make test` is exactly what continuous integration runs.
.DEFAULT_GOAL := help
.PHONY: help web demo test fuzz

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

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

# Seconds for each parser. Inputs that reach new code are kept in fuzz/found for the next time, what fails in fuzz/artifacts.
SECONDS ?= 60
HOST := $(shell rustc -vV | sed -n 's/^host: //p')
COVERAGE := -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
	-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares
PARSERS := $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))

fuzz: ## broken files into every parser, SECONDS=60 each, and the property tests with a new seed
	cd fuzz && RUSTFLAGS="$(COVERAGE)" cargo build --release --locked --bins --target $(HOST)
	@set -e; for parser in $(PARSERS); do \
		echo "== $$parser"; mkdir -p fuzz/found/$$parser fuzz/artifacts/$$parser; \
		nice fuzz/target/$(HOST)/release/$$parser -max_total_time=$(SECONDS) -rss_limit_mb=2048 -max_len=65536 -timeout=20 \
			-verbosity=0 -print_final_stats=1 -artifact_prefix=fuzz/artifacts/$$parser/ fuzz/found/$$parser fuzz/corpus/$$parser; \
	done
	@seed=$$(od -An -N4 -tu4 /dev/urandom | tr -d ' '); echo "== property tests with PROPTEST_RNG_SEED=$$seed"; \
		PROPTEST_RNG_SEED=$$seed cargo test --release --workspace

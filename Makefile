# `make help` lists what can be made. `make test` is exactly what continuous integration runs.
.DEFAULT_GOAL := help
.PHONY: help web demo test fuzz licences audit

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

licences: $(PAGE) ## write THIRD-PARTY.txt anew: what the command is built from, with licences
	cargo test --release -p carom-cli --test cli write_third_party -- --ignored

DENY := 0.20.2
DENY_PROGRAM := target/tools/deny-$(DENY)/bin/cargo-deny

$(DENY_PROGRAM):
	nice cargo install cargo-deny --version $(DENY) --locked --root target/tools/deny-$(DENY)

# The database of known faults lies on GitHub. Where that cannot be reached the audit says so and checks the rest.
audit: $(DENY_PROGRAM) ## dependencies: licences, sources, versions that are there twice, known faults
	$(DENY_PROGRAM) --locked check --hide-inclusion-graph licenses sources bans
	@if $(DENY_PROGRAM) --locked fetch db; then $(DENY_PROGRAM) --locked check advisories; \
	else echo "== the database of advisories cannot be reached: known faults are NOT checked"; fi

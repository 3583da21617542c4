# `make help` lists what can be made. `make test` is exactly what continuous integration runs.
.DEFAULT_GOAL := help
.PHONY: help demo test

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## bake a bar and a mug and drop four springs, with plots, pictures, bounce maps, moving models and sound, into out/demo
	cargo build --release --workspace
	target/release/carom demo

test: ## format, lints, tests and documentation
	@echo "== format"
	cargo fmt --all --check
	@echo "== lints"
	cargo clippy --release --workspace --all-targets -- -D warnings
	@echo "== tests"
	cargo test --release --workspace
	@echo "== documentation"
	RUSTDOCFLAGS=-Dwarnings cargo doc --release --workspace --no-deps
	@echo "== all passed"

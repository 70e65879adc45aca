# The commands of the README. `make run` and `make test` need nothing set up beforehand but Rust and Node.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run dev reset story hooks test test-all check format bench build build-run dist release test-deb web web-deps need-run need-test schema licences opt-out-model clean

help: ## What there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: need-run web build-run ## Build everything, start the API and the worker on SQLite, stop both on Ctrl-C
	@.ci/start

test: ## What decides whether a change is right: lint, types, unit tests, stories, kill campaign, a part of the browser stories on the phone
	@.ci/test

test-all: ## Every test there is: every story on both databases, the browser stories on both screens, the doc comments
	@TESTS=all .ci/test

check: web-deps ## The fast loop: format, lint, types, unit tests of what changed (SINCE=<commit>)
	@.ci/check

dev: need-run web-deps ## API, worker and Vite with hot reload on the dev profile; builds again what changes
	@node .ci/dev.mjs

reset: ## Empty var/ of this folder, after asking
	@.ci/reset

story: need-test ## One story on both databases: make story NAME=idempotency::
	@NAME='$(NAME)' .ci/story

hooks: ## Look at layout and lint before every commit (git's core.hooksPath)
	git config core.hooksPath .githooks

format: web-deps ## Lay out all Rust and all of the web app anew
	cargo fmt --all
	cd web && npm run -s format

bench: build ## Figures beside the limits of this machine, in one run
	cargo build --release -p api -p worker -p tests --bin api --bin worker --bin bench
	DURABLE=1 tests/with-postgres.sh target/release/bench $(BENCH_ARGS)
	cargo build --quiet -p api -p worker
	LOAD=full tests/with-postgres.sh cargo test --quiet -p tests --test stories unknown_outcome::
	KILLS=$${KILLS:-500} tests/with-postgres.sh cargo test --quiet -p tests --test campaign -- kills:: photos:: --nocapture
	FAULTS=$${FAULTS:-200} tests/with-postgres.sh cargo test --quiet -p tests --test campaign postgres_faults -- --nocapture
	LOAD=full tests/with-postgres.sh cargo test --quiet -p tests --test campaign replicas:: -- --nocapture

build-run:
	@[ -x "$${CARGO_TARGET_DIR:-target}/local/worker" ] || \
		echo "Building the API and the worker: every package the first time (some minutes), later what changed."
	@cargo build --profile local -p api -p worker

build: need-run web ## The web app and both release binaries
	cargo build --release -p api -p worker

dist: need-run web ## Both programs as they are shipped: small, and slow to build (target/dist)
	cargo build --locked --profile dist -p api -p worker
	@ls -l target/dist/api target/dist/worker | awk '{ printf "%s: %d MB\n", $$NF, $$5 / 1000000 }'

release: web ## Everything that a version is given out as, into dist/: docs/releasing.md
	packaging/release

test-deb: ## Install, upgrade, remove and purge the package in a copy of this Debian (root only)
	packaging/test-deb

web: web-deps web/dist/.built

web-deps: web/node_modules/.installed

web/node_modules/.installed: web/package.json web/package-lock.json web/.npmrc
	@echo "Installing the web app's packages (npm)."
	cd web && npm ci --no-audit --no-fund --loglevel=error
	# web/.npmrc lets no package run anything. This one must: it puts the Node of the web app's own commands in place.
	cd web && npm rebuild node --ignore-scripts=false --loglevel=error
	@touch $@

web/dist/.built: web/node_modules/.installed $(shell find web/src web/public web/index.html web/vite.config.ts -type f 2>/dev/null)
	@echo "Building the web app."
	cd web && npm run -s build
	@touch $@

need-run:
	@.ci/need run

need-test:
	@.ci/need test

schema: ## Write the API document and the web client's types anew
	cargo run --quiet -p api -- openapi > web/src/api/openapi.json.new
	mv web/src/api/openapi.json.new web/src/api/openapi.json
	cd web && npm run -s gen:api

licences: web-deps ## Write the list of licences of what is shipped anew
	node .ci/licences.mjs

opt-out-model: ## Learn the weights of the opt-out reader anew from its corpus
	cargo test --quiet -p shared --lib write_the_shipped_weights -- --ignored --nocapture

clean: ## Remove what was built (never var/)
	rm -rf target web/dist web/node_modules

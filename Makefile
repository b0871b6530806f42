# Everything by one word. Needs python3 (3.11 or newer) and the package index, nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SHELL := /bin/bash

.DEFAULT_GOAL := help
.PHONY: help run test check types fix docs bench lock clean

help: ## List what can be done
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

run: $(VENV)/.runtime ## Start Longterm on http://127.0.0.1:8765
	@$(BIN)/longterm serve

# Empty is as if it were not set: a hundred programs that tests start would compile us each anew.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/.dev ## Run every test
	-@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(VENV)/.openai; fi
	$(BIN)/pytest -n 2 --dist loadgroup $(ARGS)

check: $(VENV)/.dev ## Format, lint, types, architecture, migrations: report only
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/squawk src/longterm/store/migrations/*.sql
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory types; \
		else echo "No npm here: the types of the page's JavaScript are not checked."; fi

types: $(VENV)/.typescript ## Check the types of the page's JavaScript
	$(VENV)/typescript/node_modules/.bin/tsc --noEmit --checkJs --allowJs --strict --target es2022 \
		--module esnext --moduleResolution bundler --lib es2023,dom,dom.iterable src/longterm/web/static/*.js

fix: $(VENV)/.dev ## Format, and mend what the linter can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.dev ## Make the reference from the code
	$(BIN)/python -m docs.generate

bench: $(VENV)/.runtime ## Measure speed against the bare database, and HTTP against the library
	$(BIN)/longterm bench speed
	$(BIN)/longterm bench http

lock: $(VENV)/.dev ## Pin the newest versions that pyproject.toml allows
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header pyproject.toml --group build -o requirements/runtime.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header pyproject.toml --group build --group dev --all-extras -o requirements/dev.txt

clean: ## Remove the virtual environment and every cache
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Longterm needs Python 3.11 or newer; choose one with: make PYTHON=python3.12 …" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: $(VENV)/bin/python requirements/runtime.txt pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/runtime.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.typescript: $(VENV)/bin/python
	npm install --silent --no-fund --no-audit --prefix $(VENV)/typescript typescript@5.9.3
	@touch $@

# The client for JavaScript, with which a test speaks to the proxy. Version 7 needs Node 22.
$(VENV)/.openai: $(VENV)/bin/python
	npm install --silent --no-fund --no-audit --prefix $(VENV)/openai openai@6.49.0
	@touch $@

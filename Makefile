# Two commands on a fresh machine with Python 3.11 or later: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo test lint types imports check bench clean

help: ## list these targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | sort

$(VENV)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "featlearn needs Python 3.11 or later; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(VENV)/.ready ## install, test the headline claims, write a page to open
	@status=0; $(BIN)/featlearn verify --headline || status=$$?; \
	if [ $$status -le 1 ]; then $(BIN)/featlearn report || exit $$?; fi; exit $$status

test: $(VENV)/.ready-dev ## install, run the tests
	$(BIN)/python -m pytest

lint: $(VENV)/.ready-dev ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.ready-dev ## static types
	$(BIN)/mypy

imports: $(VENV)/.ready-dev ## which package may import which
	$(BIN)/lint-imports

check: test lint types imports ## all of these

bench: $(VENV)/.ready-dev ## measure speed; prints ratios
	$(BIN)/python benchmarks/one_step.py

clean: ## remove the environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

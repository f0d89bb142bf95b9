# Every target sets up what it needs in .venv, and `test` in .recipes as well; nothing else on the machine is touched, but that `test`
# installs Chromium and Java.

PYTHON ?= python3
BIN    := .venv/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Two processes share the cores already; threads of OpenMP and BLAS within them would only wait for each other.
TESTS  := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadgroup --quiet

# Where Python is told to keep nothing that it compiled, every process of the tests would compile the house again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test programs fuzz bench lint docs bounds package types clean

help: ## list what can be made (this list)
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: .venv/.demo ## evaluate a model on real data and print what was found
	@$(BIN)/steelyard demo
	@echo; echo "A service that watches models: $(BIN)/pip install -e '.[serve]' && $(BIN)/steelyard serve --demo"

test: .venv/.ready ## lint, then every test, docstring example and the README; ROOM=measures: one room alone, in seconds
	@if [ -n "$(ROOM)" ]; then tools/room "$(ROOM)"; else $(MAKE) --no-print-directory --jobs=2 lint programs && $(TESTS); fi

# What tests need is fetched while the linters, which use one core, look through the source.
programs: .venv/.ready
	@tools/chromium && tools/java && $(BIN)/python tools/recipes

fuzz: .venv/.ready ## the long run: CALLS=20000 drawn calls and commands, TABLES=2000 for every engine, files changed at PLACES=500, jobs killed 200 times
	@$(BIN)/python -m tests.fuzz.long $(or $(CALLS),20000) $(SEED)
	@STEELYARD_FUZZ=$(or $(TABLES),2000) $(BIN)/python -m pytest -n 2 --quiet tests/engines/test_drawn_tables.py
	@STEELYARD_FUZZ=$(or $(PLACES),500) $(BIN)/python -m pytest -n 2 --quiet tests/laws/test_cut_files.py tests/laws/test_changed_files.py
	@STEELYARD_KILLS=200 STEELYARD_HISTORIES=200 $(BIN)/python -m pytest -n 2 --quiet tests/experiments/test_killing.py tests/monitors/test_killed_jobs.py tests/laws/test_windows.py

bench: .venv/.ready ## compare with other libraries in one run and print the ratios; PARTS="training engines": the long ones
	@$(BIN)/python bench/run.py $(PARTS)

lint: .venv/.ready ## style, format, types, direction of imports
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "Some files are not formatted. To do it: $(BIN)/ruff format ."; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache --no-logo

docs: .venv/.ready ## print the pages that are made from the code
	@$(BIN)/python docs/make.py
	@$(BIN)/python docs/pictures.py

bounds: ## run the tests at the lowest versions that are allowed, and at the newest there are
	@tools/bounds

package: .venv/.ready ## build the wheel and the archive of sources, and try the wheel in an environment of its own
	@rm -rf dist && STEELYARD_DIST=dist $(BIN)/python -m pytest --quiet tests/test_package.py && ls -l dist

types: ## the share of public names whose types are known, by pyright in an environment of its own
	@tools/types

clean: ## remove everything make has made, .venv included
	@rm -rf .venv .recipes build dist .pytest_cache .types .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find src tests bench docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# The environment. A stamp says what was installed, and is older than pyproject.toml when it must be done again.

$(BIN)/pip:
	@command -v $(PYTHON) >/dev/null || \
	  { echo "No $(PYTHON) here. steelyard needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "steelyard needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) -V 2>&1). Name another with: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv .venv || \
	  { echo "$(PYTHON) could not make a virtual environment; on Debian and Ubuntu: apt install python3-venv"; exit 1; }

.venv/.demo: pyproject.toml | $(BIN)/pip
	@echo "Setting up .venv for the demo (once; a minute or so) ..."
	@$(PIP) -e '.[demo,fast]'
	@touch $@

.venv/.ready: pyproject.toml | $(BIN)/pip
	@echo "Setting up .venv (once; a minute or two) ..."
	@$(PIP) -e '.[test]'
	@touch .venv/.demo $@

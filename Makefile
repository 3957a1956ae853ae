# Needs Python 3.11 or newer and make; everything else is installed into .venv from the lock.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO ?= demo-site
ROOMS := steps ledger flows tui clusterwright

.PHONY: setup demo test lint lock bench clean

setup: $(VENV)/.installed

# uv installs the locked, hashed set and compiles bytecode, so that the first start is as fast as the tenth.
$(VENV)/.installed: requirements-dev.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==0.13.8
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --compile-bytecode -r requirements-dev.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	$(BIN)/python -m compileall -q $(ROOMS)
	touch $@

demo: setup
	$(BIN)/python examples/demo.py $(DEMO)

test: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/yamllint -s .
	cd playbooks && ../$(BIN)/ansible-lint --offline -q
	$(BIN)/clusterwright catalog lint

# The lock records hashes and no index lines, so that it holds wherever the packages come from.
lock: setup
	$(BIN)/uv pip compile -q --generate-hashes --no-header --no-emit-index-url --python-version 3.11 pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --extra dev --generate-hashes --no-header --no-emit-index-url -c requirements.lock --python-version 3.11 pyproject.toml -o requirements-dev.lock

bench: setup
	$(BIN)/python benchmarks/start_up.py
	$(BIN)/python benchmarks/design.py

clean:
	rm -rf $(VENV) $(DEMO)

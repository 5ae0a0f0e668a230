PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: reproduce test test-long mutants check check-vllm clean

reproduce: $(READY)
	$(BIN)/teltheory reproduce

test: $(READY)
	$(BIN)/python -m pytest

test-long: $(READY)
	TELTHEORY_TESTS=long $(BIN)/python -m pytest tests/replay tests/optimal
	PYTHONPATH=tests $(BIN)/python tests/sweep/long_kill.py 20 1
	PYTHONPATH=tests $(BIN)/python tests/optimal/long_all_methods.py 3000 1
	PYTHONPATH=tests $(BIN)/python tests/calibration/long_recovery.py 100 0

mutants: $(READY)
	PYTHONPATH=tests $(BIN)/python -m mutants.plant

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check-vllm: $(READY)
	$(BIN)/python experiments/check_vllm.py

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "teltheory needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
	@touch $(READY)

clean:
	rm -rf $(VENV) out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

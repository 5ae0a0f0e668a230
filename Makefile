PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LOOPS := teltheory/base/compiled_loops.so
LEDGER := out/ledger.json
ZIGLANG = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt ziglang
export PYTHONDONTWRITEBYTECODE =
# What a page of the site would fetch from elsewhere; a link that is only followed is none.
FETCHED := <(script|img|iframe|source)\b[^>]*\bsrc="?(https?:)?//[^>]*|<link(?![^>]*rel="?(canonical|next|prev|author|license))[^>]*\bhref="?(https?:)?//[^>]*

.PHONY: reproduce reproduce-twice formal formal-bridge theory.pdf ledger slowest test test-ledger test-model test-long mutants mutants-lines sanitize check check-vllm check-engines docs \
	docs-check wheel-quick wheel-test wheels wheel-no-compiler publish pythons clean

reproduce: $(LOOPS)
	$(BIN)/teltheory reproduce --out out

reproduce-twice: $(LOOPS)
	rm -rf out/twice && mkdir -p out/twice/first out/twice/second
	for run in first second; do (cd out/twice/$$run && TELTHEORY_DATA=$(abspath $(or $(TELTHEORY_DATA),../shared/data)) \
		$(abspath $(BIN))/teltheory reproduce --out out > printed.txt) || exit; done
	diff -r out/twice/first out/twice/second

# Proofs in Coq: compiled, checked again, and what each theorem assumes, which must be nothing.
formal:
	$(if $(shell command -v coqc 2> /dev/null),,$(error make formal needs coqc: install the Debian package coq))
	@bash proofs_checks/formal/check.sh out/formal

# The programs that Coq extracts, against the toolkit's replays.
formal-bridge: $(LOOPS)
	PYTHONPATH=tests $(BIN)/python -m formal.bridge $(or $(TRACES),20000) $(or $(SEED),1)
	$(BIN)/python -m pytest -m long -n 0 tests/formal/test_programs.py

ledger: $(LEDGER)
	PYTHONPATH=tests $(BIN)/python -m claims.rows $(LEDGER)

slowest: $(LEDGER)
	$(BIN)/python -m proofs_checks.slowest $(LEDGER)

test: $(LOOPS)
	$(BIN)/python -m pytest

test-ledger: $(LEDGER)
	$(BIN)/python -m pytest -m ledger tests/claims tests/documents tests/report

test-model: $(LOOPS)
	$(BIN)/python -m pytest -m model -n 2

test-long: $(LOOPS)
	TELTHEORY_TESTS=long $(BIN)/python -m pytest -m ""
	PYTHONPATH=tests $(BIN)/python tests/optimal/long_all_methods.py 10000 19
	PYTHONPATH=tests/claims $(BIN)/python tests/claims/long_second_opinion.py 4
	$(BIN)/python tests/formats/long_streaming.py
	$(BIN)/python tests/processes/long_kills.py

mutants: $(LOOPS)
	PYTHONPATH=tests $(BIN)/python -m mutants.plant

mutants-lines: $(LOOPS)
	PYTHONPATH=tests $(BIN)/python -m mutants.lines --lines $(or $(LINES),300) --seed $(or $(SEED),1)

sanitize: $(LOOPS)
	PYTHONPATH=tests $(BIN)/python -m mutants.sanitized $(TESTS)

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(LEDGER)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	! grep -rnoP --include='*.html' '$(FETCHED)' out/site

# What Coq has proved, with rows and proofs in prose, in one document: out/theory.html and out/theory.pdf.
theory.pdf: $(LOOPS)
	$(BIN)/python -m documents.theory

docs-check: $(LOOPS)
	$(BIN)/python -m pytest --doctest-modules -p documents.blocks README.md docs documents/columns.py

wheel-quick: $(READY)
	$(BIN)/python -m release.wheel

wheel-test: $(LOOPS)
	$(BIN)/python -m release.wheel --all

# For each system that a release is for; the one that fits this machine is tested, as far as wheel-quick goes.
wheels: $(READY)
	$(ZIGLANG)
	$(BIN)/python -m release.wheel --targets

wheel-no-compiler: $(READY)
	$(BIN)/python -m release.wheel --no-compiler

publish: $(READY)
	$(ZIGLANG)
	$(BIN)/python -m release.publish $(if $(DRY),--dry-run)

pythons: $(READY)
	$(BIN)/nox

check-vllm: $(LOOPS)
	$(BIN)/python experiments/check_vllm.py

check-engines: $(LOOPS)
	$(BIN)/python -m experiments.check_engines $(or $(ENGINES),--help)

# All rows, decided: a test holds their verdicts, and the site's ledger and errata are made of them.
$(LEDGER): $(LOOPS) $(shell find teltheory proofs_checks -name '*.py')
	@mkdir -p $(dir $@)
	$(BIN)/teltheory verify --json $@ > /dev/null

# An editable install has made it; without a C compiler ziglang makes it.
$(LOOPS): release/loops.py teltheory/base/c_sources.py $(shell find teltheory -name '*.[ch]') | $(READY)
	$(BIN)/python release/loops.py

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "teltheory needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	@command -v $(firstword $(CC)) > /dev/null || $(ZIGLANG)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
	@touch $(READY)

clean:
	rm -rf $(VENV) out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

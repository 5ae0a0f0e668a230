"""The list of faults is true of the code, and what `make mutants` does with a few."""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from claims.test_formal import without_comments
from mutants.c_sites import compiles, words_of
from mutants.copies import ROOT
from mutants.fault import FAULTS, Fault
from mutants.plant import chosen, main, plant_all

from proofs_checks import all_claims

pytestmark = pytest.mark.repository


KV_CACHE = "teltheory/cost/kv_cache.py"
KV_CACHE_TESTS = ("tests/cost/test_kv_cache.py",)
SIZE = "return vectors * self.layers *"
FACTOR_FORGOTTEN = Fault("by-a-test", KV_CACHE, SIZE, "return self.layers *", "half of it", tests=KV_CACHE_TESTS)
EQUIVALENT = Fault("equivalent", KV_CACHE, SIZE, "return self.layers * vectors *", "nothing", tests=KV_CACHE_TESTS)
BUDGET = replace(*chosen(["budget-one-short"]), rows=("figure-2",), tests=())
GONE = Fault("gone", KV_CACHE, "return 3 * self.layers *", SIZE, "nothing to plant it in", rows=("figure-2",))
words_once = cache(words_of)


@cache
def read(file):
    return (ROOT / file).read_text()


@cache
def code_of(file):
    return compile(read(file), file, "exec")


@cache
def all_compile(file):
    """Whether a C file compiles with its faults planted together, each apart where they overlap."""
    text = read(file)
    for fault in (fault for fault in FAULTS if fault.file == file):
        apart = text.count(fault.old) != 1
        assert not apart or compiles(fault.planted_in(read(file))), fault.name
        text = text if apart else fault.planted_in(text)
    return compiles(text)


@pytest.mark.parametrize("fault", [*FAULTS, FACTOR_FORGOTTEN, EQUIVALENT], ids=lambda fault: fault.name)
def test_a_fault_can_be_planted(fault):
    text = read(fault.file)
    planted = fault.planted_in(text)
    if fault.file.endswith(".v"):
        assert without_comments(planted) != without_comments(text)
        return
    if not fault.file.endswith(".py"):
        assert words_of(planted) != words_once(text)
        assert all_compile(fault.file)
        return
    assert compile(planted, fault.file, "exec") != code_of(fault.file)


def test_faults_name_rows_and_tests_that_are_there():
    known = {claim.id for claim in all_claims()}
    assert max(Counter(fault.name for fault in FAULTS).values()) == 1
    for fault in FAULTS:
        assert {*fault.rows} <= known, fault.name
        assert fault.rows or fault.tests, fault.name
        for tests in fault.tests:
            file, _, test = tests.partition("::")
            named = test.partition("[")[0]
            assert any(f"\n{begin}{named}" in f"\n{read(file)}" for begin in ("def ", "")), (fault.name, tests)


@pytest.mark.long
def test_two_faults_are_caught_one_survives_and_one_is_gone():
    before = [(ROOT / fault.file).read_text() for fault in (BUDGET, GONE)]
    lines = []
    assert not plant_all([BUDGET, FACTOR_FORGOTTEN, EQUIVALENT, GONE], 2, 100.0, lines.append)
    assert [line.split()[:2] for line in lines[:4]] == [
        ["caught", "budget-one-short"],
        ["caught", "by-a-test"],
        ["SURVIVED", "equivalent"],
        ["PROBLEM", "gone"],
    ]
    assert lines[0].endswith("row figure-2: holds became refuted\n")
    assert "tests/cost/test_kv_cache.py::test_a_token_has_the_size" in lines[1]
    assert "found the old text 0 times, expected it once" in lines[3]
    assert lines[4] == "2 of 4 faults caught\n"
    assert [(ROOT / fault.file).read_text() for fault in (BUDGET, GONE)] == before


def test_faults_are_chosen_by_name_or_number(capsys):
    assert chosen(["2", FAULTS[0].name]) == [FAULTS[1], FAULTS[0]]
    with pytest.raises(SystemExit, match="found no fault 'nothing'"):
        chosen(["nothing"])
    assert main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(FAULTS)

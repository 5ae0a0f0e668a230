"""The list of faults is true of the code, and what `make mutants` does with a few."""

from __future__ import annotations

import ast
from collections import Counter

import pytest
from mutants.copies import ROOT
from mutants.fault import Fault
from mutants.faults import FAULTS
from mutants.plant import chosen, main, plant_all

from proofs_checks import all_claims


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_can_be_planted(fault):
    text = (ROOT / fault.file).read_text()
    planted = fault.planted_in(text)
    assert ast.dump(ast.parse(planted)) != ast.dump(ast.parse(text))


def test_faults_name_rows_and_tests_that_are_there():
    known = {claim.id for claim in all_claims()}
    assert max(Counter(fault.name for fault in FAULTS).values()) == 1
    for fault in FAULTS:
        assert {*fault.rows} <= known, fault.name
        assert fault.rows or fault.tests, fault.name
        for tests in fault.tests:
            file, _, test = tests.partition("::")
            assert f"def {test.partition('[')[0]}" in (ROOT / file).read_text(), (fault.name, tests)


def a_fault(name, old, new, **looks):
    return Fault(name, "teltheory/policies/policy.py", old, new, "a budget is wrong", **looks)


BUDGET = "return min(past, max(0, past + prompt - xi))"
CAUGHT = a_fault("caught", BUDGET, "return past", rows=("figure-2",))
EQUIVALENT = a_fault("equivalent", BUDGET, "return min(past, max(0, prompt + past - xi))", rows=("figure-2",))
GONE = a_fault("gone", "return min(past, past)", "return past", rows=("figure-2",))


def test_a_fault_is_caught_one_survives_and_one_is_gone():
    lines = []
    assert not plant_all([CAUGHT, EQUIVALENT, GONE], 2, 100.0, lines.append)
    assert [line.split()[:2] for line in lines[:3]] == [
        ["caught", "caught"],
        ["SURVIVED", "equivalent"],
        ["PROBLEM", "gone"],
    ]
    assert lines[0].endswith("row figure-2: holds became refuted\n")
    assert "found the old text 0 times, expected it once" in lines[2]
    assert lines[3] == "1 of 3 faults caught\n"
    assert "return past" not in (ROOT / CAUGHT.file).read_text().split("def tel_safe_budget")[1].splitlines()[2]


def test_faults_are_chosen_by_name_or_number(capsys):
    assert chosen(["2", FAULTS[0].name]) == [FAULTS[1], FAULTS[0]]
    with pytest.raises(SystemExit, match="found no fault 'nothing'"):
        chosen(["nothing"])
    assert main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(FAULTS)

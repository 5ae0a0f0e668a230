"""Counterexamples as states: read back from plain data, computed anew, and held against the row's values."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from proofs_checks.algorithm_1 import Reading
from proofs_checks.algorithm_2 import any_n, real_threshold
from proofs_checks.belief_grids import BAYES, PAPER
from proofs_checks.errata.shows import cut, silence, solutions, until_it_loops
from proofs_checks.posterior import posterior
from teltheory.claims.beliefs import BeliefCase, Step
from teltheory.claims.case import Case, World
from teltheory.claims.search import decide
from teltheory.claims.state_tables import decision, traced
from teltheory.claims.worlds import SmallWorlds, upper_bounds
from teltheory.errors import ArgumentError
from teltheory.policies import LRU, TLRU

SPACE = SmallWorlds({1: 2, 2: 2, 3: 2}, {}, estimates=upper_bounds, starts=2)


def stored(case, values):
    """A counterexample as a file has it."""
    return json.loads(json.dumps(case.as_counterexample(values)))


def test_every_case_is_read_back():
    cases = [case for size in SPACE.classes("quick") for case in size]
    assert len(cases) > 1000
    for case in cases:
        assert Case.of(stored(case, {})) == case
    forced = Case(World(((0, 1, 0),)), 1, forced=True)
    assert Case.of(stored(forced, {})) == forced


def test_a_trace_is_shown_turn_by_turn():
    example = {
        "turns": [[1, 0, 2], [0, 1, 0], [0, 2, 0]], "initial": [[7, 3, 1], [0, 0, 0]],
        "capacity": 2, "xi": 2, "q_hat": 1, "forced": False, "values": {"T-LRU": 0, "LRU": 0},
    }  # fmt: skip
    lru, t_lru = traced({"LRU": lambda _: LRU(), "T-LRU": lambda case: TLRU(case.xi, case.q_hat)})(
        {**example, "values": {}}
    )
    assert [row[1] for row in lru.rows] == ["B", "A", "A"]
    assert [row[2:8] for row in lru.rows] == [
        ("0", "0", "0", "0", "0", "0"),
        ("0", "1", "1", "0", "1", "0"),
        ("1", "2", "3", "1", "2", "0"),
    ]
    assert [row[8] for row in lru.rows] == ["H:0/3 A:0/0 B:2/2", "H:0/3 B:1/2 A:1/1", "H:0/3 B:0/2 A:2/3"]
    assert [row[8] for row in t_lru.rows] == ["H:1/3 A:0/0 B:1/2", "H:1/3 B:1/2 A:0/1", "H:0/3 B:0/2 A:2/3"]
    assert (lru.below, t_lru.below) == ("TEL 0.", "TEL 1.")


@pytest.mark.parametrize("told", [1, [0, 1], [1]])
def test_a_replay_that_the_row_s_values_gainsay_is_an_error(told):
    case = Case(World(((0, 1, 0), (0, 0, 0))), 1)
    example = stored(case, {"LRU": told})
    with pytest.raises(ArgumentError, match=r"LRU: found .*, expected the ledger's"):
        traced({"LRU": lambda _: LRU()})({**example, "xi": 1})


def test_a_loop_that_never_ends_is_shown_after_the_turns_before_it():
    example = stored(Case(World(((0, 1, 0), (1, 1, 0))), capacity=1, q_hat=1), {})
    show = until_it_loops("as printed", lambda case: Reading(case.xi, case.q_hat))
    before, loop = show(example)
    assert before.title == "as printed, up to the loop"
    assert [row[-1] for row in before.rows] == ["A:1/1"]
    assert "trim loop goes round after turn 2" in loop.title
    assert loop.rows == (("A", "1", "1", "2", "X ≥ 1"), ("B", "1", "1", "2", "X ≥ 1"))
    assert loop.below.startswith("Σ X = 2 > C = 1")


def test_solutions_differ_in_x_at_the_first_step():
    example = stored(Case(World(((0, 2, 0), (0, 1, 0))), capacity=2), {})
    printed, given = solutions(example)
    assert printed.below == "Optimum 1."
    assert given.below == "Optimum 3."
    assert [row[3] for row in printed.rows] == ["2", "2"]
    assert [row[3] for row in given.rows] == ["0", "2"]


@pytest.mark.parametrize("claim", [real_threshold, any_n])
def test_the_allocations_of_a_cut_have_the_row_s_objectives(claim):
    example = json.loads(json.dumps(decide(claim).counterexample))
    known, allocations = cut(example)
    by_mark = {mark: objective for _, objective, mark in allocations.rows if mark}
    assert by_mark == {"Algorithm 2": example["values"]["greedy"], "optimal": example["values"]["optimum"]}
    assert len(known.rows) == len(example["pasts"])


def test_the_silence_gives_the_row_s_probabilities():
    example = json.loads(json.dumps(decide(posterior).counterexample))
    (table,) = silence(example)
    paper, alive, dead, given = (Fraction(value) for _, value in table.rows)
    assert [str(paper), str(given)] == list(example["values"].values())
    assert given == alive / (alive + dead)


@pytest.mark.parametrize(("model", "alive"), [(PAPER, ["1/4", "1/2", "1"]), (BAYES, ["2/17", "2/5", "1"])])
def test_a_decision_says_who_is_alive(model, alive):
    """By hand: with mu = lambda = 1 and exp(-1) = 1/2 the posterior after a silence of t is 2 / (1 + 4^t)."""
    half = Fraction(1, 2)
    steps = tuple(Step(half if place else Fraction(1), place, 0, 0, 0) for place in range(3))
    values = {"cached": [(0, 0, 1)], "kept": [(0, 0, 1)], "best": [(0, 0, 0)], "rule": [Fraction(2, 3)]}
    example = stored(BeliefCase(model, steps, 1), {**values, "optimal": [Fraction(1, 12_345_678)]})
    history, table = decision(example)
    assert [row[2] for row in table.rows] == alive
    assert [row[-3:] for row in table.rows] == [("0", "0", "0"), ("0", "0", "0"), ("1", "1", "0")]
    assert table.below.endswith("the rule 2/3, the best 0.000000 (1/12345678).")
    assert [row[:3] for row in history.rows] == [("1", "", "A"), ("2", "1/2", "B"), ("3", "1/2", "C")]

"""Counterexamples as states: read back from plain data, computed anew, and held against the row's values."""

import json
from dataclasses import replace

import pytest

from proofs_checks.errata.shows import cut, solutions, until_it_loops
from proofs_checks.tail_optimized.algorithm_1 import Reading
from proofs_checks.tail_optimized.algorithm_2 import HALF, any_n, cuts, real_threshold
from teltheory.claims.case import Case, World
from teltheory.claims.search import decide
from teltheory.claims.state_tables import traced
from teltheory.claims.worlds import SmallWorlds, upper_bounds
from teltheory.errors import ArgumentError
from teltheory.policies import LRU, TLRU

SPACE = SmallWorlds({1: 2, 2: 2, 3: 1}, {}, estimates=upper_bounds, starts=2)


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
    assert (lru.below, t_lru.below) == ("TEL 0 with C = 2, ξ = 2.", "TEL 1 with C = 2, ξ = 2.")


@pytest.mark.parametrize("told", [1, [0, 1], [1]])
def test_a_replay_that_the_row_s_values_gainsay_is_an_error(told):
    case = Case(World(((0, 1, 0), (0, 0, 0))), 1)
    example = stored(case, {"LRU": told})
    with pytest.raises(ArgumentError, match=r"LRU: found .*, expected the ledger's"):
        traced({"LRU": lambda _: LRU()})({**example, "xi": 1})


def test_a_loop_that_never_ends_is_shown_after_the_turns_before_it():
    example = stored(Case(World(((0, 1, 0), (1, 1, 0))), capacity=1, q_hat=1), {})
    before, loop = until_it_loops("as printed", lambda case: Reading(case.xi, case.q_hat))(example)
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


@pytest.mark.parametrize("claim", [replace(real_threshold, space=cuts(HALF)), any_n])
def test_the_allocations_of_a_cut_have_the_row_s_objectives(claim):
    example = json.loads(json.dumps(decide(claim).counterexample))
    known, allocations = cut(example)
    by_mark = {mark: objective for _, objective, mark in allocations.rows if mark}
    assert by_mark == {"Algorithm 2": example["values"]["greedy"], "optimal": example["values"]["optimum"]}
    assert len(known.rows) == len(example["pasts"])

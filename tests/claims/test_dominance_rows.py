"""The rows on T-LRU against LRU, on inclusion and on whole nodes: encodings, proof, and planted faults."""

from dataclasses import replace

import numpy as np
import pytest
from claims.proving import can_be_met

from proofs_checks.forest import runs, tlru_on_forests
from proofs_checks.forest.lemmas import induction_high_water, induction_inclusion
from proofs_checks.forest.runs import Pair, Run, dominance, forests, inclusion, new_parts, tail_of_one
from teltheory.claims.comparison import DisagreementError, compare
from teltheory.claims.forests import ForestCase, any_ask
from teltheory.claims.registry import claim_named
from teltheory.claims.search import refutes
from teltheory.claims.smt import Obligation, z3_answer

PAIRS = (
    *(dominance(rule, cache) for rule in ("high-water", "last", "resident") for cache in ("strict", "holes")),
    *(dominance(rule, "nodes", chunk=k) for rule in ("high-water", "last", "resident") for k in (0, 2)),
    *(inclusion("LRU", "nodes", chunk=k, renew=renew) for k in (1, 3) for renew in (True, False)),
    Pair(Run("fewer", "LRU", "strict", "C - k + 1"), Run("nodes", "LRU", "nodes"), chunk=3),
    Pair(Run("a part", "LRU", "strict", "C / k"), Run("nodes", "LRU", "nodes"), chunk=3),
)


@pytest.mark.ledger
@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("pair", PAIRS)
def test_the_two_encodings_agree_on_larger_random_forests(pair: Pair, forced: bool) -> None:
    if "nodes" in (pair.first.cache, pair.second.cache) and not forced:
        return
    ranges = {"asks": any_ask, "totals": tail_of_one, "estimates": new_parts}
    space = forests({}, forced=forced, most_requests=9, most_blocks=9, **ranges)
    rng, seen = np.random.default_rng(5), 0
    for case in filter(None, (space.sample(rng) for _ in range(60))):
        values = pair.values(case)
        row = [] if values is None else [number for numbers in values.values() for number in numbers]
        refuted = None if values is None else not pair.holds(values)
        assert pair.compiled(space).judged(case) == (refuted, row)
        seen += values is not None
    assert seen > 5


@pytest.mark.ledger
@pytest.mark.parametrize("changes", [{"renew": False}, {"chunk": 1}])
def test_other_nodes_are_a_disagreement(changes: dict[str, int]) -> None:
    row = claim_named("forest.stack.nodes")
    sizes = {"quick": {4: 5}}
    compiled = replace(row.compiled, worlds=replace(row.compiled.worlds, **sizes), **changes)
    with pytest.raises(DisagreementError, match=r"forest\.stack\.nodes"):
        compare(replace(row, space=replace(row.space, **sizes), compiled=compiled), "quick")


@pytest.mark.ledger
def test_no_forest_of_up_to_five_requests_and_six_blocks_refutes_high_water_marks_on_nodes() -> None:
    pair = tlru_on_forests.high_water_nodes
    worlds = forests({3: 6, 4: 6, 5: 6}, forced=True, estimates=new_parts)
    sizes = list(worlds.sizes("quick"))
    assert [size for size in sizes if pair.compiled(worlds).tally(*size).refuting] == []


@pytest.mark.long
def test_the_smallest_forest_that_refutes_high_water_marks_on_nodes_has_six_requests_and_six_blocks() -> None:
    pair = tlru_on_forests.high_water_nodes
    found = pair.compiled(forests({}, forced=True, estimates=new_parts)).tally(6, 6)
    assert (found.refuting, found.smallest) == (2, tlru_on_forests.BY_NODES[0])


def test_high_water_marks_on_nodes_are_refuted_by_both_cases() -> None:
    row = claim_named("forest.tlru.nodes.high-water")
    assert [refutes(row, case) for case in tlru_on_forests.BY_NODES] == [True, True]
    second = tlru_on_forests.BY_NODES[1]
    assert min(second.capacity, second.xi, second.q_hat, *second.ask) == 1


def case_of(paths: list[list[int]], total: list[int], capacity: int, xi: int, q_hat: int) -> ForestCase:
    ask = [len(path) for path in paths]
    parameters = {"capacity": capacity, "xi": xi, "q_hat": q_hat, "forced": False}
    return ForestCase.of({"paths": paths, "ask": ask, "total": total, **parameters})


def test_an_estimate_below_a_new_part_is_outside_the_hypotheses() -> None:
    """The second request knows 1 and brings two blocks."""
    paths = [[1], [1, 2, 3]]
    assert refutes(tlru_on_forests.high_water, case_of(paths, [1, 3], 1, 3, 1)) is None
    assert refutes(tlru_on_forests.high_water, case_of(paths, [1, 3], 1, 3, 2)) is False
    assert refutes(tlru_on_forests.high_water, case_of(paths, [1, 4], 1, 3, 2)) is None


def test_with_other_marks_the_theorem_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the row on high-water marks replays the last request's."""
    case = case_of([[1, 2], [3, 4], [1], [1, 2, 5]], [2, 2, 1, 3], 1, 2, 1)
    assert refutes(tlru_on_forests.high_water, case) is False
    right = runs.policy_of
    monkeypatch.setattr(runs, "policy_of", lambda rule, one: right("last" if rule == "high-water" else rule, one))
    assert refutes(tlru_on_forests.high_water, case)


OBLIGATIONS = {one.name: one for one in (*induction_high_water.obligations(), *induction_inclusion.obligations())}


@pytest.mark.parametrize("name", OBLIGATIONS)
def test_obligations_say_something(name: str) -> None:
    """What is assumed can be met, and what is concluded does not hold by itself."""
    one = OBLIGATIONS[name]
    assert can_be_met(one.hypotheses)
    assert z3_answer(Obligation(name, (), one.conclusion).text) == "sat"


def test_without_the_tail_in_q_hat_what_is_needed_may_be_surplus() -> None:
    (name,) = (name for name in OBLIGATIONS if "known and needed" in name)
    one = OBLIGATIONS[name]
    assert z3_answer(Obligation(name, one.hypotheses[:2] + one.hypotheses[3:], one.conclusion).text) == "sat"

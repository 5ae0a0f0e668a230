"""The rows on the forest's optimum: their two encodings, their judges, their families, and planted faults."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from claims.tiny_rows import tiny

import teltheory as tt
from proofs_checks.forest import optimum, strict
from proofs_checks.forest.judges import least_loss, optimum_from
from proofs_checks.forest.programs import at_every_step, in_a_request, intervals, most_kept, needed, rooms
from teltheory.claims.comparison import DisagreementError, compare, tally
from teltheory.claims.compiled.forests import CompiledForests
from teltheory.claims.forests import ForestCase, Shape, SmallForests, no_tail, no_threshold
from teltheory.claims.registry import claim_named
from teltheory.claims.search import decide, refutes
from teltheory.optimal.trees.judge import least_tel

pytestmark = pytest.mark.ledger


def test_a_compiled_greedy_that_spares_deep_blocks_is_a_disagreement() -> None:
    """Planted in the claim: its greedy loses one block more in some cases."""
    row = tiny(optimum.statement_f)

    def values(case: ForestCase) -> dict[str, int]:
        found = row.values(case)
        return {**found, "greedy": found["greedy"] + (sum(case.need) == 3)}

    with pytest.raises(DisagreementError, match=r"forest\.optimum: .*but compiled true with values"):
        compare(replace(row, values=values), "quick")


@pytest.mark.parametrize("space", [strict.PLAIN, strict.at_xi_0(strict.PLAIN), strict.FORCED])
def test_the_compiled_enumeration_has_the_cases_of_the_plain_one(space: SmallForests) -> None:
    demands = "no tail" if space.thresholds is no_threshold else "any need"
    check = CompiledForests("strict and holes", replace(space, quick={2: 3, 3: 2}), demands)
    for size in check.worlds.sizes("quick"):
        listed = list(check.worlds._class(*size))
        assert check.tally(*size).within == len(listed)


def test_the_compiled_enumeration_of_natural_forests_has_the_cases_of_the_plain_one() -> None:
    check = CompiledForests("strict and holes", SmallForests({}, {}, natural_sizes=({2: 4, 3: 4}, {}))).natural()
    for size in check.worlds.sizes("quick"):
        listed = list(check.worlds._class(*size))
        assert check.tally(*size).within == len(listed)
        assert all(check.judged(case)[0] is False for case in listed)


def test_both_judges_find_the_same_least_tel() -> None:
    rng, seen = np.random.default_rng(1), 0
    for forced, cache in product((False, True), (False, True)):
        space = SmallForests({}, {}, forced=forced, most_requests=5, most_blocks=4)
        for case in filter(None, (space.sample(rng) for _ in range(40))):
            assert optimum_from(case, (), strict=cache) == least_tel(case.instance, case.xi, cache)
            seen += 1
    assert seen > 100


def test_the_judge_of_weights_counts_needs_as_the_judge_of_needs() -> None:
    rng = np.random.default_rng(2)
    for case in filter(None, (SmallForests({}, {}, most_blocks=5).sample(rng) for _ in range(30))):
        rows = [[int(d < need) for d in range(end)] for need, end in zip(case.need, case.shape.ends, strict=True)]
        assert least_loss(case, rows) == optimum_from(case, ())


def test_intervals_and_rooms_by_hand() -> None:
    """(1 2) (1) (1 2) under forced caching: the parent's interval into request 3 begins at request 2."""
    case = replace(strict.of_needs([[1, 2], [1], [1, 2]], [0, 0, 2], capacity=2), forced=True)
    assert [one[:4] for one in intervals(case)] == [(0, 1, 1, 2), (0, 1, 2, 3), (1, 2, 1, 3)]
    assert [one.first for one in intervals(case)] == [3, 4, 3]
    assert rooms(case) == [2, 0, 1]
    assert list(in_a_request(intervals(case))) == [(2, 1)]
    assert list(at_every_step(case.shape.parent)(intervals(case))) == [(2, 0), (2, 1)]
    assert most_kept(case, intervals(case), needed(case)) == 2


@pytest.mark.parametrize("case", [strict.SEVEN, strict.SEVEN_NATURAL, strict.SIX, strict.chain_and_singles(2)])
def test_counterexamples_to_leaf_first_in_three_engines(case: ForestCase) -> None:
    compiled = CompiledForests("leaf first and strict", strict.PLAIN)
    assert compiled.judged(case) == (True, [2, 1])
    assert refutes(strict.belady, case)
    policy, caching = tt.TailOptimizedBelady(case.xi), {"forced": case.forced}
    outcome = tt.replay(case.forest, policy, case.capacity, engine="kernel", **caching)
    assert tt.tail_excess_latency(outcome, case.xi) == 2
    best = tt.hindsight_optimum(case.forest, case.capacity, case.xi, method="milp", **caching)
    assert best.upper == 1


def test_the_natural_counterexamples_are_natural() -> None:
    for case in (strict.NATURAL, strict.SEVEN_NATURAL):
        assert case.shape.is_growing
        assert case.ask == case.total == case.shape.ends
        assert min(case.capacity, case.xi) >= 1


@pytest.mark.parametrize(
    "name", ["weights.growing", "weights.growing.relaxation", "optimum.start.holes", "strict.gap"]
)
def test_quick_rows_have_their_verdicts(name: str) -> None:
    assert decide(claim_named(f"forest.{name}")).verdict == ("holds" if name == "strict.gap" else "refuted")


def test_a_check_of_closed_needs_that_lets_all_pass_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counterexample of forest.strict has no closed needs: without the check it would refute the theorem."""
    case = strict.gap(2)
    assert strict.given_closed_needs(case) is None
    monkeypatch.setattr(strict, "needs_are_closed", lambda case: True)
    assert refutes(strict.closed_needs, case)


def test_compiled_and_plain_agree_on_what_closed_needs_are() -> None:
    row = tiny(strict.closed_needs)
    bounds = {"quick": {4: 3}, "samples": 0}
    row = replace(row, space=replace(row.space, **bounds))
    worlds = replace(row.compiled.worlds, **bounds)
    counted = tally(replace(row, compiled=replace(row.compiled, worlds=worlds)), "quick").within
    cases = [case for size_class in row.space.classes("quick") for case in size_class]
    assert counted == sum(map(strict.needs_are_closed, cases)) < len(cases)


def test_a_start_in_front_is_requests_of_total_0() -> None:
    case = ForestCase(Shape((-1, 0, 0), (1, 2)), (2, 2), (4, 4), capacity=2, xi=2)
    one = optimum.Started(case, (0, 2))
    assert one.closed == (0, 2)
    assert (one.in_front.requests.leaf.tolist(), one.in_front.requests.total.tolist()) == ([2, 1, 2], [0, 4, 4])
    assert one.at_hand == (1, 2)
    assert optimum.Started(case, (2,)).closed == ()


def test_at_xi_0_nothing_but_the_threshold_and_the_tail_changes() -> None:
    space = strict.at_xi_0(strict.PLAIN)
    assert (space.totals, space.thresholds) == (no_tail, no_threshold)
    assert space.capacities is strict.PLAIN.capacities

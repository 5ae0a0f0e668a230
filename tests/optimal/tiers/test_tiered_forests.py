"""Both sides of the optimum of forests in tiers against every place of every unit."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from optimal.small_forests import small_forest
from optimal.tiers.small_tiers import tiers_by
from replay.instances import fewer

import teltheory as tt
from teltheory.model.instance import ForestInstance
from teltheory.optimal.tiers.outcome import outcome_of
from teltheory.optimal.tiers.relaxation import relaxed_tel
from teltheory.optimal.tiers.states import least_tel_of_forest

Case = tuple[tt.Forest, tt.Tiers, int, bool]


def small_forests(cases: int, seed: int) -> Iterator[Case]:
    rng = np.random.default_rng(seed)
    while cases:
        xi, forced = int(rng.integers(0, 4)), bool(rng.random() < 0.2)
        forest = small_forest(rng, xi, requests=6, blocks=4)
        tiers = tiers_by(rng, int(rng.choice([1, 2, 2, 3])))
        try:
            ForestInstance.of(forest, tiers.capacities[0], forced=forced)
        except tt.ForcedCachingError:
            continue
        cases -= 1
        yield forest, tiers, xi, forced


def test_both_sides_hold_and_milp_finds_what_holes_allow():
    for forest, tiers, xi, forced in small_forests(fewer(1000, 40), 51):
        holes, strict = (least_tel_of_forest(forest, tiers, xi, forced, closed) for closed in (False, True))
        sides = tt.hindsight_optimum(forest, tiers, xi, forced)
        best = tt.hindsight_optimum(forest, tiers, xi, forced, method="milp", cache="holes")
        assert sides.lower <= holes <= strict <= sides.upper == tt.tail_excess_latency(sides.outcome, xi)
        assert best.objective == holes == tt.tail_excess_latency(best.outcome, xi)
        if xi == 0 and tiers.loading == "additive":
            assert relaxed_tel(forest, tiers, xi, forced) == holes
        tt.check_certificate(forest, tiers, xi, sides.certificate, forced)


def test_one_tier_has_the_sides_of_one_cache():
    for forest, tiers, xi, forced in small_forests(fewer(300, 30), 52):
        plain = tt.hindsight_optimum(forest, tiers.capacities[0], xi, forced)
        tiered = tt.hindsight_optimum(forest, tt.Tiers(tiers.capacities[:1]), xi, forced)
        assert tiered.lower == plain.lower
        assert tiered.upper >= plain.lower


def test_no_policy_is_better_than_the_lower_side():
    for forest, tiers, xi, forced in small_forests(fewer(300, 20), 53):
        lower = tt.hindsight_optimum(forest, tiers, xi, forced).lower
        for policy in (tt.LRU(), tt.TailOptimizedBelady(xi)):
            try:
                outcome = tt.replay(forest, policy, tiers, forced)
            except tt.ForcedCachingError:
                continue
            assert tt.tail_excess_latency(outcome, xi) >= lower


def test_a_unit_in_a_faster_tier_than_its_parent_is_refused():
    forest = tt.Forest.from_paths([[1, 2], [1, 3], [1, 2]], ask=[2, 2, 2])
    instance, tiers = ForestInstance.of(forest, 2), tt.Tiers((2, 2), (0, Fraction(1, 2)))
    with pytest.raises(tt.CertificateError, match="in a faster tier"):
        outcome_of(instance, tiers, np.array([[0, 0, 2], [0, 0, 2]]), True)
    for plan, strict in (([[0, 0, 2], [0, 0, 2]], False), ([[0, 1, 2], [0, 1, 2]], True)):
        assert outcome_of(instance, tiers, np.array(plan), strict).cached.tolist() == [plan[0], [0, 0, 0]]


def test_what_moves_in_a_plan_of_a_forest():
    forest = tt.Forest.from_paths([[1, 2], [1, 3], [1, 2]])
    instance = ForestInstance.of(forest, 1)
    for mode, copied in (("exclusive", [0, 0, 0]), ("inclusive", [1, 0, 0])):
        tiers = tt.Tiers((1, 2), (0, Fraction(1, 2)), mode)
        outcome = outcome_of(instance, tiers, np.array([[0, 1, 1], [0, 1, 1]]), True)
        assert outcome.copied.tolist() == [copied]
        assert outcome.written.tolist() == [2, 1, 1]
    outcome = outcome_of(instance, tiers, np.array([[0, 1, 1], [0, 1, 2]]), True)
    assert outcome.copied.tolist() == [[2, 0, 0]]
    assert outcome.loaded.tolist() == [[0, 0, 1]]

"""The curve of optima over capacities, against the optimum at every capacity."""

import numpy as np
import pytest
from replay.instances import Case, fewer, forced_need, seeded

import teltheory as tt
from teltheory.optimal.curve import HindsightCurve, Tangent, hindsight_curve
from teltheory.workloads import ConversationModel, sample_conversations

LIMITS = {"turns": (1, 12), "conversations": 4, "length": 4}


def span(case: Case) -> tuple[int, int]:
    """From the least capacity that is allowed to one that is never filled."""
    low = max(sum(cached for _, _, cached in case.initial), forced_need(case) if case.forced else 0)
    return low, low + sum(case.prompt) + sum(case.response) + 2


def curve_of(case: Case, tolerance: float) -> HindsightCurve:
    return hindsight_curve(case.trace, case.xi, *span(case), tolerance, case.forced, case.initial)


def optimum(case: Case, capacity: int, method: str = "lp") -> int:
    return tt.hindsight_optimum(case.trace, capacity, case.xi, case.forced, case.initial, method).objective


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("tolerance", [0, 0.001, 0.2, 0.9])
def test_the_bounds_hold_at_every_capacity(forced, tolerance):
    for case in seeded(fewer(80), 51, forced=forced, **LIMITS):
        curve = curve_of(case, tolerance)
        low, high = span(case)
        for capacity in range(low, high + 1):
            below, above = curve.bounds(capacity)
            best = optimum(case, capacity, "greedy")
            assert below <= best <= above <= (1 + tolerance) * best or (below == best == above), (case, capacity)
            assert above <= (1 + tolerance) * below + 1e-9


def test_exact_needs_about_two_solves_a_breakpoint_and_a_tolerance_fewer():
    trace = sample_conversations(ConversationModel(), 3000, np.random.default_rng(3))
    exact = hindsight_curve(trace, 2000, 0, 60_000, 0)
    coarse = hindsight_curve(trace, 2000, 0, 60_000, 0.01)
    slopes = {tangent.slope for tangent in exact.tangents}
    assert len(coarse.tangents) < len(exact.tangents) / 2
    assert len(exact.tangents) <= 4 * len(slopes)
    for tangent in exact.tangents[::7]:
        below, above = coarse.bounds(tangent.capacity)
        assert below <= tangent.objective <= above <= 1.01 * float(below) + 1e-6


def test_a_tangent_is_the_certificate_at_its_capacity():
    for case in seeded(20, 8, **LIMITS):
        for tangent in curve_of(case, 0).tangents:
            assert tangent.objective == optimum(case, tangent.capacity)
            assert tangent.at(tangent.capacity + 2) == tangent.objective - 2 * tangent.slope


def test_a_single_capacity_and_one_outside():
    trace = tt.Trace.from_turns([0, 1, 0], [4, 4, 4], [0, 0, 0])
    curve = hindsight_curve(trace, 1, 3, 3)
    assert len(curve.tangents) == 1
    assert curve.bounds(3) == (10, 10)
    with pytest.raises(tt.ArgumentError, match="capacity: found 4, expected 3 to 3"):
        curve.bounds(4)
    assert HindsightCurve((Tangent(0, 10, 1), Tangent(4, 6, 1))).bounds(1) == (9, 9)


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"smallest": 5, "largest": 4}, "largest"),
        ({"smallest": -1}, "smallest"),
        ({"tolerance": 1}, "tolerance"),
        ({"tolerance": -0.1}, "tolerance"),
        ({"tolerance": True}, "tolerance"),
        ({"xi": 1.5}, "xi"),
    ],
)
def test_wrong_arguments_are_named(wrong, name):
    trace = tt.Trace.from_turns([0], [1], [1])
    with pytest.raises(tt.ArgumentError, match=f"^{name}: found"):
        hindsight_curve(trace, **{"xi": 1, "smallest": 0, "largest": 9, **wrong})

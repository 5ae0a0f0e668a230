"""A bare number is in the unit of the requests, text is in tokens, whoever takes it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from refusals import refused

import teltheory as tt
from teltheory.advice import plan
from teltheory.serving.serve import Serving
from teltheory.sweep import Grid, ServedGrid, sweep

SIZE = 16
RNG = np.random.default_rng(5)
PATHS = [[(int(c), d) for d in range(int(length))] for c, length in RNG.integers((0, 1), (6, 9), (1000, 2))]
FOREST = tt.Forest.from_paths(
    [[100 * c + d for c, d in path] for path in PATHS], arrival=range(len(PATHS)), block_size=SIZE
)
TRACE = tt.Trace.from_turns([0, 1, 0], [10, 20, 30], [0, 0, 0], arrival=[0, 1, 2])
MODEL = "llama-2-7b"


def tokens(blocks):
    return str(SIZE * blocks)


def test_advice_on_a_forest_takes_blocks_as_numbers_and_tokens_as_text():
    found = [tt.advise(FOREST, size, "5ms", q_hat=q_hat) for size, q_hat in ((12, 2), (tokens(12), tokens(2)))]
    assert found[0] == found[1]
    assert (found[0].capacity, found[0].estimate) == (SIZE * 12, SIZE * 2)
    tiers = tt.Tiers((8, tokens(8)), (0, 0.25))
    queued = tt.advise(FOREST, tiers, "5ms", serving=Serving(replicas=2), load=0.5)
    assert queued.capacity == replace(tiers, capacities=(8 * SIZE, 8 * SIZE))


@pytest.mark.parametrize("xi", [2, 40])
def test_a_grid_on_a_forest_takes_blocks_as_numbers_and_tokens_as_text(xi):
    policies = ["tlru", "threshold-lru"]
    numbers = Grid(policies, [12, 20], [xi], q_hat=2, cutoff=3)
    text = Grid(policies, [tokens(12), tokens(20)], [tokens(xi)], q_hat=tokens(2), cutoff=tokens(3))
    cells = sweep(FOREST, numbers)
    assert cells == sweep(FOREST, text)
    for cell in cells[::2]:
        outcome = tt.replay(FOREST, tt.TLRU(xi, 2), cell.capacity // SIZE)
        assert cell.tel == tt.tail_excess_latency(outcome, xi)
    places = [(tt.Tiers((12,)), xi), (tt.Tiers((tokens(12),)), tokens(xi))]
    first, second = (sweep(FOREST, ServedGrid(["lru"], [tiers], [None], [one])) for tiers, one in places)
    assert first == second


def test_a_policy_object_is_in_blocks_and_its_text_in_tokens():
    (own, short) = sweep(FOREST, Grid([tt.TLRU(3, 1), f"tlru:xi={3 * SIZE},q_hat={SIZE}"], [12], [3]))
    outcome = tt.replay(FOREST, tt.TLRU(3, 1), 12)
    assert own.tel == short.tel == tt.tail_excess_latency(outcome, 3)
    assert own.reused == short.reused == SIZE * outcome.cached.sum()


def test_forests_of_several_sizes_have_no_unit_together():
    forests = [FOREST, FOREST.to_blocks(2 * SIZE)]
    expected = "grid: found 12, expected text, in tokens, of requests in blocks of 16, 32 tokens"
    refused(tt.ArgumentError, expected, lambda: sweep(forests, Grid(["lru"], [12], [tokens(3)])))
    assert len(sweep(forests, Grid(["lru"], [tokens(12)], [tokens(3)]))) == 2


def test_fractions_and_decimals_are_times_and_loads_like_any_number():
    times = [Fraction(1, 2), Fraction(3, 4), 2]
    assert tt.Trace.from_turns([0, 1, 0], [1] * 3, [0] * 3, times).arrival.tolist() == [0.5, 0.75, 2.0]
    assert tt.Tiers((5, 5), (0, 0.25)) == tt.Tiers((5, 5), (0, Fraction(1, 4)))
    assert tt.Tiers((5, 5), (0, 0.1)).loads == (0, Fraction(1, 10))
    for load in (-0.25, float("nan"), "a half"):
        refused(tt.ArgumentError, "loads", tt.Tiers, (5, 5), (0, load))


GRID = Grid(["lru"], [5], [5])
ONE_TIER = [tt.Tiers((5,))]
WRONG = {
    "a list in the place of a grid": ("grid", lambda: sweep(TRACE, ["lru"], tt.A100_LLAMA2_7B)),
    "a number in the place of capacities": ("capacities", lambda: Grid(["lru"], 5, [5])),
    "a text in the place of policies": ("policies", lambda: Grid("lru", [5], [5])),
    "a number in the place of thresholds": ("thresholds", lambda: ServedGrid(["lru"], ONE_TIER, [None], 5)),
    "a number in the place of a trace": ("trace", lambda: tt.replay(5, tt.LRU(), 5)),
    "a list in the place of a trace": ("trace", lambda: tt.serve([1], "lru", 50)),
    "a number in the place of an outcome": ("outcome", lambda: tt.tail_excess_latency(5, 5)),
    "a number in the place of a goal": ("goal", lambda: tt.advise(TRACE, 50, "200ms", goal=5)),
    "a list in the place of runs": ("runs", lambda: tt.fit_latency([1])),
    "a number in the place of what is tried": ("grid", lambda: plan(TRACE, "replicas", 5, 5, "1s")),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_such_thing_is_named(case):
    argument, call = WRONG[case]
    refused(tt.ArgumentError, f"{argument}: found ", call)


def test_where_the_median_request_does_not_fit_the_advice_says_so():
    said = " ".join(tt.advise(FOREST, 2, "5ms").warnings)
    assert "does not fit in a capacity of 32." in said
    assert "does not fit" not in " ".join(tt.advise(FOREST, 30, "5ms").warnings)

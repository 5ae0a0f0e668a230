"""Hazards of return and return indices: against plain counts, brute force and their definitions."""

import math
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import examples
from strategies import SMALL, timed_columns, turn_columns

import teltheory as tt
from teltheory.model.turns import turn_numbers
from teltheory.paper.scenarios import people_and_agents
from teltheory.policies.learned import hazards
from teltheory.policies.learned.hazards import SHAPE, SILENCES, STEPS, Estimates, WatchedVisits

LONG = tt.sample_conversations(people_and_agents(), 400, np.random.default_rng(5))
ENDS = SILENCES.tolist()


def watched_by(trace, tag=None):
    """What is watched of a trace, each turn a visit to its conversation."""
    tag = np.zeros(len(trace), np.int64) if tag is None else tag
    cell = hazards.cells(turn_numbers(trace.code), trace.prompt, tag)
    start = np.arange(len(trace) + 1)
    return WatchedVisits(start, trace.previous_turn, cell, np.array(trace.arrival), hazards.tags_of(tag))


def plain_counts(trace, turn):
    """Returns and seconds by cell and bin, from the columns of the turns so far."""
    returns, exposure, count = Counter(), Counter(), Counter()
    who, prompt, when = (
        column[: turn + 1].tolist() for column in (trace.conversation, trace.prompt, trace.arrival)
    )
    for i, conversation in enumerate(who):
        number = count[conversation]
        count[conversation] += 1
        row = sum(number >= least for least in (1, 2, 3, 5))
        cell = row * 7 + sum(prompt[i] >= length for length in (16, 64, 256, 1024, 4096, 16384))
        later = [when[j] for j in range(i + 1, turn + 1) if who[j] == conversation]
        silence = (later[0] if later else when[turn]) - when[i]
        for j, (low, high) in enumerate(pairwise(ENDS)):
            exposure[cell, j] += min(max(silence - low, 0.0), high - low)
            if later and (low <= silence < high or (j == len(ENDS) - 2 and silence >= high)):
                returns[cell, j] += 1
    return returns, exposure


@given(timed_columns(turn_columns(length=SMALL | st.integers(0, 20_000), max_turns=14)), st.integers(0, 13))
@examples(60)
def test_counts_are_those_of_the_turns_so_far(columns, turn):
    trace = tt.Trace.from_turns(**columns)
    if turn >= len(trace):
        return
    counts = hazards.counts_after(watched_by(trace), turn)
    returns, exposure = plain_counts(trace, turn)
    for c, j in np.ndindex(counts.returns.shape):
        assert counts.returns[c, j] == returns[c, j]
        assert counts.exposure[c, j] == pytest.approx(exposure[c, j], rel=1e-9, abs=1e-9)


def plain_index(hazard, j):
    """The best P(return) / E[seconds kept] over later ends, by the definition."""
    width = [high - low for low, high in pairwise(ENDS)]
    width[j] /= 2
    best = 0.0
    for end in range(j, len(width)):
        silent, kept = 1.0, 0.0
        for k in range(j, end + 1):
            kept += silent * -math.expm1(-hazard[k] * width[k]) / hazard[k]
            silent *= math.exp(-hazard[k] * width[k])
        best = max(best, (1 - silent) / kept)
    return best


def test_the_index_is_the_best_ratio():
    rng = np.random.default_rng(3)
    hazard = rng.lognormal(-5, 2, (2, len(ENDS) - 1))
    index = hazards.return_indices(hazard)
    for c, j in np.ndindex(index.shape):
        assert index[c, j] == pytest.approx(plain_index(hazard[c], j), rel=1e-6)


def test_a_constant_hazard_is_its_own_index_and_a_peak_ahead_is_worth_waiting_for():
    hazard = np.full((1, len(ENDS) - 1), 0.01)
    assert hazards.return_indices(hazard) == pytest.approx(hazard)
    hazard[0, 20] = 5.0
    index = hazards.return_indices(hazard)[0]
    assert 0.01 < index[19] < index[20] == pytest.approx(5.0)
    assert index[21] == pytest.approx(0.01)


def test_hazards_find_the_rate_of_a_memoryless_source():
    """One prompt length, turns at the rate 1/50 for ever: every bin that was seen long has that hazard."""
    rng = np.random.default_rng(8)
    gaps = rng.exponential(50.0, (40, 60))
    times = np.cumsum(gaps, axis=1) + rng.uniform(0, 100, (40, 1))
    who = np.repeat(np.arange(40), 60)
    order = np.argsort(times.ravel())
    trace = tt.Trace.from_turns(who[order], np.full(2400, 9), np.zeros(2400, int), times.ravel()[order])
    counts = hazards.counts_after(watched_by(trace), 2000)
    known = counts.exposure > 4_000
    found = hazards.hazards(counts)[known]
    assert len(found) > 4
    assert found == pytest.approx(1 / 50, rel=0.3)


POSITIVE = st.floats(0.01, 100.0)


def all_single_peaked(returns, exposure):
    """Every rise and fall of constant runs, each at its run's own rate: the likeliest is among them."""
    n = len(returns)
    for cuts in (c for size in range(n) for c in combinations(range(1, n), size)):
        runs = list(pairwise((0, *cuts, n)))
        rates = [sum(returns[a:b]) / sum(exposure[a:b]) for a, b in runs]
        turns = [b > a for a, b in pairwise(rates)]
        if sorted(turns, reverse=True) == turns:
            yield [rate for rate, (a, b) in zip(rates, runs, strict=True) for _ in range(a, b)]


@given(st.lists(st.tuples(POSITIVE, POSITIVE), min_size=1, max_size=7))
@examples(60)
def test_the_single_peaked_hazards_are_the_likeliest(columns):
    returns, exposure = (np.array(column) for column in zip(*columns, strict=True))

    def likelihood(found):
        return float((returns * np.log(found) - exposure * found).sum())

    found = hazards.single_peaked(returns, exposure)
    steps = [b > a for a, b in pairwise(found.tolist()) if b != pytest.approx(a)]
    assert sorted(steps, reverse=True) == steps
    best = max(likelihood(np.array(other)) for other in all_single_peaked(returns, exposure))
    assert likelihood(found) == pytest.approx(best, rel=1e-9, abs=1e-9)


def test_the_prior_of_a_bin_is_the_bin_before_as_it_is_longer():
    """A first bin with many returns: what follows only falls, so that the shape changes nothing."""
    returns, exposure = np.zeros((2, len(ENDS) - 1))
    returns[0], exposure[0], exposure[1] = 400.0, 100.0, 0.5
    width = [high - low for low, high in pairwise(ENDS)]
    expected = [(400 + 0.5) / (100 + 0.5 / (401 / 101.5))]
    prior = expected[0] * min(1, width[0] / width[1])
    expected.append(0.5 / (0.5 + 0.5 / prior))
    for before, here in list(pairwise(width))[1:]:
        expected.append(expected[-1] * min(1, before / here))
    scale = (400 + 0.5) / (sum(e * g for e, g in zip(exposure.tolist(), expected, strict=True)) + 0.5)
    assert hazards.common_hazards(returns, exposure) == pytest.approx([scale * g for g in expected])


def test_ratios_by_the_definition():
    returns, expected = [9, 1, 30, 4], [5, 2, 20, 6]
    pairs = list(zip(returns, expected, strict=True))
    variance = sum((r - e) ** 2 - r for r, e in pairs) / sum(e**2 for e in expected)
    found = hazards.ratios(np.array(returns, float), np.array(expected, float))
    assert variance > 0
    assert found == pytest.approx([(r + 1 / variance) / (e + 1 / variance) for r, e in pairs])


def test_groups_that_differ_by_no_more_than_chance_are_one():
    assert hazards.ratios(np.array([9.0, 12.0, 0.0]), np.array([10.0, 10.0, 1.0])).tolist() == [1, 1, 1]
    rng = np.random.default_rng(4)
    expected = rng.uniform(5, 50, 35)
    alike, apart = rng.poisson(expected), rng.poisson(expected * np.repeat([0.3, 2.0], [17, 18]))
    assert np.ptp(hazards.ratios(alike.astype(float), expected)) < 0.3
    found = hazards.ratios(apart.astype(float), expected)
    assert found[:17].mean() < 0.6
    assert found[17:].mean() > 1.4


def test_before_anything_is_seen_the_longer_silence_has_the_smaller_index():
    nothing = np.zeros((hazards.CELLS, len(ENDS) - 1))
    index = hazards.return_indices(hazards.hazards(hazards.Counts(nothing, nothing)))
    assert np.all(np.diff(index[:, 1:]) < 0)
    assert np.all(np.ptp(index, axis=0) == 0)


def test_equal_hazards_have_one_index():
    """So that recency decides: what rounding parts is put together again."""
    flat = hazards.return_indices(np.full((1, len(ENDS) - 1), 0.037))
    assert len(np.unique(np.round(np.log(flat), hazards.PLACES))) == 1
    worth = Estimates.of(watched_by(LONG), LONG.prompt).worth
    assert worth.ravel().tolist() == [round(value, 9) for value in worth.ravel().tolist()]


def tags_at_random(seed):
    return np.random.default_rng(seed).integers(0, 4, len(LONG))


@pytest.mark.parametrize("tag", [None, tags_at_random(1)], ids=["no tags", "tags"])
def test_the_loop_learns_what_the_reference_learns(tag):
    watched = watched_by(LONG, tag)
    after = list(hazards.renewals(len(LONG)))
    found, expected = (learn(watched, after) for learn in (hazards.indices_by_loop, hazards.indices_after))
    assert np.ptp(expected, axis=(0, 1)).min() > 0
    assert found == pytest.approx(expected, abs=3e-9)


def test_the_loop_learns_of_requests_that_visit_several_items():
    """Two items a request that always go together, one of a few, one that never comes back; by hand beside it."""
    n, rng = 90, np.random.default_rng(6)
    columns = np.zeros(n), np.ones(n), 2 + rng.integers(0, 5, n), 10 + np.arange(n)
    item = np.stack(columns, axis=1).astype(int).ravel()
    previous = [max((j for j in range(v) if item[j] == item[v]), default=-1) for v in range(4 * n)]
    times, cell = np.cumsum(rng.exponential(3.0, n)), rng.integers(0, 5, 2 * n).cumsum().reshape(n, 2) % 7
    cell = np.stack((cell[:, 0], cell[:, 0], 7 + cell[:, 1], 20 + cell[:, 1]), axis=1).ravel()
    watched = WatchedVisits(4 * np.arange(n + 1), np.array(previous), cell, times, 1)
    counts = hazards.counts_after(watched, 60)
    followers = {u: v // 4 for v in range(4 * 61) for u in [previous[v]] if u >= 0}
    events = {(u // 4, int(cell[u]), followers.get(u)) for u in range(4 * 61)}
    assert len(events) == 3 * 61
    assert counts.returns.sum() == sum(follower is not None for *_, follower in events)
    silences = [times[60 if follower is None else follower] - times[s] for s, _, follower in events]
    assert counts.exposure.sum() == pytest.approx(sum(silences))
    after = [0, 60, 89]
    found = hazards.indices_by_loop(watched, after)
    assert found == pytest.approx(hazards.indices_after(watched, after), abs=3e-9)


def test_what_tags_tell_apart_is_learnt_by_tag():
    """One tag comes back every second, the other never does."""
    n = 400
    who = np.where(np.arange(n) % 2 == 0, 0, np.arange(n) + 1)
    trace = tt.Trace.from_turns(who, np.full(n, 9), np.zeros(n, int), np.arange(n) / 2)
    apart = Estimates.of(watched_by(trace, np.arange(n) % 2), trace.prompt)
    soon, never = (apart.worth[-1, tag * hazards.CELLS : (tag + 1) * hazards.CELLS].max(axis=1) for tag in (0, 1))
    assert soon.min() > never.max() + 1
    assert np.ptp(soon) > 0


@pytest.mark.parametrize("turns", [1, 40, 200, 399])
def test_estimates_know_nothing_of_what_follows(turns):
    """To the last bit, also of tags that have not come yet."""
    tag = np.sort(tags_at_random(2))
    whole, first = (Estimates.of(watched_by(LONG[:n], tag[:n]), LONG.prompt[:n]) for n in (400, turns))
    cells = first.worth.shape[1]
    assert whole.worth[: len(first.worth), :cells].tolist() == first.worth.tolist()
    assert whole.law[: len(first.law)].tolist() == first.law.tolist()


@given(st.lists(st.integers(-1, 3_000) | st.integers(0, 2**62), max_size=40), st.integers(0, 2**61))
@examples(60)
def test_the_law_of_prompts_is_exact_from_step_to_step(prompts, need):
    after = list(hazards.renewals(len(prompts)))
    laws = hazards.laws_after(np.array(prompts, np.int64), after)
    step = max((s for s in STEPS.tolist() if s < need), default=-1)
    for turn, law in zip(after, laws.tolist(), strict=True):
        known = [prompt for prompt in prompts[: turn + 1] if prompt >= 0] or [0]
        share = sum(prompt > step for prompt in known) / len(known)
        at = int(np.searchsorted(STEPS + 1, need, side="right"))
        assert law[at] == pytest.approx(math.log(share)) if share else law[at] == -math.inf


def test_tags_are_numbered_as_they_come_and_the_last_ones_share_a_cell():
    four = tt.Hints.of_agents(np.arange(4), kind=("b", "a", "b", "b"), stop=("x", "x", "x", ""))
    assert hazards.tag_numbers(four, 4).tolist() == [0, 1, 0, 2]
    assert hazards.tag_numbers(tt.Hints.of_agents(np.arange(4)), 4).tolist() == [0] * 4
    assert hazards.tag_numbers(None, 3).tolist() == [0, 0, 0]
    many = hazards.tag_numbers(tt.Hints.of_agents(np.arange(40), stop=tuple(map(str, range(40)))), 40)
    found = hazards.cells(np.zeros(40, int), np.zeros(40, int), many)
    assert found[:16].tolist() == [SHAPE[0] * SHAPE[1] * k for k in range(16)]
    assert set(found[15:].tolist()) == {found[15]}
    assert hazards.tags_of(many) == 16


def test_renewals_come_every_32_turns_and_then_every_32nd_part():
    after = list(hazards.renewals(5_000))
    assert after[:3] == [0, 32, 64]
    assert after[-1] < 5_000
    assert [turn for turn, following in pairwise(after) if following - turn != max(32, turn // 32)] == []

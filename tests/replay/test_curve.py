"""A curve is the replay at every capacity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from replay.instances import TRIMS, Case, cases, examples, fewer, seeded

import teltheory as tt
from teltheory.workloads import ConversationModel, sample_conversations


def curve_policies(case: Case) -> list[object]:
    return [tt.LRU(), tt.ThresholdLRU(case.q_hat), *(tt.TLRU(case.xi, case.q_hat, trim) for trim in TRIMS)]


def same_everywhere(case: Case, policy: object) -> bool:
    curve = tt.capacity_curve(case.trace, policy)
    capacities = range(sum(case.prompt) + sum(case.response) + 2)
    replayed = [tt.replay(case.trace, policy, capacity, engine="reference") for capacity in capacities]
    for capacity, outcome in zip(capacities, replayed, strict=True):
        assert curve.outcome(capacity) == outcome, (capacity, policy, case)
        assert curve.cached(capacity).tolist() == outcome.cached.tolist()
    for xi in {0, case.xi, case.xi + 2}:
        tels = [tt.tail_excess_latency(outcome, xi) for outcome in replayed]
        slow = [tt.slo_violations(outcome, xi) for outcome in replayed]
        assert curve.tail_excess_latency(capacities, xi).tolist() == tels, (xi, policy, case)
        assert curve.slo_violations(capacities, xi).tolist() == slow, (xi, policy, case)
    return curve.one_pass


@given(cases(length=3, forced=False, start=False))
@examples(80)
def test_every_capacity_of_small_traces(case):
    for policy in curve_policies(case):
        same_everywhere(case, policy)


@pytest.mark.parametrize("given_histories", [False, True])
def test_every_capacity_of_seeded_traces(given_histories):
    one_pass = dict.fromkeys(("LRU", "ThresholdLRU", *TRIMS), 0)
    count = fewer(300, 20)
    for case in seeded(count, 77, length=3, given=given_histories, forced=False, start=False):
        for policy in curve_policies(case):
            name = policy.trim if isinstance(policy, tt.TLRU) else type(policy).__name__
            one_pass[name] += same_everywhere(case, policy)
    assert one_pass["LRU"] == one_pass["ThresholdLRU"] == one_pass["eager"] == count
    assert 0 < one_pass["round-robin"] < count  # where no budget is below its past
    assert 0 < one_pass["least-recent"] < count if given_histories else one_pass["least-recent"] == count


@pytest.mark.parametrize("given_histories", [False, True])
def test_longer_traces(given_histories):
    limits = {"turns": (150, 300), "conversations": 5, "length": 30, "forced": False, "start": False}
    for case in seeded(fewer(6, 3), 3, given=given_histories, **limits):
        for policy in curve_policies(case)[:4]:
            curve = tt.capacity_curve(case.trace, policy)
            for capacity in range(0, 2000, 97):
                assert curve.outcome(capacity) == tt.replay(case.trace, policy, capacity, engine="reference")


@pytest.mark.long
def test_random_capacities_on_the_mooncake_trace(mooncake_trace):
    trace = mooncake_trace
    capacities = np.random.default_rng(50).integers(0, 20_000_000, 50)
    for policy in (tt.LRU(), tt.ThresholdLRU(5000), *(tt.TLRU(27894, 1319, trim) for trim in TRIMS)):
        curve = tt.capacity_curve(trace, policy)
        replayed = [tt.replay(trace, policy, capacity) for capacity in capacities]
        assert all(curve.outcome(c) == outcome for c, outcome in zip(capacities, replayed, strict=True))
        tels = [tt.tail_excess_latency(outcome, 13947) for outcome in replayed]
        assert curve.tail_excess_latency(capacities, 13947).tolist() == tels
        slow = [tt.slo_violations(outcome, 13947) for outcome in replayed]
        assert curve.slo_violations(capacities, 13947).tolist() == slow


def sampled_trace():
    return sample_conversations(ConversationModel(), 3000, np.random.default_rng(4))


def test_thousands_of_capacities_in_any_order_and_repeated():
    trace, policy = sampled_trace(), tt.TLRU(1500, 200, "least-recent")
    curve = tt.capacity_curve(trace, policy)
    rng = np.random.default_rng(8)
    capacities = np.concatenate(
        (rng.integers(0, 10, 5), rng.integers(0, 3_000_000, 3000), [7, 7, 2**62, 2**63 - 1])
    )
    tels = curve.tail_excess_latency(capacities, 500)
    slow = curve.slo_violations(capacities, 500)
    for i in [*range(0, len(capacities), 200), *range(3000, 3009)]:
        outcome = tt.replay(trace, policy, int(capacities[i]))
        assert (tels[i], slow[i]) == (tt.tail_excess_latency(outcome, 500), tt.slo_violations(outcome, 500))


def test_a_plot_is_from_a_thousandth_of_what_an_endless_cache_holds_to_all_of_it():
    from matplotlib.figure import Figure

    trace = tt.Trace.from_turns([0, 1, 0], [3_000_000, 1_000_000, 2_000_000], [1_000_000, 0, 0])
    axes = tt.capacity_curve(trace, tt.LRU()).plot(ax=Figure().subplots())
    capacities = list(axes.lines[0].get_xdata())
    assert (capacities[0], capacities[-1]) == (7_000, 7_000_000)
    assert capacities == sorted(set(capacities))


def test_percentiles_of_ttft():
    trace = sampled_trace()
    for policy in (tt.LRU(), tt.TLRU(1500, 200)):
        curve = tt.capacity_curve(trace, policy)
        found = curve.ttft_quantiles([0, 50_000], [0.5, 0.95, 0.99], tt.A100_LLAMA2_7B)
        for row, capacity in zip(found, (0, 50_000), strict=True):
            outcome = tt.replay(trace, policy, capacity)
            assert row.tolist() == tt.ttft_quantiles(outcome, [0.5, 0.95, 0.99], tt.A100_LLAMA2_7B).tolist()
        assert curve.ttft_quantiles([], [0.5, 0.9], tt.A100_LLAMA2_7B).shape == (0, 2)


@pytest.mark.parametrize("unit", [2**31 - 1, 2**31, 2**31 + 1, 2**40, 2**58])
def test_lengths_around_and_beyond_32_bits(unit):
    trace = tt.Trace.from_turns([0, 1, 0, 2, 1, 0], [unit, unit - 1, 1, unit, 0, 3], [0, 1, unit, 2, unit, 0])
    capacities = [0, unit - 1, unit, 2 * unit + 1, 5 * unit, 20 * unit]
    for policy in (tt.LRU(), *(tt.TLRU(unit, unit // 2, trim) for trim in TRIMS)):
        curve = tt.capacity_curve(trace, policy)
        outcomes = [tt.replay(trace, policy, capacity, engine="reference") for capacity in capacities]
        assert [curve.outcome(capacity) for capacity in capacities] == outcomes
        for xi in (0, unit):
            tels = [tt.tail_excess_latency(outcome, xi) for outcome in outcomes]
            assert curve.tail_excess_latency(capacities, xi).tolist() == tels


BESIDE = st.integers(-3, 3)
POWERS = st.integers(52, 58)
LONG = st.builds(lambda part, power, beside: part * 2**power + beside, st.integers(1, 3), POWERS, BESIDE)


@given(st.lists(st.tuples(st.integers(0, 2), LONG), min_size=2, max_size=8), LONG, st.data())
@examples(100)
def test_capacities_beside_the_steps_of_lengths_near_2_62(turns, xi, data):
    """Where the last bits of a capacity decide, which a float does not have."""
    conversations, prompts = zip(*turns, strict=True)
    trace = tt.Trace.from_turns(conversations, prompts, [0] * len(turns))
    policy = data.draw(st.sampled_from([tt.LRU(), tt.TLRU(xi, 1, "least-recent")]))
    curve = tt.capacity_curve(trace, policy)
    begins = curve.segments.first.tolist() + curve.segments.second.tolist()
    ends = [begin + total - xi for begin, total in zip(begins, 2 * trace.total.tolist(), strict=True)]
    capacities = [min(max(step + data.draw(BESIDE), 0), 2**63 - 1) for step in {*begins, *ends}]
    outcomes = [tt.replay(trace, policy, capacity, engine="reference") for capacity in capacities]
    assert [curve.outcome(capacity) for capacity in capacities] == outcomes
    tels, slow = curve.tail_excess_latency(capacities, xi), curve.slo_violations(capacities, xi)
    assert tels.tolist() == [tt.tail_excess_latency(outcome, xi) for outcome in outcomes]
    assert slow.tolist() == [tt.slo_violations(outcome, xi) for outcome in outcomes]


def test_a_sum_beyond_64_bits_is_exact():
    n, unit = 40, 2**56
    trace = tt.Trace.from_turns([0] * n, [unit] * n, [0] * n)
    for policy in (tt.LRU(), tt.TLRU(0, 0)):
        found = tt.capacity_curve(trace, policy).tail_excess_latency([0, n * unit], 0)
        assert found.tolist() == [unit * n * (n + 1) // 2, n * unit]


def test_empty_and_one_turn_traces():
    for trace, tel in ((tt.Trace.from_turns([], [], []), 0), (tt.Trace.from_turns([4], [3], [2]), 2)):
        for policy in (tt.LRU(), *(tt.TLRU(1, 1, trim) for trim in TRIMS), tt.Belady()):
            curve = tt.capacity_curve(trace, policy)
            assert curve.cached(5).tolist() == [0] * len(trace)
            assert curve.tail_excess_latency([0, 9], 1).tolist() == [tel, tel]
            assert curve.tail_excess_latency([], 1).tolist() == curve.slo_violations([], 1).tolist() == []


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda curve: curve.cached(-1), "capacity: found -1"),
        (lambda curve: curve.tail_excess_latency([3, -1], 0), r"capacities\[1\]: found -1"),
        (lambda curve: curve.tail_excess_latency([3, 1.5], 0), r"capacities\[1\]: found 1.5"),
        (lambda curve: curve.tail_excess_latency(3, 0), "capacities: found 3, expected a list"),
        (lambda curve: curve.tail_excess_latency("39", 0), "capacities: found '39', expected a list"),
        (lambda curve: curve.slo_violations([3], -2), "xi: found -2"),
        (lambda curve: curve.ttft_quantiles([3], [1.5], tt.A100_LLAMA2_7B), "qs: found 1.5"),
    ],
)
@pytest.mark.parametrize("policy", [tt.LRU(), tt.TLRU(2, 1)])
def test_wrong_arguments_are_named(policy, ask, message):
    curve = tt.capacity_curve(tt.Trace.from_turns([0, 0], [3, 1], [0, 0]), policy)
    refused(tt.ArgumentError, message, ask, curve)


def test_a_curve_needs_a_trace_with_an_empty_start_and_a_policy():
    with pytest.raises(tt.ArgumentError, match="policy: found"):
        tt.capacity_curve(tt.Trace.from_turns([0], [1], [0]), tt.LRU)
    refused(tt.ArgumentError, "trace: found", lambda: tt.capacity_curve([1, 2], tt.LRU()))
    with pytest.raises(tt.TraceError, match="at most 0, the conversation's past"):
        tt.capacity_curve(tt.Trace.from_turns([0], [1], [0], history=[4]), tt.LRU())

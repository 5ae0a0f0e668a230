import json
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from advice.advised_traces import LATENCY, chats, engineers, growing, single_turns, usual
from refusals import refused

import teltheory as tt
from teltheory.advice.cautions import warnings_of
from teltheory.advice.settings import Settings, as_set

estimated = cache(lambda q_hat: tt.advise(chats(), 4000, Fraction(1, 5), q_hat=q_hat))


def test_it_helps_on_chats():
    advice = usual()
    assert advice.recommended
    assert advice.held_out.gain.above_zero
    assert advice.choice.margin == advice.xi - advice.q_hat > 0
    assert (advice.start, advice.turns) == (1200, 2400)
    assert advice.xi == advice.goal.xi
    assert advice.held_out.lru_capacity > 4000


@pytest.mark.parametrize(
    "asked", [(chats(1200), 2000, "200ms"), (single_turns(100), 10**6, 1), (chats(100), 2000, 99)]
)
def test_runs_are_told_and_at_the_end_how_many_there_were(asked):
    told = []
    tt.advise(*asked, progress=lambda *place: told.append(place))
    done, total = zip(*told, strict=True)
    assert done == (*range(1, len(told) + 1),)
    assert min(total) == total[-1] == len(told)


@pytest.mark.long
def test_it_is_shown_as_what_it_says():
    advice = usual()
    setting = f"T-LRU with ξ = {advice.xi:,} and Q̂ = {advice.q_hat:,} tokens."
    assert repr(advice) == f"<Advice: {setting}>"
    assert f"ADVICE: {setting}\n" in str(advice)
    assert advice.engines[-1].unserved in str(advice).splitlines()[-1]
    page = advice._repr_html_()
    assert f"<b>ADVICE: {setting}</b>" in page
    for row in advice.held_out.rows:
        assert f"<td>{row.policy}</td>" in page
        assert f"<td>{row.tel:,}</td>" in page


@pytest.mark.parametrize(("model", "size"), [(None, ""), ("llama-2-7b", " (9.8 GiB of llama-2-7b)")])
def test_a_card_has_bytes_where_the_size_of_a_token_is_known(model, size):
    page = tt.advise(chats(100), 20_000, "200ms", model=model)._repr_html_()
    assert f"<caption>The rest, at 20,000 tokens{size}</caption>" in page


def test_most_promises_on_chats_are_kept():
    advices = [tt.advise(chats(4000, seed), 4000, Fraction(1, 5)) for seed in range(10)]
    assert sum(advice.kept_promise for advice in advices) >= 8
    assert sum(advice.recommended for advice in advices) >= 9
    assert np.median([advice.choice.promise.high - advice.choice.promise.low for advice in advices]) < 0.5
    assert sum(advice.choice.promise.low > 0 for advice in advices) >= 8


def test_the_choice_sees_nothing_of_the_rest():
    trace = chats()
    other = tt.Trace.from_turns(
        [*trace.conversation[:1200].tolist(), *range(10**6, 10**6 + 1200)],
        [*trace.prompt[:1200].tolist(), *[7] * 1200],
        [*trace.response[:1200].tolist(), *[9] * 1200],
    )
    for goal, advice in (("tel", usual()), ("slo", tt.advise(trace, 4000, Fraction(1, 5), goal="slo"))):
        unlike = tt.advise(other, 4000, Fraction(1, 5), goal=goal)
        assert advice.choice == unlike.choice
        assert advice.held_out != unlike.held_out


def test_where_nothing_returns_it_says_stay_with_lru():
    advice = tt.advise(single_turns(), 200, Fraction(20), latency=LATENCY)
    assert not advice.recommended
    assert not advice.engines
    assert advice.held_out.gain.value == 0
    assert advice.held_out.lru_capacity == 200


def test_of_three_conversations_that_grow_for_ever_nothing_is_promised():
    advice = tt.advise(growing(), 120, Fraction(20), latency=LATENCY)
    assert advice.choice.grounds.few
    assert advice.choice.here.value > 0
    assert (advice.choice.promise, advice.kept_promise) == (None, None)


def test_a_gain_that_does_not_last_is_no_recommendation():
    trace = chats()
    rest = single_turns(1200)
    joined = tt.Trace.from_turns(
        [*trace.conversation[:1200].tolist(), *(10**6 + rest.conversation).tolist()],
        [*trace.prompt[:1200].tolist(), *rest.prompt.tolist()],
        [*trace.response[:1200].tolist(), *rest.response.tolist()],
    )
    advice = tt.advise(joined, 4000, Fraction(1, 5))
    assert advice.choice.helps
    assert not advice.recommended
    headline = str(advice).splitlines()[1]
    assert headline.startswith("ADVICE: stay with LRU. The first part recommends T-LRU with ξ = ")
    assert headline.endswith(" tokens, but its gain did not last.")


def test_only_the_difference_of_threshold_and_estimate_is_chosen():
    one, other = estimated(0), estimated(10**6)
    assert one.choice == other.choice
    assert one.held_out.rows == other.held_out.rows
    assert other.xi - one.xi == 10**6


@pytest.mark.parametrize(("slo", "margin"), [(1000, 300), (1000, 1000), (1000, 1700), (0, 5)])
def test_a_margin_is_a_threshold_with_what_the_slo_leaves_and_no_estimate_is_negative(slo, margin):
    xi, q_hat = as_set(margin, slo, None)
    assert (xi - q_hat, xi, q_hat) == (margin, max(slo, margin), max(slo - margin, 0))
    assert as_set(margin, slo, 7) == (margin + 7, 7)


def test_what_advises_harm_to_an_engineer_stays_within_the_limits():
    trace = engineers()
    advices = [tt.advise(trace, 50_000, Fraction(1, 10), goal=goal) for goal in ("tel", "slo", "p95")]
    for advice in advices:
        first = trace[: advice.start]
        policies = (tt.LRU(), tt.TLRU(advice.xi, advice.q_hat, "least-recent"))
        lru, tried = (tt.replay(first, policy, 50_000) for policy in policies)
        assert 100 * tried.prefilled <= 105 * lru.prefilled
        lru_p50, p50 = (np.quantile(one.uncached, 0.5, method="inverted_cdf") for one in (lru, tried))
        assert 10 * p50 <= 11 * lru_p50 or 2 * p50 < advice.goal.xi
        assert advice.held_out.broken == ()
        assert advice.choice.freely.cost.prefilled > 1.25 * advice.choice.tried[0].cost.prefilled
    free = tt.advise(trace, 50_000, Fraction(1, 10), work_cost=None, median_cost=None)
    assert free.choice.margin == free.choice.freely.margin > advices[0].choice.margin
    assert free.choice.freely.cost == advices[0].choice.freely.cost


def test_limits_that_hold_on_the_first_part_alone_are_no_recommendation():
    cheap = usual()
    lru, tried = cheap.held_out.rows
    assert cheap.recommended
    assert tried.prefilled > lru.prefilled
    held = replace(cheap.held_out, broken=("prefilled tokens",))
    assert not replace(cheap, held_out=held).recommended


def test_where_too_few_turns_count_nothing_is_chosen():
    trace = single_turns()
    capacity = int(np.cumsum(trace.past)[490])
    advice = tt.advise(trace, capacity, Fraction(20), latency=LATENCY)
    assert (advice.choice.warm_up, advice.choice.idle, advice.choice.promise) == (491, True, None)
    assert np.isfinite([advice.held_out.gain.low, advice.choice.here.high]).all()


def test_warnings_on_under_estimates_on_thresholds_and_on_budgets_of_0():
    advice, enough = estimated(0), estimated(10**6)
    assert any("Q̂ = 0 is below 100 % of the prompts" in warning for warning in advice.warnings)
    safe = tt.advise(chats(), 4000, Fraction(300))
    assert any("computes for longer than the SLO of 300 s" in warning for warning in safe.warnings)
    assert any("ξ makes everything safe: after 100.0 % of the turns" in warning for warning in safe.warnings)
    assert not any("Q̂" in warning for warning in enough.warnings)
    assert any("above the SLO's own threshold" in warning for warning in enough.warnings)


def test_everything_is_safe_up_to_the_threshold_and_not_beyond():
    trace = single_turns()
    longest = int(trace.total.max())
    for slo, safe in ((longest, True), (longest - 1, False)):
        advice = tt.advise(trace, 200, Fraction(slo), latency=LATENCY)
        assert any(f"the SLO of {slo} s" in warning for warning in advice.warnings) == safe
    some = usual()
    assert not any("everything safe" in warning for warning in some.warnings)
    assert np.mean(chats().past <= 10 * some.choice.margin) >= 0.99


def test_a_capacity_below_the_median_input_is_said_and_no_other():
    trace = chats()
    middle = int(np.sort(trace.total)[(len(trace) - 1) // 2])
    for capacity, small in ((0, False), (1, True), (middle - 1, True), (middle, False)):
        warnings = warnings_of(trace, replace(usual(), capacity=capacity), Settings(usual().goal.xi, None))
        assert any(f"does not fit in a capacity of {capacity:,}." in text for text in warnings) == small


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"first": Fraction(0)}, "first: found '0', expected a share"),
        ({"first": Fraction(1, 100)}, "turns: found 2400, expected at least 40 in each part, not 24 and 2376"),
        ({"goal": "p100"}, "goal"),
        ({"goal": "mean"}, "goal"),
        ({"work_cost": Fraction(99, 100)}, "work_cost"),
        ({"median_cost": 1.1}, "median_cost"),
        ({"q_hat": -1}, "q_hat"),
        ({"capacity": -1}, "capacity"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match="found") as error:
        tt.advise(chats(), **{"capacity": 4000, "slo": Fraction(1, 5), **arguments})
    assert message in str(error.value)


def test_a_trace_in_blocks_is_an_error():
    refused(tt.ArgumentError, "blocks of 16 tokens", lambda: tt.advise(chats().to_blocks(16), 100, Fraction(1, 5)))


def gained(forest, own, capacity, xi, turns, rules):
    """The share by which T-LRU's TEL is below LRU's on some turns, and its prefill over LRU's, by hand."""
    policies = tt.LRU(), tt.TLRU(own[0] // forest.block_size, -(-own[1] // forest.block_size))
    each = [tt.replay(forest, policy, capacity // forest.block_size, rules=rules) for policy in policies]
    lru, tlru = (np.maximum(one.uncached[turns] - xi // forest.block_size, 0).sum() for one in each)
    work = [one.in_tokens().uncached[turns].sum() for one in each]
    return 1 - tlru / lru, work[1] / work[0]


def test_engines_have_their_arguments_and_what_is_promised_and_gained_under_their_rules():
    capacity, forest = 16_384, chats().forest
    advice = tt.advise(chats(), capacity, Fraction(1, 5))
    own, xi, rest = (advice.xi, advice.q_hat), advice.goal.xi, slice(1200, None)
    assert [one.engine for one in advice.engines if one.recommended] == ["SGLang", "vLLM"]
    for one in advice.engines:
        gain, work = gained(forest, own, capacity, xi, rest, one.rules)
        early, _ = gained(forest[:1200], own, capacity, xi, slice(advice.choice.warm_up, None), one.rules)
        assert (one.gain.value, one.work) == pytest.approx((gain, work))
        assert one.promise.value == pytest.approx(early)
        assert f"under its rules ({one.rules}): TEL above 0.2 s is {100 * gain:.1f} % [" in str(advice)
    assert len({advice.held_out.gain.value, *(one.gain.value for one in advice.engines)}) == 3
    sglang, vllm = (one.arguments for one in advice.engines)
    start, parameters = sglang.split(" --radix-eviction-policy tlru --radix-eviction-policy-config ")
    assert (start, parameters[0], parameters[-1]) == ("--chunked-prefill-size 8192", "'", "'")
    assert json.loads(parameters[1:-1]) == {"threshold": advice.xi, "next_prompt_estimate": advice.q_hat}
    assert vllm == f"--tlru-xi-tokens {advice.xi} --tlru-qhat-tokens {advice.q_hat}"


def test_an_engine_without_room_for_a_request_has_no_arguments():
    for one in usual().engines:
        assert (one.gain, one.recommended) == (None, False)
        assert one.unserved in str(usual())
        assert one.arguments not in str(usual())


def test_another_policy_is_chosen_promised_and_judged_alike():
    trace = chats()
    ours = usual()
    eager = tt.advise(trace, 4000, Fraction(1, 5), policy=lambda xi, q_hat: tt.TLRU(xi, q_hat, "eager"))
    same = tt.advise(trace, 4000, Fraction(1, 5), policy=lambda xi, q_hat: tt.TLRU(xi, q_hat, "least-recent"))
    assert (same.choice, same.held_out.gain) == (ours.choice, ours.held_out.gain)
    assert (same.policy, ours.policy, same.engines) == ("TLRU", "T-LRU", ())
    assert eager.choice.tried[0] == ours.choice.tried[0]
    assert eager.choice.tried != ours.choice.tried
    outcome = tt.replay(trace, tt.TLRU(eager.xi, eager.q_hat, "eager"), 4000)
    assert eager.held_out.rows[1].tel == int(np.maximum(outcome.uncached[1200:] - eager.goal.xi, 0).sum())


def test_a_policy_may_be_made_of_the_threshold_alone():
    both = (tt.TailOptimizedBelady, lambda xi, q_hat: tt.TailOptimizedBelady(xi))
    alone, with_estimate = (tt.advise(chats(1200, 1), 4000, "200ms", policy=one) for one in both)
    assert alone == with_estimate
    with pytest.raises(tt.ArgumentError, match="what makes one of xi and q_hat, or of xi, such as its class"):
        tt.advise(chats(800, 1), 4000, "200ms", policy=tt.LRU())

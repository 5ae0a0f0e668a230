"""What more gain costs: every number by plain replays, the front by its definition, the marks, and the words."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from advice.advised_traces import chats, engineers, single_turns, usual
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from teltheory.advice.frontier import STEPS, Frontier, FrontierPoint, Side
from teltheory.advice.goal import Cost, CostLimits, Goal
from teltheory.advice.sentences_of_frontier import step_lines, tables_of_frontier

SECONDS = tt.A100_LLAMA2_7B.ttft


@cache
def costly():
    """The advice of an engineer whose limits are what stands in the way of more."""
    return tt.advise(engineers(), 50_000, Fraction(1, 10))


def plainly(outcome, turns, xi):
    """Prefill, share of the input that was cached, P50, P95 and TEL of some turns, by plain sums and ranks."""
    uncached, cached = outcome.uncached[turns], outcome.cached[turns]
    p50, p95 = (float(SECONDS(np.sort(uncached)[-(-len(uncached) * q // 100) - 1])) for q in (50, 95))
    work = int(uncached.sum())
    return work, int(cached.sum()) / (work + int(cached.sum())), p50, p95, int(np.maximum(uncached - xi, 0).sum())


def broken(lru, tried, slo):
    """Limits that are broken, from both rows of `plainly`."""
    found = {"prefilled tokens"} if 100 * tried[0] > 105 * lru[0] else set()
    slow = Fraction(tried[2]) > Fraction(11, 10) * Fraction(lru[2]) and tried[2] >= slo / 2
    return found | ({"P50"} if slow else set())


@pytest.mark.parametrize(("advised", "trace"), [(usual, chats), (costly, engineers)])
def test_every_point_is_what_a_plain_replay_of_its_setting_does_on_each_part(advised, trace):
    advice, trace = advised(), trace()
    start, xi, slo = advice.start, advice.goal.xi, advice.goal.slo
    parts = {"first": slice(advice.choice.warm_up, start), "rest": slice(start, None), "whole": slice(0, start)}
    lru = tt.replay(trace, tt.LRU(), advice.capacity)
    before = {part: plainly(lru, turns, xi) for part, turns in parts.items()}
    for point in advice.frontier.points[::5]:
        curve = tt.capacity_curve(trace, tt.TLRU(point.xi, point.q_hat, "least-recent"))
        after = {part: plainly(curve.outcome(advice.capacity), turns, xi) for part, turns in parts.items()}
        for part in ("first", "rest"):
            side = getattr(point, part)
            cost = side.cost
            assert (cost.prefilled, cost.hit_rate, cost.p50, cost.p95, cost.tel) == pytest.approx(after[part])
            assert side.gain == pytest.approx(1 - after[part][4] / before[part][4])
        assert set(point.rest.broken) == broken(before["rest"], after["rest"], slo)
        assert set(point.first.broken) == broken(before["first"], after["first"], slo) | broken(
            before["whole"], after["whole"], slo
        )
    some = {(bool(one.first.broken), bool(one.rest.broken)) for one in costly().frontier.points}
    assert some >= {(False, False), (True, False), (True, True)}


def test_another_policy_has_its_own_frontier():
    advice = tt.advise(chats(800, 1), 4000, "200ms", policy=lambda xi, q_hat: tt.TLRU(xi, q_hat, "eager"))
    point = advice.frontier.points[20]
    outcome = tt.replay(chats(800, 1), tt.TLRU(point.xi, point.q_hat, "eager"), 4000)
    assert point.policy == "TLRU"
    assert point.rest.cost.prefilled == outcome.uncached[advice.start :].sum()


def test_what_the_choice_and_the_rest_say_is_on_the_frontier():
    for advice in (usual(), costly()):
        frontier, rows = advice.frontier, advice.held_out.rows
        assert [one.margin for one in frontier.points] == [one.margin for one in advice.choice.tried]
        assert (frontier.lru.policy, frontier.lru.margin, frontier.lru.rest.gain) == ("LRU", 0, 0)
        assert (frontier.advised.xi, frontier.advised.q_hat) == (advice.xi, advice.q_hat)
        assert frontier.advised.rest.gain == advice.held_out.gain.value
        assert frontier.advised.rest.broken == advice.held_out.broken
        for point, row in zip((frontier.lru, frontier.advised), rows, strict=False):
            cost = point.rest.cost
            assert (cost.prefilled, cost.p50, cost.p95) == (row.prefilled, row.p50, row.p95)
            assert (cost.tel, cost.hit_rate) == (row.tel, row.hit_rate)


def test_who_is_told_to_stay_with_lru_sees_what_was_chosen_too():
    advice = usual()
    stays = replace(advice, held_out=replace(advice.held_out, broken=("P50",)))
    assert advice.frontier.advised == advice.frontier.chosen
    assert (stays.frontier.advised, stays.frontier.chosen) == (advice.frontier.lru, advice.frontier.chosen)
    (_, _, first), (_, _, rest) = tables_of_frontier(stays)
    for rows in (first, rest):
        assert [row[0] for row in rows if "," in row[0]] == ["LRU, advised", "T-LRU, chosen"]
    one = next(step_lines(stays))
    assert one.startswith("One step further: T-LRU with ξ = ")


def points(*pairs):
    """Points of (prefill, gain) on the first part, LRU first, that break a limit on the rest above 150 tokens."""

    def side(prefilled, gain, broken=()):
        return Side(gain, Cost(prefilled, 0.0, 1.0, 1.0, 0), broken)

    return tuple(
        FrontierPoint(
            "T-LRU" if k else "LRU", k, 0, side(work, gain), side(work, 0.0, ("P50",) if work > 150 else ())
        )
        for k, (work, gain) in enumerate(((100, 0.0), *pairs))
    )


@given(
    st.lists(st.tuples(st.integers(60, 200), st.integers(-20, 60).map(lambda gain: gain / 64)), max_size=30),
    st.data(),
)
def test_the_front_is_what_nothing_beats_and_what_is_shown_is_a_few_of_it(pairs, data):
    found = points(*pairs)
    chosen = data.draw(st.sampled_from(found))
    advised = data.draw(st.sampled_from([found[0], chosen]))
    frontier = Frontier(found, chosen, advised, CostLimits(), Fraction(1))
    places = [(one.first.cost.prefilled, one.first.gain) for one in found]
    best = {
        (work, gain)
        for work, gain in places
        if not any(other <= work and more >= gain and (other, more) != (work, gain) for other, more in places)
    }
    front = [(one.first.cost.prefilled, one.first.gain) for one in frontier.front]
    assert set(front) == best
    assert front == sorted(front) == sorted(front, key=lambda one: one[1])
    shown, beside = frontier.shown, {frontier.lru, chosen, advised}
    assert {*shown} >= beside | {frontier.front[-1]}
    assert {*shown} <= beside | {*frontier.front}
    assert len(shown) <= STEPS + 1 + len(beside) + 1
    gains = [one.first.gain for one in shown]
    assert gains == sorted(gains)
    own = (advised.first.cost.prefilled, advised.first.gain)
    assert set(frontier.further) == {
        one for one in shown if one.first.cost.prefilled > own[0] and one.first.gain > own[1]
    }
    span = front[-1][1] - front[0][1]
    for gain in np.array(front)[:, 1]:
        assert any(abs(one.first.gain - gain) <= span / STEPS for one in frontier.front if one in shown)


def test_the_limits_are_those_of_each_part():
    frontier = costly().frontier
    for lru in (frontier.lru.first, frontier.lru.rest):
        most = frontier.most(lru)
        assert most.prefilled == pytest.approx(1.05 * lru.cost.prefilled)
        assert most.p50 == pytest.approx(max(1.1 * lru.cost.p50, 0.05))
    free = replace(frontier, limits=CostLimits(None, None))
    assert (free.most(free.lru.first).prefilled, free.most(free.lru.first).p50) == (None, None)
    slow = replace(frontier, slo=Fraction(1, 1000))
    assert slow.most(slow.lru.rest).p50 == pytest.approx(1.1 * slow.lru.rest.cost.p50)


def test_the_next_step_is_said_with_its_price_and_its_limits():
    advice = costly()
    frontier = advice.frontier
    step = frontier.further[0]
    (line,) = step_lines(advice)
    lru = frontier.lru.rest.cost
    setting = f"T-LRU with ξ = {step.xi:,} and Q̂ = {step.q_hat:,}"
    first, rest = (f"{100 * side.gain:.1f} % lower" for side in (step.first, step.rest))
    prefill = f"{step.rest.cost.prefilled / lru.prefilled:.3f} times LRU's prefill"
    p50 = f"a P50 of {1000 * step.rest.cost.p50:.1f} ms in the place of {1000 * lru.p50:.1f} ms there"
    assert line == (
        f"One step further: {setting}. TEL above 0.1 s is {first} than with LRU on the first part and {rest} on "
        f"the rest, for {prefill} and {p50}: above the limit of prefilled tokens on the first part."
    )
    assert step.rest.gain > frontier.advised.rest.gain
    both = replace(step, rest=replace(step.rest, broken=("P50", "prefilled tokens")))
    others = tuple(both if one == step else one for one in advice.points)
    (line,) = step_lines(replace(advice, points=others))
    assert line.endswith("above the limit of prefilled tokens on both parts and of P50 on the rest.")


def test_a_step_within_the_limits_is_followed_by_the_first_beyond_them():
    advice, found = costly(), points((110, 0.1), (120, 0.2), (160, 0.6), (170, 0.9))
    choice = replace(advice.choice, candidate=advice.choice.tried[0].candidate)
    stays = replace(advice, points=found, choice=choice, held_out=replace(advice.held_out, broken=("P50",)))
    one, other = step_lines(stays)
    assert one.startswith("One step further: T-LRU with ξ = 2 ")
    assert one.endswith(": within the limits.")
    assert other.startswith("Beyond the limits: T-LRU with ξ = 3 ")
    assert other.endswith(": above the limit of P50 on the rest.")
    top = replace(stays, points=found[:1] + points((90, 0.5))[1:])
    assert list(step_lines(top)) == [
        "One step further: nothing that was tried gains more on the first part for more prefill."
    ]


def test_the_tables_have_both_parts_and_mark_what_breaks_a_limit():
    advice = costly()
    (title, heads, first), (_, _, rest) = tables_of_frontier(advice)
    shown = advice.frontier.shown
    assert title.startswith(f"Frontier on the first part, {len(shown)} of 48 settings; limits: 1.05 times")
    for rows, part in ((first, "first"), (rest, "rest")):
        for row, point in zip(rows, shown, strict=True):
            side, told = getattr(point, part), dict(zip(heads, row, strict=True))
            base = getattr(advice.frontier.lru, part).cost.prefilled
            assert told["above the limit"] == ", ".join(side.broken)
            assert (told["TEL"], told["P50 s"]) == (f"{side.cost.tel:,}", f"{side.cost.p50:.3f}")
            assert told["of LRU's"] == f"{side.cost.prefilled / base:.3f}"
            assert (told["setting"] == "T-LRU, advised") == (point == advice.frontier.advised)
    assert [row[-1] for row in first] != [row[-1] for row in rest]


def test_where_nothing_was_tried_there_is_no_frontier_to_print():
    trace = single_turns()
    advice = tt.advise(trace, int(trace.past.sum()), "20s")
    assert [one.policy for one in advice.frontier.points] == ["LRU"]
    assert list(tables_of_frontier(advice)) == list(step_lines(advice)) == []


def test_in_a_queue_settings_are_compared_on_the_first_part_as_they_were_served():
    trace = chats(300, 2)
    arrival = np.cumsum(np.random.default_rng(5).exponential(1, 300))
    timed = tt.Trace.from_turns(trace.conversation, trace.prompt, trace.response, arrival=arrival)
    serving = tt.Serving(2, "least-loaded")
    advice = tt.advise(timed, 2000, "200ms", serving=serving, load=Fraction(7, 10))
    frontier, counted = advice.frontier, slice(advice.choice.warm_up, None)
    assert frontier.unit == "s"
    for point, tried in zip(frontier.points[:20:6], advice.choice.tried[:20:6], strict=True):
        own = tt.TLRU(point.xi, point.q_hat, "least-recent") if point.margin else tt.LRU()
        served = tt.serve(timed[: advice.start], own, 2000, **vars(advice.serving))
        ttft = served.ttft[counted]
        assert point.margin == tried.candidate.margin
        assert point.first.cost.tel == pytest.approx(np.maximum(ttft - 0.2, 0).sum())
        for level in (50, 95):
            quantile = np.quantile(ttft, level / 100, method="inverted_cdf")
            assert getattr(point.first.cost, f"p{level}") == pytest.approx(quantile)
    rows = {0: advice.held_out.rows[0], advice.tried.margin: advice.held_out.rows[1]}
    for point in frontier.points:
        row = rows.get(point.margin)
        assert (point.rest is None) == (row is None)
        if row is not None:
            assert (point.rest.cost.tel, point.rest.cost.p95) == (row.tel, row.p95)
    told, further = next(step_lines(advice)), Goal.of("tel", Fraction(1, 5)).name
    assert (further in told) == bool(frontier.further)

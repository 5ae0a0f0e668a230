"""What more gain costs, in sentences and as tables, and how costs stand to their limits; for any advice."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from teltheory.advice.goal import MEDIAN, WORK, CostLimits, Goal
from teltheory.model.display import percent, tokens_in_short
from teltheory.model.units import in_seconds

if TYPE_CHECKING:
    from teltheory.advice import Advice
    from teltheory.advice.frontier import Frontier, FrontierPoint, Side

HEADER = ("setting", "ξ", "Q̂", "gain %", "TEL", "prefill", "of LRU's", "hit", "P50 s", "P95 s", "above the limit")
TEXTS = (HEADER[0], HEADER[-1])
"""Columns of words."""


class Costs(Protocol):
    """What has a cost: tokens that were computed, and P50 of TTFT."""

    @property
    def prefilled(self) -> int:
        """Tokens."""

    @property
    def p50(self) -> float:
        """Seconds."""


def figures(goal: Goal, limits: CostLimits, lru: Costs, tried: Costs) -> dict[str, str]:
    """Return what is limited, as `CostLimits.broken` names it, and how many times LRU's it is, in words."""
    work = f"the prefill is {of_lru(lru.prefilled, tried.prefilled)} ({_limit(limits.work)})"
    most = _limit(limits.median)
    if limits.median is not None:
        most = f"{most}, or half of the SLO, {float(goal.slo / 2):g} s"
    return {WORK: work, MEDIAN: f"P50 is {of_lru(lru.p50, tried.p50)} ({most})"}


def of_lru(lru: float, tried: float) -> str:
    """Return how many times LRU's something is, as text."""
    if lru:
        return f"{tried / lru:.3f} times LRU's"
    return "above LRU's 0" if tried else "0, as LRU's"


def _limit(times: Fraction | None) -> str:
    return "no limit" if times is None else f"limit {float(times):g}"


def beside_limits(goal: Goal, limits: CostLimits, lru: Costs, tried: Costs, broken: tuple[str, ...]) -> str:
    """Return how costs stand to their limits, with the figures."""
    said = figures(goal, limits, lru, tried)
    verdict = f"above the limit of {' and of '.join(broken)}" if broken else "within the limits"
    return f"{verdict}: {' and '.join(said.values())}"


def step_lines(advice: Advice) -> Iterator[str]:
    """Yield what one step further than the advice would gain and cost, and the first that breaks a limit."""
    frontier = advice.frontier
    if len(frontier.points) == 1:
        return
    steps = frontier.further
    if not steps:
        yield "One step further: nothing that was tried gains more on the first part for more prefill."
        return
    yield f"One step further: {_step(advice, steps[0])}"
    beyond = next((one for one in steps if one.broken), None)
    if beyond is not None and beyond != steps[0]:
        yield f"Beyond the limits: {_step(advice, beyond)}"


def _step(advice: Advice, point: FrontierPoint) -> str:
    """Return what a point gains on each part, and what it costs on the rest, or else on the first part."""
    lru = advice.frontier.lru
    gains, base, side = f"{_lower(point.first)} than with LRU on the first part", lru.first, point.first
    if lru.rest is not None and point.rest is not None:
        gains, base, side = f"{gains} and {_lower(point.rest)} on the rest", lru.rest, point.rest
    before, after = base.cost, side.cost
    goal, there = advice.goal.name, "" if side is point.first else " there"
    return (
        f"{point.policy} with ξ = {point.xi:,} and Q̂ = {point.q_hat:,}. {goal[:1].upper()}{goal[1:]} is {gains}, "
        f"for {of_lru(before.prefilled, after.prefilled)} prefill and a P50 of {_short(after.p50)} in the place "
        f"of {_short(before.p50)}{there}: {_where(point)}."
    )


def _lower(side: Side) -> str:
    return f"{percent(abs(side.gain))} {'lower' if side.gain >= 0 else 'higher'}"


def _short(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.3f} s"


def _where(point: FrontierPoint) -> str:
    """Return which limits a point breaks, and on which part."""
    if not point.broken:
        return "within the limits"
    return f"above the limit of {' and of '.join(f'{name} {_parts(point, name)}' for name in point.broken)}"


def _parts(point: FrontierPoint, name: str) -> str:
    parts = [
        part
        for part, side in (("on the first part", point.first), ("on the rest", point.rest))
        if side is not None and name in side.broken
    ]
    return "on both parts" if len(parts) == 2 else parts[0]


def tables_of_frontier(
    advice: Advice,
) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """Yield a few points of the frontier on either part: title, columns, rows; nothing if nothing was tried."""
    frontier = advice.frontier
    heads, shown = heads_of(frontier), frontier.shown
    if len(frontier.points) == 1:
        return
    few = f"{len(shown)} of {len(frontier.points)} settings"
    title = f"Frontier on the first part, {few}{_limits(frontier, frontier.lru.first)}"
    yield title, heads, [_row(frontier, one, one.first) for one in shown]
    if frontier.lru.rest and all(one.rest for one in shown):
        title = f"Frontier on the rest{_limits(frontier, frontier.lru.rest)}"
        yield title, heads, [_row(frontier, one, one.rest) for one in shown]


def _limits(frontier: Frontier, lru: Side) -> str:
    """Return the limits on a part, for a title."""
    most, work = frontier.most(lru), frontier.limits.work
    said = [] if work is None else [f"{float(work):g} times LRU's prefill"]
    said += [] if most.p50 is None else [f"P50 {most.p50:.3f} s"]
    return f"; limits: {', '.join(said)}" if said else "; no limits"


def heads_of(frontier: Frontier) -> tuple[str, ...]:
    """Return the columns of the frontier; TEL has its unit, unless that is tokens."""
    tel = "TEL" if frontier.unit == "tokens" else f"TEL {frontier.unit}"
    return tuple(tel if name == "TEL" else name for name in HEADER)


def _row(frontier: Frontier, point: FrontierPoint, side: Side | None) -> tuple[str, ...]:
    """Return a point on one part as text under `heads_of`."""
    base = frontier.lru.first if side is point.first else frontier.lru.rest
    assert side is not None
    assert base is not None
    cost = side.cost
    setting = (f"{point.xi:,}", f"{point.q_hat:,}") if point.margin else ("", "")
    tel = in_seconds(cost.tel) if frontier.unit == "s" else f"{cost.tel:,}"
    times = f"{cost.prefilled / base.cost.prefilled if base.cost.prefilled else 1:.3f}"
    work = (tokens_in_short(cost.prefilled), times, percent(cost.hit_rate), f"{cost.p50:.3f}", f"{cost.p95:.3f}")
    gain = f"{100 * side.gain + 0.0:+.1f}"
    return (_named(frontier, point), *setting, gain, tel, *work, ", ".join(side.broken))


def _named(frontier: Frontier, point: FrontierPoint) -> str:
    """Return a point's policy, and whether it is advised, or was chosen on the first part."""
    if point == frontier.advised:
        return f"{point.policy}, advised"
    return f"{point.policy}, chosen" if point == frontier.chosen else point.policy

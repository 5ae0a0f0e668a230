"""An advice in sentences, as a table, and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.table import Table

from teltheory.cli.fitting import plain_table
from teltheory.kv_cache import KVSize

if TYPE_CHECKING:
    from teltheory.advice import Advice, Estimate


HEADER = ("policy", "P50 s", "P90 s", "P95 s", "P99 s", "slow", "TEL", "regret")


def advice_lines(advice: Advice, shape: KVSize | None) -> Iterator[str]:
    """Yield what an advice says, a sentence or two a line; lines for a shell begin with two spaces."""
    yield asked(advice)
    yield headline(advice)
    yield from findings(advice, shape)
    yield from (f"Mind: {warning}" for warning in advice.warnings)
    for setting in advice.engines:
        yield f"{setting.engine} ({setting.release}):"
        yield f"  {setting.arguments}"


def asked(advice: Advice) -> str:
    """Return what was asked for."""
    goal = advice.goal
    slo = f"SLO {float(goal.slo):g} s = {goal.xi:,} tokens"
    return f"Capacity {advice.capacity:,} tokens. Goal: {goal.name}; {slo}."


def findings(advice: Advice, shape: KVSize | None) -> Iterator[str]:
    """Yield what was found on the two parts of the trace, a subject a line."""
    yield _chosen(advice)
    yield _judged(advice)
    yield _slo(advice)
    yield _median(advice)
    yield _hindsight(advice)
    yield _ends(advice)
    yield _memory(advice, shape)


def headline(advice: Advice) -> str:
    """Return the advice itself."""
    if advice.recommended:
        return f"ADVICE: {advice.policy} with ξ = {advice.xi:,} and Q̂ = {advice.q_hat:,} tokens."
    if advice.choice.helps:
        return f"ADVICE: stay with LRU. The gain of {advice.policy} on the first part did not last."
    return f"ADVICE: stay with LRU. On the first part {advice.policy} has no gain that chance does not explain."


def _chosen(advice: Advice) -> str:
    choice, goal = advice.choice, advice.goal
    if choice.warm_up == advice.start:
        return (
            f"The cache never overflows on the first part: at {advice.capacity:,} tokens all policies do the same."
        )
    if not choice.margin:
        return f"On the first part no setting of {advice.policy} has less {goal.name} than LRU."
    ending = "" if choice.helps else ", which may be chance"
    return (
        f"On the first part {goal.name} is {_change(choice.here)} with {_setting(advice)} than with LRU{ending}. "
        f"Promised for the rest: {_percent(choice.promise.low)} to {_percent(choice.promise.high)} lower."
    )


def _setting(advice: Advice) -> str:
    return "it" if advice.recommended else f"ξ = {advice.xi:,} and Q̂ = {advice.q_hat:,}"


def _judged(advice: Advice) -> str:
    gain, chosen = advice.held_out.gain, advice.choice.margin > 0
    if gain.above_zero:
        verdict = "it helps"
    else:
        verdict = "it does harm" if gain.below_zero else "it does not help, beyond what may be chance"
    which = "" if chosen else f" with {_setting(advice)}"
    promise = f" The gain is {'inside' if advice.kept_promise else 'outside'} what was promised." if chosen else ""
    return f"On the rest{which} {advice.goal.name} is {_change(gain)} than with LRU: {verdict}.{promise}"


def _slo(advice: Advice) -> str:
    lru, tlru, _ = advice.held_out.rows
    turns = advice.turns - advice.start
    return (
        f"SLO: {lru.slow:,} turns of the rest are above it with LRU, {tlru.slow:,} with {advice.policy} "
        f"({100 * tlru.slow / turns:.2f} % of {turns:,})."
    )


def _median(advice: Advice) -> str:
    lru, tlru, _ = advice.held_out.rows
    median, free, choice = advice.held_out.median, advice.choice.free, advice.choice
    interval = f"{1000 * median.value:+.1f} ms [{1000 * median.low:+.1f}, {1000 * median.high:+.1f}]"
    cost = f"Cost at the median: P50 goes from {1000 * lru.p50:.1f} to {1000 * tlru.p50:.1f} ms, by {interval}."
    if median.value <= 0 or free.margin in (0, choice.margin):
        return cost
    gains = f"gains {_percent(free.gain)} in the place of {_percent(choice.here.value)}"
    return f"{cost} ξ = {free.margin + advice.q_hat:,} costs nothing there on the first part, and {gains}."


def _hindsight(advice: Advice) -> str:
    held = advice.held_out
    lru, tlru, _ = held.rows
    distance = lru.regret
    closed = f"; it closes {_percent((lru.tel - tlru.tel) / distance)} of LRU's distance" if distance else ""
    regret = f"{advice.policy}'s regret is {tlru.regret:,}{closed}."
    return f"Hindsight: the least TEL on the rest is {held.optimum:,}. {regret}"


def _ends(advice: Advice) -> str:
    further = _change(advice.held_out.end_aware)
    compared = f"{advice.goal.name} {further} than {advice.policy}"
    return f"End-awareness: T-LRU that knew which turns are last would have {compared}."


def _memory(advice: Advice, shape: KVSize | None) -> str:
    needed, capacity = advice.held_out.lru_capacity, advice.capacity
    if needed == capacity:
        return "Memory: LRU needs no more for the same."
    size = "" if shape is None else f" ({shape.bytes(needed) / 2**30:,.1f} GiB of {shape.name})"
    times = f", {needed / capacity:.2f} times as much" if capacity else ""
    return f"Memory: LRU needs {needed:,} tokens{size} for the same{times}."


def _change(estimate: Estimate) -> str:
    """Return a share in words: the number, its interval, and which way it goes."""
    low, high = sorted((_rounded(estimate.low), _rounded(estimate.high)))
    value = _rounded(estimate.value)
    if value < 0:
        return f"{-value:.1f} % [{-high:.1f}, {-low:.1f}] higher"
    return f"{value:.1f} % [{low:.1f}, {high:.1f}] lower"


def _rounded(share: float) -> float:
    return round(100 * share, 1) + 0.0


def _percent(share: float) -> str:
    return f"{_rounded(share):.1f} %"


def advice_table(advice: Advice) -> Table:
    """Return the policies on the rest."""
    table = plain_table("The rest")
    table.add_column(HEADER[0], no_wrap=True)
    for name in HEADER[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    for row in advice_rows(advice):
        table.add_row(*row)
    return table


def advice_rows(advice: Advice) -> Iterator[tuple[str, ...]]:
    """Yield the policies on the rest, as text under `HEADER`."""
    for row in advice.held_out.rows:
        percentiles = (f"{value:.3f}" for value in (row.p50, row.p90, row.p95, row.p99))
        yield row.policy, *percentiles, f"{row.slow:,}", f"{row.tel:,}", f"{row.regret:,}"


def advice_as_data(advice: Advice) -> dict[str, Any]:
    """Return an advice as plain data; shares and seconds are numbers, the SLO and the level too."""
    goal = advice.goal
    return {
        "capacity": advice.capacity,
        "goal": goal.name,
        "slo": float(goal.slo),
        "slo_tokens": goal.xi,
        "level": None if goal.level is None else float(goal.level),
        "first_turns": advice.start,
        "rest_turns": advice.turns - advice.start,
        "recommended": advice.recommended,
        "xi": advice.xi,
        "q_hat": advice.q_hat,
        "kept_promise": advice.kept_promise,
        "choice": asdict(advice.choice),
        "held_out": asdict(advice.held_out),
        "warnings": list(advice.warnings),
        "engines": [asdict(setting) for setting in advice.engines],
    }

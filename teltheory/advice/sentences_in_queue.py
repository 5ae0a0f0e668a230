"""An advice in a queue in sentences and as tables of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from teltheory.advice.sentences import change, chosen, in_memory, times
from teltheory.advice.sentences_of_frontier import beside_limits, figures, step_lines, tables_of_frontier
from teltheory.model.display import Table, counted, percent, tokens_in_short
from teltheory.model.tiers import Tiers
from teltheory.model.units import in_seconds
from teltheory.serving.serve import Serving

if TYPE_CHECKING:
    from teltheory.advice import Estimate
    from teltheory.advice.held_in_queue import QueueRow
    from teltheory.advice.loaded import QueueAdvice


MANY = 10
"""Loss from which on it is said in times."""


def queue_lines(advice: QueueAdvice) -> Iterator[str]:
    """Yield what an advice says, a sentence or two a line; lines for a shell begin with two spaces."""
    yield asked(advice)
    yield headline(advice)
    yield from findings(advice)
    yield from (f"Mind: {warning}" for warning in advice.warnings)
    for setting in advice.engines:
        yield f"{setting.engine} ({setting.release}):"
        yield f"  {setting.arguments}"


def asked(advice: QueueAdvice) -> str:
    """Return what was asked for."""
    goal, serving = advice.goal, advice.serving
    slo = f"SLO {float(goal.slo):g} s = {goal.xi:,} tokens without a wait"
    router = f", router {advice.held_out.rows[0].router}" if serving.replicas > 1 else ""
    return f"{counted(serving.replicas, 'replica')} of {memory(advice)}{router}. Goal: {goal.name}; {slo}."


def memory(advice: QueueAdvice) -> str:
    """Return the memory of a replica in words."""
    if not isinstance(advice.capacity, Tiers):
        return in_memory([advice.capacity], advice.shape)
    return f"{in_memory(advice.capacity.capacities, advice.shape)} in tiers"


def headline(advice: QueueAdvice) -> str:
    """Return the advice itself."""
    tried, choice, held = advice.policy, advice.choice, advice.held_out
    if advice.recommended:
        return f"ADVICE: {tried} with {setting(advice, advice.tried.margin)} tokens."
    stay = "ADVICE: stay with LRU."
    if not choice.helps:
        gain = "no gain" if choice.freely.allowed else "no gain within the limits"
        return f"{stay} On the first part {advice.kind} has {gain} that chance does not explain."
    had = f"{stay} The first part recommends {tried} with {setting(advice, advice.tried.margin)} tokens,"
    if held.gain.above_zero:
        said = figures(advice.goal, advice.limits, *held.rows[:2])
        broken = " and ".join(said[name] for name in held.broken)
        return f"{had} but on the rest it does not keep its limits: {broken}."
    lasting = "may be chance on the rest" if held.gain.value > 0 else "did not last"
    return f"{had} but its gain {lasting}."


def setting(advice: QueueAdvice, margin: int) -> str:
    """Return a margin as a threshold and a prompt estimate in words."""
    xi, q_hat = advice.as_set(margin)
    return f"ξ = {xi:,} and Q̂ = {q_hat:,}"


def findings(advice: QueueAdvice) -> Iterator[str]:
    """Yield what was found, a subject a line."""
    choice, which = advice.choice, None
    if not choice.candidate.is_lru:
        which = f"{advice.policy}, {setting(advice, choice.candidate.margin)},"
    yield chosen(advice, advice.kind, which)
    yield from _freely(advice)
    yield _judged(advice)
    yield _cost(advice)
    yield from (f"Why LRU: {reason}" for reason in advice.why)
    yield from _tail(advice)
    yield from _routers(advice)
    yield from _tiers(advice)
    if advice.held_out.bound is not None:
        least = in_seconds(advice.held_out.bound)
        pooled = "one cache of all memory, hindsight, and no waits" + _in_one_tier(advice)
        yield f"Bound: no router and no policy gets below {least} s above the SLO on the rest: {pooled}."
    yield from step_lines(advice)


def _freely(advice: QueueAdvice) -> Iterator[str]:
    """Yield what the best setting without limits would have gained on the first part, and cost."""
    freely, lru = advice.choice.freely, advice.choice.tried[0].cost
    if freely.allowed:
        return
    yield (
        f"Without limits: {percent(freely.gain)} lower with {advice.name(freely.candidate)}, "
        f"{setting(advice, freely.candidate.margin)}, for {times(lru.prefilled, freely.cost.prefilled)} the "
        f"prefill and a P50 of {freely.cost.p50:.3f} s instead of {lru.p50:.3f}."
    )


def _judged(advice: QueueAdvice) -> str:
    held = advice.held_out
    lru, tried = held.rows[:2]
    if held.gain.above_zero:
        verdict = f"it helps, for {times(lru.prefilled, tried.prefilled)} the prefill"
    else:
        harm = held.gain.below_zero or from_none(advice, tried)
        verdict = "it does harm" if harm else "it does not help, beyond what may be chance"
    chosen = not advice.choice.candidate.is_lru
    which = "" if chosen else f" with {advice.policy}, {setting(advice, advice.tried.margin)},"
    kept = {True: "inside", False: "outside", None: None}[advice.kept_promise]
    promise = "" if kept is None else f" The gain is {kept} what was promised."
    than = "above 0, and 0 with LRU" if from_none(advice, tried) else f"{change(held.gain)} than with LRU"
    return f"On the rest{which} {advice.goal.name} is {than}: {verdict}.{promise}"


def _cost(advice: QueueAdvice) -> str:
    held = advice.held_out
    lru, tried = held.rows[:2]
    limits = beside_limits(advice.goal, advice.limits, lru, tried, held.broken)
    busy = f"by {in_seconds(tried.busy - lru.busy, plus=True)} to {in_seconds(tried.busy)}"
    return (
        f"Cost on the rest: P50 goes from {lru.p50:.3f} to {tried.p50:.3f} s, the hit rate from "
        f"{percent(lru.hit_rate)} to {percent(tried.hit_rate)}, the busy seconds {busy}, the utilisation from "
        f"{lru.utilisation:.3f} to {tried.utilisation:.3f}. That is {limits}."
    )


def _tail(advice: QueueAdvice) -> Iterator[str]:
    held = advice.held_out
    lru, endless = held.rows[0], held.endless
    if not lru.tel:
        return
    parts = (("waits", lru.wait), ("loading", lru.load), ("computing", lru.compute))
    said = ", ".join(f"{name} {percent(part / lru.tel)}" for name, part in parts)
    yield (
        f"Tail: LRU's {in_seconds(lru.tel)} s above the SLO are {said}. With memory that never overflows they "
        f"would be {in_seconds(endless.tel)}; if nobody waited, {in_seconds(lru.alone)}."
    )


def _routers(advice: QueueAdvice) -> Iterator[str]:
    """Yield the router's share of the tail next to the policy's."""
    held = advice.held_out
    lru, tried = held.rows[:2]
    best = held.best_router
    if best is None or not lru.tel:
        return
    policy = f"{advice.policy} under {lru.router} {_of_tail(lru, tried)}"
    if best.router != lru.router:
        both = "" if held.best is None else f"; both: {_of_tail(lru, held.best)}"
        tail = f"next to LRU's tail under {lru.router}"
        yield f"Router: {tail} {best.router} {_of_tail(lru, best)}; {policy}{both}."
        return
    plain = next((row for row in held.routers if row.router == Serving.router != best.router), None)
    plain = plain or max(held.routers, key=lambda row: row.tel)
    yield (
        f"Router: {lru.router} is the best of {len(held.routers)} for LRU. Next to the {in_seconds(plain.tel)} s "
        f"above the SLO under {plain.router} it {_of_tail(plain, lru)}; next to what is left {policy}."
    )


def _in_one_tier(advice: QueueAdvice) -> str:
    tiers = isinstance(advice.capacity, Tiers) and len(advice.capacity) > 1
    return ", from which nothing is loaded" if tiers else ""


def _of_tail(before: QueueRow, after: QueueRow) -> str:
    """Return what a change does to a tail."""
    share = 1 - after.tel / before.tel
    return f"{'removes' if share >= 0 else 'adds'} {percent(abs(share))}"


def _tiers(advice: QueueAdvice) -> Iterator[str]:
    """Yield what each tier's T-LRU contributes."""
    if not isinstance(advice.capacity, Tiers) or len(advice.capacity) == 1:
        return
    lru, *others = advice.held_out.rows
    by = sorted(others, key=lambda row: row.tel)
    said = "; ".join(f"{row.policy} {in_seconds(row.tel - lru.tel, plus=True)} s" for row in by)
    yield f"Tiers: with the same margin, next to LRU's {in_seconds(lru.tel)} s above the SLO: {said}."


def change_of(estimate: Estimate) -> str:
    """Return a gain with its interval as a cell; a loss of more than a thousand per cent in times."""
    if estimate.value < -MANY:
        return f"{1 - estimate.value:,.0f} times"
    value, low, high = (round(100 * one, 1) + 0.0 for one in (estimate.value, estimate.low, estimate.high))
    return f"{value:+,.1f} [{low:+,.1f}, {high:+,.1f}]"


def heads_of(advice: QueueAdvice) -> tuple[str, ...]:
    """Return the columns of the rest."""
    load = ("load",) if len(advice.held_out.rows[0].hits) > 1 else ()
    return (
        "policy", "util", "hit", "prefill", "P50 s", "P95 s", "P99 s", "slow", "TEL s", "wait", *load, "compute",
        "gain %",
    )  # fmt: skip


def from_none(advice: QueueAdvice, row: QueueRow) -> bool:
    """Whether a row has a tail and LRU has none, so that no share says how much larger it is."""
    return advice.goal.level is None and not advice.held_out.rows[0].slow and row.slow > 0


def cells_of(advice: QueueAdvice, row: QueueRow, name: str) -> tuple[str, ...]:
    """Return a row as text under `heads_of`."""
    work = (f"{row.utilisation:.3f}", percent(row.hit_rate), tokens_in_short(row.prefilled))
    times_of = (f"{value:.3f}" for value in (row.p50, row.p95, row.p99))
    load = (row.load,) if len(row.hits) > 1 else ()
    tail = map(in_seconds, (row.tel, row.wait, *load, row.compute))
    gain = "LRU has 0" if from_none(advice, row) else change_of(row.gain)
    return (name, *work, *times_of, f"{row.slow:,}", *tail, gain)


def card_of(advice: QueueAdvice) -> Table:
    """Return the policies on the rest as a table that says for what memory."""
    title, heads, rows = next(tables_of(advice))
    return f"{title}, at {memory(advice)}", heads, rows


def tables_of(advice: QueueAdvice) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """Yield tables: titles, columns, rows."""
    held, heads = advice.held_out, heads_of(advice)
    rows = [cells_of(advice, row, row.policy) for row in held.rows]
    yield "The rest", heads, rows
    if held.routers:
        found = [cells_of(advice, row, row.router) for row in sorted(held.routers, key=lambda row: row.tel)]
        if held.best is not None:
            found.append(cells_of(advice, held.best, f"{held.best.router}, {held.best.policy}"))
        yield "Routers on the rest, LRU", ("router", *heads[1:]), found
    tiers = range(len(held.rows[0].hits))
    if len(tiers) > 1:
        names = [f"{what} {tier}" for what in ("hit", "loaded", "written") for tier in tiers[what == "loaded" :]]
        moved = [(row.policy, *map(tokens_in_short, (*row.hits, *row.loaded, *row.written))) for row in held.rows]
        yield "Tokens on the rest, by tier", ("policy", *names), moved
    yield from tables_of_frontier(advice)

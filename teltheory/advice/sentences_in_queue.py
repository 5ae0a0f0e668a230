"""What an advice in a queue says beside the setting: why LRU, the tail, routers, tiers, and a bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from teltheory.advice.in_queue import HeldInQueue
from teltheory.advice.words import ends_of
from teltheory.model.display import Table, percent, tokens_in_short
from teltheory.model.units import in_seconds
from teltheory.serving.serve import Serving

if TYPE_CHECKING:
    from teltheory.advice import Advice, Estimate
    from teltheory.advice.held_out import Row

MANY = 10
"""Loss from which on it is said in times."""


def cost_in_queue(held: HeldInQueue) -> tuple[str, str]:
    """Return nothing beside P50, and how busy the replicas are."""
    lru, tried = held.rows[:2]
    busy = f"by {in_seconds(tried.busy - lru.busy, plus=True)} to {in_seconds(tried.busy)}"
    used = f"from {lru.utilisation:.3f} to {tried.utilisation:.3f}"
    return "", f", the busy seconds {busy}, the utilisation {used}"


def lines_in_queue(held: HeldInQueue, advice: Advice) -> Iterator[str]:
    """Yield what speaks for LRU, what the tail is, what routers and tiers contribute, and a bound."""
    yield from (f"Why LRU: {reason}" for reason in advice.why)
    if held.rows[0].tel:
        yield _tail(held)
        yield from _routers(held, advice)
    if len(held.rows[0].hits) > 1:
        yield _tiers(held)
    if held.bound is not None:
        least, one = in_seconds(held.bound), "one cache of all memory, hindsight, and no waits"
        pooled = f"{one}, from which nothing is loaded" if len(held.rows[0].hits) > 1 else one
        yield f"Bound: no router and no policy gets below {least} s above the SLO on the rest: {pooled}."


def _tail(held: HeldInQueue) -> str:
    lru, endless = held.rows[0], held.endless
    parts = (("waits", lru.wait), ("loading", lru.load), ("computing", lru.compute))
    said = ", ".join(f"{name} {percent(part / lru.tel)}" for name, part in parts)
    return (
        f"Tail: LRU's {in_seconds(lru.tel)} s above the SLO are {said}. With memory that never overflows they "
        f"would be {in_seconds(endless.tel)}; if nobody waited, {in_seconds(lru.alone)}."
    )


def _routers(held: HeldInQueue, advice: Advice) -> Iterator[str]:
    """Yield the router's share of the tail next to the policy's."""
    lru, tried = held.rows[:2]
    best = held.best_router
    if best is None:
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


def _of_tail(before: Row, after: Row) -> str:
    """Return what a change does to a tail."""
    share = 1 - after.tel / before.tel
    return f"{'removes' if share >= 0 else 'adds'} {percent(abs(share))}"


def _tiers(held: HeldInQueue) -> str:
    """Return what each tier's T-LRU contributes."""
    lru, *others = held.rows
    by = sorted(others, key=lambda row: row.tel)
    said = "; ".join(f"{row.policy} {in_seconds(row.tel - lru.tel, plus=True)} s" for row in by)
    return f"Tiers: with the same margin, next to LRU's {in_seconds(lru.tel)} s above the SLO: {said}."


def change_of(estimate: Estimate) -> str:
    """Return a gain with its interval as a cell; a loss of more than a thousand per cent in times."""
    if estimate.value < -MANY:
        return f"{1 - estimate.value:,.0f} times"
    return f"{round(100 * estimate.value, 1) + 0.0:+,.1f}{ends_of(estimate, 100, '+,.1f')}"


def heads_of(advice: Advice) -> tuple[str, ...]:
    """Return the columns of the rest."""
    load = ("load",) if len(advice.held_out.rows[0].hits) > 1 else ()
    return (
        "policy", "util", "hit", "prefill", "P50 s", "P95 s", "P99 s", "slow", "TEL s", "wait", *load, "compute",
        "gain %",
    )  # fmt: skip


def from_none(advice: Advice, row: Row) -> bool:
    """Whether a row has a tail and LRU has none, so that no share says how much larger it is."""
    return advice.goal.level is None and not advice.held_out.rows[0].slow and row.slow > 0


def cells_of(advice: Advice, row: Row, name: str) -> tuple[str, ...]:
    """Return a row as text under `heads_of`."""
    work = (f"{row.utilisation:.3f}", percent(row.hit_rate), tokens_in_short(row.prefilled))
    times_of = (f"{value:.3f}" for value in (row.p50, row.p95, row.p99))
    load = (row.load,) if len(row.hits) > 1 else ()
    tail = map(in_seconds, (row.tel, row.wait, *load, row.compute))
    gain = "LRU has 0" if from_none(advice, row) else change_of(row.gain)
    return (name, *work, *times_of, f"{row.slow:,}", *tail, gain)


def tables_in_queue(held: HeldInQueue, advice: Advice) -> Iterator[Table]:
    """Yield the rest, routers there, and what moved between tiers: titles, columns, rows."""
    heads, tiers = heads_of(advice), range(len(held.rows[0].hits))
    yield "The rest", heads, [cells_of(advice, row, row.policy) for row in held.rows]
    if held.routers:
        found = [cells_of(advice, row, row.router) for row in sorted(held.routers, key=lambda row: row.tel)]
        if held.best is not None:
            found.append(cells_of(advice, held.best, f"{held.best.router}, {held.best.policy}"))
        yield "Routers on the rest, LRU", ("router", *heads[1:]), found
    if len(tiers) > 1:
        names = [f"{what} {tier}" for what in ("hit", "loaded", "written") for tier in tiers[what == "loaded" :]]
        moved = [(row.policy, *map(tokens_in_short, (*row.hits, *row.loaded, *row.written))) for row in held.rows]
        yield "Tokens on the rest, by tier", ("policy", *names), moved

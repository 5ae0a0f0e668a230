"""Theorem 3.1 behind a queue: false, and what holds instead. docs/proofs-tiers.md has the proofs.

One cache, one request at a time, first come, first served; a token that is computed takes a second.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations_with_replacement

from proofs_checks.queue.plain_queue import Queued, unfinished
from proofs_checks.tiers.chains import Chain, Row, SmallChains
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed
from teltheory.claims.origin import reading, sharpness
from teltheory.claims.worlds import Given

row = rows(source="Theorem 3.1 behind a queue: docs/tiers-theory.md", relation=lambda of: of["T-LRU"] <= of["LRU"])
SMALL = SmallChains({1: 2, 2: 3, 3: 3}, {1: 3, 2: 4, 3: 4, 4: 3}, ((0,),), 1)
SHORT = replace(SMALL, quick={1: 2, 2: 2, 3: 2}, full={1: 2, 2: 3, 3: 3})


def arriving(space: SmallChains, times: Iterable[int]) -> Listed[Queued]:
    """Return the cases of a space with all arrivals, in order, at some times."""

    def up_to(effort: str) -> Iterator[Iterator[Queued]]:
        return (
            (Queued(case, at) for case in cases for at in orders(len(case.trace)))
            for cases in space.classes(effort)
        )

    def orders(turns: int) -> Iterator[Row]:
        return combinations_with_replacement(times, turns)

    return Listed(up_to, "quick", "full", lambda effort: space.bounds(effort) | {"arrivals": f"at {list(times)}"})


def tels(case: Queued) -> Values:
    """Return what all turns together have above xi, wait and prefill."""
    return {"T-LRU": sum(case.excess(True)), "LRU": sum(case.excess(False))}


theorem = row(
    "queue.theorem-3.1",
    "Theorem 3.1 holds behind a FIFO queue too: with an estimate of at least every prompt that continues a "
    "conversation T-LRU's tail of wait and prefill is at most LRU's.",
    space=arriving(SMALL, (0,)),
    origin=sharpness("queue.theorem-3.1.idle", "nobody waits"),
)(tels)

GROWING = Queued(
    Chain(((0, 400, 200), (0, 100, 200), (1, 400, 100), (1, 200, 100)), (800,), (0,), 1, 500, 200),
    (0, 300, 600, 900),
)
natural = row(
    "queue.theorem-3.1.natural",
    "The same for conversations that grow by prompts and responses of 100 tokens and more, arriving apart.",
    space=Given((GROWING,), "one case"),
    origin=sharpness("queue.theorem-3.1.idle", "nobody waits"),
)(tels)


def idle(case: Queued) -> Values | None:
    """Return the tails if nobody waits under either policy."""
    waits = [wait for tail_aware in (True, False) for wait in case.waits(case.work(tail_aware))]
    return None if any(waits) else tels(case)


nobody_waits = row(
    "queue.theorem-3.1.idle",
    "If nobody waits under either policy it holds.",
    space=arriving(SHORT, (0, 2)),
)(idle)


def lru_idle(case: Queued) -> Values | None:
    """Return the tails if nobody waits under LRU."""
    return None if any(case.waits(case.work(False))) else tels(case)


IDLE_UNDER_LRU = Queued(Chain(((0, 0, 2), (1, 1, 0), (1, 0, 0), (1, 0, 0)), (1,), (0,), 1, 1, 0), (0, 0, 1, 1))
nobody_waits_under_lru = row(
    "queue.theorem-3.1.lru-idle",
    "It holds if nobody waits under LRU.",
    space=Given((IDLE_UNDER_LRU,), "one case"),
    origin=sharpness("queue.theorem-3.1.idle", "nobody waits under either policy"),
)(lru_idle)


@row(
    "queue.theorem-3.1.bound",
    "Each turn's tail under T-LRU is at most LRU's and what T-LRU computed more than LRU in this turn and in "
    "those before it, each by itself.",
    relation=lambda of: all(a <= b for a, b in zip(of["T-LRU"], of["bound"], strict=True)),
    space=arriving(SHORT, (0, 1)),
)
def bound(case: Queued) -> Values:
    """Add up what T-LRU computes more, turn by turn where it does."""
    more = [max(0, a - b) for a, b in zip(case.work(True), case.work(False), strict=True)]
    lru = case.excess(False)
    return {"T-LRU": case.excess(True), "bound": [above + sum(more[: k + 1]) for k, above in enumerate(lru)]}


@row(
    "queue.theorem-3.1.more-work",
    "T-LRU never computes less than LRU in all.",
    relation=lambda of: of["T-LRU"] >= of["LRU"],
    space=arriving(SMALL, (0,)),
    origin=reading("T-LRU buys tail with more prefill: never less in all"),
)
def more_work(case: Queued) -> Values:
    """Add up what both compute."""
    return {"T-LRU": sum(case.work(True)), "LRU": sum(case.work(False))}


@row(
    "queue.theorem-3.1.small-budget-xi",
    "If T-LRU is given a threshold of at most its estimate, the same or smaller than that which turns "
    "are held to, "
    "it is LRU, and so is its queue.",
    relation=lambda of: of["T-LRU"] == of["LRU"],
    space=arriving(SHORT, (0,)),
)
def small_threshold(case: Queued) -> Values:
    """Return waits and prefills of both, with the estimate for the threshold that T-LRU has."""
    own = replace(case, chain=replace(case.chain, xi=case.chain.q_hat or 0))
    work = {"T-LRU": own.work(True), "LRU": own.work(False)}
    return {name: [own.waits(seconds), seconds] for name, seconds in work.items()}


@row(
    "queue.lindley",
    "A turn waits as long as the unfinished work that it finds: Lindley's recursion, second by second.",
    relation=lambda of: of["waits"] == of["unfinished"],
    space=arriving(SHORT, (0, 2)),
)
def lindley(case: Queued) -> Values:
    """Compare the recursion with a server that works second by second."""
    work = case.work(True)
    return {"waits": case.waits(work), "unfinished": unfinished(case, work)}

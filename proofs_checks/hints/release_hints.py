"""Release hints: what they can cost, however wrong they are, with LRU and T-LRU.

docs/hints-theory.md has the proofs. A close says that an agent is over; superseded is what its latest path has
not. A block that no request holds is *dead* and goes first.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np

from proofs_checks.hints.drawn import ANYTHING, Columns, RandomHints, Rng
from proofs_checks.hints.runs import HintedPair
from proofs_checks.hints.worlds import (
    NEVER,
    RELEASE,
    HintedCase,
    Messages,
    SmallHints,
    Use,
    next_of,
    released,
)
from teltheory.claims.claim import rows
from teltheory.claims.origin import sharpness
from teltheory.claims.worlds import Given

UP_TO = {1: 4, 2: 4, 3: 4, 4: 4}
ONE_MORE = {**UP_TO, 4: 5}
FIVE = {1: 3, 2: 3, 3: 3, 4: 3, 5: 3}
JUDGED = {2: 2}
CLOSE: tuple[Use, ...] = (("close",),)
BOTH: tuple[Use, ...] = (("close",), ("close", "superseded"))
ENDS = "every end of two agents; close, superseded, and both"

row = rows(source="Hints of applications")
two_agents, in_both = partial(released, most_agents=2), partial(released, most_agents=2, both=True)


def compared(pair: HintedPair, told: Callable[[int], Any], note: str, **others: Any) -> dict[str, Any]:
    """Return a row's relation, space, and compiled check, to four requests and blocks if nothing else is said."""
    plain, large = others.pop("plain", JUDGED), others.pop("large", UP_TO)
    drawn = others.pop("drawn", ANYTHING)
    small = SmallHints(plain, plain, told, note, **others)
    compiled = replace(pair.compiled(replace(small, quick=large, full=large)), drawn=drawn)
    return {"relation": pair.holds, "space": small, "compiled": compiled}


each = HintedPair("safe", "with hints", "without")
BOUND = "no request exceeds xi by more than without hints and the blocks of its path that hints had called dead"

safe = row(
    "hints.release.safe",
    f"However wrong release hints are, with LRU and with T-LRU {BOUND}.",
    **compared(each, two_agents, ENDS),
)(each.values)

safe_forced = row(
    "hints.release.safe.forced",
    f"Under forced caching, however wrong release hints are, with LRU {BOUND}.",
    **compared(each, two_agents, ENDS, forced=True, levels=False),
)(each.values)

above = HintedPair("safe", "with hints", "without", "excess")

safe_forced_covers = row(
    "hints.release.safe.forced.covers",
    f"Under forced caching, with T-LRU, high-water marks, and if Q covers each new part, {BOUND}.",
    **compared(above, two_agents, ENDS, forced=True, least_level=1),
)(above.values)


def one_end(requests: int, most_agents: int = 2) -> Iterator[Messages]:
    """Yield one end of an agent."""
    for one in released(requests, most_agents, CLOSE):
        if sum(end != NEVER for end in one.close) == 1:
            yield one


RUNNING = HintedCase.given(
    [[1, 2], [3, 4], [1], [5], [1], [5]],
    Messages.of((0, 0, 1, 1, 2, 0), ("superseded",)),
    capacity=2,
    level=1,
    forced=True,
)

safe_forced_tlru = row(
    "hints.release.safe.forced.tlru",
    f"Under forced caching, with T-LRU, however small Q is, {BOUND}.",
    relation=each.holds,
    origin=sharpness(
        "hints.release.safe.forced.covers", "Q does not cover, and what runs stays though it is surplus"
    ),
    space=Given((RUNNING,), "one, the smallest of three agents with superseded alone"),
)(each.values)

LAST = "a block's L is not the longest request that ever went through it, but that of the last one"
RESIDENT = "a block's L is forgotten with the block"

marks_last = row(
    "hints.marks.last",
    f"With L of the last request (vLLM PR 37825) T-LRU has the same bound: {BOUND}.",
    origin=sharpness("hints.release.safe", LAST),
    **compared(each, one_end, "one end of two agents", mark="last"),
)(each.values)

marks_resident = row(
    "hints.marks.resident",
    f"With L the longest since a block was last computed (SGLang PR 34012) T-LRU has the same bound: {BOUND}.",
    origin=sharpness("hints.release.safe", RESIDENT),
    **compared(each, one_end, "one end of two agents", mark="resident"),
)(each.values)


def kept(
    requests: int, keep: str, most: int, values: Callable[[int, int], range], most_agents: int = 2
) -> Iterator[Messages]:
    """Yield one end of an agent, with up to so many values that both runs are told, with their requests."""
    for one in one_end(requests, most_agents):
        for chosen in (some for n in range(1, most + 1) for some in combinations(range(requests), n)):
            for said in product(*(values(k, requests) for k in chosen)):
                at = tuple(k if k in chosen else NEVER for k in range(requests))
                value = dict(zip(chosen, said, strict=True))
                told = tuple(value.get(k, 0) for k in range(requests))
                yield Messages.of(one.agent, ("close", keep), (keep,), close=one.close, at=at, value=told)


SAME_KEPT = "both runs listen to the same keep hints, whose order changes though nothing is read"
ONE_CLOSE = "one end of two agents, and"
retained = partial(kept, keep="retain", most=2, values=lambda k, n: range(k + 1, n + 1))
ranked = partial(kept, keep="priority", most=3, values=lambda k, n: range(1, 3))


def awaited(requests: int) -> Iterator[Messages]:
    """Yield one of three agents that is over at once, and one that says that it will be back."""
    some = kept(requests, "resume", 1, lambda k, n: range(n, n + 1), 3)
    return (one for one in some if any(end == k for k, end in enumerate(one.close)))


kept_too = row(
    "hints.release.retain",
    f"The same bound if both runs retain the same blocks as long: {BOUND}.",
    origin=sharpness("hints.release.safe", SAME_KEPT),
    **compared(each, retained, f"{ONE_CLOSE} two retentions", levels=False),
)(each.values)

ranked_too = row(
    "hints.release.priority",
    f"The same bound if both runs listen to the same priorities: {BOUND}.",
    origin=sharpness("hints.release.safe", "a priority replaces the one before, so that a read lowers a block"),
    **compared(each, ranked, f"{ONE_CLOSE} three priorities, 1 or 2", levels=False),
)(each.values)

awaited_too = row(
    "hints.release.resume",
    f"The same bound if both runs listen to the same resume times: {BOUND}.",
    origin=sharpness("hints.release.safe", "who comes again is no longer awaited, which lowers what nothing read"),
    **compared(each, awaited, "one of three agents over at once, one resume time", levels=False, large=FIVE),
)(each.values)

less = HintedPair("safe", "T-LRU", "LRU", "excess, LRU")
COVERS = "with high-water marks, and if Q covers each new part,"
SAME_USES = RandomHints(tuple((use, use) for use in RELEASE))

covers = row(
    "hints.tlru.covers",
    f"Under the same release hints, {COVERS} T-LRU has at most LRU's excess and the blocks of the request's path "
    "that hints had called dead: so at most LRU's if these are never read again.",
    **compared(less, in_both, ENDS, least_level=1, drawn=SAME_USES),
)(less.values)

covers_forced = row(
    "hints.tlru.covers.forced",
    f"The same under forced caching: {COVERS} T-LRU has at most LRU's excess and those blocks.",
    **compared(less, in_both, ENDS, least_level=1, drawn=SAME_USES, forced=True),
)(less.values)

at_most = HintedPair("each", "T-LRU", "LRU", "excess, LRU")
superseded = partial(released, most_agents=2, uses=(("superseded",),), both=True)

covers_wrong = row(
    "hints.tlru.covers.wrong",
    f"Under the same release hints, truthful or not, {COVERS} T-LRU has at most LRU's excess at every request.",
    origin=sharpness("hints.tlru.covers", "what hints called dead is read again, and LRU happens to have it"),
    **compared(at_most, superseded, "superseded alone, two agents", least_level=1, large=ONE_MORE),
)(at_most.values)


def over_for_good(requests: int) -> Iterator[Messages]:
    """Yield ends of agents that never come back."""
    for one in two_agents(requests, uses=CLOSE):
        if all(end == NEVER or next_of(one.agent, k) == requests for k, end in enumerate(one.close)):
            yield one


no_more = HintedPair("each", "with closes", "without")

never_returns = row(
    "hints.never-returns",
    "If only agents are closed that never come back, LRU misses no more at any request.",
    origin=sharpness("hints.release.safe", "an agent that is over is taken for blocks that are never read again"),
    **compared(no_more, over_for_good, "every end of agents that are over", levels=False, plain={2: 2, 3: 1}),
)(no_more.values)


def one_wrong(requests: int) -> Iterator[Messages]:
    """Yield ends of which one is of an agent that comes back, beside the same ones without it."""
    for one in two_agents(requests, uses=CLOSE):
        wrong = [k for k, end in enumerate(one.close) if end != NEVER and next_of(one.agent, k) < requests]
        if len(wrong) == 1:
            other = tuple(NEVER if k == wrong[0] else end for k, end in enumerate(one.close))
            yield replace(one, other=other, other_use=one.use)


in_all = HintedPair("in all", "with it", "without it")

wrong_close = row(
    "hints.wrong-close",
    "If of some closes one alone is of an agent that comes back, it costs LRU at most as many misses in all as "
    "that agent had read blocks.",
    origin=sharpness("hints.release.safe", "where agents share, another end, harmless before, becomes a lie"),
    **compared(in_all, one_wrong, "one end of an agent that returns", levels=False, plain={2: 2, 3: 1}),
)(in_all.values)


def later(requests: int) -> Iterator[Messages]:
    """Yield ends of two agents beside the same of which one comes a request later, or not at all."""
    for one in two_agents(requests, uses=BOTH):
        for k, end in enumerate(one.close):
            if end != NEVER:
                last = end >= min(next_of(one.agent, k), requests - 2)
                other = (*one.close[:k], NEVER if last else end + 1, *one.close[k + 1 :])
                yield replace(one, other=other, other_use=one.use)


def drawn_later(rng: Rng, columns: Columns) -> None:
    """Let each end come later in the run that is compared, or not at all."""
    close = columns["close"]
    told = np.minimum(close + rng.integers(0, 4, close.shape), NEVER)
    columns["other"][:] = np.where(rng.random(close.shape) < 0.2, NEVER, told)


earlier = HintedPair("safe", "more or earlier", "fewer or later")
SAME_ENDS = RandomHints(tuple((use, use) for use in BOTH), other=drawn_later)
MORE = "more ends of agents, or earlier ones, cost at most the blocks of a path that they had called dead"
LATER = "every end of two agents, one of them a request later or never; close, with and without superseded"

monotone = row(
    "hints.close.monotone",
    f"With LRU {MORE}, at every request: nothing if these are never read again.",
    **compared(earlier, later, LATER, levels=False, drawn=SAME_ENDS),
)(earlier.values)

monotone_forced = row(
    "hints.close.monotone.forced",
    f"The same under forced caching: {MORE}.",
    **compared(earlier, later, LATER, levels=False, drawn=SAME_ENDS, forced=True),
)(earlier.values)


def one_later(requests: int) -> Iterator[Messages]:
    """Yield one end of two agents that listen to both hints, beside the same a request later, or none."""
    return (one for one in later(requests) if one.use == BOTH[1] and sum(t != NEVER for t in one.close) == 1)


monotone_tlru = row(
    "hints.close.monotone.tlru",
    f"With T-LRU too {MORE}.",
    origin=sharpness("hints.close.monotone", "what was read just now can be surplus, and go before what was kept"),
    **compared(earlier, one_later, "one end of two agents, close and superseded", large=ONE_MORE),
)(earlier.values)

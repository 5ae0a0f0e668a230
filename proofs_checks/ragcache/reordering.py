"""Cache-aware reordering: the paper's examples, whether a larger OrderPriority first is best, and nobody starves.

docs/proofs-ragcache.md has the proofs, docs/counterexamples-ragcache.md what is cached after each request.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

from proofs_checks.ragcache.knowledge_tree import PAPER
from teltheory.claims.claim import Proof, Values, rows
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import reading, repairs
from teltheory.claims.smt import prove, stated
from teltheory.claims.terms import integer
from teltheory.claims.worlds import Given

row = rows(source="Cache-aware reordering (RAGCache)")


def rate(order: Sequence[int]) -> Fraction:
    """Return the share of hits if even numbers ask for one document, odd ones for another, with room for one."""
    found = sum(one % 2 == other % 2 for one, other in pairwise(order))
    return Fraction(found, len(order))


@dataclass(frozen=True)
class Length(ToldCase):
    """How many requests of a sequence, or how often a part of it."""

    number: int


def lengths(most: int) -> Iterator[list[Length]]:
    """Yield 1 to a limit."""
    return ([Length(number)] for number in range(1, most + 1))


LENGTHS = Listed(lengths, 100, 1000, "1 to {}")
PRINTED = (1, 3, 5, 2, 4, 6, 7)
SIXTY_SIX = Fraction(66, 100)


def about_66(share: Fraction) -> bool:
    """Whether a share begins with 66 %."""
    return SIXTY_SIX <= share < SIXTY_SIX + Fraction(1, 100)


in_turn = row(
    "ragcache.reordering.in-turn",
    "Requests that ask in turn for two documents, in a cache with room for one, never hit.",
    relation=lambda of: of["hit rate"] == 0,
    space=LENGTHS,
    origin=PAPER,
)(lambda case: {"hit rate": rate(range(1, case.number + 1))})

printed = row(
    "ragcache.reordering.printed",
    "The order Q1, Q3, Q5, Q2, Q4, Q6, Q7 raises the hit rate to 66 %.",
    relation=lambda of: about_66(of["hit rate"]),
    space=Given((Length(len(PRINTED)),), "the seven requests that are printed"),
    origin=reading("of the seven requests that are printed"),
)(lambda case: {"hit rate": rate(PRINTED)})


def in_threes(times: int) -> list[int]:
    """Return so many times three odd and three even numbers, as the printed order begins."""
    return [6 * i + one for i in range(times) for one in (1, 3, 5, 2, 4, 6)]


limit = row(
    "ragcache.reordering",
    "The order Q1, Q3, Q5, Q2, Q4, Q6, Q7, ... raises the hit rate to 66 %.",
    relation=lambda of: about_66(of["hit rate"]),
    space=LENGTHS,
    origin=PAPER,
)(lambda case: {"hit rate": rate(in_threes(case.number))})

goes_on = row(
    "ragcache.reordering.goes-on",
    "The order Q1, Q3, Q5, Q2, Q4, Q6, Q7, Q8, Q9, ... has a hit rate of 66 % or more.",
    relation=lambda of: of["hit rate"] >= SIXTY_SIX,
    space=Listed(lambda most: ([Length(n)] for n in range(8, most)), 100, 1000, "the first 8 to {} requests"),
    origin=reading("after the seven requests that are printed the others follow in turn"),
)(lambda case: {"hit rate": rate([*PRINTED, *range(8, case.number + 1)])})


def in_order(waiting: Sequence[Any], window: int, choose: Callable[[list[Any]], int]) -> Iterator[tuple[Any, int]]:
    """Yield requests in the order of service, each with how often it was overtaken.

    All wait, in order of arrival; `choose` picks a place among those that are left, but if the first has been
    overtaken `window` times it goes.
    """
    left, overtaken = list(waiting), [0] * len(waiting)
    while left:
        place = 0 if overtaken[0] == window else choose(left)
        overtaken = [count + (i < place) for i, count in enumerate(overtaken)]
        yield left.pop(place), overtaken.pop(place)


@dataclass(frozen=True)
class Window(ToldCase):
    """A window, and how many runs of requests for one document are followed."""

    window: int
    runs: int


def windows(most: int) -> Iterator[list[Window]]:
    """Yield windows up to a limit, with runs up to a limit."""
    return ([Window(window, runs) for runs in range(1, 9)] for window in range(most + 1))


@row(
    "ragcache.reordering.window",
    "If all requests of the example wait, the largest OrderPriority goes first, and none is overtaken more than w "
    "times, the first run of one document has w + 1 requests and all others 2 w + 1: w = 1 has a hit rate of 2/3 "
    "in the limit, and 2 w / (2 w + 1) is that of w.",
    relation=lambda of: of["runs"] == of["w + 1, then 2 w + 1"],
    space=Listed(windows, 4, 12, "windows 0 to {}, the first 1 to 8 runs"),
)
def window_of_the_example(case: Window) -> Values:
    """Follow the queue: what is cached is the document of the request before."""
    needed = (2 * case.window + 1) * (case.runs + 1) * 2
    cached: list[int] = []

    def largest(left: list[int]) -> int:
        return next((i for i, one in enumerate(left) if [one % 2] == cached[-1:]), 0)

    for one, _ in in_order(range(1, needed + 1), case.window, largest):
        cached.append(one % 2)
    ends = [i for i, (one, other) in enumerate(pairwise(cached), 1) if one != other]
    found = [end - start for start, end in zip([0, *ends], ends, strict=False)][: case.runs]
    expected = [case.window + 1, *[2 * case.window + 1] * (case.runs - 1)]
    return {"runs": found, "w + 1, then 2 w + 1": expected}


@dataclass(frozen=True)
class Service(ToldCase):
    """How many requests come, at any times, and the window."""

    requests: int
    window: int


def services(most: int) -> Iterator[list[Service]]:
    """Yield all numbers of requests up to a limit, with every window that matters."""
    return ([Service(requests, window) for window in range(requests)] for requests in range(1, most + 1))


Waiting: TypeAlias = tuple[tuple[int, int], ...]
"""Of each request that waits, by arrival: how often it was overtaken, and how many were there when it came."""


def at_worst(case: Service) -> Values:
    """Follow every order of arrivals and choices; return the most of what befalls a request that waits."""
    seen: set[tuple[Waiting, int]] = set()
    after: list[tuple[Waiting, int]] = [((), case.requests)]
    overtaken, waits, late = [0], [0], [0]
    while after:
        waiting, to_come = after.pop()
        if (waiting, to_come) in seen:
            continue
        seen.add((waiting, to_come))
        if to_come:
            after.append(((*waiting, (0, len(waiting))), to_come - 1))
        for place in range(1 if waiting and waiting[0][0] == case.window else len(waiting)):
            count, before = waiting[place]
            overtaken.append(count)
            waits.append(count + before - place)
            late.append(count - place)
            rest = tuple((n + (i < place), b) for i, (n, b) in enumerate(waiting) if i != place)
            after.append((rest, to_come))
    return {
        "overtaken": max(overtaken),
        "others served meanwhile": max(waits),
        "... beyond those before it": max(late),
    }


def proved_by_order() -> Proof:
    """Prove that the first is overtaken at least as often as any other, and never more than the window."""
    first, earlier, later, window, more, less = map(
        integer, ("first", "earlier", "later", "window", "more", "less")
    )
    sorted_ = (first - earlier, earlier - later, later, window - first)
    obligations = [
        stated(
            "who is overtaken by one is so by all that it overtakes: earlier requests stay ahead in the count",
            given=(*sorted_, more - less, less, 1 - more),
            shown=(earlier + more - later - less,),
        ),
        stated(
            "another than the first goes only below the window: no count passes it",
            given=sorted_,
            above=(window - first,),
            shown=(window - first - 1, window - earlier - 1, window - later - 1),
        ),
        stated(
            "the first goes: the next was overtaken at most as often", given=sorted_, shown=(window - earlier,)
        ),
        stated("one comes, last and overtaken by none", given=sorted_, shown=(later,)),
    ]
    covers = "any arrivals and any choices: the counts fall along the queue and stay within the window"
    return prove(obligations, covers)


starving = rows(
    source="Cache-aware reordering (RAGCache)",
    space=Listed(
        services, 6, 8, "up to {} requests that come at any times, every choice, windows below their number"
    ),
)

starvation = starving(
    "ragcache.starvation",
    "With a window of w each request is served after at most w others.",
    relation=lambda of: of["others served meanwhile"] <= of["window"],
    origin=reading("the window counts requests that are served while one waits"),
)(lambda case: {**at_worst(case), "window": case.window})

overtakes = starving(
    "ragcache.starvation.overtaken",
    "If the earliest request goes once it was overtaken w times, no request is overtaken more than w times, "
    "whatever else decides who goes.",
    relation=lambda of: of["overtaken"] <= of["window"],
    proof=proved_by_order,
    origin=repairs("ragcache.starvation"),
)(lambda case: {**at_worst(case), "window": case.window})

wait = starving(
    "ragcache.starvation.wait",
    "So a request is served after at most those that wait before it when it comes, and w others.",
    relation=lambda of: of["... beyond those before it"] <= of["window"],
)(lambda case: {**at_worst(case), "window": case.window})

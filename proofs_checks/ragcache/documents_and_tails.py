"""T-LRU on whole documents against LRU: Theorem 3.1 where documents go as a whole, and where it says nothing.

docs/proofs-ragcache.md has the proofs, docs/counterexamples-ragcache.md what is cached after each request.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from operator import le
from typing import Any

from proofs_checks.ragcache.plain_tiers import LRU, TLRU, hits, missed
from proofs_checks.ragcache.worlds import ALL_TREES, Asked, Worlds, cases, one_root
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import sharpness
from teltheory.claims.worlds import Given

row = rows(source="T-LRU (Zhang et al. 2025) on whole documents")


@dataclass(frozen=True)
class Tailed(ToldCase):
    """A world, a question of each request, a threshold and an estimate of the next prompt."""

    world: Asked
    question: int
    xi: int
    q_hat: int

    def measures(self) -> dict[str, int]:
        """Return requests, tokens and documents."""
        return self.world.measures()

    def size(self) -> tuple[Any, ...]:
        """Return the order of "smallest": the world's first, then question, xi and Q."""
        requests, tokens, documents, *room = self.world.size()
        return (requests, tokens, documents, self.question, self.xi, self.q_hat, *room)

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the world and the parameters."""
        shown = self.world.as_counterexample(values)
        del shown["host"]
        return {**shown, "question": self.question, "xi": self.xi, "q_hat": self.q_hat}

    @property
    def totals(self) -> list[int]:
        """The length of each request, its question included."""
        tree = self.world.tree
        return [tree.tokens(tree.paths[node]) + self.question for node in self.world.asked]

    def excesses(self, rule: LRU) -> list[int]:
        """Return max(uncached - xi, 0) of each request."""
        less = missed(self.world, hits(self.world, rule))
        return [max(uncached + self.question - self.xi, 0) for uncached in less]


def new_parts(world: Asked, question: int) -> list[int]:
    """Return the length of what each request has that none before it had, of those that continue a path."""
    seen: set[int] = set()
    parts = []
    for node in world.asked:
        path = world.tree.paths[node]
        if path[0] in seen:
            parts.append(question + world.tree.tokens([one for one in path if one not in seen]))
        seen.update(path)
    return parts


@dataclass(frozen=True)
class Tails:
    """Worlds with questions, the estimates of each, and thresholds from an estimate and the longest request."""

    worlds: Worlds
    estimates: Callable[[Asked, int], Sequence[int]]
    questions: Sequence[int] = (0, 1)
    thresholds: Callable[[int, int], range] = lambda q, longest: range(q + 1, longest + 1)

    def classes(self) -> Iterator[Iterator[Tailed]]:
        """Yield the cases by requests, then by tokens."""
        return map(self._class, self.worlds.classes())

    def _class(self, worlds: Iterator[Asked]) -> Iterator[Tailed]:
        for world, question in product(worlds, self.questions):
            longest = max(Tailed(world, question, 0, 0).totals)
            for q in self.estimates(world, question):
                yield from (Tailed(world, question, xi, q) for xi in self.thresholds(q, longest))


def exact(world: Asked, question: int) -> list[int]:
    """Return the least estimate that covers every new part."""
    return [max(new_parts(world, question), default=0)]


def tails(quick: Worlds, full: Worlds, what: str, **others: Any) -> Listed[Tailed]:
    """Return cases as the space of a claim."""
    some, all_of_them = (Tails(worlds, **others) for worlds in (quick, full))
    return Listed(Tails.classes, some, all_of_them, lambda tails: cases(ALL_TREES, tails.worlds.limits, what))


FOUR = tails(
    Worlds({3: 5, 4: 5}, 2, 4),
    Worlds({3: 6, 4: 6}, 3, 4),
    "up to 4 documents of up to 2 tokens (3 at full effort), questions of 0 and 1, Q the largest part that a "
    "request adds to a path, xi = Q + 1",
    estimates=exact,
    thresholds=lambda q, longest: range(q + 1, q + 2),
)


def against_lru(whole: bool) -> Callable[[Tailed], Values]:
    """Return the check of the excesses under T-LRU and LRU."""
    return lambda case: {
        "T-LRU": case.excesses(TLRU(case.world.tree, case.xi, case.q_hat, whole=whole)),
        "LRU": case.excesses(LRU(case.world.tree)),
    }


def request_by_request(of: Values) -> bool:
    """Whether T-LRU's excess is at most LRU's at every request."""
    return all(map(le, of["T-LRU"], of["LRU"]))


def in_all(of: Values) -> bool:
    """Whether T-LRU's TEL is at most LRU's."""
    return bool(sum(of["T-LRU"]) <= sum(of["LRU"]))


COVERS = "and Q covers the part of each request that no earlier one had, of those that continue a path"
dominance = row(
    "ragcache.tlru",
    "On whole documents, of which none is worth keeping that begins behind the first L + Q - xi tokens, L the "
    f"documents of the longest request that ever read it, {COVERS}, T-LRU has at most LRU's excess at every "
    "request.",
    relation=request_by_request,
    space=FOUR,
)(against_lru(whole=False))

ends_behind = row(
    "ragcache.tlru.ends-behind",
    "... of which none is worth keeping that ends behind the first L + Q - xi tokens: T-LRU's TEL is at most "
    "LRU's.",
    relation=in_all,
    space=FOUR,
    origin=sharpness(
        "ragcache.tlru", "what T-LRU gives up is of no use: a document that begins before the budget's end is"
    ),
)(against_lru(whole=True))


def mean_part(case: Tailed) -> Fraction:
    """Return the mean of the new parts."""
    parts = new_parts(case.world, case.question)
    return Fraction(sum(parts), len(parts))


def at_the_mean(case: Tailed) -> Values | None:
    """Compare the excesses if the estimate is the mean of the new parts."""
    return against_lru(whole=False)(case) if mean_part(case) == case.q_hat else None


BY_MEAN = Tailed(Asked((-1, -1, -1, 1), (2, 1, 1, 2), (0, 1, 1, 2, 3), 3), question=0, xi=2, q_hat=1)
"""Made by hand: parts of 0 and 2 tokens are added to paths, so that the mean is 1."""

mean_estimate = row(
    "ragcache.tlru.mean",
    "The same where Q is the mean of the parts that requests add to paths: T-LRU's TEL is at most LRU's.",
    relation=in_all,
    space=Given((BY_MEAN,), "a case made by hand"),
    origin=sharpness("ragcache.tlru", "Q covers every part that a request adds"),
)(at_the_mean)


def behind_the_prompt(world: Asked, question: int) -> list[int]:
    """Return the length of the longest request, the system prompt left out."""
    return [max(Tailed(world, question, 0, 0).totals) - world.size_of[0]]


LRU_THERE, NO_EXCESS = "finds what LRU finds", "excess of LRU after the first request"


@row(
    "ragcache.tlru.below-a-prompt",
    "Below a system prompt, with Q the longest request without it, as one that shares nothing else needs it, "
    "T-LRU has nothing to gain: if xi <= Q it is LRU, and if xi > Q no request but the first has an excess.",
    relation=lambda of: of[LRU_THERE] if of["xi"] <= of["Q"] else of[NO_EXCESS] == 0,
    space=tails(
        Worlds({2: 5, 3: 4, 4: 4}, given=one_root),
        Worlds({2: 6, 3: 6, 4: 5}, given=one_root),
        "one root, the system prompt; questions of 0 and 1, Q the longest request without it, all xi",
        estimates=behind_the_prompt,
        thresholds=lambda q, longest: range(longest + 1),
    ),
)
def below(case: Tailed) -> Values:
    """Replay both."""
    tree = case.world.tree
    return {
        LRU_THERE: hits(case.world, TLRU(tree, case.xi, case.q_hat)) == hits(case.world, LRU(tree)),
        NO_EXCESS: sum(case.excesses(LRU(tree))[1:]),
        "xi": case.xi,
        "Q": case.q_hat,
    }

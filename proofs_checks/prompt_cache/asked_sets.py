"""Small requests for sets of items: the cases of the rows, each once, smallest first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, permutations, product
from typing import Any, TypeAlias

from proofs_checks.tiers.chains import Row, compositions
from teltheory.claims.claim import Enumerated
from teltheory.claims.listed import ToldCase, told

Asked: TypeAlias = tuple[Row, ...]
"""The items of each request, ascending."""


@dataclass(frozen=True)
class Sets(ToldCase):
    """Items with their sizes, what requests ask for and compute anew, a capacity, and T-LRU's parameters.

    Without a q_hat the estimate of an item is what else its next request has, 0 if none comes.
    """

    sizes: Row
    asked: Asked
    fresh: Row
    capacity: int
    xi: int = 0
    q_hat: int | None = 0

    def measures(self) -> dict[str, int]:
        """Return requests, items and tokens."""
        tokens = sum(self.sizes) + sum(self.fresh)
        return {"requests": len(self.asked), "items": len(self.sizes), "tokens": tokens}

    def size(self) -> tuple[Any, ...]:
        """Return requests, items, tokens, then the parameters, of equal ones any fixed order."""
        parameters = (self.capacity, self.xi, -1 if self.q_hat is None else self.q_hat)
        return (*self.measures().values(), *parameters, self.sizes, self.asked, self.fresh)

    def as_counterexample(self, values: Any) -> dict[str, Any]:
        """Return the case with its values."""
        estimate = "the rest of the next request" if self.q_hat is None else self.q_hat
        facts = {"sizes": self.sizes, "asked": self.asked, "fresh": self.fresh, "capacity": self.capacity}
        return told({**facts, "xi": self.xi, "q_hat": estimate, "values": values})

    @cached_property
    def totals(self) -> list[int]:
        """The tokens of each request."""
        return [new + self.tokens(items) for items, new in zip(self.asked, self.fresh, strict=True)]

    def tokens(self, items: Sequence[int]) -> int:
        """Return the tokens of some items."""
        return sum(self.sizes[item] for item in items)

    def needs(self, request: int) -> int:
        """Return what a request has above xi with an empty cache."""
        return max(0, self.totals[request] - self.xi)

    def last_use(self, item: int, request: int) -> int:
        """Return the last request before one that asked for an item, -1 if none did."""
        return max((k for k in range(request) if item in self.asked[k]), default=-1)

    def next_use(self, item: int, request: int) -> int:
        """Return the first request after one that asks for an item, as many as there are if none does."""
        return next((k for k in range(request + 1, len(self.asked)) if item in self.asked[k]), len(self.asked))

    @cached_property
    def stays(self) -> list[tuple[int, int, int]]:
        """From each request to the next of an item: the item, and both requests."""
        uses = ((item, self.last_use(item, k), k) for k, items in enumerate(self.asked) for item in items)
        return [stay for stay in uses if stay[1] >= 0]


Rests: TypeAlias = Callable[[Sets], list[int]]
"""What an estimate has to cover, in each use of a case."""


def beside_the_item(case: Sets) -> list[int]:
    """Return, of each stay, what its request has besides the item."""
    return [case.totals[end] - case.sizes[item] for item, _, end in case.stays]


def beside_the_set(case: Sets) -> list[int]:
    """Return, of each stay, what its request has besides the items that were last asked for together."""
    return [case.totals[end] - case.tokens(together(case, begin, end)) for _, begin, end in case.stays]


def together(case: Sets, begin: int, end: int) -> list[int]:
    """Return the items of a request that were last asked for by one before."""
    return [item for item in case.asked[end] if case.last_use(item, end) == begin]


def fresh_tokens(case: Sets) -> list[int]:
    """Return what requests compute anew."""
    return list(case.fresh)


@dataclass(frozen=True)
class SmallSets(Enumerated):
    """All requests up to so many tokens of items and new ones, by the numbers of requests and items.

    Attributes
    ----------
    quick, full : mapping of (int, int) to int
        Most tokens by numbers of requests and items.
    rests : callable or None
        What estimates cover, up to xi; None without estimates.
    too_small : bool
        The estimate is one less than the largest rest.
    known : bool
        The estimate is what the next request has besides an item.
    ordered : bool
        Whether it makes a difference which item has which number.
    fresh : bool
        Whether requests compute tokens anew.
    thresholds : bool
        Whether xi is more than 0.
    allowed : callable
        Which requests are tried.
    """

    quick: Mapping[tuple[int, int], int]
    full: Mapping[tuple[int, int], int]
    rests: Rests | None = None
    too_small: bool = False
    known: bool = False
    ordered: bool = False
    fresh: bool = True
    thresholds: bool = True
    allowed: Callable[[Asked], bool] = lambda asked: True

    def classes(self, effort: str) -> Iterator[Iterator[Sets]]:
        """Yield the cases by requests, items and tokens."""
        for (requests, items), most in getattr(self, effort).items():
            for tokens in range(items, most + 1):
                yield self._cases(requests, items, tokens)

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what is enumerated, in words."""
        limits = getattr(self, effort).items()
        most = ", ".join(f"{requests} x {items}: {tokens}" for (requests, items), tokens in limits)
        few = [] if self.fresh else ["nothing computed anew"]
        few += [] if self.thresholds else ["xi = 0"]
        few += ["Q one less than what it has to cover"] if self.too_small else []
        return {"cases": "; ".join([f"most tokens by requests x items {most}; all capacities", *few])}

    def _cases(self, requests: int, items: int, tokens: int) -> Iterator[Sets]:
        for asked in sequences(requests, items):
            if self.allowed(asked):
                for numbers in compositions(tokens - items, items + (requests if self.fresh else 0)):
                    sizes, new = tuple(1 + one for one in numbers[:items]), numbers[items:] or (0,) * requests
                    if self.ordered or first_of_its_kind(sizes, asked):
                        yield from self._parameters(Sets(sizes, asked, new, 0))

    def _parameters(self, case: Sets) -> Iterator[Sets]:
        for capacity in range(sum(case.sizes)):
            for xi in range(max(case.totals)) if self.thresholds else (0,):
                for q_hat in self._estimates(case, xi):
                    yield replace(case, capacity=capacity, xi=xi, q_hat=q_hat)

    def _estimates(self, case: Sets, xi: int) -> Sequence[int | None]:
        if self.rests is None:
            return (None if self.known else 0,)
        least = max(self.rests(case), default=0)
        if self.too_small:
            return (least - 1,) if least else ()
        return range(least, max(least, xi) + 1)


def sequences(requests: int, items: int) -> Iterator[Asked]:
    """Yield what requests can ask for, each item at least once."""
    every = [chosen for count in range(1, items + 1) for chosen in combinations(range(items), count)]
    for asked in product(every, repeat=requests):
        if len({item for chosen in asked for item in chosen}) == items:
            yield asked


def first_of_its_kind(sizes: Row, asked: Asked) -> bool:
    """Whether no other numbering of the items comes first."""
    return all((sizes, asked) <= renumbered(sizes, asked, order) for order in permutations(range(len(sizes))))


def renumbered(sizes: Row, asked: Asked, order: Sequence[int]) -> tuple[Row, Asked]:
    """Return sizes and requests with item k called order[k]."""
    named = sorted(range(len(sizes)), key=order.__getitem__)
    return tuple(sizes[item] for item in named), tuple(
        tuple(sorted(order[item] for item in items)) for items in asked
    )

"""A plain replay of requests for sets of items: the judge of the rows. It uses nothing of the package.

A request finds what is kept of its items. Then all of them are at hand, touched in ascending order, and the cache
is cut: it loses surplus first, by the way of trimming, then the ends of the items that were touched longest ago.
If items are *whole*, each goes at once, and only one without a budget is surplus.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from proofs_checks.prompt_cache.asked_sets import Sets

Trim: TypeAlias = Literal["round-robin", "least-recent", "eager"]
TRIMS: tuple[Trim, ...] = ("round-robin", "least-recent", "eager")
Budgets: TypeAlias = Callable[[Sets, int], dict[int, int]]
"""What is to be kept of each item of a request after it."""
Order: TypeAlias = Callable[[Sets, int, int], tuple[int, int]]
"""By what an item, used at a request, leaves: the least first."""


def all_of_it(case: Sets, request: int) -> dict[int, int]:
    """Return LRU's budgets."""
    return {item: case.sizes[item] for item in case.asked[request]}


def own(case: Sets, request: int) -> dict[int, int]:
    """Return T-LRU's: min(s, (s + Q - xi)+) of each item, as if it were a conversation with past s."""
    sizes = all_of_it(case, request)
    return {
        item: min(size, max(0, size + estimate(case, item, request) - case.xi)) for item, size in sizes.items()
    }


def estimate(case: Sets, item: int, request: int) -> int:
    """Return Q of an item after a request."""
    if case.q_hat is not None:
        return case.q_hat
    after = case.next_use(item, request)
    return case.totals[after] - case.sizes[item] if after < len(case.asked) else 0


def shared(case: Sets, request: int) -> dict[int, int]:
    """Return what the set needs, (all its sizes + Q - xi)+, promised to its items, the most recent first."""
    return promised(case, request, case.asked[request][::-1])


def shared_from_behind(case: Sets, request: int) -> dict[int, int]:
    """Return the same, promised to the least recent first."""
    return promised(case, request, case.asked[request])


def promised(case: Sets, request: int, order: Sequence[int]) -> dict[int, int]:
    """Promise what a set needs to its items, in an order."""
    left = max(0, case.tokens(case.asked[request]) + (case.q_hat or 0) - case.xi)
    return filled(case, order, left)


def filled(case: Sets, order: Sequence[int], amount: int) -> dict[int, int]:
    """Give an amount to items, in an order, each at most its size."""
    given = {}
    for item in order:
        given[item] = min(case.sizes[item], amount)
        amount -= given[item]
    return given


def recency(case: Sets, request: int, item: int) -> tuple[int, int]:
    """Return LRU's order: the larger number of one request is the more recent one."""
    return request, item


def from_children(case: Sets, request: int, item: int) -> tuple[int, int]:
    """Return the order of LRU that touches a request's items from the last to the first."""
    return request, -item


@dataclass
class Cache:
    """What is kept of items, their budgets, and when they were used last."""

    case: Sets
    budgets: Budgets = all_of_it
    trim: Trim = "least-recent"
    whole: bool = False
    order: Order = recency

    def __post_init__(self) -> None:
        self.kept: dict[int, int] = {}
        self.budget: dict[int, int] = {}
        self.used: dict[int, int] = {}
        self.contents: list[dict[int, int]] = []

    def found(self) -> list[list[int]]:
        """Return, request by request, what is found of each item; `contents` has what is kept after each."""
        return [self._request(k) for k in range(len(self.case.asked))]

    def _request(self, k: int) -> list[int]:
        items = self.case.asked[k]
        found = [self.kept.get(item, 0) for item in items]
        for item in items:
            self.kept[item], self.used[item] = self.case.sizes[item], k
        self.budget |= self.budgets(self.case, k)
        self._cut()
        self.contents.append(dict(self.kept))
        return found

    @property
    def overflow(self) -> int:
        """Tokens above the capacity."""
        return sum(self.kept.values()) - self.case.capacity

    def _surplus(self, item: int) -> int:
        if self.whole:
            return 0 if self.budget[item] else self.kept[item]
        return max(0, self.kept[item] - self.budget[item])

    def _cut(self) -> None:
        if self.trim == "eager":
            for item in self.kept:
                self.kept[item] -= self._surplus(item)
        while self.overflow > 0 and self._trimmed():
            pass
        for item in self._by_order():
            if self.overflow > 0:
                self.kept[item] -= self.kept[item] if self.whole else min(self.kept[item], self.overflow)

    def _trimmed(self) -> bool:
        """Trim a round, or a token of the first that has surplus (whole: all of it); return if there was any."""
        by_first_use = list(self.kept)
        order = by_first_use if self.trim == "round-robin" else self._by_order()
        some = [item for item in order if self._surplus(item)]
        for item in some if self.trim == "round-robin" else some[:1]:
            if self.overflow > 0:
                self.kept[item] -= self.kept[item] if self.whole else 1
        return bool(some)

    def _by_order(self) -> list[int]:
        return sorted(self.kept, key=lambda item: self.order(self.case, self.used[item], item))


def excesses(case: Sets, found: list[list[int]]) -> list[int]:
    """Return what each request has above xi."""
    return [max(0, total - sum(row) - case.xi) for total, row in zip(case.totals, found, strict=True)]


def under(case: Sets, **how: object) -> list[int]:
    """Return what each request has above xi in a cache."""
    return excesses(case, Cache(case, **how).found())  # type: ignore[arg-type]

"""Nested modules: sets of items in which no item is without its parent.

docs/proofs-prompt-cache.md has the proofs and the counterexamples by hand.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from operator import le
from typing import Any, Literal, TypeAlias

from proofs_checks.prompt_cache.asked_sets import Asked, Sets, SmallSets
from proofs_checks.prompt_cache.plain_sets import Cache, Order, from_children, recency
from proofs_checks.prompt_cache.plans import least
from proofs_checks.tiers.chains import Row
from teltheory.claims.claim import Enumerated, Values, rows
from teltheory.claims.listed import ToldCase, told
from teltheory.claims.origin import sharpness
from teltheory.claims.worlds import Given

How: TypeAlias = Literal["in every way", "below one item", "in a chain"]
row = rows(source="Nested modules: docs/prompt-cache.md")


@dataclass(frozen=True)
class Nested(ToldCase):
    """Requests for sets, and the module around each, -1 if there is none; numbers are in document order."""

    sets: Sets
    parent: Row

    def measures(self) -> dict[str, int]:
        """Return requests, items and tokens."""
        return self.sets.measures()

    def size(self) -> tuple[Any, ...]:
        """Return the order of "smallest"."""
        return (*self.sets.size(), self.parent)

    def as_counterexample(self, values: Any) -> dict[str, Any]:
        """Return the case with its values."""
        shown = self.sets.as_counterexample(values)
        del shown["q_hat"], shown["values"]
        return told({"parent": self.parent, **shown, "values": values})

    def is_closed(self, kept: Row) -> bool:
        """Whether something is kept of an item only if all of its parent is."""
        sizes = self.sets.sizes
        return all(
            above < 0 or not kept[item] or kept[above] == sizes[above] for item, above in enumerate(self.parent)
        )


@dataclass(frozen=True)
class NestedSets(Enumerated):
    """Small sets with every way to nest some items in which no request has one without its parent.

    `how` says which ways are tried: all, those below one item, or a chain.
    """

    sets: SmallSets
    how: How = "in every way"

    def classes(self, effort: str) -> Iterator[Iterator[Nested]]:
        """Yield the cases by requests, items and tokens."""
        for cases in self.sets.classes(effort):
            yield (nested for case in cases for nested in self._nested(case))

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what is enumerated, in words."""
        return {"cases": f"{self.sets.bounds(effort)['cases']}; items nested {self.how}"}

    def _nested(self, case: Sets) -> Iterator[Nested]:
        for parent in product(*(range(-1, item) for item in range(len(case.sizes)))):
            if max(parent) >= 0 and has_parents(case.asked, parent) and self._tries(parent):
                yield Nested(case, parent)

    def _tries(self, parent: Row) -> bool:
        below_one = min(parent[1:]) >= 0
        if self.how == "in a chain":
            return parent == tuple(range(-1, len(parent) - 1))
        return below_one or self.how == "in every way"


def has_parents(asked: Asked, parent: Row) -> bool:
    """Whether each request has the parents of its items."""
    return all(parent[item] < 0 or parent[item] in items for items in asked for item in items)


QUICK = {(2, 2): 4, (2, 3): 5, (3, 2): 4, (3, 3): 4, (4, 2): 4, (4, 3): 3}
FULL = {(2, 2): 5, (2, 3): 5, (3, 2): 5, (3, 3): 5, (4, 2): 5, (4, 3): 4}
NO_TAIL = SmallSets(QUICK, FULL, ordered=True, fresh=False, thresholds=False)
WITHOUT_ITS_PARENT = Nested(Sets((1, 1, 1), ((0, 1, 2), (0,), (0, 1), (1, 2)), (0, 1, 0, 1), 2, 1), (-1, -1, 1))


def orphans(order: Order) -> Any:
    """Return the check of how often LRU keeps some of an item and not all of its parent."""

    def values(case: Nested) -> Values:
        cache = Cache(case.sets, order=order)
        cache.found()
        rows_kept = [tuple(kept.get(item, 0) for item in range(len(case.parent))) for kept in cache.contents]
        return {"kept after each request": rows_kept, "without all of a parent": _open(case, rows_kept)}

    return values


def _open(case: Nested, contents: list[Row]) -> int:
    return sum(not case.is_closed(kept) for kept in contents)


in_document_order = row(
    "prompt-cache.nesting.lru.document-order",
    "LRU that touches the items of a request in document order, parents first, keeps something of a nested module "
    "only if it keeps all of its parent's own text.",
    relation=lambda of: of["without all of a parent"] == 0,
    space=NestedSets(NO_TAIL),
    origin=sharpness("prompt-cache.nesting.lru.parents-last", "parents are touched last"),
)(orphans(recency))

from_the_inside = row(
    "prompt-cache.nesting.lru.parents-last",
    "LRU that touches them from the last to the first, parents last, does so.",
    relation=lambda of: of["without all of a parent"] == 0,
    space=NestedSets(NO_TAIL),
)(orphans(from_children))


def both_orders(case: Nested) -> Values:
    """Return what requests find under LRU in both orders of touching."""
    return {
        "parents last": [sum(row) for row in Cache(case.sets, order=from_children).found()],
        "parents first": [sum(row) for row in Cache(case.sets).found()],
    }


def never_less(of: Values) -> bool:
    """Whether each request finds at least as much with parents touched last."""
    return all(map(le, of["parents first"], of["parents last"]))


chain = row(
    "prompt-cache.nesting.lru.chain",
    "If all modules are one chain, each in the one before it, no request finds less under LRU that touches "
    "parents last than under LRU that touches them first.",
    relation=never_less,
    space=NestedSets(NO_TAIL, "in a chain"),
)(both_orders)

siblings = row(
    "prompt-cache.nesting.lru.siblings",
    "The same if a module has two others in it.",
    relation=never_less,
    space=NestedSets(NO_TAIL, "below one item"),
    origin=sharpness("prompt-cache.nesting.lru.chain", "all modules are one chain"),
)(both_orders)


def closed(case: Nested) -> Values:
    """Compare the best plan that keeps no item without its parent with the best plan of all."""
    return {"with parents": least(case.sets, allowed=case.is_closed), "least": least(case.sets)}


closed_no_tail = row(
    "prompt-cache.nesting.closed.no-tail",
    "At xi = 0 plans that keep something of a nested module only beside all of its parent's own text reach the "
    "least TEL of all plans: what a forest demands costs nothing.",
    relation=lambda of: of["with parents"] == of["least"],
    space=NestedSets(NO_TAIL),
)(closed)

closed_tail = row(
    "prompt-cache.nesting.closed",
    "The same for every xi.",
    relation=lambda of: of["with parents"] == of["least"],
    space=Given((WITHOUT_ITS_PARENT,), "one case"),
    origin=sharpness("prompt-cache.nesting.closed.no-tail", "xi = 0"),
)(closed)

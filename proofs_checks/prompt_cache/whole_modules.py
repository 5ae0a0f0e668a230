"""Modules that are kept whole or not at all, and parts of modules in two tiers: the linear program is not tight.

docs/proofs-prompt-cache.md has the counterexamples by hand. The judges are every content of a cache and
linear programs in fractions whose optima are proved.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from operator import le
from typing import Any

from proofs_checks.prompt_cache.asked_sets import Asked, Sets, SmallSets
from proofs_checks.prompt_cache.exact_programs import greatest
from proofs_checks.prompt_cache.plain_sets import Cache
from proofs_checks.prompt_cache.plans import (
    Rows,
    all_needs,
    belady,
    last_used_first,
    least,
    program,
    relaxed,
    step_rows,
)
from proofs_checks.tiers.chains import Row
from teltheory.claims.claim import Enumerated, Values, rows
from teltheory.claims.listed import Listed, ToldCase, told
from teltheory.claims.origin import sharpness

row = rows(source="Whole modules, and two tiers: docs/prompt-cache.md")
QUICK = {(2, 1): 3, (2, 2): 4, (3, 2): 4}
FULL = {(2, 1): 4, (2, 2): 5, (3, 2): 5, (3, 3): 4, (4, 2): 4}
SMALL = SmallSets(QUICK, FULL)
NO_TAIL = replace(SMALL, thresholds=False, fresh=False)


def one_at_a_time(asked: Asked) -> bool:
    """Whether each request asks for one module, so that no two are used next at the same time."""
    return all(len(items) == 1 for items in asked)


def equal(of: Values) -> bool:
    """Whether all values are the same."""
    return len(set(of.values())) == 1


@row(
    "prompt-cache.whole.program",
    "The linear program in which a fraction of each module is kept has the least TEL of all plans of whole "
    "modules for its optimum.",
    relation=equal,
    space=SMALL,
    origin=sharpness("prompt-cache.sets.integral", "parts of modules can be kept"),
)
def whole_program(case: Sets) -> Values:
    """Compare with all contents of whole modules."""
    return {"linear program": relaxed(case, program(case)), "least": least(case, whole=True)}


@dataclass(frozen=True)
class Numbers(ToldCase):
    """Numbers of which some are to add up to another one: SUBSET SUM."""

    numbers: Row
    goal: int

    def measures(self) -> dict[str, int]:
        """Return how many numbers, and their sum."""
        return {"numbers": len(self.numbers), "sum": sum(self.numbers)}


def sums(most: int) -> Iterator[Iterator[Numbers]]:
    """Yield up to 4 numbers up to a limit, with every goal below their sum."""
    for count in range(1, 5):
        chosen = combinations_with_replacement(range(1, most + 1), count)
        yield (Numbers(numbers, goal) for numbers in chosen for goal in range(1, sum(numbers)))


@row(
    "prompt-cache.whole.subset-sum",
    "Two requests for all of some modules, with room for a goal: a plan of whole modules saves the goal if and "
    "only if sizes of some of them add up to it. So the least TEL of whole modules is NP-hard, with two requests.",
    relation=lambda of: of["saves the goal"] == of["adds up"],
    space=Listed(sums, 4, 6, "1 to 4 numbers from 1 to {}, every goal below their sum"),
)
def subset_sum(case: Numbers) -> Values:
    """Compare the best plan with all choices of numbers."""
    everything = tuple(range(len(case.numbers)))
    requests = Sets(case.numbers, (everything, everything), (0, 0), case.goal)
    chosen = (combinations(case.numbers, count) for count in range(len(case.numbers) + 1))
    return {
        "saves the goal": all_needs(requests) - least(requests, whole=True) == case.goal,
        "adds up": any(sum(some) == case.goal for choices in chosen for some in choices),
    }


@row(
    "prompt-cache.whole.belady",
    "At xi = 0 Belady, which evicts the module that is used next last until the others fit, has the least TEL of "
    "all plans of whole modules, if each request asks for one.",
    relation=equal,
    space=replace(NO_TAIL, allowed=one_at_a_time, quick={(4, 2): 4, (5, 2): 5, (5, 3): 6, (6, 3): 6}),
    origin=sharpness("prompt-cache.whole.belady.one-size", "parts of modules can be kept, or all are of one size"),
)
def whole_belady(case: Sets) -> Values:
    """Compare with all contents of whole modules."""
    return {"Belady": belady(case, whole=True), "least": least(case, whole=True)}


def of_one_size(case: Sets) -> bool:
    """Whether all modules have the same size."""
    return len(set(case.sizes)) == 1


@row(
    "prompt-cache.whole.belady.one-size",
    "The same if all modules are of one size, and requests ask for any.",
    relation=equal,
    space=replace(NO_TAIL, quick={(3, 1): 2, (3, 2): 4, (3, 3): 6, (4, 2): 4, (4, 3): 3}),
)
def one_size(case: Sets) -> Values | None:
    """Compare with all contents of whole modules."""
    return whole_belady.values(case) if of_one_size(case) else None


@row(
    "prompt-cache.whole.one-size.tail",
    "Modules of one size, and any xi: Tail-Optimized Belady with caps, on whole modules, has the least TEL of all "
    "plans of whole modules.",
    relation=equal,
    space=replace(SMALL, quick={(2, 1): 3, (2, 2): 4, (3, 1): 3, (3, 2): 5}),
    origin=sharpness("prompt-cache.sets.greedy", "parts of modules can be kept"),
)
def one_size_tail(case: Sets) -> Values | None:
    """Compare with all contents of whole modules."""
    if not of_one_size(case):
        return None
    return {"Tail-Optimized Belady": belady(case, last_used_first, whole=True), "least": least(case, whole=True)}


@row(
    "prompt-cache.whole.lru.inclusion",
    "Under LRU a larger cache of whole modules finds at least what a smaller one finds, item by item: it holds "
    "the modules used last as far as all of them fit.",
    relation=lambda of: all(map(le, of["found"], of["in a larger one"])) and of["holds"] == of["those used last"],
    space=replace(NO_TAIL, ordered=True, quick={(2, 1): 3, (2, 2): 5, (3, 2): 5, (3, 3): 5, (4, 2): 4}),
)
def inclusion(case: Sets) -> Values:
    """Replay both, and add up sizes from the module used last on."""
    caches = [Cache(replace(case, capacity=case.capacity + more), whole=True) for more in (0, 1)]
    found, with_more = ([x for row in cache.found() for x in row] for cache in caches)
    held = [sorted(item for item, kept in content.items() if kept) for content in caches[0].contents]
    return {
        "found": found,
        "in a larger one": with_more,
        "holds": held,
        "those used last": [sorted(used_last(case, k)) for k in range(len(case.asked))],
    }


def used_last(case: Sets, request: int) -> Iterator[int]:
    """Yield the items used last up to a request, until the next one does not fit beside them."""
    known = {item for items in case.asked[: request + 1] for item in items}
    room = case.capacity
    for item in sorted(known, key=lambda item: (case.last_use(item, request + 1), item), reverse=True):
        room -= case.sizes[item]
        if room < 0:
            return
        yield item


@dataclass(frozen=True)
class Tiered(ToldCase):
    """Requests for sets, a second tier, and what loading from it takes, in quarters of computing."""

    sets: Sets
    second: int
    load: int

    def measures(self) -> dict[str, int]:
        """Return requests, items and tokens."""
        return self.sets.measures()

    def size(self) -> tuple[Any, ...]:
        """Return requests, items, tokens, then the rooms, xi and the load."""
        sets = self.sets
        return (*self.measures().values(), sets.capacity, self.second, sets.xi, self.load, sets.sizes, sets.asked)

    def as_counterexample(self, values: Any) -> dict[str, Any]:
        """Return the case with its values, which are in quarters of a token."""
        shown = self.sets.as_counterexample(values)
        del shown["q_hat"], shown["values"]
        shown["capacity"] = [shown["capacity"], self.second]
        return told({**shown, "load": self.load, "parts": 4, "values": values})

    def worth(self, first: int, both: int) -> int:
        """Return what tokens in the first tier, and in both, save, in quarters."""
        return 4 * first + (4 - self.load) * (both - first)


@dataclass(frozen=True)
class TwoTiers(Enumerated):
    """Small sets with every second tier up to some room, and some loads."""

    sets: SmallSets
    loads: Row = (1, 2, 3)

    def classes(self, effort: str) -> Iterator[Iterator[Tiered]]:
        """Yield the cases by requests, items and tokens."""
        for cases in self.sets.classes(effort):
            yield (
                Tiered(case, second, load)
                for case in cases
                for second in range(1, sum(case.sizes) - case.capacity + 1)
                for load in self.loads
            )

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what is enumerated, in words."""
        loads = ", ".join(map(str, self.loads))
        return {"cases": f"{self.sets.bounds(effort)['cases']}; two exclusive tiers, loads {loads} in quarters"}


def least_in_tiers(case: Tiered) -> int:
    """Return the least TEL of all plans in two exclusive tiers, in quarters, by trying every content.

    A content says of each item what the first tier and both hold of it; tokens sink or go, and never rise.
    """
    sets, best = case.sets, {((0, 0),) * len(case.sets.sizes): 0}
    for k, items in enumerate(sets.asked):
        after: dict[tuple[tuple[int, int], ...], int] = {}
        for content, so_far in best.items():
            saved = sum(case.worth(*content[item]) for item in items)
            spent = so_far + max(0, 4 * sets.needs(k) - saved)
            at_hand = [(size, size) if one in items else content[one] for one, size in enumerate(sets.sizes)]
            rooms = (sets.capacity, case.second) if k + 1 < len(sets.asked) else (0, 0)
            for kept in product(*(_parts(held, *rooms) for held in at_hand)):
                first, both = (sum(held) for held in zip(*kept, strict=True))
                if first <= rooms[0] and both - first <= rooms[1]:
                    after[kept] = min(spent, after.get(kept, spent))
        best = after
    return min(best.values())


def _parts(at_hand: tuple[int, int], first_room: int, second_room: int) -> Iterator[tuple[int, int]]:
    """Yield what the first tier and both can hold of an item after a cut."""
    for first in range(min(at_hand[0], first_room) + 1):
        yield from ((first, both) for both in range(first, min(at_hand[1], first + second_room) + 1))


def relaxed_in_tiers(case: Tiered) -> Fraction:
    """Return the optimum of the linear program with nested rows, in quarters.

    Its columns: of each stay what the first tier holds and what the second one adds, then what each request saves.
    """
    sets, stays = case.sets, len(case.sets.stays)
    count, steps = len(sets.asked), [row for row, _ in step_rows(sets)]
    none, nothing = [0] * stays, [0] * count
    lines: Rows = [([*row, *none, *nothing], sets.capacity) for row in steps]
    lines += [([*row, *row, *nothing], sets.capacity + case.second) for row in steps]
    for k, (item, _, _) in enumerate(sets.stays):
        one = [int(j == k) for j in range(stays)]
        lines.append(([*one, *one, *nothing], sets.sizes[item]))
    for k in range(count):
        mine = [int(end == k) for _, _, end in sets.stays]
        saves = [int(j == k) for j in range(count)]
        lines.append(([*(-4 * x for x in mine), *(-(4 - case.load) * x for x in mine), *saves], 0))
        lines.append(([*none, *none, *saves], 4 * sets.needs(k)))
    saved = greatest([*none, *none, *(1 for _ in range(count))], [row for row, _ in lines], [b for _, b in lines])
    return 4 * all_needs(sets) - saved


def in_both(case: Tiered) -> Values:
    """Compare the linear program with all contents of both tiers."""
    return {"linear program": relaxed_in_tiers(case), "least": least_in_tiers(case)}


two_tiers = row(
    "prompt-cache.two-tiers.program",
    "The linear program of divisible items in two finite tiers has the least TEL of all plans for its optimum.",
    relation=equal,
    space=TwoTiers(replace(SMALL, fresh=False, quick={(2, 1): 4, (2, 2): 4, (3, 1): 3, (3, 2): 4}), loads=(1,)),
    origin=sharpness("prompt-cache.sets.integral", "there is one finite tier"),
)(in_both)

FEW = replace(SMALL, fresh=False, thresholds=False, quick={(2, 1): 3, (2, 2): 3, (3, 2): 3})
two_tiers_no_tail = row(
    "prompt-cache.two-tiers.no-tail",
    "The same at xi = 0.",
    relation=equal,
    space=TwoTiers(
        replace(SMALL, fresh=False, thresholds=False, quick={(2, 1): 3, (2, 2): 3, (3, 2): 3}), loads=(1,)
    ),
)(in_both)

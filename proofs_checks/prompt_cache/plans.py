"""What the best plan for sets of items costs: every content is tried, and plans are fractions in a linear program.

A content says how many tokens of each item are kept. After a request all its items are at hand, and then what is
kept of any item may fall; it never rises. A stay is from a request to the next one of an item.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from proofs_checks.prompt_cache.asked_sets import Sets
from proofs_checks.prompt_cache.exact_programs import greatest
from proofs_checks.prompt_cache.plain_sets import filled
from proofs_checks.tiers.chains import Row

Allowed: TypeAlias = Callable[[Row], bool]
"""Whether a content may be kept."""


def least(case: Sets, whole: bool = False, allowed: Allowed = lambda content: True) -> int:
    """Return the least TEL of all plans, by trying every content; after the last request none is of use."""
    best = {(0,) * len(case.sizes): 0}
    for k, items in enumerate(case.asked):
        after: dict[Row, int] = {}
        for content, so_far in best.items():
            spent = so_far + max(0, case.needs(k) - sum(content[item] for item in items))
            at_hand = tuple(size if one in items else content[one] for one, size in enumerate(case.sizes))
            for kept in contents(at_hand, case.capacity if k + 1 < len(case.asked) else 0, whole):
                if allowed(kept):
                    after[kept] = min(spent, after.get(kept, spent))
        best = after
    return min(best.values())


def contents(at_hand: Row, capacity: int, whole: bool) -> Iterator[Row]:
    """Yield what can be kept of what is at hand."""
    parts = [(0, size) if whole and size else range(min(size, capacity) + 1) for size in at_hand]
    return (kept for kept in product(*parts) if sum(kept) <= capacity)


Rows: TypeAlias = list[tuple[list[int], int]]
"""Rows of a program, each with its bound, in one column a stay."""


def step_rows(case: Sets) -> Rows:
    """Return that stays keep no more than the capacity, between two requests."""
    steps = range(len(case.asked) - 1)
    return [([int(begin <= step < end) for _, begin, end in case.stays], case.capacity) for step in steps]


def group_rows(case: Sets) -> Rows:
    """Return that a request has no use for more than it has above xi."""
    ends = range(len(case.asked))
    return [([int(end == k) for _, _, end in case.stays], case.needs(k)) for k in ends]


def cap_rows(limits: Sequence[int]) -> Rows:
    """Return that each stay keeps at most so much."""
    return [([int(k == j) for j in range(len(limits))], limit) for k, limit in enumerate(limits)]


def sizes_of(case: Sets) -> list[int]:
    """Return the size of the item of each stay."""
    return [case.sizes[item] for item, _, _ in case.stays]


def program(case: Sets) -> Rows:
    """Return the rows of the linear program of divisible items."""
    return step_rows(case) + group_rows(case) + cap_rows(sizes_of(case))


def relaxed(case: Sets, rows: Rows) -> Fraction:
    """Return the least TEL of plans in fractions that keep some rows: all that is needed less what is kept."""
    found = greatest([1] * len(case.stays), [row for row, _ in rows], [bound for _, bound in rows])
    return all_needs(case) - found


def most_kept(case: Sets, rows: Rows) -> int:
    """Return the most tokens that stays keep under some rows, by trying every plan of whole tokens."""
    plans = product(*(range(size + 1) for size in sizes_of(case)))
    return max(sum(plan) for plan in plans if keeps(plan, rows))


def keeps(plan: Row, rows: Rows) -> bool:
    """Whether a plan keeps some rows."""
    return all(sum(x for x, one in zip(plan, row, strict=True) if one) <= bound for row, bound in rows)


def all_needs(case: Sets) -> int:
    """Return the TEL without a cache."""
    return sum(map(case.needs, range(len(case.asked))))


Caps: TypeAlias = Callable[[Sets, int], dict[int, int]]
"""What is promised to the items of a request."""


def last_used_first(case: Sets, request: int) -> dict[int, int]:
    """Promise what a request needs to its items, those used last first."""
    return _promised(case, request, reverse=True)


def first_used_first(case: Sets, request: int) -> dict[int, int]:
    """Promise what a request needs to its items, those used longest ago first."""
    return _promised(case, request, reverse=False)


def all_of_it(case: Sets, request: int) -> dict[int, int]:
    """Promise all that a request needs to each of its items: the naive caps."""
    return {item: min(case.sizes[item], case.needs(request)) for item in case.asked[request]}


def _promised(case: Sets, request: int, reverse: bool) -> dict[int, int]:
    used = [item for item in case.asked[request] if case.last_use(item, request) >= 0]
    order = sorted(used, key=lambda item: case.last_use(item, request), reverse=reverse)
    return filled(case, order, case.needs(request))


def by_stay(case: Sets, caps: Caps) -> list[int]:
    """Return the cap of each stay."""
    return [caps(case, end)[item] for item, _, end in case.stays]


def belady(case: Sets, caps: Caps | None = None, whole: bool = False) -> int:
    """Return the TEL of Tail-Optimized Belady with caps, of Belady without.

    After a request each item is cut to the cap of its next request, which is 0 if none comes; then what is used
    next last goes first, of equal ones the larger number. A *whole* item goes at once, by a cap only if it is 0.
    """
    kept, spent = [0] * len(case.sizes), 0
    for k, items in enumerate(case.asked):
        spent += max(0, case.totals[k] - sum(kept[item] for item in items) - case.xi)
        for item in items:
            kept[item] = case.sizes[item]
        for item in range(len(kept)):
            cap = _cap(case, item, k, caps)
            kept[item] = min(kept[item], case.sizes[item] if whole and cap else cap)
        for item in sorted(range(len(kept)), key=lambda item: (-case.next_use(item, k), -item)):
            over = max(0, sum(kept) - case.capacity)
            kept[item] = 0 if whole and over else max(0, kept[item] - over)
    return spent


def _cap(case: Sets, item: int, request: int, caps: Caps | None) -> int:
    after = case.next_use(item, request)
    if after == len(case.asked):
        return 0
    return case.sizes[item] if caps is None else caps(case, after).get(item, 0)


def determinants(rows: Sequence[Sequence[int]]) -> set[int]:
    """Return the determinants of all square parts of a matrix, by expansion along the last row that was added.

    Of the first k rows of a choice, `known` has the determinant for each k columns.
    """
    found: set[int] = set()
    columns = range(len(rows[0]))

    def extend(first: int, known: dict[Row, int]) -> None:
        for k in range(first, len(rows)):
            grown = _expanded(known, rows[k], columns)
            found.update(grown.values())
            if any(grown.values()):
                extend(k + 1, {chosen: value for chosen, value in grown.items() if value})

    extend(0, {(): 1})
    return found


def _expanded(
    known: dict[tuple[int, ...], int], row: Sequence[int], columns: Iterable[int]
) -> dict[tuple[int, ...], int]:
    grown: dict[tuple[int, ...], int] = {}
    for chosen, value in known.items():
        for column in columns:
            if column not in chosen:
                joined = tuple(sorted((*chosen, column)))
                sign = (-1) ** (len(joined) - 1 - joined.index(column))
                grown[joined] = grown.get(joined, 0) + sign * value * row[column]
    return grown

"""Plans in hindsight for sets of items that are kept in parts: the linear program, caps for each stay, the greedy.

docs/proofs-prompt-cache.md has the proofs. The judges are every content of a cache, every plan of whole tokens,
and linear programs in fractions whose optima are proved.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from proofs_checks.prompt_cache.asked_sets import Sets, SmallSets
from proofs_checks.prompt_cache.plans import (
    all_needs,
    all_of_it,
    belady,
    by_stay,
    cap_rows,
    determinants,
    first_used_first,
    group_rows,
    last_used_first,
    least,
    most_kept,
    program,
    relaxed,
    step_rows,
)
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import sharpness

row = rows(source="Plans in hindsight for sets of modules: docs/prompt-cache.md")
QUICK = {(2, 1): 4, (2, 2): 5, (3, 1): 4, (3, 2): 4, (3, 3): 4, (4, 2): 3, (4, 3): 3}
FULL = {(2, 1): 4, (2, 2): 5, (3, 1): 4, (3, 2): 5, (3, 3): 5, (4, 2): 4, (4, 3): 4}
SMALL = SmallSets(QUICK, FULL)


def equal(of: Values) -> bool:
    """Whether all values are the same."""
    return len(set(of.values())) == 1


@dataclass(frozen=True)
class Requests(ToldCase):
    """So many requests, each of which may ask for anything."""

    requests: int

    def matrix(self) -> list[list[int]]:
        """Return step rows and group rows, with a column for each two requests: every stay that there can be."""
        stays = list(combinations(range(self.requests), 2))
        steps = [[int(begin <= step < end) for begin, end in stays] for step in range(self.requests - 1)]
        return steps + [[int(end == k) for _, end in stays] for k in range(1, self.requests)]


def numbers(most: int) -> Iterator[Iterator[Requests]]:
    """Yield numbers of requests."""
    return (iter([Requests(count)]) for count in range(2, most + 1))


@row(
    "prompt-cache.sets.matrix",
    "Step rows and group rows together are totally unimodular: every square part of their matrix has the "
    "determinant -1, 0 or 1, whatever is asked for.",
    relation=lambda of: set(of["determinants"]) <= {-1, 0, 1},
    space=Listed(numbers, 5, 6, "2 to {} requests, with every stay that there can be"),
)
def matrix(case: Requests) -> Values:
    """Compute all determinants."""
    return {"determinants": sorted(determinants(case.matrix()))}


@row(
    "prompt-cache.sets.integral",
    "The linear program of divisible items, with step rows and a group row for each request, has the least TEL of "
    "all plans for its optimum.",
    relation=equal,
    space=SMALL,
)
def integral(case: Sets) -> Values:
    """Compare with all contents."""
    return {"linear program": relaxed(case, program(case)), "least": least(case)}


@row(
    "prompt-cache.sets.reduction",
    "If what each request needs is promised to its items, those used last first, then stays that keep at most "
    "what is promised keep as much in all as stays under group rows.",
    relation=equal,
    space=SMALL,
)
def reduction(case: Sets) -> Values:
    """Compare the most that is kept, by all plans of whole tokens."""
    capped = step_rows(case) + cap_rows(by_stay(case, last_used_first))
    return {"caps": most_kept(case, capped), "groups": most_kept(case, step_rows(case) + group_rows(case))}


@row(
    "prompt-cache.sets.greedy",
    "Tail-Optimized Belady with these caps has the least TEL of all plans.",
    relation=equal,
    space=SMALL,
)
def greedy(case: Sets) -> Values:
    """Compare with all contents."""
    return {"Tail-Optimized Belady": belady(case, last_used_first), "least": least(case)}


@row(
    "prompt-cache.sets.first-used",
    "Promised to the items used longest ago first, Tail-Optimized Belady has the least TEL too.",
    relation=equal,
    space=SMALL,
    origin=sharpness("prompt-cache.sets.greedy", "those used last come first"),
)
def first_used(case: Sets) -> Values:
    """Compare with all contents."""
    return {"Tail-Optimized Belady": belady(case, first_used_first), "least": least(case)}


@row(
    "prompt-cache.sets.naive.greedy",
    "With the naive caps, min(size, all that the request needs) for each item, Tail-Optimized Belady has the "
    "least TEL.",
    relation=equal,
    space=SMALL,
    origin=sharpness("prompt-cache.sets.greedy", "the items of a request share what it needs"),
)
def naive_greedy(case: Sets) -> Values:
    """Compare with all contents."""
    return {"Tail-Optimized Belady": belady(case, all_of_it), "least": least(case)}


@row(
    "prompt-cache.sets.naive.program",
    "The linear program with the naive caps in the place of group rows has the least TEL of all plans for its "
    "optimum.",
    relation=equal,
    space=SMALL,
    origin=sharpness("prompt-cache.sets.integral", "the items of a request share what it needs"),
)
def naive_program(case: Sets) -> Values:
    """Compare with all contents."""
    naive = step_rows(case) + cap_rows(by_stay(case, all_of_it))
    return {"linear program": relaxed(case, naive), "least": least(case)}


@row(
    "prompt-cache.sets.no-tail",
    "At xi = 0 group rows say nothing, and Belady's greedy, which knows no caps, has the least TEL of all plans.",
    relation=equal,
    space=replace(SMALL, thresholds=False),
)
def no_tail(case: Sets) -> Values:
    """Compare the greedy, the program without group rows and all contents."""
    return {
        "Belady": belady(case),
        "without groups": all_needs(case) - most_kept(case, step_rows(case)),
        "least": least(case),
    }

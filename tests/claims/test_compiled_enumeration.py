"""The compiled enumeration of small worlds against the one in plain Python, class by class."""

from dataclasses import replace

import pytest

from proofs_checks.tail_optimized.theorem_31 import mean_of_all_prompts, mean_of_continuing_prompts
from teltheory.claims.claim import Tally
from teltheory.claims.compiled_check.enumeration import REFUTING, WITHIN, Size, pieces, tally_piece
from teltheory.claims.compiled_check.space import CompiledWorlds, case_of
from teltheory.claims.worlds import SmallWorlds, upper_bounds

SMALL = SmallWorlds({1: 3, 2: 3, 3: 2, 4: 1}, {}, start_tokens={"quick": 2})
LISTINGS = {
    "empty start": (SMALL, {}),
    "two starts": (replace(SMALL, starts=2), {}),
    "forced": (replace(SMALL, forced=True), {}),
    "forced, a start": (replace(SMALL, forced=True, starts=1), {}),
    "three conversations": (replace(SMALL, conversations=3), {}),
    "zero threshold": (replace(SMALL, thresholds=lambda _: range(1)), {"thresholds": "zero"}),
    "upper bounds": (replace(SMALL, estimates=upper_bounds, starts=1), {"estimates": "upper bounds"}),
    "from xi": (replace(SMALL, estimates=lambda world, xi: range(xi, xi + 2)), {"estimates": "from xi"}),
    "mean of all": (replace(SMALL, estimates=mean_of_all_prompts), {"estimates": "mean of all"}),
    "mean of continuing": (
        replace(SMALL, estimates=mean_of_continuing_prompts, starts=1),
        {"estimates": "mean of continuing"},
    ),
    "from longest": (
        replace(SMALL, estimates=lambda w, xi: range(max(w.continuing_prompts, default=0), w.tokens + 2)),
        {"estimates": "from longest"},
    ),
    "below longest": (
        replace(SMALL, estimates=lambda w, xi: range(max(w.continuing_prompts, default=0))),
        {"estimates": "below longest"},
    ),
    "first past": (
        replace(SMALL, capacities=lambda w: range(sum(w.turns[0][1:]), sum(w.turns[0][1:]) + 1)),
        {"capacities": "first past"},
    ),
}


def listed(compiled, size):
    """Return every case of a class that the compiled enumeration goes through, in its order."""
    turns, conversations, tokens, most_starts = size
    cases = []
    for starts in range(min(most_starts, conversations) + 1):
        of = Size(turns, conversations, tokens, starts)
        for piece in pieces(of, compiled.worlds.least):
            totals, found = tally_piece(compiled.plan, piece, rows=20_000)
            assert totals[WITHIN] == totals[REFUTING] < 20_000
            cases += [case_of(row, of, compiled.worlds.forced) for row in found[2 : 2 + totals[REFUTING]]]
    return cases


NATURAL_SIZES = {1: 2, 2: 2, 3: 1}, {}


@pytest.mark.parametrize("name", LISTINGS)
@pytest.mark.parametrize("natural", [False, True])
def test_the_same_cases_in_every_class_and_none_twice(name, natural):
    space, codes = LISTINGS[name]
    space = replace(space, natural_sizes=NATURAL_SIZES).natural() if natural else space
    compiled = CompiledWorlds("every case", space, **codes)
    seen = 0
    for size, cases in zip(space.sizes("quick"), space.classes("quick"), strict=True):
        plain, fast = {case.size() for case in cases}, [case.size() for case in listed(compiled, size)]
        assert len(fast) == len(set(fast))
        assert set(fast) == plain
        seen += len(plain)
    assert seen > 100


@pytest.mark.parametrize("starts", [0, 2])
def test_the_smallest_case_of_a_class(starts):
    compiled = CompiledWorlds("every case", replace(SMALL, starts=starts))
    for size, cases in zip(compiled.sizes("quick"), compiled.worlds.classes("quick"), strict=True):
        smallest = min((case for case in cases), key=lambda case: case.size(), default=None)
        assert compiled.tally(*size).smallest == smallest


def test_tallies_add_up_in_any_order():
    compiled = CompiledWorlds("TEL with any estimate", SMALL, estimates="below longest")
    parts = [compiled.tally(*size) for size in compiled.sizes("quick")]
    forwards, backwards = sum(parts, Tally()), sum(reversed(parts), Tally())
    assert forwards == backwards
    assert forwards.within == sum(part.within for part in parts)

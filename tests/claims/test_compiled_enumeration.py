"""The compiled enumeration of small worlds against the one in plain Python, class by class."""

from dataclasses import replace

import numpy as np
import pytest

import teltheory as tt
from proofs_checks.tail_optimized.theorem_31 import mean_of_all_prompts, mean_of_continuing_prompts
from proofs_checks.tiers.chains import SmallChains
from proofs_checks.tiers.dominance import Duel
from teltheory.claims.claim import Claim
from teltheory.claims.comparison import plain_tally
from teltheory.claims.compiled.space import CompiledWorlds
from teltheory.claims.worlds import SmallWorlds, upper_bounds, worlds

pytestmark = pytest.mark.ledger
SMALL = SmallWorlds(
    {1: 3, 2: 3, 3: 2, 4: 1}, {}, start_tokens={"quick": 1}, natural_sizes=({1: 2, 2: 2, 3: 1}, {})
)
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


@pytest.mark.parametrize("name", LISTINGS)
@pytest.mark.parametrize("natural", [False, True])
def test_the_same_cases_in_every_class_and_the_same_smallest(name, natural):
    """As many cases, refuting ones and the same sum of what depends on every length, C, xi and the estimate."""
    space, codes = LISTINGS[name]
    space = space.natural() if natural else space
    compiled = CompiledWorlds("TEL with any estimate", space, **codes)
    claim = Claim("", "", "", tels, lambda tels: tels["T-LRU"] <= tels["LRU"], space, compiled=compiled)
    seen = 0
    for size, cases in zip(space.sizes("quick"), space.classes("quick"), strict=True):
        tally = compiled.tally(*size)
        assert tally == plain_tally(claim, cases)
        seen += tally.within
    assert seen > 10


def tels(case):
    return {"T-LRU": case.tel(tt.TLRU(case.xi, case.q_hat)), "LRU": case.tel(tt.LRU())}


def test_the_smallest_of_many_cases_that_refute():
    space = replace(SMALL, starts=1)
    compiled = CompiledWorlds("caps in every optimum", space)
    cases = [case for world in worlds(3, 2, 3, 1) for case in space.cases(world)]
    refuting = [case for case in cases if compiled.judged(case)[0]]
    tally = compiled.tally(3, 2, 3, 1)
    refuting += [case for world in worlds(3, 2, 3) for case in space.cases(world) if compiled.judged(case)[0]]
    assert 1 < len(refuting) == tally.refuting
    assert tally.smallest == min(refuting, key=lambda case: case.size())


def test_worlds_that_have_no_room_are_an_error():
    with pytest.raises(tt.ArgumentError, match="tokens: found 47, expected at most 46"):
        CompiledWorlds("TEL with any estimate", SMALL).tally(1, 1, 47, 0)


DUELS = (
    Duel(), Duel(("flat", "flat"), each=False), Duel(("scaled", "LRU"), "least-recent", False),
    Duel(("last", "rounded down"), "eager", overlapped=True),
)  # fmt: skip


@pytest.mark.parametrize("duel", DUELS)
@pytest.mark.parametrize("inclusive", [False, True])
def test_the_same_cases_of_tiers_in_every_class_and_the_same_values_of_each(duel, inclusive):
    space = SmallChains({1: 2, 2: 2}, {}, inclusive=inclusive)
    compiled = duel.compiled(space)
    claim = Claim("", "", "", duel.values, duel.holds, space, compiled=compiled)
    for size, cases in zip(space.sizes("quick"), map(list, space.classes("quick")), strict=True):
        assert compiled.tally(*size) == plain_tally(claim, cases)
        for case in cases[::7]:
            values = duel.values(case)
            refutes, found = compiled.judged(case)
            assert refutes == (not duel.holds(values))
            assert found == np.ravel([*values.values()]).tolist()

"""Making a large case that refutes a claim small.

1. Runs of turns are taken away, half of all at first, then shorter ones down to single turns.
2. Lengths, then C, xi and q_hat, are lowered by as much as they can be, by halves.
3. Both are repeated until nothing changes. After each step the parameters are moved to the nearest values that the
   claim's space has for the changed world: a mean prompt stays the mean.
4. `search.shrink` goes on from there, until no single step of `Case.smaller` is left.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from teltheory.claims.case import Case, World
from teltheory.claims.claim import Claim
from teltheory.claims.generators import nearest
from teltheory.claims.search import refutes, shrink
from teltheory.claims.worlds import SmallWorlds


def shrunk(claim: Claim[Case], case: Case) -> Case:
    """Return a case that refutes as this one does, and that no single step makes smaller."""
    while True:
        smaller = _lower(claim, _shorter(claim, case))
        if smaller.size() >= case.size():
            return shrink(claim, case)
        case = smaller


def _shorter(claim: Claim[Case], case: Case) -> Case:
    """Take away runs of turns, each as long as it still refutes."""
    size = max(1, len(case.world.turns) // 2)
    while size:
        begin = 0
        while begin < len(case.world.turns):
            turns = case.world.turns
            without = World(turns[:begin] + turns[begin + size :], case.world.initial)
            step = _fitting(claim, replace(case, world=without))
            case, begin = (case, begin + size) if step is None else (step, begin)
        size //= 2
    return case


def _lower(claim: Claim[Case], case: Case) -> Case:
    """Lower one number after the other, by as much as it still refutes."""
    for place in list(case.places()):
        left = less = case.at(place)
        while less:
            step = _fitting(claim, case.put(place, left - less)) if less <= left else None
            case, left = (case, left) if step is None else (step, left - less)
            less //= 2
    return case


def _fitting(claim: Claim[Case], case: Case) -> Case | None:
    """Return the case with the nearest parameters that the space has, where it is one and refutes."""
    world, space = case.world, claim.space
    assert isinstance(space, SmallWorlds)
    if not world.turns or any(held > past for _, past, held in world.initial):
        return None
    tried = (_with_parameters(space, replace(case, world=one)) for one in _with_estimates(space, case))
    return next((one for one in tried if one is not None and refutes(claim, one)), None)


def _with_estimates(space: SmallWorlds, case: Case) -> Iterator[World]:
    """Yield the world; where it has no estimate, with the last or the first prompt as much longer as it takes."""
    world, turns = case.world, len(case.world.turns)
    if len(space.estimates(world, case.xi)):
        yield world
        return
    for k in dict.fromkeys((turns - 1, 0)):
        prompt = world.turns[k][1]
        longer = (world.changed("turns", k, 1, prompt + more) for more in range(1, turns + 1))
        yield from islice((one for one in longer if len(space.estimates(one, case.xi))), 1)


def _with_parameters(space: SmallWorlds, case: Case) -> Case | None:
    xi = nearest(space.thresholds(case.world), case.xi)
    q_hat = None if xi is None else nearest(space.estimates(case.world, xi), case.q_hat)
    capacity = nearest(space.feasible_capacities(case.world), case.capacity)
    if xi is None or q_hat is None or capacity is None:
        return None
    return Case(case.world.canonical(), capacity, xi, q_hat, case.forced)

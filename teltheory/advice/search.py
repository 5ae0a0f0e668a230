"""Which settings are served on the first part of a trace, so that few runs find a good one.

1. A candidate is a margin xi - q_hat and the tiers that run T-LRU; the others run LRU. LRU everywhere is one.
2. Every margin is tried where that is cheap: where nobody can wait, and of one tier and private conversations. So
   both choices are one if nothing waits and nothing is loaded.
3. Else every eighth margin is served for each set of tiers. Around the best of all, margins four, two and one
   places away are, each time around the best so far.
4. If the best has T-LRU in a tier that loads, its flat budgets are tried too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product

import numpy as np

from teltheory.advice.comparison import ComparedRun, neighbours
from teltheory.model.numbers import FloatArray

STRIDE = 8
"""Margins from one to the next in the coarse grid."""


@dataclass(frozen=True, order=True)
class Candidate:
    """A margin xi - q_hat in tokens, the tiers that run T-LRU with it, and whether their budgets are flat."""

    on: tuple[bool, ...]
    flat: bool
    margin: int

    @property
    def is_lru(self) -> bool:
        """Whether every tier runs LRU."""
        return not (any(self.on) and self.margin)

    @property
    def group(self) -> tuple[tuple[bool, ...], bool]:
        """What candidates share that differ in the margin alone."""
        return self.on, self.flat


def sets_of_tiers(tiers: int) -> list[tuple[bool, ...]]:
    """Return which tiers may run T-LRU, at least one: few first, and of as many the slower ones."""
    found = [on for on in product((False, True), repeat=tiers) if any(on)]
    return sorted(found, key=lambda on: (sum(on), on))


def explore(
    run: Callable[[Candidate], ComparedRun],
    margins: Sequence[int],
    tiers: int,
    *,
    every: bool,
    loads: bool,
) -> dict[Candidate, ComparedRun]:
    """Compare candidates, LRU first; `every` margin or a coarse grid refined, flat budgets if something `loads`.

    `margins` ascend, and the first is 0, which is LRU.
    """
    lru, sets = Candidate((False,) * tiers, False, 0), sets_of_tiers(tiers)
    found = {lru: run(lru)}

    def look(candidates: Iterable[Candidate]) -> None:
        found.update((one, run(one)) for one in candidates if one not in found)

    coarse = sorted({*range(1, len(margins), 1 if every else STRIDE), len(margins) - 1} - {0})
    look(Candidate(on, False, margins[place]) for on in sets for place in coarse)
    stride = 1 if every else STRIDE // 2
    while stride and not every and len(found) > 1:
        around = best(found)
        place = margins.index(around.margin)
        near = [place + step for step in (-stride, stride) if 0 < place + step < len(margins)]
        look(replace(around, margin=margins[one]) for one in near)
        stride //= 2
    if loads and len(found) > 1 and any(best(found).on[1:]):
        look([replace(best(found), flat=True)])
    return {one: found[one] for one in sorted(found, key=lambda one: (sum(one.on), one))}


def best(found: Mapping[Candidate, ComparedRun]) -> Candidate:
    """Return the candidate, not LRU, with the greatest mean gain, of those that are allowed if any is."""

    def key(one: Candidate) -> tuple[bool, float]:
        return found[one].allowed, float(np.mean(found[one].gains))

    return max((one for one in found if not one.is_lru), key=key)


def near_of(candidates: Sequence[Candidate], spread: float) -> FloatArray:
    """Return which candidates each may turn out to be if lengths drift: others of its group; see `neighbours`."""
    near, place = np.eye(len(candidates)), 1
    for _, group in groupby(candidates[1:], lambda one: one.group):
        margins = [0, *(one.margin for one in group)]
        among = slice(place, place + len(margins) - 1)
        near[among, among] = neighbours(margins, spread)[1:, 1:]
        place = among.stop
    return near

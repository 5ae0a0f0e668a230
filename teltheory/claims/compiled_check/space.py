"""What a claim is given beside its space in plain Python: the same cases, compiled, up to larger bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from teltheory.claims.case import Case, World
from teltheory.claims.claim import Tally
from teltheory.claims.compiled_check.enumeration import (
    ALL_CAPACITIES,
    ALL_THRESHOLDS,
    BELOW_LONGEST,
    FIRST_PAST,
    FROM_LONGEST,
    FROM_XI,
    MEAN_OF_ALL,
    MEAN_OF_CONTINUING,
    NO_ESTIMATE,
    REFUTING,
    SUM,
    UPPER_BOUNDS,
    WITHIN,
    ZERO,
    Piece,
    Plan,
    Size,
    pieces,
    tally_piece,
)
from teltheory.claims.compiled_check.judge import CHECKS, judge
from teltheory.claims.compiled_check.layout import (
    CAPACITY,
    CASE,
    ESTIMATE,
    FORCED,
    LABEL,
    OUT_WIDTH,
    OUTSIDE,
    PROMPT,
    REFUTED,
    RESPONSE,
    START_HELD,
    START_PAST,
    STATE_ROWS,
    WIDTH,
    XI,
    describe,
    new_world,
)
from teltheory.claims.compiled_check.outcomes import new_memo
from teltheory.claims.worlds import SmallWorlds
from teltheory.model.numbers import IntArray

CAPACITIES = {"all": ALL_CAPACITIES, "first past": FIRST_PAST}
THRESHOLDS = {"all": ALL_THRESHOLDS, "zero": ZERO}
ESTIMATES = {
    "none": NO_ESTIMATE,
    "upper bounds": UPPER_BOUNDS,
    "from xi": FROM_XI,
    "mean of all": MEAN_OF_ALL,
    "mean of continuing": MEAN_OF_CONTINUING,
    "from longest": FROM_LONGEST,
    "below longest": BELOW_LONGEST,
}


@dataclass(frozen=True)
class CompiledWorlds:
    """A compiled check of a claim and the small worlds on which it is run.

    `check` is a name in `judge.CHECKS`. Of `worlds` bounds, caching mode and initial caches count; the keys of
    `CAPACITIES`, `THRESHOLDS` and `ESTIMATES` stand for its ranges.
    """

    check: str
    worlds: SmallWorlds
    capacities: str = "all"
    thresholds: str = "all"
    estimates: str = "none"

    @property
    def plan(self) -> Plan:
        """The codes for the compiled loops."""
        return Plan(
            CHECKS[self.check],
            CAPACITIES[self.capacities],
            THRESHOLDS[self.thresholds],
            ESTIMATES[self.estimates],
            self.worlds.forced,
            self.worlds.least,
        )

    def natural(self) -> CompiledWorlds:
        """Return the same check on natural worlds."""
        return replace(self, worlds=self.worlds.natural())

    def sizes(self, effort: str) -> Iterator[tuple[int, ...]]:
        """Yield the classes (turns, conversations, tokens, most starts), smallest first."""
        return self.worlds.sizes(effort)

    def tally(self, *of: int) -> Tally[Case]:
        """Check every case of a class."""
        turns, conversations, tokens, most_starts = of
        total = Tally[Case]()
        for starts in range(min(most_starts, conversations) + 1):
            size = Size(turns, conversations, tokens, starts)
            total = sum(map(self._piece, pieces(size, self.worlds.least)), total)
        return total

    def _piece(self, piece: Piece) -> Tally[Case]:
        totals, found = tally_piece(self.plan, piece)
        smallest = case_of(found[0], piece.size, self.worlds.forced) if totals[REFUTING] else None
        return Tally(int(totals[WITHIN]), int(totals[REFUTING]), int(totals[SUM]), smallest)

    def judged(self, case: Case) -> tuple[bool | None, list[int]]:
        """Return whether a single case refutes, None where it lies outside the hypotheses; and its values."""
        memo = new_memo(max(case.world.tokens, case.q_hat))
        world, out = world_of(case), np.zeros(OUT_WIDTH, np.int64)
        state = np.zeros((STATE_ROWS, WIDTH), np.int64)
        answer = judge(CHECKS[self.check], world, state, memo, out)
        values = out[1 : 1 + out[0]].tolist()
        return (None if answer == OUTSIDE else answer == REFUTED), values

    def weighed(self, case: Case, values: list[int]) -> int:
        """Return what the values of a case, in a row, add to the sum of a tally."""
        weight = 1 + case.capacity + 31 * case.xi + 961 * case.q_hat
        return weight * sum(place * value for place, value in enumerate(values, start=1))

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what is enumerated, for the scope of a verdict."""
        return self.worlds.bounds(effort)


def conversations(case: Case) -> int:
    """Return the number of conversations of a case."""
    return len({conversation for conversation, _, _ in (*case.world.initial, *case.world.turns)})


def world_of(case: Case) -> IntArray:
    """Return the array of a case; its tokens are at least the estimate, so that every level has room."""
    turns, initial = case.world.turns, case.world.initial
    world = new_world(len(turns), conversations(case), len(initial), max(case.world.tokens, case.q_hat))
    for turn, (conversation, prompt, response) in enumerate(case.world.turns):
        world[[LABEL, PROMPT, RESPONSE], turn] = conversation, prompt, response
    for conversation, past, held in case.world.initial:
        world[[START_PAST, START_HELD], conversation] = past, held
    parameters = {CAPACITY: case.capacity, XI: case.xi, ESTIMATE: case.q_hat, FORCED: int(case.forced)}
    world[CASE, list(parameters)] = list(parameters.values())
    describe(world)
    return world


def case_of(key: IntArray, size: Size, forced: bool) -> Case:
    """Return a case from its row."""
    capacity, xi, q_hat, *rest = key.tolist()
    initial = tuple((c, *rest[3 * c + 1 : 3 * c + 3]) for c in range(size.starts))
    lengths = rest[3 * size.starts + 1 :]
    turns = tuple((lengths[3 * k], *lengths[3 * k + 1 : 3 * k + 3]) for k in range(size.turns))
    return Case(World(turns, initial), capacity, xi, q_hat, forced)

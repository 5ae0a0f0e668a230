"""What a claim is given beside its space in plain Python: the same cases, compiled, up to larger bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from teltheory.claims.case import Case, World
from teltheory.claims.comparison import Tally
from teltheory.claims.compiled.checks import CHECKS, judge
from teltheory.claims.compiled.enumeration import PARAMETERS, ClassPart, WorldPlan, pieces, tally_piece
from teltheory.claims.compiled.layout import LEVELS, OUTSIDE, REFUTED, Tiny, describe, new_tiny
from teltheory.claims.worlds import SmallWorlds
from teltheory.errors import ArgumentError
from teltheory.model.numbers import IntArray


@dataclass(frozen=True)
class CompiledWorlds:
    """A compiled check of a claim and the small worlds on which it is run.

    `check` is a name in `checks.CHECKS`. Of `worlds` bounds, caching mode and initial caches count; names in
    `enumeration` stand for its ranges.
    """

    check: str
    worlds: SmallWorlds
    capacities: str = "all"
    thresholds: str = "all"
    estimates: str = "none"

    def natural(self) -> CompiledWorlds:
        """Return the same check on natural worlds."""
        return replace(self, worlds=self.worlds.natural())

    def tally(self, turns: int, conversations: int, tokens: int, most_starts: int) -> Tally[Case]:
        """Check every case of a class."""
        if tokens > LEVELS - 2:
            raise ArgumentError("tokens", tokens, f"at most {LEVELS - 2} of a compiled world")
        ranges = (self.capacities, self.thresholds, self.estimates)
        plan = WorldPlan(self.check, *ranges, self.worlds.forced, self.worlds.least)
        total = Tally[Case]()
        for starts in range(min(most_starts, conversations) + 1):
            for piece in pieces(turns, conversations, tokens, starts, self.worlds.least):
                (within, refuting, values), key = tally_piece(plan, piece)
                smallest = case_of(key, piece, plan.forced) if refuting else None
                total += Tally(int(within), int(refuting), int(values), smallest)
        return total

    def judged(self, case: Case) -> tuple[bool | None, list[int]]:
        """Return whether a single case refutes, None if it lies outside the hypotheses; and its values."""
        tiny = tiny_of(case)
        answer = judge(CHECKS[self.check], tiny)
        values = tiny["out"][1 : 1 + tiny["out"][0]].tolist()
        return (None if answer == OUTSIDE else answer == REFUTED), values

    def weighed(self, case: Case, values: list[int]) -> int:
        """Return what the values of a case, in a row, add to the sum of a tally."""
        weight = 1 + case.capacity + 31 * case.xi + 961 * case.q_hat
        return weight * sum(place * value for place, value in enumerate(values, start=1))


def tiny_of(case: Case) -> Tiny:
    """Return the record of a case."""
    turns, initial = case.world.turns, case.world.initial
    conversations = len({conversation for conversation, _, _ in (*initial, *turns)})
    numbers = {"turns": len(turns), "starts": len(initial), "tokens": case.world.tokens}
    parameters = {"capacity": case.capacity, "xi": case.xi, "estimate": case.q_hat, "forced": case.forced}
    tiny = new_tiny(conversations=conversations, **numbers, **parameters)
    for turn, row in enumerate(turns):
        tiny["label"][turn], tiny["prompt"][turn], tiny["response"][turn] = row
    for conversation, past, held in initial:
        tiny["start_past"][conversation], tiny["start_held"][conversation] = past, held
    describe(tiny)
    return tiny


def case_of(key: IntArray, piece: ClassPart, forced: bool) -> Case:
    """Return a case from its row."""
    capacity, xi, q_hat = key[:PARAMETERS].tolist()
    lengths = key[PARAMETERS:].reshape(-1, 2).tolist()
    initial = tuple((c, past, held) for c, (past, held) in enumerate(lengths[: piece.starts]))
    turns = tuple((c, q, a) for c, (q, a) in zip(piece.labels, lengths[piece.starts :], strict=False))
    return Case(World(turns, initial), capacity, xi, q_hat, forced)

"""Small traces in two tiers of memory: the cases of one cache, with a second tier behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from teltheory.claims.case import Case, World
from teltheory.claims.claim import Values
from teltheory.claims.listed import told
from teltheory.claims.worlds import SmallWorlds
from teltheory.model.tiers import Tiers
from teltheory.replay import replay

LOADS = tuple(Fraction(parts, 4) for parts in range(4))
"""What loading a token from the second tier takes of computing it."""


@dataclass(frozen=True)
class TieredCase(Case):
    """A case whose first tier has its capacity; exclusive tiers, an empty start."""

    second: int = 0
    load: Fraction = Fraction(0)

    @property
    def tiers(self) -> Tiers:
        """The capacities and loads."""
        return Tiers((self.capacity, self.second), (0, self.load))

    def replayed(self, policy: Any) -> tuple[list[Any], list[int]]:
        """Return what each turn computes, loading as its share of that, and what it reuses in both tiers."""
        return _replayed(self.world, self.tiers, self.forced, policy)

    def size(self) -> tuple[Any, ...]:
        """Return the order of "smallest": turns, conversations, tokens, C of both, load, xi, q_hat."""
        turns, conversations, tokens, capacity, *rest = super().size()
        return (turns, conversations, tokens, capacity, self.second, self.load, *rest)

    def _steps(self) -> Iterator[Case]:
        yield from super()._steps()
        yield from (replace(self, second=less) for less in range(self.second))
        yield from (replace(self, load=load) for load in LOADS if load < self.load)

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the case and the values, which may be fractions."""
        plain = super().as_counterexample({}) | {"capacity": list(self.tiers.capacities)}
        return plain | {"loads": ["0", str(self.load)], "values": told(values)}


@dataclass(frozen=True)
class SmallTiers(SmallWorlds):
    """Small worlds in two tiers, which together never hold more than all tokens."""

    def cases(self, world: World) -> Iterator[TieredCase]:
        """Yield a world under both capacities, every load, threshold and estimate."""
        for case in super().cases(world):
            seconds = range(self.least, world.tokens - case.capacity + 1)
            for second, load in product(seconds, LOADS):
                yield _in_tiers(case, second, load)

    def with_parameters(self, rng: np.random.Generator, world: World) -> Case | None:
        """Return a world under random parameters, None if one of them has no admissible value."""
        case = super().with_parameters(rng, world)
        if case is None or world.tokens < case.capacity + self.least:
            return None
        second = int(rng.integers(self.least, world.tokens - case.capacity + 1))
        return _in_tiers(case, second, LOADS[int(rng.integers(len(LOADS)))])

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what was enumerated."""
        return {**super().bounds(effort), "tiers": 2, "loads": [str(load) for load in LOADS]}


def _in_tiers(case: Case, second: int, load: Fraction) -> TieredCase:
    return TieredCase(case.world, case.capacity, case.xi, case.q_hat, case.forced, second, load)


@lru_cache(maxsize=1 << 14)
def _replayed(world: World, tiers: Tiers, forced: bool, policy: Any) -> tuple[list[Any], list[int]]:
    outcome = replay(world.trace, policy, tiers, forced=forced, engine="reference")
    units = (Fraction(int(unit), outcome.denominator) for unit in outcome.uncached_units)
    return [int(one) if one.denominator == 1 else one for one in units], outcome.cached.sum(axis=0).tolist()

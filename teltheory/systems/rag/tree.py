"""What the server asks of a cache, and the cache that keeps nothing."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from teltheory.errors import ForcedCachingError
from teltheory.model.forest import Forest
from teltheory.model.nodes import sums_down
from teltheory.model.tiers import Tiers
from teltheory.replay.tiers.nodes import room_of


class StartedGeneration(Protocol):
    """How a generation starts."""

    @property
    def cached(self) -> tuple[int, ...]:
        """Tokens cached in each tier."""
        ...

    @property
    def loaded(self) -> int:
        """Tokens loaded into the first tier."""
        ...

    @property
    def copied(self) -> int:
        """Tokens copied out of the first tier to make room."""
        ...


class Tree(Protocol):
    """A cache of the nodes of the knowledge tree; see `teltheory.replay.tiers.tree.TieredTree`."""

    written: int
    freed: int

    @property
    def copied(self) -> int:
        """Tokens copied to the host so far."""
        ...

    def fits(self, leaf: int) -> bool:
        """Return whether a path fits into the first tier, if there is nothing else."""
        ...

    def found(self, leaf: int) -> tuple[int, ...]:
        """Return the tokens of the cached head of the path to a node, by tier."""
        ...

    def start(self, leaf: int, k: int, tail: int = 0, now: float | None = None) -> StartedGeneration | None:
        """Begin a prefill of request k; None, with nothing changed, if there is no room now."""
        ...

    def finish(self, leaf: int, k: int) -> None:
        """End a prefill: its nodes are cached."""
        ...

    def cancel(self, leaf: int, k: int) -> None:
        """End a prefill that leaves nothing."""
        ...

    def lose(self) -> int:
        """Lose the first tier; return the tokens that are cached nowhere any longer."""
        ...


class NothingFound(NamedTuple):
    """A prefill that finds nothing and moves nothing."""

    cached: tuple[int, ...]
    loaded: int = 0
    copied: int = 0


class Nothing:
    """A cache that keeps nothing: each request computes its whole prompt, which has to fit into tier 0 meanwhile.

    Parameters
    ----------
    forest : Forest
        The knowledge tree.
    tiers : Tiers
        As of a cache that keeps something.
    block : int
        Tokens that memory comes in.
    """

    written = copied = freed = 0

    def __init__(self, forest: Forest, tiers: Tiers, block: int = 1) -> None:
        rooms = np.array(room_of(forest.length.tolist(), block), np.int64)
        self.room: list[int] = [*sums_down(forest.parent, rooms).tolist(), 0]
        self.capacity, self.reserved, self.none = tiers.capacities[0], 0, (0,) * len(tiers)

    def fits(self, leaf: int) -> bool:
        """Return whether a path fits into the first tier, if there is nothing else."""
        return bool(self.room[leaf] <= self.capacity)

    def found(self, leaf: int) -> tuple[int, ...]:
        """Return the tokens that are cached, by tier: none."""
        return self.none

    def start(self, leaf: int, k: int, tail: int = 0, now: float | None = None) -> NothingFound | None:
        """Begin a prefill; None if those that run leave it no room now."""
        if not self.fits(leaf):
            raise ForcedCachingError(k, self.room[leaf], self.capacity)
        if self.reserved + self.room[leaf] > self.capacity:
            return None
        self.reserved += self.room[leaf]
        return NothingFound(self.none)

    def finish(self, leaf: int, k: int) -> None:
        """Keep nothing of a prefill."""
        self.reserved -= self.room[leaf]

    def cancel(self, leaf: int, k: int) -> None:
        """Keep nothing of a prefill."""
        self.reserved -= self.room[leaf]

    def lose(self) -> int:
        """Lose nothing."""
        return 0

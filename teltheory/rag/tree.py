"""What the server asks of a cache, and the cache that keeps nothing."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from teltheory.model.forest import Forest
from teltheory.model.tiers import Tiers


class Started(Protocol):
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

    freed: int

    def found(self, leaf: int) -> tuple[int, ...]:
        """Return the tokens of the cached head of the path to a node, by tier."""
        ...

    def start(self, leaf: int, k: int, tail: int = 0, now: float | None = None) -> Started | None:
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


class Fresh(NamedTuple):
    """A prefill that finds nothing and moves nothing."""

    cached: tuple[int, ...]
    loaded: int = 0
    copied: int = 0


class Nothing:
    """A cache that keeps nothing: each request computes its whole prompt, whose documents have to fit into tier 0.

    Parameters
    ----------
    forest : Forest
        The knowledge tree.
    tiers : Tiers
        As of a cache that keeps something.
    """

    freed = 0

    def __init__(self, forest: Forest, tiers: Tiers) -> None:
        self.depth, self.capacity = [*forest.depth.tolist(), 0], tiers.capacities[0]
        self.none = (0,) * len(tiers)

    def found(self, leaf: int) -> tuple[int, ...]:
        """Return the tokens that are cached, by tier: none."""
        return self.none

    def start(self, leaf: int, k: int, tail: int = 0, now: float | None = None) -> Fresh | None:
        """Begin a prefill; None if its documents do not fit."""
        return Fresh(self.none) if self.depth[leaf] <= self.capacity else None

    def finish(self, leaf: int, k: int) -> None:
        """Keep nothing of a prefill."""

    def cancel(self, leaf: int, k: int) -> None:
        """Keep nothing of a prefill."""

    def lose(self) -> int:
        """Lose nothing."""
        return 0

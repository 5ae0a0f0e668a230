"""The outcome of a replay or of a solver: what each turn reused and what it computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from teltheory.model.display import Summary, counted, percent, quantiles, tail_of, unit_of
from teltheory.model.forest import Forest
from teltheory.model.instance import Instances
from teltheory.model.numbers import IntArray, Ratio, exact_sum, readonly, whole_number
from teltheory.model.tables import Tabular


@dataclass(frozen=True, eq=False)
class Outcome(Tabular):
    """Reused and computed lengths, one entry a turn, in the trace's unit.

    `to_arrow`, `to_pandas` and `to_polars` return a table of a row a turn, a column for each array below.

    Attributes
    ----------
    cached : ndarray of int64, shape (n,)
        Length of the cached prefix that each turn reuses, x.
    uncached : ndarray of int64, shape (n,)
        What each turn's prefill computes, total - x.
    written : ndarray of int64, shape (n,), or None
        On a forest: what each request added to the cache, the units of its path that were not cached before.
    inputs : ndarray of int64, shape (n,), or None
        On a forest: tokens of each request's input, a last block that is not full included.
    block_size : int
        Tokens per unit of a forest.
    """

    cached: IntArray
    uncached: IntArray
    written: IntArray | None = None
    inputs: IntArray | None = None
    block_size: int = 1

    @classmethod
    def of(cls, instance: Instances, cached: IntArray | list[int], written: IntArray | None = None) -> Outcome:
        """Make the outcome in which turn k reuses ``cached[k]`` and, on a forest, adds ``written[k]``."""
        reused, requests = readonly(np.array(cached, np.int64)), instance.requests
        counted = (written, requests.inputs, requests.block_size) if requests.shared else ()
        return cls(reused, readonly(instance.total - reused), *counted)

    @classmethod
    def of_forest(cls, forest: Forest, cached: IntArray | list[int], written: IntArray | list[int]) -> Outcome:
        """Make the outcome in which request k reuses ``cached[k]`` units and adds ``written[k]``."""
        reused, added = (readonly(np.array(column, np.int64)) for column in (cached, written))
        return cls(reused, readonly(forest.total - reused), added, forest.inputs, forest.block_size)

    def _table(self) -> dict[str, Any]:
        names = ("cached", "uncached", "written", "inputs")
        return {name: column for name in names if (column := getattr(self, name)) is not None}

    def __repr__(self) -> str:
        hit = f"hit rate {percent(self.hit_rate)}, {self.prefilled:,} prefilled"
        return f"Outcome({counted(len(self), 'turn')}, {hit})"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def summary(self, xi: int | None = None) -> Summary:
        """Return hit rate, what was prefilled, percentiles of the uncached lengths and, with `xi`, the tail.

        Parameters
        ----------
        xi : int, optional
            Threshold, in the trace's unit.
        """
        facts = {"turns": len(self), "hit rate": self.hit_rate, "prefilled": self.prefilled}
        tail: dict[str, Any] = {}
        if xi is not None:
            above = self.excess_units(xi)
            tail = tail_of(above, exact_sum(above), xi)
        return Summary("Outcome", facts | quantiles(self.uncached, "uncached") | tail)

    def plot(self, xi: int | None = None, ax: Any = None, label: str = "uncached") -> Any:
        """Draw the share of turns that compute more than each length; return Matplotlib's axes.

        Parameters
        ----------
        xi : int, optional
            Threshold: right of it the area below the line, times the number of turns, is TEL.
        ax : Axes, optional
            New ones if left out.
        label : str
            What the line is called, such as the policy's name.
        """
        from teltheory.plots import values

        said = "" if xi is None else f"ξ = {whole_number('xi', xi):,}"
        unit = unit_of(None if self.inputs is None else self.block_size)
        return values.tails({label: self.uncached}, f"uncached ({unit})", ax, xi, said)

    def in_tokens(self) -> Outcome:
        """Return the outcome of a forest in tokens; a last block that is not full is computed."""
        if self.inputs is None:
            return self
        reused = readonly(self.cached * self.block_size)
        written = None if self.written is None else readonly(self.written * self.block_size)
        return Outcome(reused, readonly(self.inputs - reused), written, self.inputs)

    def __len__(self) -> int:
        return len(self.cached)

    @property
    def by_tier(self) -> IntArray:
        """What each turn reuses of the only tier; shape (1, n)."""
        return self.cached[None]

    @property
    def total(self) -> IntArray:
        """What a prefill of each turn with an empty cache computes; shape (n,)."""
        return readonly(self.cached + self.uncached)

    @property
    def loads(self) -> Sequence[int]:
        """What loading a token from each tier costs: nothing."""
        return (0,)

    @property
    def overlapped(self) -> bool:
        """Whether a turn loads and computes at a time: nothing is loaded."""
        return False

    @property
    def copied(self) -> IntArray:
        """What was written to slower tiers, of which there are none; shape (0, n)."""
        return np.empty((0, len(self)), np.int64)

    @property
    def loaded(self) -> IntArray:
        """What was loaded from slower tiers, of which there are none; shape (0, n)."""
        return self.copied

    def excess_units(self, xi: int) -> IntArray:
        """Return max(uncached - xi, 0) of each turn, shape (n,), in the trace's unit."""
        return np.maximum(self.uncached - whole_number("xi", xi), 0)

    def tel(self, xi: int) -> int:
        """Return the sum of max(uncached - xi, 0) over all turns; exact."""
        return exact_sum(self.excess_units(xi))

    @property
    def reused(self) -> int:
        """What all turns together reused, in the trace's unit; exact."""
        return exact_sum(self.cached)

    @property
    def prefilled(self) -> int:
        """The server's work: what all turns together computed, in the trace's unit; exact."""
        return exact_sum(self.uncached)

    @property
    def hit_rate(self) -> Fraction:
        """Share of all turns' input that was reused, 0 if there is no input; exact, on a forest in tokens."""
        reused = exact_sum(self.cached) * self.block_size
        inputs = reused + self.prefilled if self.inputs is None else exact_sum(self.inputs)
        return Ratio(reused, max(inputs, 1))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome):
            return NotImplemented
        pairs = [(self.cached, other.cached), (self.uncached, other.uncached)]
        if self.written is not None and other.written is not None:
            pairs.append((self.written, other.written))
        return all(np.array_equal(*pair) for pair in pairs)

    __hash__ = None  # type: ignore[assignment]

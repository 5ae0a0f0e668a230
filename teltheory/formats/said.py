"""What a file says of requests beside their tokens: agents, kinds, why and when responses ended, in its order."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from teltheory.formats.reading import ints
from teltheory.model.hints import NO_AGENT, Hints
from teltheory.model.numbers import IntArray
from teltheory.model.trace import Trace


@dataclass
class SaidColumns:
    """Columns that grow while a file is read, one entry a request; empty if the format says nothing.

    Attributes
    ----------
    agent, parent : array of int64
        Agent of each request, by number, and the one that started it; -1 for none.
    names : list of str
        Names of the agents, "" for one without.
    kind, stop : list of str
        Kind of the request or its agent, and why its response ended.
    lasted : array of float64
        Seconds from its arrival to the end of its response; not a number if that is not known.
    """

    agent: array[int] = field(default_factory=lambda: array("q"))
    parent: array[int] = field(default_factory=lambda: array("q"))
    names: list[str] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)
    stop: list[str] = field(default_factory=list)
    lasted: array[float] = field(default_factory=lambda: array("d"))

    def add(
        self, agent: int = NO_AGENT, parent: int = NO_AGENT, kind: str = "", stop: str = "", lasted: float = np.nan
    ) -> None:
        """Add a request."""
        self.agent.append(agent)
        self.parent.append(parent)
        self.kind.append(sys.intern(kind))
        self.stop.append(sys.intern(stop))
        self.lasted.append(lasted)

    def of(self, trace: Trace, order: IntArray) -> Hints | None:
        """Return the hints of a trace of these requests in an order; None if nothing is said."""
        agent, parent, lasted = ints(self.agent), ints(self.parent), np.array(self.lasted, np.float64)
        told: dict[str, Any] = {
            "agent": self._named(agent[order]) if (agent != NO_AGENT).any() else None,
            "parent_agent": self._named(parent[order]) if (parent != NO_AGENT).any() else None,
            "kind": [self.kind[k] for k in order.tolist()] if any(self.kind) else None,
            "stop": [self.stop[k] for k in order.tolist()] if any(self.stop) else None,
        }
        if trace.arrival is not None and not np.isnan(lasted).all():
            told["done"] = (trace.arrival + lasted[order]).tolist()
        found = {name: column for name, column in told.items() if column is not None}
        return Hints.of(trace, **found) if found else None

    def _named(self, agent: IntArray) -> Sequence[int | str | None]:
        """Return agents by name if all have one of their own, else by number."""
        names: list[str] | range = self.names
        if not all(names) or len({*names}) < len(names) or not names:
            names = range(max(int(agent.max(initial=0)) + 1, len(names)))
        return [None if code == NO_AGENT else names[code] for code in agent.tolist()]

"""What a file says of requests beside their tokens: the columns of hints, in its order, and ends of sessions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from teltheory.formats.rows import is_csv_number
from teltheory.model.hint_columns import AGENTS
from teltheory.model.hint_tables import recorded
from teltheory.model.hints import CLOSE, Hints
from teltheory.model.numbers import IntArray
from teltheory.model.trace import Trace

LASTED, KEPT = "lasted", "kept"
"""Seconds from a request's arrival to the end of its response, and for which its blocks are asked to be kept."""
SPANS = {LASTED: "done", KEPT: "retain_until"}


@dataclass
class SaidColumns:
    """Columns that grow while a file is read, one entry a request; empty if the format says nothing.

    Attributes
    ----------
    columns : dict of str to list
        By the names of `Hints.of` and of `SPANS`; None or "" where nothing is said.
    names : list of str
        Names of the agents where they are numbered, "" for one without.
    closes : list of (float, agent)
        When agents that asked before were closed, in the trace's seconds.
    """

    columns: dict[str, list[Any]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    closes: list[tuple[float, Any]] = field(default_factory=list)
    rows: int = 0

    def add(self, **said: Any) -> None:
        """Add what is said of a request; None, "" and not a number say nothing."""
        for name in said.keys() - self.columns.keys():
            self.columns[name] = [None] * self.rows
        for name, column in self.columns.items():
            value = said.get(name)
            column.append(None if isinstance(value, float) and math.isnan(value) else value)
        self.rows += 1

    def of(self, trace: Trace, order: IntArray) -> Hints | None:
        """Return the hints of a trace of these requests in an order; None if nothing is said."""
        told: dict[str, list[Any]] = {
            name: [column[k] for k in order.tolist()]
            for name, column in self.columns.items()
            if any(one not in (None, "") for one in column)
        }
        if not told:
            return None
        arrival = np.full(len(trace), np.nan) if trace.arrival is None else trace.arrival
        for span in SPANS.keys() & told.keys():
            told[SPANS[span]] = (arrival + np.array(told.pop(span), np.float64)).tolist()
        found = {name: self._named(column) if name in AGENTS else column for name, column in told.items()}
        hints = Hints.of(trace, **found)
        hints = hints.with_events(trace, [(seconds, who, CLOSE, None) for seconds, who in self.closes])
        return replace(hints, said=recorded(hints, trace, "agent" in found))

    def numbered(self) -> None:
        """Take agents that all look like numbers for such, as in a file that tells no numbers from texts."""
        named = {one for name in AGENTS for one in self.columns.get(name, ()) if one is not None}
        if all(map(is_csv_number, named)):
            for name in self.columns.keys() & {*AGENTS}:
                self.columns[name] = [None if one is None else int(one) for one in self.columns[name]]

    def _named(self, agents: Sequence[Any]) -> Sequence[Any]:
        """Return agents by name if all that are numbered have one of their own."""
        if not self.names or not all(self.names) or len({*self.names}) < len(self.names):
            return agents
        return [None if one is None else self.names[one] for one in agents]

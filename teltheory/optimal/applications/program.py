"""The least excess of applications as a program over reuse intervals, and what the duals of its relaxation are.

Columns: u_a, the excess of each application; by "path" d_e, the most that a path up to turn e computes; then y_k,
what is kept over each reuse interval (`teltheory.optimal.chains.intervals`, with xi = 0: any part of a history).
Minimise the sum of u subject to

    sum of y over the intervals that cover t  <=  C_t                         for every step t,
    sum over the application of (total - y)  <=  u + xi                       by "sum", or
    d_f + total_e - y_e <= d_e  for f before e,  d_e <= u + xi                by "path".

The relaxation is not integral (docs/proofs-parrot.md). Of its duals those of the first rows are prices, those
of the others shares of routes; by "path" a flow along the edges, which is taken apart into paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array, hstack, lil_array, vstack

from teltheory.model.applications import ApplicationTrace, Measure
from teltheory.model.instance import Instance
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.optimal.applications.certificate import RouteShare
from teltheory.optimal.chains.intervals import IntervalProblem, interval_problem
from teltheory.optimal.costs.prices import Prices

DENOMINATOR = 720_720
"""Of prices and shares: divisible by all numbers up to 16, so that vertices with such denominators stay exact."""


class TurnsRow(NamedTuple):
    """A row of turns: entries by column, its right side, and where its dual flows, from turn to turn.

    `early` is None where a flow begins, `late` where it ends.
    """

    entries: dict[int, float]
    most: float
    early: int | None
    late: int | None


@dataclass(frozen=True)
class ApplicationProgram:
    """The program of an instance."""

    apps: ApplicationTrace
    instance: Instance
    xi: tuple[int, ...]
    measure: Measure

    @cached_property
    def intervals(self) -> IntervalProblem:
        """The reuse intervals, each as worth as any other."""
        return interval_problem(self.instance, 0)

    @property
    def before_intervals(self) -> int:
        """Columns before those of the intervals."""
        return self.apps.applications + (len(self.apps) if self.measure == "path" else 0)

    @cached_property
    def rows(self) -> list[TurnsRow]:
        """The rows of applications."""
        return list(self._sums() if self.measure == "sum" else self._paths())

    def _sums(self) -> Iterator[TurnsRow]:
        total, kept = self.instance.total.tolist(), self._kept
        for a, turns in enumerate(self.apps.turns):
            entries = {a: -1.0} | {kept[k]: -1.0 for k in turns if k in kept}
            yield TurnsRow(entries, float(self.xi[a] - sum(total[k] for k in turns)), None, turns[0])

    def _paths(self) -> Iterator[TurnsRow]:
        total, kept, offset = self.instance.total.tolist(), self._kept, self.apps.applications
        for k, earlier in enumerate(self.apps.before):
            for j in earlier or (None,):
                entries = {offset + k: -1.0} | ({kept[k]: -1.0} if k in kept else {})
                entries |= {} if j is None else {offset + j: 1.0}
                yield TurnsRow(entries, float(-total[k]), j, k)
            if not self.apps.following[k]:
                a = int(self.apps.application[k])
                yield TurnsRow({a: -1.0, offset + k: 1.0}, float(self.xi[a]), k, None)

    @cached_property
    def _kept(self) -> dict[int, int]:
        """The column of the interval that ends in a turn."""
        return {k: self.before_intervals + i for i, k in enumerate(self.intervals.turn.tolist())}

    @cached_property
    def steps(self) -> IntArray:
        """The steps whose rows are needed."""
        return self.intervals.needed_steps() if len(self.intervals.turn) else np.empty(0, np.int64)

    def packed(self, whole: bool = False) -> Any:
        """Return the program as HiGHS takes it; `whole`: whole tokens are kept."""
        from teltheory.optimal.solver import packing

        columns = self.before_intervals + len(self.intervals.turn)
        beside = csc_array((len(self.steps), self.before_intervals))
        lines = lil_array((len(self.rows), columns))
        for i, row in enumerate(self.rows):
            for column, entry in row.entries.items():
                lines[i, column] = entry
        kept = hstack([beside, self.intervals.rows(self.steps)])
        matrix = csc_array(vstack([kept, lines]))
        room = np.concatenate((self.intervals.room[self.steps], [row.most for row in self.rows]))
        most = np.concatenate((np.full(self.before_intervals, np.inf), self.intervals.most))
        worth = np.zeros(columns)
        worth[: self.apps.applications] = -1.0
        return packing(matrix, room, most, worth, whole=len(self.intervals.turn) if whole else 0)

    def reused(self, values: FloatArray) -> IntArray | None:
        """Return what each turn reuses in a solution; None if its amounts are not whole or do not fit."""
        kept = np.rint(values[self.before_intervals :]).astype(np.int64)
        if not self.intervals.feasible(kept):
            return None
        return self.intervals.reused(kept, len(self.apps))

    def priced(self, duals: FloatArray) -> tuple[Prices, tuple[RouteShare, ...]]:
        """Return prices and shares, whatever the duals are: what they prove is counted elsewhere."""
        parts = np.rint(np.abs(duals) * DENOMINATOR).astype(np.int64).tolist()
        found = [(step, part) for step, part in zip(self.steps.tolist(), parts, strict=False) if part]
        prices = Prices(tuple(s for s, _ in found), tuple(p for _, p in found), DENOMINATOR)
        flows = parts[len(self.steps) :]
        shares = self._of_sums(flows) if self.measure == "sum" else self._of_paths(flows)
        return prices, tuple(shares)

    def _of_sums(self, flows: Sequence[int]) -> Iterator[RouteShare]:
        for turns, flow in zip(self.apps.turns, flows, strict=True):
            if flow:
                yield RouteShare(turns, min(flow, DENOMINATOR))

    def _of_paths(self, flows: Sequence[int]) -> Iterator[RouteShare]:
        into: dict[int, dict[int | None, int]] = {k: {} for k in range(len(self.apps))}
        ending: list[tuple[int, int]] = []
        for row, flow in zip(self.rows, flows, strict=True):
            if row.late is not None:
                into[row.late][row.early] = flow
            elif row.early is not None:
                ending.append((row.early, flow))
        left = [DENOMINATOR] * self.apps.applications
        for end, flow in ending:
            a = int(self.apps.application[end])
            for path, amount in _taken_apart(into, end, min(flow, left[a])):
                left[a] -= amount
                yield RouteShare(path, amount)


def _taken_apart(
    into: dict[int, dict[int | None, int]], end: int, flow: int
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield paths to a turn, and how much flows along each; a path begins where nothing more flows in.

    As d is 0 or more, the duals may let a flow begin at any turn: what comes before it costs nothing there.
    """
    while flow > 0:
        path, amount = [end], flow
        while True:
            early = max(into[path[-1]], key=into[path[-1]].__getitem__)
            if into[path[-1]][early] <= 0:
                break
            amount = min(amount, into[path[-1]][early])
            if early is None:
                break
            path.append(early)
        for late, early in zip(path, [*path[1:], None], strict=True):
            if early in into[late]:
                into[late][early] = max(0, into[late][early] - amount)
        flow -= amount
        yield tuple(reversed(path)), amount

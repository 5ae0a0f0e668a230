"""T-LRU against the LRU cascade: a claim's values in plain Python, and compiled for many more cases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from proofs_checks.tiers.chains import Chain, SmallChains, Trace
from proofs_checks.tiers.plain_chains import Kind, Trim, excesses, found, found_by_lru
from teltheory.base.loops import call
from teltheory.claims.claim import Values
from teltheory.claims.comparison import Tally
from teltheory.model.numbers import IntArray

KINDS: dict[Kind, int] = {"LRU": 0, "flat": 1, "scaled": 2, "rounded down": 3, "last": 4}
TRIMS: dict[Trim, int] = {"round-robin": 0, "least-recent": 1, "eager": 2}
ESTIMATES = {"exact": 0, "upper bounds": 1, "too small": 2}
"""As ``teltheory/claims/compiled/tiers.c`` numbers what T-LRU has, how it trims, and the estimates to try."""


@dataclass(frozen=True)
class Duel:
    """T-LRU, of a kind in each tier, against LRU in all of them: at each turn, or by TEL."""

    kinds: tuple[Kind, ...] = ("scaled", "scaled")
    trim: Trim = "round-robin"
    each: bool = True
    overlapped: bool = False

    def values(self, case: Chain) -> Values:
        """Return what both have above xi, in parts of a token: at each turn, or in all."""
        cascades = {"T-LRU": found(case, self.kinds, self.trim), "LRU": found_by_lru(case)}
        above = {name: excesses(case, rows, self.overlapped) for name, rows in cascades.items()}
        return above if self.each else {name: sum(row) for name, row in above.items()}

    def holds(self, values: Values) -> bool:
        """Whether T-LRU has no more."""
        first, second = values["T-LRU"], values["LRU"]
        return all(a <= b for a, b in zip(first, second, strict=True)) if self.each else bool(first <= second)

    def compiled(self, space: SmallChains) -> CompiledChains:
        """Return the compiled check on a space."""
        return CompiledChains(self, space)


@dataclass(frozen=True)
class CompiledChains:
    """A duel, compiled, and the cases on which it is run."""

    duel: Duel
    worlds: SmallChains

    def tally(self, *size: int) -> Tally[Chain]:
        """Check every case of a class."""
        total = Tally[Chain]()
        for trace in self.worlds.traces(*size):
            (within, refuting, values), smallest = self._tally_of(trace)
            case = self._case(trace, smallest) if refuting else None
            total += Tally(within, refuting, values % (1 << 64), case)
        return total

    def judged(self, case: Chain) -> tuple[bool | None, list[int]]:
        """Return whether a case refutes, and its values."""
        trace, _ = _columns(case.trace)
        capacities, loads = np.array(case.capacities, np.int64), np.array(case.loads, np.int64)
        asked = loads, case.parts, case.inclusive, capacities, case.xi, -1 if case.q_hat is None else case.q_hat
        size, rows = (len(trace), len(trace), len(loads)), []
        for kinds in (self._kinds, np.zeros(len(loads), np.int64)):
            excess, work = np.zeros(len(trace), np.int64), np.empty((len(loads) + 3) * len(trace), np.int64)
            call("replay_tiered_case", size, trace, kinds, *self._ways[:2], asked, work, excess)
            rows.append(excess)
        less = (rows[0] <= rows[1]).all() if self.duel.each else rows[0].sum() <= rows[1].sum()
        refutes = not less
        return refutes, np.array(rows).ravel().tolist() if self.duel.each else [int(row.sum()) for row in rows]

    def weighed(self, case: Chain, values: Iterable[int]) -> int:
        """Return what the values of a case add to the sum of a tally."""
        return sum(values)

    def _tally_of(self, trace: Trace) -> tuple[list[int], IntArray]:
        """Return how many settings of a trace there are, how many refute, their sum, and the first that does."""
        columns, largest = _columns(trace)
        worlds, size = self.worlds, (len(trace), int(columns[:, 0].max()) + 1, len(self.duel.kinds))
        loads = np.array(worlds.loads, np.int64)
        ranges = worlds.parts, worlds.inclusive, ESTIMATES[worlds.estimates], worlds.least
        lru, capacities = np.zeros((2, size[2]), np.int64)
        first, second, took = np.empty((3, size[0]), np.int64)
        work, counts, smallest = (np.zeros(n, np.int64) for n in ((size[2] + 3) * size[1], 3, size[2] + 3))
        asked = columns, self._kinds, self._ways, largest, len(loads), loads, ranges, int(columns[:, 1:3].sum())
        call("tally_tiered_trace", size, asked, lru, capacities, work, first, second, took, counts, smallest)
        return counts.tolist(), smallest

    @property
    def _kinds(self) -> IntArray:
        return np.array([KINDS[kind] for kind in self.duel.kinds], np.int64)

    @property
    def _ways(self) -> tuple[int, bool, bool]:
        """How T-LRU trims, whether loading is overlapped, whether each turn is compared."""
        return TRIMS[self.duel.trim], self.duel.overlapped, self.duel.each

    def _case(self, trace: Trace, row: IntArray) -> Chain:
        *capacities, number, xi, q_hat = row.tolist()
        worlds = self.worlds
        estimate = None if worlds.estimates == "exact" else q_hat
        loads = worlds.loads[number]
        return Chain(trace, tuple(capacities), loads, worlds.parts, xi, estimate, worlds.inclusive)


def _columns(trace: Trace) -> tuple[IntArray, int]:
    """Return a trace with the prompts that come next, and its largest continuing prompt."""
    after: dict[int, int] = {}
    rows = []
    for theta, prompt, response in reversed(trace):
        rows.append((theta, prompt, response, after.get(theta, 0)))
        after[theta] = prompt
    columns = np.array(rows[::-1], np.int64)
    return columns, max(Chain(trace, (), ()).continuing, default=0)

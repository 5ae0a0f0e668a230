"""T-LRU against the LRU cascade: a claim's values in plain Python, and compiled for many more cases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from proofs_checks.tiers import compiled_chains as fast
from proofs_checks.tiers.chains import Chain, SmallChains, Trace
from proofs_checks.tiers.plain_chains import Kind, Trim, excesses, found, found_by_lru
from teltheory.claims.claim import Values
from teltheory.claims.comparison import Tally
from teltheory.model.numbers import IntArray

KINDS: dict[Kind, int] = {
    "LRU": fast.LRU,
    "flat": fast.FLAT,
    "scaled": fast.SCALED,
    "rounded down": fast.DOWN,
    "last": fast.LAST,
}
TRIMS: dict[Trim, int] = {
    "round-robin": fast.ROUND_ROBIN,
    "least-recent": fast.LEAST_RECENT,
    "eager": fast.EAGER,
}
ESTIMATES = {"exact": fast.EXACT, "upper bounds": fast.UPPER_BOUNDS, "too small": fast.TOO_SMALL}


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
            counts, smallest = fast.tally_trace(*_columns(trace), self._check, self._ranges)
            within, refuting, values = map(int, counts)
            case = self._case(trace, smallest) if refuting else None
            total += Tally(within, refuting, values % (1 << 64), case)
        return total

    def judged(self, case: Chain) -> tuple[bool | None, list[int]]:
        """Return whether a case refutes, and its values."""
        trace, _ = _columns(case.trace)
        rows = []
        for check in (self._check, self._check._replace(kinds=np.zeros(len(case.loads), np.int64))):
            excess = np.zeros(len(trace), np.int64)
            fast.replay(trace, *_empty(case), check, -1 if case.q_hat is None else case.q_hat, excess)
            rows.append(excess)
        refutes = not fast.has_less(rows[0], rows[1], self.duel.each)
        return refutes, np.array(rows).ravel().tolist() if self.duel.each else [int(row.sum()) for row in rows]

    def weighed(self, case: Chain, values: Iterable[int]) -> int:
        """Return what the values of a case add to the sum of a tally."""
        return sum(values)

    @property
    def _check(self) -> fast.Check:
        kinds = np.array([KINDS[kind] for kind in self.duel.kinds], np.int64)
        return fast.Check(kinds, TRIMS[self.duel.trim], self.duel.overlapped, self.duel.each)

    @property
    def _ranges(self) -> fast.Ranges:
        worlds = self.worlds
        loads = np.array(worlds.loads, np.int64)
        return fast.Ranges(loads, worlds.parts, worlds.inclusive, ESTIMATES[worlds.estimates], worlds.least)

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


def _empty(case: Chain) -> tuple[fast.Tiers, fast.Known]:
    column = np.zeros(len(case.trace), np.int64)
    blocks = np.zeros((len(case.loads), len(column)), np.int64)
    capacities, loads = np.array(case.capacities, np.int64), np.array(case.loads, np.int64)
    tiers = fast.Tiers(capacities, loads, case.parts, case.inclusive, case.xi, blocks)
    return tiers, fast.Known(column, column.copy(), column.copy())

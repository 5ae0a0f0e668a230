"""Time to first token (TTFT) from a table of measurements, where no formula fits.

The table has rows for total lengths n and columns for cached shares c / n. In between TTFT is bilinear, so that it
never falls where n or the uncached share grows if the table never does. Below the first total it is that of the
first, beyond the last share that of the last: neither is less than the truth. Beyond the last total it grows in
proportion to n, which is a guess.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from teltheory.cost.latency import Provenance, each
from teltheory.errors import ArgumentError
from teltheory.model.display import in_short
from teltheory.model.numbers import FloatArray, IntArray, rational, whole_number
from teltheory.model.units import Seconds, seconds_of


@in_short
@dataclass(frozen=True)
class TableLatency:
    """A monotone table of TTFT over total tokens and cached shares.

    Attributes
    ----------
    totals : tuple of int
        n of each row, 1 or more, ascending.
    cached_shares : tuple of Fraction
        c / n of each column, from 0, ascending, below 1.
    seconds : tuple of tuples of Fraction
        A row for each total, a column for each share; 0 or more, never less than in the row above or the column
        to the right.
    name : str
        Where the numbers come from, in a few words.
    provenance : Provenance or None
        Where they come from, in full.

    Raises
    ------
    ArgumentError
        If that is not so; the error names the cell. `TableLatency.monotone` makes a table of measurements.
    """

    totals: tuple[int, ...]
    cached_shares: tuple[Fraction, ...]
    seconds: tuple[tuple[Fraction, ...], ...]
    name: str = ""
    provenance: Provenance | None = None

    def __post_init__(self) -> None:
        totals = tuple(whole_number(f"totals[{i}]", n) for i, n in enumerate(self.totals))
        shares = tuple(rational(f"cached_shares[{j}]", share) for j, share in enumerate(self.cached_shares))
        _check_axis("totals", totals, totals[:1] >= (1,))
        _check_axis("cached_shares", shares, bool(shares) and shares[0] == 0 and shares[-1] < 1)
        rows = _rectangle(self.seconds, len(totals), len(shares))
        _check_monotone(rows)
        for name, value in (("totals", totals), ("cached_shares", shares), ("seconds", rows)):
            object.__setattr__(self, name, value)

    @classmethod
    def monotone(
        cls,
        totals: Sequence[int],
        cached_shares: Sequence[Fraction],
        seconds: Sequence[Sequence[Fraction]],
        name: str = "",
        provenance: Provenance | None = None,
    ) -> TableLatency:
        """Make a table of measurements that need not be monotone.

        Each cell becomes the mean of the largest value that a monotone table may not be below there and the least
        that it may not be above: no monotone table has a smaller largest difference to the measurements.

        Parameters
        ----------
        totals, cached_shares, name, provenance
            As of the class.
        seconds : sequence of sequences of Fraction
            A row for each total.
        """
        table = np.array(_rectangle(seconds, len(totals), len(cached_shares)), object)
        below = np.maximum.accumulate(np.maximum.accumulate(table, 0)[:, ::-1], 1)[:, ::-1]
        above = np.minimum.accumulate(np.minimum.accumulate(table[::-1], 0)[::-1], 1)
        rows = tuple(map(tuple, ((below + above) / 2).tolist()))
        return cls(tuple(totals), tuple(cached_shares), rows, name, provenance)

    @property
    def cached_is_free(self) -> bool:
        """False: TTFT depends on the total too."""
        return False

    def ttft(self, uncached: ArrayLike, cached: ArrayLike = 0) -> FloatArray:
        """Return seconds to the first token; see `LatencyModel.ttft`."""
        from scipy.interpolate import RegularGridInterpolator

        c = np.asarray(cached, np.float64)
        n = np.asarray(uncached, np.float64) + c
        totals, shares = np.array(self.totals, np.float64), np.array(self.cached_shares, np.float64)
        between = RegularGridInterpolator((totals, shares), np.array(self.seconds, np.float64))
        inside = np.clip(n, totals[0], totals[-1]), np.clip(c / np.maximum(n, 1), 0, shares[-1])
        found: FloatArray = between(inside) * np.maximum(n / totals[-1], 1)
        return found

    def threshold(self, slo: Seconds) -> int:
        """Return the largest number of uncached tokens, none cached, whose TTFT is at most `slo` seconds.

        Raises
        ------
        ArgumentError
            If not even 0 tokens keep it, or any number does.
        """
        slo = seconds_of("slo", slo)
        cold = [row[0] for row in self.seconds]
        if slo < cold[0] or not cold[-1]:
            expected = f"{float(cold[0]):g} seconds or more, and some number of tokens that takes longer"
            raise ArgumentError("slo", f"{float(slo)} s", expected)
        i = bisect_right(cold, slo) - 1
        if i == len(cold) - 1:
            return int(slo * self.totals[-1] / cold[-1])
        width = self.totals[i + 1] - self.totals[i]
        return self.totals[i] + int((slo - cold[i]) * width / (cold[i + 1] - cold[i]))

    def safe_uncached(self, total: IntArray, slo: Seconds) -> IntArray:
        """Return for each n of `total` the largest u <= n with TTFT(u, n - u) <= `slo`, -1 if there is none."""
        slo = seconds_of("slo", slo)
        return each(total, lambda n: self._safe(n, slo))

    def _safe(self, n: int, slo: Fraction) -> int:
        """Return n less the smallest cached part that keeps the SLO."""
        row = self._row(n)
        if row[0] <= slo:
            return n
        if n == 0 or row[-1] > slo:
            return -1
        j = next(j for j, cell in enumerate(row) if cell <= slo)
        start, end = self.cached_shares[j - 1], self.cached_shares[j]
        share = start + (end - start) * (row[j - 1] - slo) / (row[j - 1] - row[j])
        return n - (share * n).__ceil__()

    def _row(self, n: int) -> list[Fraction]:
        """Return TTFT of inputs of n tokens at each cached share."""
        i = bisect_right(self.totals, n) - 1
        if i < 0:
            return list(self.seconds[0])
        if i == len(self.totals) - 1:
            return [cell * n / self.totals[-1] for cell in self.seconds[-1]]
        rest = Fraction(n - self.totals[i], self.totals[i + 1] - self.totals[i])
        pairs = zip(self.seconds[i], self.seconds[i + 1], strict=True)
        return [upper + rest * (lower - upper) for upper, lower in pairs]


def _check_axis(name: str, values: Sequence[int | Fraction], bounded: bool) -> None:
    if not bounded or any(a >= b for a, b in pairwise(values)):
        expected = "ascending numbers, from 1" if name == "totals" else "ascending shares, from 0, below 1"
        raise ArgumentError(name, ", ".join(map(str, values)), expected)


def _rectangle(seconds: Sequence[Sequence[object]], rows: int, columns: int) -> tuple[tuple[Fraction, ...], ...]:
    if len(seconds) != rows or any(len(row) != columns for row in seconds):
        raise ArgumentError("seconds", f"rows of {[len(row) for row in seconds]}", f"{rows} rows of {columns}")
    return tuple(
        tuple(rational(f"seconds[{i}][{j}]", cell) for j, cell in enumerate(row)) for i, row in enumerate(seconds)
    )


def _check_monotone(rows: tuple[tuple[Fraction, ...], ...]) -> None:
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            least = max(rows[i - 1][j] if i else 0, row[j + 1] if j + 1 < len(row) else 0)
            if cell < least:
                raise ArgumentError(f"seconds[{i}][{j}]", str(cell), f"{least} or more")

"""Prefill times by bilinear interpolation: T(alpha, beta) of alpha cached and beta uncached tokens.

RAGCache (Jin et al. 2024, PGDSF) measures prefill times offline and interpolates them. A profile is the table; it
is measured, or made of a latency model so that it is within a given error of it:

1. The table begins with the corners of what is asked: 0 and the most cached, 0 and the most uncached tokens.
2. In each cell the interpolation is held against the model at 9 x 9 points, each side cut into 8 parts. Between
   two lines that are 1 token apart nothing is asked, so nothing is looked at.
3. A cell is good if their largest difference is at most (7 / 8)^2 `within` times the least time of its corners.
   Otherwise it is cut in the middle, across the axis along which interpolating errs more, and step 2 follows.

That is a proof for a `LatencyModel`, max(floor, alpha u + gamma (n^2 - c^2) + beta); docs/latency.md has it. For
any other latency the points of step 2 are what was compared.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from teltheory.cost.latency import Latency
from teltheory.errors import ArgumentError
from teltheory.model.numbers import BoolArray, FloatArray, IntArray, real_number, whole_number

PARTS = 8
SEEN = ((PARTS - 1) / PARTS) ** 2
MOST_LINES = 256
WITHIN = 0.02
MOST_TOKENS = 32_768
ROUNDING = 1e-12


@dataclass(frozen=True)
class PrefillProfile:
    """A table of prefill times over cached and uncached tokens, bilinear in between.

    What lies outside of the table is an error: a profile does not guess.

    Attributes
    ----------
    cached : tuple of int
        Cached tokens of each row, alpha, ascending.
    uncached : tuple of int
        Uncached tokens of each column, beta, ascending.
    seconds : tuple of tuples of float
        A row for each number of cached tokens; finite, 0 or more.

    Raises
    ------
    ArgumentError
        If that is not so.
    """

    cached: tuple[int, ...]
    uncached: tuple[int, ...]
    seconds: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        for name in ("cached", "uncached"):
            object.__setattr__(self, name, _axis(name, getattr(self, name)))
        shape = len(self.cached), len(self.uncached)
        found = np.array([row for row in self.seconds if len(row) == shape[1]], np.float64)
        if found.shape != shape or len(self.seconds) != shape[0]:
            raise ArgumentError("seconds", f"{len(self.seconds)} rows", f"{shape[0]} rows of {shape[1]}")
        if not (np.isfinite(found) & (found >= 0)).all():
            raise ArgumentError("seconds", "a time below 0, or none", "0 or more, everywhere")
        object.__setattr__(self, "seconds", tuple(map(tuple, found.tolist())))

    @classmethod
    def on_lines(cls, latency: Latency, cached: ArrayLike, uncached: ArrayLike) -> PrefillProfile:
        """Make the profile of a latency model with given rows and columns; nothing says how far it is off."""
        rows, columns = _axis("cached", cached), _axis("uncached", uncached)
        return cls(rows, columns, tuple(map(tuple, _times(latency, np.array(rows), np.array(columns)).tolist())))

    @classmethod
    def of_latency(
        cls, latency: Latency, cached: int = MOST_TOKENS, uncached: int = MOST_TOKENS, within: float = WITHIN
    ) -> PrefillProfile:
        """Make a profile that is within an error of a latency model; the module says how, and what that proves.

        Parameters
        ----------
        latency : Latency
            The model.
        cached, uncached : int
            The most tokens that will be asked for, 1 or more.
        within : float
            Largest relative error, above 0, below 1.

        Raises
        ------
        ArgumentError
            For such a number, and if more than 256 rows or columns would be needed.
        """
        share = real_number("within", within, 0, 1)
        rows, columns = (np.array(_axis(*side)) for side in (("cached", [0, cached]), ("uncached", [0, uncached])))
        while True:
            cut_rows, cut_columns = _to_cut(latency, rows, columns, share * SEEN)
            if not (cut_rows.any() or cut_columns.any()):
                return cls.on_lines(latency, rows, columns)
            rows, columns = _halved(rows, cut_rows), _halved(columns, cut_columns)
            if max(len(rows), len(columns)) > MOST_LINES:
                raise ArgumentError("within", within, f"an error that a table of {MOST_LINES} lines can keep")

    def prefill(self, cached: int, uncached: int) -> float:
        """Return T(alpha, beta) in seconds, for one request.

        Raises
        ------
        ArgumentError
            Outside of the table.
        """
        i, right = _place("cached", self.cached, cached)
        j, below = _place("uncached", self.uncached, uncached)
        (a, b), (c, d) = self.seconds[i][j : j + 2], self.seconds[i + 1][j : j + 2]
        return (1 - right) * ((1 - below) * a + below * b) + right * ((1 - below) * c + below * d)

    def ttft(self, uncached: ArrayLike, cached: ArrayLike = 0) -> FloatArray:
        """Return seconds elementwise; arguments as those of `Latency.ttft`, errors as of `prefill`."""
        alpha, beta = np.broadcast_arrays(np.asarray(cached, np.float64), np.asarray(uncached, np.float64))
        for name, axis, asked in (("cached", self.cached, alpha), ("uncached", self.uncached, beta)):
            for value in asked[~((axis[0] <= asked) & (asked <= axis[-1]))].ravel()[:1].tolist():
                _place(name, axis, value)
        found: FloatArray = self._between((alpha, beta))
        return found

    def worst(self, latency: Latency, parts: int = PARTS) -> tuple[float, int, int]:
        """Return the largest relative error against a model, and the cached and uncached tokens at which it is.

        It looks at whole tokens alone, about `parts` along each side of each cell.
        """
        rows, columns = (_whole_points(axis, parts) for axis in (self.cached, self.uncached))
        alpha, beta = np.meshgrid(rows, columns, indexing="ij")
        true = latency.ttft(beta, alpha)
        off = np.abs(self.ttft(beta, alpha) - true) / np.maximum(true, np.finfo(float).tiny)
        at = int(off.argmax())
        return float(off.flat[at]), int(alpha.flat[at]), int(beta.flat[at])

    @cached_property
    def _between(self):  # type: ignore[no-untyped-def]
        from scipy.interpolate import RegularGridInterpolator

        axes = np.array(self.cached, np.float64), np.array(self.uncached, np.float64)
        return RegularGridInterpolator(axes, np.array(self.seconds, np.float64))


def _axis(name: str, values: ArrayLike) -> tuple[int, ...]:
    tokens = tuple(whole_number(name, value) for value in np.asarray(values).ravel().tolist())
    if len(tokens) < 2 or any(a >= b for a, b in pairwise(tokens)):
        raise ArgumentError(name, ", ".join(map(str, tokens)), "2 or more numbers of tokens, ascending")
    return tokens


def _place(name: str, axis: tuple[int, ...], tokens: float) -> tuple[int, float]:
    """Return the line of an axis before so many tokens, and the share of the way to the next one."""
    if not axis[0] <= tokens <= axis[-1]:
        raise ArgumentError(name, f"{tokens:,}", f"{axis[0]:,} to {axis[-1]:,} tokens, as the profile has")
    i = min(bisect_right(axis, tokens) - 1, len(axis) - 2)
    return i, (tokens - axis[i]) / (axis[i + 1] - axis[i])


def _times(latency: Latency, cached: FloatArray | IntArray, uncached: FloatArray | IntArray) -> FloatArray:
    """Return seconds of each pair of cached (rows) and uncached tokens (columns)."""
    alpha, beta = np.meshgrid(cached, uncached, indexing="ij")
    return latency.ttft(beta, alpha)


def _to_cut(latency: Latency, rows: IntArray, columns: IntArray, within: float) -> tuple[BoolArray, BoolArray]:
    """Return which sides along the rows and along the columns are to be cut."""
    (down, i), (right, j) = _points(rows), _points(columns)
    times = _times(latency, down.ravel(), right.ravel()).reshape(*down.shape, *right.shape)
    of_rows = times[:, :1] + (times[:, -1:] - times[:, :1]) * i[:, :, None, None]
    of_columns = times[..., :1] + (times[..., -1:] - times[..., :1]) * j
    of_both = of_rows[..., :1] + (of_rows[..., -1:] - of_rows[..., :1]) * j
    off, along_rows, along_columns = (np.abs(of - times).max((1, 3)) for of in (of_both, of_rows, of_columns))
    corners = times[:, [0, -1]][..., [0, -1]]
    bad = off > within * corners.min((1, 3)) + ROUNDING * corners.max((1, 3))
    by_rows = bad & (along_rows > along_columns)
    return by_rows.any(1), (bad & ~by_rows).any(0)


def _points(axis: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return nine points of each side, and their shares of it; none inside a side of one token."""
    length = np.diff(axis)[:, None]
    shares = np.linspace(0, 1, PARTS + 1)
    shares = np.where(length > 1, shares, np.rint(shares))
    return axis[:-1, None] + shares * length, shares


def _halved(axis: IntArray, cut: BoolArray) -> IntArray:
    """Return an axis with a line more in the middle of each side that is cut."""
    middles = (axis[:-1] + axis[1:]) // 2
    return np.sort(np.append(axis, middles[cut]))


def _whole_points(axis: tuple[int, ...], parts: int) -> IntArray:
    sides = [np.linspace(a, b, min(parts, b - a) + 1) for a, b in pairwise(axis)]
    return np.unique(np.rint(np.concatenate(sides)).astype(np.int64))

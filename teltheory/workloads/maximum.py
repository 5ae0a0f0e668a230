"""Maxima of log-likelihoods, with standard errors from the observed information."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from teltheory.model.numbers import FloatArray, IntArray

Bounds: TypeAlias = Sequence[tuple[float, float]]
STEP = 1e-3
AT_BOUND = 3e-3


def maximise(
    value: Callable[[FloatArray], float],
    starts: Sequence[FloatArray],
    bounds: Bounds,
    slopes: Callable[[FloatArray], FloatArray] | None = None,
) -> FloatArray:
    """Return where a function is largest within bounds, the best of the maxima that are reached from `starts`.

    Differences stand for its derivatives `slopes` if they are left out.
    """
    ends = [_climb(value, np.clip(start, *np.transpose(bounds)), bounds, slopes) for start in starts]
    return max(ends, key=value)


def _climb(
    value: Callable[[FloatArray], float],
    start: FloatArray,
    bounds: Bounds,
    slopes: Callable[[FloatArray], FloatArray] | None,
) -> FloatArray:
    from scipy.optimize import minimize

    scale = -(abs(value(start)) or 1.0)
    options: Any = {"ftol": 1e-12, "gtol": 1e-8, "maxiter": 1000}
    descent: Any = None if slopes is None else (lambda x: slopes(x) / scale)

    def cost(x: FloatArray) -> float:
        return value(x) / scale

    end = minimize(cost, start, (), "L-BFGS-B", descent, bounds=bounds, options=options)
    return np.asarray(end.x, np.float64)


def standard_errors(
    value: Callable[[FloatArray], float],
    x: FloatArray,
    bounds: Bounds,
    natural: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """Return the standard errors of `natural(x)` at the maximum x of a log-likelihood.

    They come from the inverse of the observed information by the delta method; NaN if a quantity depends on a
    parameter at one of its bounds, and everywhere if the information is not positive definite.
    """
    inside = np.array([low + AT_BOUND < at < high - AT_BOUND for at, (low, high) in zip(x, bounds, strict=True)])
    slopes = _slopes(natural, x)
    information = -_second_derivatives(value, x, np.flatnonzero(inside))
    try:
        root = np.linalg.cholesky(information)
    except np.linalg.LinAlgError:
        return np.full(len(slopes), np.nan)
    errors = np.linalg.norm(np.linalg.solve(root, slopes[:, inside].T), axis=0)
    return np.where((slopes[:, ~inside] != 0).any(axis=1), np.nan, errors)


def _slopes(function: Callable[[FloatArray], FloatArray], x: FloatArray) -> FloatArray:
    steps = STEP * np.eye(len(x))
    return np.stack([(function(x + step) - function(x - step)) / (2 * STEP) for step in steps], axis=1)


def _second_derivatives(function: Callable[[FloatArray], float], x: FloatArray, places: IntArray) -> FloatArray:
    """Return central second differences, one row and one column a place."""
    steps = STEP * np.eye(len(x))[places]
    found = np.empty((len(steps), len(steps)))
    for i, one in enumerate(steps):
        for j, other in enumerate(steps[: i + 1]):
            corners = function(x + one + other) - function(x + one - other)
            corners += function(x - one - other) - function(x - one + other)
            found[i, j] = found[j, i] = corners / (4 * STEP**2)
    return found

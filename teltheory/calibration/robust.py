"""Huber's regression with coefficients that may not be negative, for many samples at once.

1. Least squares, the first fit, gives residuals and from their median s = 1.4826 median |r|.
2. theta minimises sum rho(r), rho(r) = r^2 / 2 up to k s and k s (|r| - k s / 2) beyond, k = 1.345 (Huber 1964):
   least squares again and again, with weights min(1, k s / |r|), until theta stands still.
3. Both once more with the s of that fit.

Each least squares problem is solved with every choice of bounded coefficients at 0; the problem is convex, so the
best of those without a negative coefficient is the minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from teltheory.numbers import FloatArray

K = 1.345
TO_SIGMA = 1.4826
ROUNDS, STILL, NOTHING = 100, 1e-9, 1e-12


def huber(x: FloatArray, y: FloatArray, used: NDArray[np.bool_], bounded: Sequence[int]) -> FloatArray:
    """Return the coefficients of each sample.

    Parameters
    ----------
    x : ndarray of float64, shape (b, m, p)
        Predictors of m cells in b samples.
    y : ndarray of float64, shape (b, m)
        What they predict.
    used : ndarray of bool, shape (b, m)
        Which cells count; in each sample at least one must.
    bounded : sequence of int
        Which coefficients are 0 or more.

    Returns
    -------
    ndarray of float64, shape (b, p)
    """
    unit = np.maximum(np.abs(x).max(axis=(0, 1)), NOTHING)
    scaled, weights = x / unit, used.astype(np.float64)
    theta = _least_squares(scaled, y, weights, bounded)
    for _ in range(2):
        scale = np.maximum(spread(y - _times(scaled, theta), used), NOTHING * np.abs(y).max())
        theta = _settled(scaled, y, weights, bounded, scale, theta)
    found: FloatArray = theta / unit
    return found


def spread(residuals: FloatArray, used: NDArray[np.bool_]) -> FloatArray:
    """Return s = 1.4826 median |r| of each sample, shape (b,): the standard deviation, where errors are normal."""
    return np.asarray(TO_SIGMA * np.nanmedian(np.where(used, np.abs(residuals), np.nan), axis=1), np.float64)


def _settled(
    x: FloatArray, y: FloatArray, used: FloatArray, bounded: Sequence[int], scale: FloatArray, theta: FloatArray
) -> FloatArray:
    for _ in range(ROUNDS):
        off = np.maximum(np.abs(y - _times(x, theta)), NOTHING * scale[:, None])
        weights = used * np.minimum(1, K * scale[:, None] / off)
        before, theta = theta, _least_squares(x, y, weights, bounded)
        if np.abs(theta - before).max() <= STILL * np.abs(theta).max():
            break
    return theta


def _times(x: FloatArray, theta: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("bmp,bp->bm", x, theta), np.float64)


def _least_squares(x: FloatArray, y: FloatArray, weights: FloatArray, bounded: Sequence[int]) -> FloatArray:
    weighted = x * weights[:, :, None]
    matrix, vector = np.einsum("bmp,bmq->bpq", weighted, x), np.einsum("bmp,bm->bp", weighted, y)
    matrix = (
        matrix + NOTHING * np.eye(x.shape[2]) * np.maximum(np.trace(matrix, axis1=1, axis2=2), 1)[:, None, None]
    )
    theta: FloatArray = np.linalg.solve(matrix, vector[:, :, None])[:, :, 0]
    wrong = (theta[:, list(bounded)] < 0).any(axis=1)
    if wrong.any():
        theta[wrong] = _bounded(matrix[wrong], vector[wrong], bounded)
    return theta


def _bounded(matrix: FloatArray, vector: FloatArray, bounded: Sequence[int]) -> FloatArray:
    best, least = np.zeros_like(vector), np.full(len(vector), np.inf)
    for zero in chain.from_iterable(combinations(bounded, count) for count in range(1, len(bounded) + 1)):
        free = [i for i in range(vector.shape[1]) if i not in zero]
        theta = np.zeros_like(vector)
        theta[:, free] = np.linalg.solve(matrix[:, free][:, :, free], vector[:, free, None])[:, :, 0]
        value = np.einsum("bp,bpq,bq->b", theta, matrix, theta) - 2 * np.einsum("bp,bp->b", theta, vector)
        better = (theta[:, list(bounded)] >= 0).all(axis=1) & (value < least)
        best[better], least[better] = theta[better], value[better]
    return best

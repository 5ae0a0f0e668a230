"""Attention over parts that are merged by their maxima and sums of exponentials (Parrot, Section 7, kernel).

1. A part gives for each query the largest score m, the sum Z of exp(score - m), and V, the values weighted by
   those. A prefix that queries share is such a part, so that it can be read once for all of them.
2. Parts are merged by the largest m: V and Z of each count exp(own m - largest m) times; then V over Z is the
   attention over all keys. No exponential is above 1, so nothing overflows.

This is the arithmetic of the paper's kernel; its speed on a GPU is modelled by the simulator, not written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from teltheory.model.numbers import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Partial:
    """Attention of queries over some of the keys.

    Attributes
    ----------
    values : float array (queries, heads, size)
        Values weighted by exp(score - top).
    total, top : float array (queries, heads)
        Sum of exp(score - top), and the largest score; 0 and -inf where no key is seen.
    """

    values: FloatArray
    total: FloatArray
    top: FloatArray


def attend(queries: FloatArray, keys: FloatArray, values: FloatArray, visible: BoolArray | None = None) -> Partial:
    """Return the attention of queries over one part.

    Parameters
    ----------
    queries : float array (queries, heads, size)
        Scaled already.
    keys, values : float array (keys, heads, size)
        The part; it may be empty.
    visible : bool array (queries, keys) or None
        Which keys a query sees; None: all.
    """
    scores = np.einsum("qhd,khd->qhk", queries, keys)
    if visible is not None:
        scores = np.where(visible[:, None, :], scores, -np.inf)
    top = scores.max(axis=2, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isfinite(top), top, 0.0)[:, :, None])
    return Partial(np.einsum("qhk,khd->qhd", weights, values), weights.sum(axis=2), top)


def merge(parts: Sequence[Partial]) -> FloatArray:
    """Return the attention over the keys of all parts, array (queries, heads, size); each query sees a key."""
    top = np.max([part.top for part in parts], axis=0)
    shares = [np.exp(part.top - top) for part in parts]
    values = sum(share[:, :, None] * part.values for share, part in zip(shares, parts, strict=True))
    total = sum(share * part.total for share, part in zip(shares, parts, strict=True))
    return np.asarray(values / np.asarray(total)[:, :, None])

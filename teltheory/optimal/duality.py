"""Weak duality in exact numbers: the one lemma that every certificate of this package rests on.

A turn may reuse *parts*, each over an interval of steps (`teltheory.optimal.parts`). A unit of a part that is kept
in tier i takes a unit of the room of tiers i, i + 1, ... at every step of the interval, and gains g_i. Let a unit
of room of tiers 0 to i at step t cost p_(t, i) >= 0, and let c_i be the prices of tiers i, i + 1, ... over the
interval. Then, for any prices at all,

    gained  <=  sum over units of max(0, max over i of g_i - c_i)  +  sum of p_(t, i) room_(t, i).

An item that goes whole is one unit that takes its size of the room. Bad prices prove little, never too much.

This module uses nothing of what makes certificates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teltheory.errors import CertificateError
from teltheory.model.numbers import IntArray, exact_dot, running_sums
from teltheory.optimal.parts import Parts


def price_table(n: int, steps: Any, numerators: Any, tiers: Any = 0, levels: int = 1) -> Any:
    """Return prices of each tier at the steps 1 ... n, at index 0 ... n - 1; shape (levels, n)."""
    small = levels == 1 and isinstance(numerators, np.ndarray)
    table = np.zeros((levels, n), np.int64 if small else object)
    table[tiers, np.asarray(steps, np.int64) - 1] = numerators
    return table


def paid(price: Any, parts: Parts) -> Any:
    """Return what a unit of each part pays for being in each tier over its interval; shape (tiers, parts)."""
    up_to = np.array([running_sums(row) for row in np.cumsum(price[::-1], axis=0)[::-1]])
    return up_to[:, parts.turn + 1] - up_to[:, parts.first - 1]


def most_gained(price: Any, parts: Parts, room: Any, gains: Any, units: Any, takes: Any = 1) -> int:
    """Return what plans gain at most: `units` of each part gain `gains`, by tier, and take `takes` of the room."""
    best = (gains - takes * paid(price, parts)).max(axis=0, initial=0)
    return exact_dot(best, units) + sum(map(exact_dot, price, np.atleast_2d(room)))


def check_room(kept: IntArray, parts: Parts, room: IntArray) -> None:
    """Raise `CertificateError` unless amounts of each part fit at every step; a part of no step takes none."""
    change = np.zeros(len(room) + 2, np.int64)
    np.add.at(change, parts.first, kept)
    np.subtract.at(change, parts.turn + 2, kept)
    for step in np.flatnonzero(np.cumsum(change[1:-1]) > room)[:1]:
        raise CertificateError(f"kept: more than the room of {room[step]} at step {step + 1}")


def check_column(name: str, values: object, n: int | None = None, least: Any = None, most: Any = None) -> None:
    """Raise `CertificateError` unless this is a column of n int64, each within bounds, which may be columns."""
    if not isinstance(values, np.ndarray) or values.dtype != np.int64 or values.ndim != 1:
        raise CertificateError(f"{name}: found {type(values).__name__}, expected an array of int64")
    if n is not None and len(values) != n:
        raise CertificateError(f"{name}: found {len(values)} values, expected {n}")
    low = np.zeros(len(values), np.bool_) if least is None else values < least
    for i in np.flatnonzero(low if most is None else low | (values > most))[:1]:
        above = "or more" if most is None else f"to {np.broadcast_to(most, len(values))[i]}"
        raise CertificateError(f"{name}[{i}]: found {values[i]}, expected {least} {above}")

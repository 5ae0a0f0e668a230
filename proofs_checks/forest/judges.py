"""The least TEL of a small forest by trying every content of the cache: in plain Python, and compiled."""

from collections.abc import Iterable, Sequence

import numpy as np

from teltheory.claims.compiled import forests as compiled
from teltheory.claims.forests import ForestCase
from teltheory.optimal.trees.judge import least_tel

MOST_IN_PLAIN_PYTHON = 3
"""Blocks of the forests that the judge in plain Python tries."""


def optimum(case: ForestCase, *, strict: bool = False) -> int:
    """Return the least TEL of any policy from an empty cache."""
    if len(case.shape.parent) <= MOST_IN_PLAIN_PYTHON:
        return least_tel(case.instance, case.xi, strict)
    return optimum_from(case, (), strict=strict)


def optimum_from(case: ForestCase, start: Iterable[int], *, strict: bool = False) -> int:
    """Return the least TEL of any policy from a cache that holds some blocks; compiled."""
    need = case.need
    losses = np.maximum(np.array(need, np.int64)[:, None] - np.arange(len(case.shape.parent) + 1), 0)
    lost = compiled.least_loss(case, losses, start, strict=strict)
    return lost + sum(case.excesses_of([0] * len(need))) - sum(need)


def least_loss(case: ForestCase, weights: Sequence[Sequence[int]]) -> int:
    """Return the least sum of the weights, by request and depth, of blocks that requests do not find."""
    loss = np.zeros((len(case.ask), len(case.shape.parent) + 1), np.int64)
    for k, row in enumerate(weights):
        loss[k, : len(row)] = [sum(row[found:]) for found in range(len(row))]
    return compiled.least_loss(case, loss)

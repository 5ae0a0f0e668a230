"""What readings of the same tasks come to, with intervals: shares, and paired differences to full attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from teltheory.cost.bootstrap import Blocks, Estimate, interval
from teltheory.model.numbers import FloatArray
from teltheory.systems.modules.quality import FULL, Read

DRAWS = 2000


@dataclass(frozen=True)
class Agreement:
    """A reading, over all tasks or those of a kind.

    Attributes
    ----------
    reading : str
        The reading.
    kind : str or None
        Kind of the tasks; None: all.
    items : int
        Tasks.
    right, exact, same : Estimate
        Shares, with Wilson's interval of 95 %.
    less : Estimate
        Share of right answers, minus full attention's: a paired bootstrap over tasks, 95 %.
    kl : Estimate
        Mean divergence of the first token's distribution from full attention's, in nats; a bootstrap over tasks.
    """

    reading: str
    kind: str | None
    items: int
    right: Estimate
    exact: Estimate
    same: Estimate
    less: Estimate
    kl: Estimate


def agreements(reads: Sequence[Read], seed: int = 0, kinds: bool = False) -> list[Agreement]:
    """Sum up readings of the same tasks in the same order; if `kinds`, for each kind of task as well."""
    names = list(dict.fromkeys(read.reading for read in reads))
    chosen: list[str | None] = [None, *(dict.fromkeys(read.kind for read in reads) if kinds else ())]
    found = []
    for kind in chosen:
        of = {name: [r for r in reads if r.reading == name and kind in (None, r.kind)] for name in names}
        found += [_agreement(name, kind, of[name], of[FULL], seed) for name in names]
    return found


def _agreement(reading: str, kind: str | None, own: Sequence[Read], full: Sequence[Read], seed: int) -> Agreement:
    less = [a.right - b.right for a, b in zip(own, full, strict=True)]
    right, exact, same = (share([getattr(read, name) for read in own]) for name in ("right", "exact", "same"))
    kl = [read.kl for read in own]
    return Agreement(reading, kind, len(own), right, exact, same, mean(less, seed), mean(kl, seed))


def share(yes: Sequence[bool]) -> Estimate:
    """Return a share with its Wilson interval of 95 %."""
    from scipy.stats import binomtest

    found = binomtest(sum(yes), len(yes)).proportion_ci(0.95, method="wilson")
    return Estimate(sum(yes) / len(yes), float(found.low), float(found.high))


def mean(values: Sequence[float], seed: int) -> Estimate:
    """Return a mean over tasks with its bootstrap interval of 95 %."""
    blocks, number = Blocks.of(len(values), len(values)), len(values)
    weights = blocks.draw(number, DRAWS, np.random.default_rng(seed))
    drawn: FloatArray = blocks.sums(np.array(values, np.float64), weights) / number
    return interval(float(np.mean(values)), drawn, number)

"""The readings of Algorithm 1 that are held against the tables.

- *round-robin*: trims strictly above the budget, rounds over the conversations until the cache fits; `TLRU`.
- *least-recent*, *eager*: the other trim orders of `TLRU`.
- *printed >=*: trims at the budget too, every X >= 0.
- *single pass*: the `if` form, one unit of each conversation at every cut, then LRU.
- *below zero*: the printed test without a floor. A conversation that returns with X < 0 computes its total less X,
  as the formulas say (*as printed*), or its total (*clipped*).

Each of the first and the fourth also in blocks of 16 and of 128 tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.paper.algorithm_1 import AT_BUDGET, ONE_PASS, TO_THE_LETTER, Form
from experiments.paper.algorithm_1_compiled import replayed
from experiments.paper.improvements import Reading
from teltheory.instance import Instance
from teltheory.numbers import IntArray
from teltheory.policies import TLRU
from teltheory.policies.policy import Trim
from teltheory.replay import replay_instance


@dataclass(frozen=True)
class ByPolicy:
    """Replays the library's T-LRU with a trim order."""

    trim: Trim

    def __call__(self, instance: Instance, xi: int, q_hat: int) -> IntArray:
        """Return what each turn reuses."""
        return replay_instance(instance, TLRU(xi, q_hat, self.trim), "kernel").cached


@dataclass(frozen=True)
class ByForm:
    """Replays a form of `experiments.paper.algorithm_1`."""

    form: Form
    clipped: bool = False

    def __call__(self, instance: Instance, xi: int, q_hat: int) -> IntArray:
        """Return what each turn reuses."""
        reused, _ = replayed(instance, xi, q_hat, self.form)
        return np.maximum(reused, 0) if self.clipped else reused


ROUND_ROBIN = Reading("round-robin", ByPolicy("round-robin"))
LEAST_RECENT = Reading("least-recent", ByPolicy("least-recent"))
EAGER = Reading("eager", ByPolicy("eager"))
READINGS = (
    ROUND_ROBIN,
    LEAST_RECENT,
    EAGER,
    Reading("printed >=", ByForm(AT_BUDGET)),
    Reading("single pass", ByForm(ONE_PASS)),
    Reading("below zero, as printed", ByForm(TO_THE_LETTER)),
    Reading("below zero, clipped", ByForm(TO_THE_LETTER, clipped=True)),
    Reading("round-robin, blocks of 16", ByPolicy("round-robin"), 16),
    Reading("round-robin, blocks of 128", ByPolicy("round-robin"), 128),
    Reading("single pass, blocks of 16", ByForm(ONE_PASS), 16),
    Reading("single pass, blocks of 128", ByForm(ONE_PASS), 128),
)

"""The hindsight optimum on a busy trace: Tail-Optimized Belady with a certificate, its check, the linear program.

The trace has many conversations alive at a time, as the cost of the linear program grows with them. Greedy, check
and linear program are whole calls; the linear program begins without any rows.
"""

from __future__ import annotations

import numpy as np

import teltheory as tt
from teltheory.bench.timing import Job
from teltheory.bench.workload import SEED, XI
from teltheory.model.trace import Trace
from teltheory.workloads import ConversationModel, sample_conversations

ALIVE = 250
CAPACITY = 20_000
GREEDY = "greedy, with certificate"
CHECK = "greedy, certificate and check"
PROGRAM = "linear program, certificate"


def busy_trace(turns: int) -> Trace:
    """Sample the conversation model with about `ALIVE` conversations alive at a time."""
    model = ConversationModel(birth_rate=ALIVE * ConversationModel.death_rate)
    return sample_conversations(model, turns, np.random.default_rng(SEED))


def jobs(trace: Trace) -> list[Job]:
    """Return the jobs; greedy alone, greedy and check together, and the linear program."""

    def greedy(_: object) -> tt.HindsightOptimum:
        return tt.hindsight_optimum(trace, CAPACITY, XI, method="greedy")

    def checked(_: object) -> None:
        certificate = greedy(None).certificate
        assert certificate is not None
        tt.check_certificate(trace, CAPACITY, XI, certificate)

    def program(_: object) -> tt.HindsightOptimum:
        return tt.hindsight_optimum(trace, CAPACITY, XI, method="lp")

    return [Job(GREEDY, greedy), Job(CHECK, checked), Job(PROGRAM, program)]

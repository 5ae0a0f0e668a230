"""What is timed of ours: policies on a trace, ET-LRU against T-LRU, and the hindsight optimum on a busy trace.

The trace of ET-LRU is a sample of the conversation model, which has the arrival times that beliefs rest on. With
one rate for all conversations and a fixed prompt ET-LRU has T-LRU's loop; with a rate for each it needs a heap.
Other laws and beliefs look at more: at every token's score, or at every conversation that holds anything.

The optimum's trace has many conversations alive at a time, as the cost of the linear program grows with them.
Greedy, check and linear program are whole calls; the linear program begins without any rows.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import teltheory as tt
from teltheory.bench.timing import TimedJob
from teltheory.bench.workload import CUTOFF, Q_HAT, SEED, XI
from teltheory.model.requests import Requests
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.policies import LRU, TLRU, Belady, EndAwareTLRU, LengthAwareTLRU, TailOptimizedBelady, ThresholdLRU
from teltheory.policies.learned.etlru import ETLRU
from teltheory.policies.policy import AnyPolicy, Policy
from teltheory.replay import Engine, replay
from teltheory.workloads import ConversationModel, sample_conversations
from teltheory.workloads.laws import LogNormal, fixed

LEAST_RECENT = "T-LRU, least-recent"
ROUND_ROBIN = "T-LRU, round-robin"
TAIL_OPTIMIZED = "Tail-Optimized Belady"
GROWING = ("LRU", LEAST_RECENT, ROUND_ROBIN, TAIL_OPTIMIZED)
MODEL = ConversationModel()
BY_LOOPS = ("ET-LRU, one rate", "ET-LRU, rate of each")
OTHERS = ("ET-LRU, posterior, rate of each", "ET-LRU, lognormal prompts", "ET-LRU, learnt prompts")
ALIVE = 250
OPTIMUM_CAPACITY = 20_000
GREEDY = "greedy, with certificate"
CHECK = "greedy, certificate and check"
PROGRAM = "linear program, certificate"


def policies(block: int = 1) -> dict[str, Policy]:
    """Return every policy by its name, with its lengths in blocks of so many tokens."""
    xi, q_hat = XI // block, -(-Q_HAT // block)
    return {
        "LRU": LRU(),
        LEAST_RECENT: TLRU(xi, q_hat, "least-recent"),
        "T-LRU, eager": TLRU(xi, q_hat, "eager"),
        ROUND_ROBIN: TLRU(xi, q_hat, "round-robin"),
        "Threshold-LRU": ThresholdLRU(CUTOFF // block),
        "End-Aware, least-recent": EndAwareTLRU(xi, q_hat, "least-recent"),
        "Length-Aware, least-recent": LengthAwareTLRU(xi, "least-recent"),
        "Belady": Belady(),
        TAIL_OPTIMIZED: TailOptimizedBelady(xi),
    }


def jobs(
    trace: Requests,
    capacity: int | Tiers,
    chosen: Mapping[str, AnyPolicy],
    engine: Engine = "kernel",
    label: str = "{}",
) -> list[TimedJob]:
    """Return a job for each policy: the whole call of `replay`, on a trace whose index an earlier call built."""
    return [
        TimedJob(label.format(name), partial(_replay, trace, policy, capacity, engine))
        for name, policy in chosen.items()
    ]


def _replay(trace: Requests, policy: AnyPolicy, capacity: Any, engine: Engine, _: object) -> object:
    return replay(trace, policy, capacity, engine=engine)


def chosen(names: Sequence[str], block: int = 1) -> dict[str, Policy]:
    """Return some policies by their names."""
    every = policies(block)
    return {name: every[name] for name in names}


def sample(turns: int, model: ConversationModel = MODEL) -> Trace:
    """Return a sample with a fixed seed."""
    return sample_conversations(model, turns, np.random.default_rng(SEED))


def expected_jobs(trace: Trace, capacity: int, names: tuple[str, ...]) -> list[TimedJob]:
    """Return jobs for T-LRU and some ET-LRUs; rates of each conversation are lognormal around the model's."""
    rng = np.random.default_rng(SEED + 1)
    rates = (MODEL.turn_rate * rng.lognormal(-0.5, 1.0, trace.conversations)).tolist()
    known, mu, rate = fixed(Q_HAT), MODEL.death_rate, MODEL.turn_rate
    random = LogNormal(MODEL.mean_prompt, MODEL.spread)
    every = {
        "ET-LRU, one rate": ETLRU(XI, known, mu, rate),
        "ET-LRU, rate of each": ETLRU(XI, known, mu, rates),
        "ET-LRU, posterior, rate of each": ETLRU(XI, known, mu, rates, belief="bayes"),
        "ET-LRU, lognormal prompts": ETLRU(XI, random, mu, rate),
        "ET-LRU, learnt prompts": ETLRU(XI, "learnt", mu, rate),
    }
    return jobs(trace, capacity, {**chosen((LEAST_RECENT,)), **{name: every[name] for name in names}})


def optimum_jobs(trace: Trace) -> list[TimedJob]:
    """Return the jobs; greedy alone, greedy and check together, and the linear program."""

    def greedy(_: object) -> tt.Optimum:
        return tt.hindsight_optimum(trace, OPTIMUM_CAPACITY, XI, method="greedy")

    def checked(_: object) -> None:
        certificate = greedy(None).certificate
        assert certificate is not None
        tt.check_certificate(trace, OPTIMUM_CAPACITY, XI, certificate)

    def program(_: object) -> tt.Optimum:
        return tt.hindsight_optimum(trace, OPTIMUM_CAPACITY, XI, method="lp")

    return [TimedJob(GREEDY, greedy), TimedJob(CHECK, checked), TimedJob(PROGRAM, program)]

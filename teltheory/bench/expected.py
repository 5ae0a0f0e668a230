"""ET-LRU against T-LRU on a sample of the conversation model, which has the arrival times that beliefs rest on.

With one rate for all conversations and a fixed prompt ET-LRU has T-LRU's loop; with a rate for each it needs a
heap. Other laws and beliefs look at more: at every token's score, or at every conversation that holds anything.
"""

from __future__ import annotations

import numpy as np

from teltheory.bench.ours import LEAST_RECENT, jobs
from teltheory.bench.timing import Job
from teltheory.bench.workload import Q_HAT, SEED, XI
from teltheory.model.trace import Trace
from teltheory.policies import TLRU, Policy, TimedPolicy
from teltheory.policies.learned.etlru import ETLRU
from teltheory.workloads import ConversationModel, sample_conversations
from teltheory.workloads.laws import LogNormal, fixed

MODEL = ConversationModel()
ONE_RATE = "ET-LRU, one rate"
RATES = "ET-LRU, rate of each"
POSTERIOR = "ET-LRU, posterior, rate of each"
RANDOM = "ET-LRU, lognormal prompts"
LEARNT = "ET-LRU, learnt prompts"
BY_LOOPS = (ONE_RATE, RATES)
OTHERS = (POSTERIOR, RANDOM, LEARNT)


def sample(turns: int) -> Trace:
    """Return a sample with a fixed seed."""
    return sample_conversations(MODEL, turns, np.random.default_rng(SEED))


def policies(trace: Trace) -> dict[str, Policy | TimedPolicy]:
    """Return T-LRU and every ET-LRU by name; rates of each conversation are lognormal around the model's."""
    rng = np.random.default_rng(SEED + 1)
    rates = (MODEL.turn_rate * rng.lognormal(-0.5, 1.0, trace.conversations)).tolist()
    known, mu = fixed(Q_HAT), MODEL.death_rate
    return {
        LEAST_RECENT: TLRU(XI, Q_HAT, "least-recent"),
        ONE_RATE: ETLRU(XI, known, mu, MODEL.turn_rate),
        RATES: ETLRU(XI, known, mu, rates),
        POSTERIOR: ETLRU(XI, known, mu, rates, belief="bayes"),
        RANDOM: ETLRU(XI, LogNormal(MODEL.mean_prompt, MODEL.spread), mu, MODEL.turn_rate),
        LEARNT: ETLRU(XI, "learnt", mu, MODEL.turn_rate),
    }


def expected_jobs(trace: Trace, capacity: int, names: tuple[str, ...]) -> list[Job]:
    """Return jobs for T-LRU and some ET-LRUs."""
    every = policies(trace)
    return jobs(trace, capacity, {name: every[name] for name in (LEAST_RECENT, *names)})

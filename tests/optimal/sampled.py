"""Sampled conversations as cases, for tests of the optimum on more than a few turns."""

from __future__ import annotations

import numpy as np
from replay.instances import Case

from teltheory.workloads import ConversationModel, sample_conversations


def sampled(turns: int, capacity: int) -> Case:
    """About 50 live conversations; 60,000 tokens are seldom too few, 150,000 never."""
    trace = sample_conversations(ConversationModel(birth_rate=50 / 600), turns, np.random.default_rng(1))
    columns = (tuple(column.tolist()) for column in (trace.code, trace.prompt, trace.response))
    return Case(*columns, None, capacity=capacity, xi=1000, q_hat=0)

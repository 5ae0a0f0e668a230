"""Cases for tests of the optimum: four turns by hand, and sampled conversations."""

from typing import Any

import numpy as np
from replay.instances import Case

import teltheory as tt
from teltheory.workloads import ConversationModel, sample_conversations

SMALL = {"turns": (3, 7), "conversations": 3, "length": 3, "room": 6}
MIDDLE = {"turns": (48, 48), "conversations": 8, "length": 40}
# both of the last two turns need 40 over a step where there is room for 50: one of them violates
FOUR_TURNS = Case((0, 1, 0, 1), (100,) * 4, (0,) * 4, None, capacity=50, xi=160, q_hat=0)


def proves(case: Any, certificate: object, *weights: object) -> bool:
    """Whether the certificate of a case of any kind is accepted."""
    try:
        case.check(certificate, *weights)
    except tt.CertificateError:
        return False
    return True


def sampled(turns: int, capacity: int) -> Case:
    """About 50 live conversations; 60,000 tokens are seldom too few, 150,000 never."""
    trace = sample_conversations(ConversationModel(birth_rate=50 / 600), turns, np.random.default_rng(1))
    columns = (tuple(column.tolist()) for column in (trace.code, trace.prompt, trace.response))
    return Case(*columns, None, capacity=capacity, xi=1000, q_hat=0)

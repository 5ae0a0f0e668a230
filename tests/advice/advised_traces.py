"""Traces that the tests of advice share."""

from fractions import Fraction
from functools import cache

import numpy as np

import teltheory as tt
from teltheory.workloads.chat_data import wildchat_like

LATENCY = tt.LatencyModel(1, name="a second per uncached token")


@cache
def chats(turns=2400, seed=0):
    """Samples like WildChat's, on which T-LRU is known to help."""
    return wildchat_like().sample(turns, np.random.default_rng(seed))


@cache
def engineers():
    """The trace of the engineer's first half hour."""
    return wildchat_like().sample(6000, np.random.default_rng(1))


@cache
def usual():
    """The advice on chats that most tests look at."""
    return tt.advise(chats(), 4000, Fraction(1, 5))


def single_turns(turns=1000, seed=0):
    """Conversations that never return: nothing that is kept is of use."""
    rng = np.random.default_rng(seed)
    return tt.Trace.from_turns(range(turns), rng.integers(1, 50, turns), rng.integers(1, 50, turns))


def growing(turns=1200, seed=0):
    """Three conversations that grow for ever among many short ones: the rest is not like the first part."""
    rng = np.random.default_rng(seed)
    conversation = [rng.integers(0, 3) if turn % 4 == 0 else 100 + rng.integers(0, 12) for turn in range(turns)]
    prompt = [40 if turn % 4 == 0 and turn < 60 else 1 for turn in range(turns)]
    return tt.Trace.from_turns(conversation, prompt, [0] * turns)

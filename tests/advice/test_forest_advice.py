"""Advice on what requests share: that of private conversations where these are all, and replays by hand."""

from fractions import Fraction

import numpy as np

import teltheory as tt
from teltheory.advice import choice
from teltheory.model.preambles import system_prompt, without
from teltheory.workloads import ConversationModel

SLO = Fraction(1, 20)


def test_conversations_that_share_nothing_have_the_advice_of_their_trace():
    trace = tt.sample_conversations(ConversationModel(), 400, np.random.default_rng(2))
    for goal in ("tel", "slo", "p95"):
        chains, forest = (tt.advise(turns, 3000, SLO, goal=goal) for turns in (trace, trace.forest))
        assert chains.choice == forest.choice
        assert (chains.xi, chains.q_hat, chains.recommended) == (forest.xi, forest.q_hat, forest.recommended)
        assert chains.held_out.gain == forest.held_out.gain
        assert chains.held_out.lru_capacity == forest.held_out.lru_capacity
        for one, other in zip(chains.held_out.rows, forest.held_out.rows, strict=True):
            assert {**vars(one), "regret": None} == vars(other)
        assert forest.held_out.optimum is forest.held_out.within_budget is None


def in_blocks(trace, size):
    """A forest of blocks: every conversation behind one system prompt of a block."""
    number, paths = {}, []
    for k in range(len(trace)):
        content = [(-1, 0), *((int(trace.code[k]), i) for i in range(int(trace.total[k]) // size))]
        paths.append([number.setdefault(block, len(number)) for block in content])
    tokens = (trace.total + size).tolist()
    return tt.Forest.from_paths(paths, tokens=tokens, arrival=range(len(trace)), block_size=size)


def test_the_rest_is_that_of_replays_by_hand():
    size, capacity = 16, 3000
    trace = tt.sample_conversations(ConversationModel(), 300, np.random.default_rng(4))
    forest = in_blocks(trace, size)
    advice = tt.advise(forest, capacity, SLO)
    assert advice.block_size == size
    lru, tlru, aware = advice.held_out.rows
    xi, q_hat = advice.xi // size, -(-advice.q_hat // size)
    policies = (tt.LRU(), tt.TLRU(xi, q_hat, "least-recent"), tt.EndAwareTLRU(xi, q_hat, "least-recent"))
    start, inputs = advice.start, forest.inputs
    for row, policy in zip((lru, tlru, aware), policies, strict=True):
        outcome = tt.replay(forest, policy, capacity // size)
        reused = size * outcome.cached[start:]
        assert row.prefilled == (inputs[start:] - reused).sum()
        assert row.written == size * outcome.written[start:].sum()
        assert row.hit_rate == float(Fraction(int(reused.sum()), int(inputs[start:].sum())))
        least = advice.goal.xi // size
        assert row.tel == np.maximum(outcome.uncached[start:] - least, 0).sum()
        assert row.slow == (inputs[start:] - reused > advice.goal.xi).sum()
    held = advice.held_out.lru_capacity
    assert held % size in (0, capacity % size)
    assert choice.first_overflow(forest, forest.units) == len(forest)
    assert choice.first_overflow(forest, int(forest.end[0])) == next(
        k for k in range(len(forest)) if forest.head(k + 1).units > forest.end[0]
    )
    assert without(forest, system_prompt(forest)).units == forest.units - 1

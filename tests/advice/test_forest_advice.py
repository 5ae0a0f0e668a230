"""Advice on what requests share: that of private conversations where these are all, and replays by hand."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from advice.advised_traces import chats

import teltheory as tt
from teltheory.advice.alone import least_tel
from teltheory.advice.overflow import first_overflow
from teltheory.model.preambles import system_prompt, without
from teltheory.workloads import ConversationModel

SLO = Fraction(1, 20)


def test_conversations_that_share_nothing_have_the_advice_of_their_trace():
    trace = tt.sample_conversations(ConversationModel(), 1200, np.random.default_rng(2))
    for goal in ("tel", "slo", "p95"):
        chains, forest = (tt.advise(turns, 3000, SLO, goal=goal) for turns in (trace, trace.forest))
        assert chains.choice == forest.choice
        assert (chains.xi, chains.q_hat, chains.recommended) == (forest.xi, forest.q_hat, forest.recommended)
        assert chains.held_out.gain == forest.held_out.gain
        assert chains.held_out.lru_capacity == forest.held_out.lru_capacity
        assert chains.held_out.rows == forest.held_out.rows
        assert chains.held_out.optimum == forest.held_out.optimum > 0
        assert forest.held_out.within_budget is None


def in_blocks(trace, size):
    """A forest of blocks: every conversation behind one system prompt of a block."""
    number, paths = {}, []
    for k in range(len(trace)):
        content = [(-1, 0), *((int(trace.code[k]), i) for i in range(int(trace.total[k]) // size))]
        paths.append([number.setdefault(block, len(number)) for block in content])
    tokens = (trace.total + size).tolist()
    return tt.Forest.from_paths(paths, tokens=tokens, arrival=range(len(trace)), block_size=size)


@cache
def small():
    """A trace, its forest of blocks of 16 tokens, and the advice on that."""
    trace = tt.sample_conversations(ConversationModel(), 300, np.random.default_rng(4))
    forest = in_blocks(trace, 16)
    return trace, forest, tt.advise(forest, "3000", SLO)


def test_the_rest_is_that_of_replays_by_hand():
    size, capacity, (_, forest, advice) = 16, 3000, small()
    assert advice.block_size == size
    lru, tlru, aware = (*advice.held_out.rows, advice.held_out.aware)
    xi, q_hat = advice.xi // size, -(-advice.q_hat // size)
    policies = (tt.LRU(), tt.TLRU(xi, q_hat, "least-recent"), tt.EndAwareTLRU(xi, q_hat, "least-recent"))
    start, inputs = advice.start, forest.inputs
    for row, policy in zip((lru, tlru, aware), policies, strict=True):
        outcome = tt.replay(forest, policy, capacity // size)
        reused = size * outcome.cached[start:]
        assert row.prefilled == (inputs[start:] - reused).sum()
        assert row.written == (size * outcome.written[start:].sum(),)
        assert row.hit_rate == float(Fraction(int(reused.sum()), int(inputs[start:].sum())))
        least = advice.goal.xi // size
        assert row.tel == np.maximum(outcome.uncached[start:] - least, 0).sum()
        assert row.slow == (inputs[start:] - reused > advice.goal.xi).sum()
        assert row.tel >= advice.held_out.optimum
    held = advice.held_out.lru_capacity
    assert held % size in (0, capacity % size)
    nowhere = np.zeros(len(forest), np.int64)
    assert first_overflow(forest, nowhere, forest.peak) == len(forest)
    assert first_overflow(forest, nowhere, int(forest.past[0])) == next(
        k for k in range(len(forest)) if forest[: k + 1].peak > forest.past[0]
    )
    assert without(forest, system_prompt(forest)).peak == forest.peak - 1


@pytest.mark.parametrize("rules", ["vllm", "sglang:chunk=64", "sglang:chunk=none:split=yes", "trtllm"])
def test_advice_under_rules_is_that_of_replays_under_them(rules):
    size, capacity = 16, 14_000
    forest = in_blocks(chats(1200), size)
    advice = tt.Problem(forest, str(capacity), rules=rules).advise("100ms")
    assert f" Rules: {rules}." in str(advice)
    own = advice.xi // size, -(-advice.q_hat // size)
    least, room = advice.goal.xi // size, advice.held_out.lru_capacity // size
    replays = {"LRU": tt.LRU(), "T-LRU": tt.TLRU(*own), "End-Aware T-LRU": tt.EndAwareTLRU(*own)}
    for row in (*advice.held_out.rows, advice.held_out.aware):
        outcome = tt.replay(forest, replays[row.policy], capacity // size, rules=rules)
        assert row.tel == np.maximum(outcome.uncached[advice.start :] - least, 0).sum()
        assert row.tel >= advice.held_out.optimum
    seen = replace(forest, ask=forest.ask - (forest.ask * size == forest.inputs)) if rules == "vllm" else forest
    optimum = least_tel(seen, advice.start, capacity // size - (rules == "vllm"), least)
    assert advice.held_out.optimum == optimum
    enough = tt.replay(forest, tt.LRU(), room, rules=rules).uncached[advice.start :]
    assert np.maximum(enough - least, 0).sum() <= advice.held_out.rows[1].tel
    known = {
        "vllm": "--tlru-xi-tokens",
        "sglang:chunk=64": "--chunked-prefill-size 64 --radix-eviction-policy tlru",
    }
    given = [one.arguments for one in advice.engines]
    assert advice.recommended
    assert [rules in known and one.startswith(known[rules]) for one in given] == [True] * (rules in known)
    assert [one.gain for one in advice.engines] == [advice.held_out.gain] * len(given)
    assert ("none is known that has T-LRU under these rules" in str(advice)) == (not given)


def test_advice_in_blocks_is_that_under_the_rules_of_blocks():
    trace, *in_blocks = small()
    for requests, advice in ((trace, tt.advise(trace, "3000", SLO)), in_blocks):
        assert advice == tt.advise(requests, "3000", SLO, rules="strict")


def test_the_frontier_of_shared_prefixes_is_that_of_replays_by_hand_with_tel_in_blocks():
    size, capacity, forest = 16, 3000, small()[1]
    advice = tt.advise(forest, str(capacity), SLO, goal="p95")
    start, warm_up, lru = advice.start, advice.choice.warm_up, tt.replay(forest, tt.LRU(), capacity // size)
    assert advice.frontier.unit == "blocks"
    for point in advice.frontier.points[1::9]:
        own = tt.TLRU(point.xi // size, -(-point.q_hat // size), "least-recent")
        outcome = tt.replay(forest, own, capacity // size)
        for side, turns in ((point.first, slice(warm_up, start)), (point.rest, slice(start, None))):
            computed = [one.in_tokens().uncached[turns] for one in (lru, outcome)]
            before, after = (
                tt.A100_LLAMA2_7B.ttft(np.quantile(one, 0.95, method="inverted_cdf")) for one in computed
            )
            assert side.cost.tel == np.maximum(outcome.uncached[turns] - advice.goal.xi // size, 0).sum()
            assert side.cost.prefilled == computed[1].sum()
            assert (side.cost.p95, side.gain) == pytest.approx((after, 1 - after / before))


def least_of_all_plans(forest, start, capacity, xi):
    """The least above the threshold from a request on, over all that a cache may hold after each request."""
    states = {frozenset(): 0}
    for k in range(len(forest)):
        path, following = forest.path(k), {}
        for held, before in states.items():
            hit = next((i for i, node in enumerate(path) if node not in held), len(path))
            paid = before + (max(len(path) - hit - xi, 0) if k >= start else 0)
            every = sorted(held.union(path))
            for kept in map(frozenset, combinations(every, min(capacity, len(every)))):
                following[kept] = min(paid, following.get(kept, paid))
        states = following
    return min(states.values())


@pytest.mark.parametrize(("capacity", "xi"), [(1, 0), (3, 0), (3, 1)])
def test_the_optimum_of_the_rest_is_the_least_of_all_plans(capacity, xi):
    forest = tt.Forest.from_paths([[0, 1, 2], [3, 4], [0, 1, 5], [3, 4], [0, 1, 2], [3, 6]])
    found = [least_tel(forest, start, capacity, xi) for start in range(len(forest) + 1)]
    assert found == [least_of_all_plans(forest, start, capacity, xi) for start in range(len(forest) + 1)]
    assert len(set(found)) >= 3

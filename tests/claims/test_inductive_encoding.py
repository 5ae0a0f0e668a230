"""The transitions that the proofs are about, evaluated on whole numbers, are what the reference replay does."""

from copy import copy

import pytest
from claims.proving import value_of
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.tail_optimized.lemmas import induction_stack, induction_threshold, positions
from proofs_checks.tail_optimized.lemmas.induction_rounds import Rounds
from proofs_checks.tail_optimized.lemmas.positions import C, caches, enough, in_room, integers, minus, surpluses
from teltheory.claims.terms import integer
from teltheory.policies import LRU, TLRU, Conversation, ThresholdLRU
from teltheory.replay.chains import reference

lines = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=5)
small = st.integers(0, 8)
TRIMMERS = {"round-robin": reference.trim_in_rounds, "least-recent": reference.trim_in_order}


def conversations(line, seed):
    """Most recent first in `line`; the reference wants the least recent first, ranks by `seed`."""
    ranks = sorted(range(len(line)), key=lambda i: hash((seed, i)))
    return [
        Conversation(ranks[i], past + more, past, None, i) for i, (past, more) in reversed(list(enumerate(line)))
    ]


def environment(found, **more):
    values = {
        f"{name}{c.code}": value
        for c in found
        for name, value in (("L", c.past), ("X", c.cached), ("Y", c.cached))
    }
    return {**values, **more}


def by_position(found):
    return [c.cached for c in sorted(found, key=lambda c: c.code)]


def cut(found, policy, capacity, exempt=None):
    after = [copy(c) for c in found]
    free = None if exempt is None else after[-1]
    reference.cut({c.code: c for c in after}, policy, capacity, free)
    return by_position(after)


def trimmed_by(found, policy, capacity, forced):
    """Return what the reference's own trimming takes at each position."""
    after = [copy(c) for c in found]
    candidates = after[:-1] if forced else after
    overflow = sum(c.cached for c in found) - capacity
    if policy.trim == "eager":
        reference.trim_all(candidates, policy)
    elif overflow > 0:
        TRIMMERS[policy.trim](candidates, policy, overflow)
    before, left = by_position(found), by_position(after)
    return [x - y for x, y in zip(before, left, strict=True)]


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("trim", ["round-robin", "least-recent", "eager"])
@settings(max_examples=40, deadline=None)
@given(line=lines, seed=small, capacity=small, xi=small, q_hat=small)
def test_a_cut_of_t_lru_is_the_references(trim, forced, line, seed, capacity, xi, q_hat):
    found, n, policy = conversations(line, seed), len(line), TLRU(xi, q_hat, trim)
    if forced and found[-1].cached > capacity:
        return
    state, amounts = caches(n), integers("t", n)
    trimmed = trimmed_by(found, policy, capacity, forced)
    env = environment(found, C=capacity, xi=xi)
    env |= {f"Q{i}": q_hat for i in range(n)} | {f"t{i}": t for i, t in enumerate(trimmed)}
    limits = [value_of(b, env) for b in state.b]
    assert limits == [policy.budget(c) for c in reversed(found)]
    assert value_of(enough(amounts, surpluses(state.X, state.b, int(forced)), state.X), env)
    kept = [value_of(y, env) for y in in_room(minus(state.X, amounts), C)]
    assert kept == cut(found, policy, capacity, forced or None)


@settings(max_examples=40, deadline=None)
@given(line=lines, seed=small, capacity=small, cutoff=small)
def test_lru_and_threshold_lru(line, seed, capacity, cutoff):
    found, state = conversations(line, seed), caches(len(line))
    env = environment(found, C=capacity, xi=cutoff, Q_hat=0)
    assert [value_of(y, env) for y in in_room(state.X, C)] == cut(found, LRU(), capacity)
    dropped = induction_threshold.without_short(state.X, state.L)
    assert [value_of(y, env) for y in in_room(dropped, C)] == cut(found, ThresholdLRU(cutoff), capacity)


@settings(max_examples=40, deadline=None)
@given(line=lines, seed=small, capacity=small, xi=small)
def test_two_rooms_are_least_recent_trimming(line, seed, capacity, xi):
    found, state = conversations(line, seed), caches(len(line))
    env = environment(found, C=capacity, c=xi)
    kept = induction_stack.in_two_rooms(state.X, tuple(map(induction_stack.within_budget, state.L)))
    assert [value_of(y, env) for y in kept] == cut(found, TLRU(xi, 0, "least-recent"), capacity)


@settings(max_examples=40, deadline=None)
@given(line=lines, seed=small, capacity=small, xi=small, q_hat=small)
def test_rounds_are_round_robin_trimming(line, seed, capacity, xi, q_hat):
    found, policy = conversations(line, seed), TLRU(xi, q_hat, "round-robin")
    trimmed = trimmed_by(found, policy, capacity, forced=False)
    surplus = [max(0, c.cached - policy.budget(c)) for c in reversed(found)]
    ranks = [c.first for c in reversed(found)]
    rounds, s, rank = Rounds.named("x"), integer("s"), integer("rank")

    def amounts(whole, point):
        env = {"rounds_x": whole, "point_x": point}
        pairs = zip(surplus, ranks, strict=True)
        return [value_of(rounds.amount(s, rank), {**env, "s": a, "rank": b}) for a, b in pairs]

    choices = ((whole, point) for whole in range(max(surplus) + 1) for point in range(len(line) + 1))
    assert any(amounts(*choice) == trimmed for choice in choices)


@settings(max_examples=40, deadline=None)
@given(line=lines, k=st.integers(0, 4), prompt=small, response=small)
def test_an_arrival_moves_to_the_front(line, k, prompt, response):
    n = len(line)
    state = caches(n)
    arrived = positions.after_arrival(state, k % n)
    env = {f"L{i}": past for i, (past, _) in enumerate(line)} | {"q": prompt, "a": response}
    pasts = [past for past, _ in line]
    longer = pasts.pop(k % n) + prompt + response
    assert [value_of(past, env) for past in arrived.L] == [longer, *pasts]

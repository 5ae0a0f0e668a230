"""A rule's decisions against an enumeration of problem (6), and policies of the MDP against the replay's."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest
from belief.random_models import arbitrary, random_cached, random_law, random_model, random_state

import teltheory as tt
from teltheory.belief.mdp import Solver
from teltheory.belief.model import (
    BeliefKind,
    BeliefMDP,
    Known,
    State,
    allocations,
    at_hand,
)
from teltheory.belief.optimality import alive, decisions, decisions_of, et_lru, next_turns, turn_rates
from teltheory.belief.tables import Tables
from teltheory.claims.beliefs import PastTurn, as_replayed, followed, longest_past
from teltheory.errors import ForcedCachingError
from teltheory.workloads.laws import Finite, fixed

HALF = Fraction(1, 2)
INDICES = (turn_rates, next_turns, alive)


def instances(number, seed, turns=2):
    """Yield small models, forced caching where it is possible, with a state at which something may have to go."""
    rng, found = np.random.default_rng(seed), 0
    while found < number:
        model = random_model(rng)
        model = replace(model, capacity=model.capacity + int(rng.integers(1, 3)) * model.forced)
        state = random_state(rng, model, int(rng.integers(1, 4)))
        horizon = int(rng.integers(1, turns + 1))
        if model.forced and longest_past(model, state, horizon) > model.capacity:
            continue
        if caches(model, state):
            found += 1
            yield rng, model, state, horizon


def caches(model, state):
    """Return every cache before the cut that does not fit: what was kept of the others did, theta is at hand."""
    theta = state.arrived
    ranges = [range(known.past + 1) for known in state.conversations]
    ranges[theta] = [state.conversations[theta].past]
    return [x for x in product(*ranges) if sum(x) > model.capacity >= sum(x) - x[theta]]


def laws(model, state):
    return tuple(model.kinds[known.kind].prompt(known.turns) for known in state.conversations)


def weighed(model, state, weights, kept):
    """Return the objective of problem (6)."""
    total = Fraction(0)
    for known, law, r, y in zip(state.conversations, laws(model, state), weights, kept, strict=True):
        total += r * sum(p * max(known.past + q - y - model.xi, 0) for q, p in law.outcomes)
    return total


def minimisers(model, state, weights, cached):
    """Return every minimiser of problem (6) that fills the cache."""
    values = {y: weighed(model, state, weights, y) for y in allocations(model, state, cached)}
    return [y for y, value in values.items() if value == min(values.values()) and sum(y) == model.capacity]


def test_indices_by_hand():
    """pi = 1/2 at rate 3 and 1 at rate 1; after the gap x = 1/2 the weights 3/4, 1/2 and 1 for a new one."""
    kinds = (BeliefKind(3, (fixed(1),), share=HALF), BeliefKind(1, (fixed(1),), share=HALF))
    model = BeliefMDP(1, 0, kinds)
    state = State((Known(0, 0, HALF, 1), Known(1, 0, Fraction(1), 1)), (0, 1))
    assert turn_rates(model, state) == [Fraction(3, 2), 1]
    assert alive(model, state) == [HALF, 1]
    assert next_turns(model, state) == [Fraction(1, 3), Fraction(2, 9)]


def test_decisions_by_enumeration():
    choices, ties, forced = 0, 0, 0
    for rng, model, state, turns in instances(36, 41):
        index = INDICES[rng.integers(3)]
        tables, solver, weights = Tables(model), Solver(model), index(model, state)
        worst = decisions(tables, state, turns, index)
        best = decisions(tables, state, turns, index, "best")
        assert [d.cached for d in worst] == [d.cached for d in best] == caches(model, state)
        for low, high in zip(best, worst, strict=True):
            among = minimisers(model, state, weights, low.cached)
            costs = {y: solver.cost_of_keeping(state, y, turns) for y in among}
            assert {low.kept, high.kept} <= set(among)
            assert (low.cost, high.cost) == (min(costs.values()), max(costs.values()))
            assert (costs[low.kept], costs[high.kept]) == (low.cost, high.cost)
            assert low.optimal == high.optimal == solver.cost(state, low.cached, turns)
            assert solver.cost_of_keeping(state, low.best, turns) == low.optimal
            assert low.best in allocations(model, state, low.cached)
            assert high.loss == high.cost - high.optimal >= low.loss >= 0
            choices, ties, forced = choices + 1, ties + (low.cost < high.cost), forced + model.forced
    assert choices > 50
    assert forced > 1
    assert ties > 2


def test_decisions_of_a_policy():
    policies = (et_lru(), et_lru(next_turns), as_replayed(tt.LRU()), as_replayed(tt.TLRU(1, 1)), arbitrary(7))
    for rng, model, state, turns in instances(20, 43):
        policy, tables, solver = policies[rng.integers(5)], Tables(model), Solver(model)
        found = decisions_of(tables, state, turns, policy)
        assert [d.cached for d in found] == caches(model, state)
        for decision in found:
            assert decision.kept == policy(model, state, decision.cached)
            assert decision.cost == solver.cost_of_keeping(state, decision.kept, turns)
            assert decision.optimal == solver.cost(state, decision.cached, turns)


def test_decisions_need_a_past_that_fits():
    model = BeliefMDP(1, 0, (BeliefKind(1, (fixed(2),)),), forced=True)
    state = State((Known(0, 0, Fraction(1), 2),), (0,))
    with pytest.raises(ForcedCachingError):
        decisions(Tables(model), state, 1, turn_rates)


@pytest.mark.parametrize("index", INDICES)
def test_et_lru_keeps_a_minimiser(index):
    cut = 0
    for rng, model, state, _ in instances(50, 44):
        cached = list(random_cached(rng, model, state))
        cached[state.arrived] = state.conversations[state.arrived].past
        kept = et_lru(index)(model, state, tuple(cached))
        if sum(cached) <= model.capacity:
            assert kept == tuple(cached)
            continue
        assert kept in minimisers(model, state, index(model, state), tuple(cached))
        cut += 1
    assert cut > 25


def alike(rng, prompts, **changes):
    """Return a random model of one kind, so that beliefs are in the order of recency, and a state."""
    kind = BeliefKind(int(rng.integers(1, 4)), prompts, random_law(rng, 1))
    model = replace(random_model(rng), kinds=(kind,), **changes)
    model = replace(model, capacity=model.capacity + 2, gaps=((HALF, Fraction(1)),))
    return model, random_state(rng, model, int(rng.integers(1, 5)))


def same_as(policy_of, prompts_of, xis, seed):
    rng, cut = np.random.default_rng(seed), 0
    for _ in range(160):
        prompts = prompts_of(rng)
        model, state = alike(rng, prompts, xi=int(rng.integers(*xis)))
        if model.forced and state.conversations[state.arrived].past > model.capacity:
            continue
        cached = list(random_cached(rng, model, state))
        cached[state.arrived] = state.conversations[state.arrived].past
        kept = et_lru()(model, state, tuple(cached))
        assert kept == as_replayed(policy_of(model))(model, state, tuple(cached))
        cut += kept != tuple(cached)
    assert cut > 50


def test_et_lru_is_t_lru_where_rates_and_prompts_are_alike():
    """With the trim that goes by recency: equal scores go least recent first."""
    same_as(
        lambda model: tt.TLRU(model.xi, model.kinds[0].prompts[-1].lengths[0], "least-recent"),
        lambda rng: (random_law(rng, 2), fixed(int(rng.integers(0, 4)))),
        (0, 6),
        45,
    )


def test_et_lru_is_lru_where_rates_are_alike_and_there_is_no_threshold():
    same_as(
        lambda model: tt.LRU(),
        lambda rng: (random_law(rng, 2), random_law(rng, 2), random_law(rng, 2)),
        (0, 1),
        46,
    )


def test_equal_scores_go_least_recent_first():
    """No time passes and nobody dies: all scores are equal, and the least recent is not the first."""
    model = BeliefMDP(2, 0, (BeliefKind(1, (fixed(1),)),), gaps=((Fraction(1), Fraction(1)),))
    known = Known(0, 0, Fraction(1), 2)
    assert et_lru()(model, State((known,) * 3, (1, 0, 2)), (1, 1, 2)) == (0, 0, 2)
    assert et_lru()(model, State((known,) * 3, (1, 2, 0)), (1, 1, 1)) == (1, 0, 1)


def test_et_lru_by_hand():
    """Scores of A (L = 4, rate 3, pi 1/3) by what is held: 4: 1/2, less: 1; of B (L = 2) 2: 1/2, 1: 1."""
    law = Finite((0, 1), (HALF, HALF))
    model = BeliefMDP(4, 1, (BeliefKind(3, (law,), share=HALF), BeliefKind(1, (law,), share=HALF)))
    state = State((Known(0, 0, Fraction(1, 3), 4), Known(1, 0, Fraction(1), 2)), (0, 1))
    kept = [et_lru()(replace(model, capacity=c), state, (4, 2)) for c in range(6, -1, -1)]
    assert kept == [(4, 2), (3, 2), (3, 1), (2, 1), (1, 1), (0, 1), (0, 0)]
    forced = replace(model, capacity=2, forced=True)
    assert et_lru()(forced, state, (4, 2)) == (0, 2)


GAPS = tuple((x, Fraction(1, 4)) for x in (Fraction(1), Fraction(5, 7), Fraction(7, 11), Fraction(11, 13)))
"""Beliefs after these and after turns of rates 1 and 3 are equal only where rates and silences are."""


def path(rng, model, turns):
    """Return steps that may come, one after the other, and the state after each; forced caching stays possible."""
    steps, states = [], [State((), ())]
    while len(steps) < turns:
        known = states[-1].conversations
        place = int(rng.integers(min(len(known) + 1, 5)))
        kind = known[place].kind if place < len(known) else int(rng.integers(len(model.kinds)))
        so_far = known[place].turns if place < len(known) else 0
        q = int(rng.choice(model.kinds[kind].prompt(so_far).lengths))
        a = int(rng.choice(model.kinds[kind].response.lengths))
        x = model.gaps[rng.integers(len(model.gaps))][0] if steps else Fraction(1)
        step = PastTurn(x, place, kind, q, a)
        state = followed(model, states[-1], step)
        if model.forced and state.conversations[place].past > model.capacity:
            if max(known[i].past for i in range(len(known))) >= model.capacity and len(known) == 5:
                break
            continue
        steps.append(step)
        states.append(state)
    return steps, states[1:]


def along(model, states, policy):
    """Return what the policy keeps after each turn."""
    kept, found = (), []
    for state in states:
        cached = at_hand(state, kept)
        kept = policy(model, state, cached) if sum(cached) > model.capacity else cached
        found.append(kept)
    return found


def replayed(model, steps, policy):
    """Return what the reference replay keeps after each turn: what an empty turn of each conversation reuses."""
    times = np.cumsum([-log(step.x) for step in steps]).tolist()
    found = []
    for n in range(1, len(steps) + 1):
        kept = []
        for probe in range(1 + max(step.place for step in steps[:n])):
            trace = tt.Trace.from_turns(
                [*(step.place for step in steps[:n]), probe],
                [*(step.prompt for step in steps[:n]), 0],
                [*(step.response for step in steps[:n]), 0],
                [*times[:n], times[n - 1]],
            )
            outcome = tt.replay(trace, policy, model.capacity, model.forced, engine="reference")
            kept.append(int(outcome.cached[-1]))
        found.append(tuple(kept))
    return found


def walks(number, seed, **changes):
    """Yield models of two rates, with a first prompt of its own for each kind, and a path of each."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        kinds = tuple(
            BeliefKind(rate, (random_law(rng, 2), _law(rng)), fixed(int(rng.integers(2))), HALF) for rate in (1, 3)
        )
        model = BeliefMDP(int(rng.integers(2, 7)), int(rng.integers(0, 4)), kinds, gaps=GAPS, **changes)
        model = replace(model, forced=bool(rng.integers(2)))
        model = replace(model, capacity=model.capacity + 4 * model.forced)
        yield rng, model, *path(rng, model, 9)


def _law(rng):
    short = int(rng.integers(0, 3))
    return Finite((short, short + 2), (HALF, HALF)) if rng.integers(2) else fixed(short)


REPLAYED = [
    lambda model: tt.TLRU(model.xi, 1),
    lambda model: tt.TLRU(model.xi, 2, "least-recent"),
    lambda model: tt.LRU(),
]


@pytest.mark.parametrize("policy_of", REPLAYED)
def test_a_replayed_policy_is_the_replay_s(policy_of):
    cut, forced = 0, set()
    for _, model, steps, states in walks(16, 48):
        policy = policy_of(model)
        ours = along(model, states, as_replayed(policy))
        assert ours == replayed(model, steps, policy)
        cut += sum(sum(kept) == model.capacity for kept in ours)
        forced.add(model.forced)
    assert cut > 30
    assert forced == {False, True}


@pytest.mark.parametrize("belief", ["paper", "bayes"])
def test_et_lru_is_the_replay_s(belief):
    """In exact fractions from gap to gap, and in floating point from arrival times."""
    differs = 0
    for _, model, steps, states in walks(25, 49, belief=belief):
        codes = {step.place: step.kind for step in steps}
        kinds = [model.kinds[codes[place]] for place in sorted(codes)]
        policy = tt.ETLRU(
            model.xi, [kind.prompts[-1] for kind in kinds], 1.0, [kind.turn_rate for kind in kinds], belief=belief
        )
        ours = along(model, states, et_lru())
        assert ours == replayed(model, steps, policy)
        differs += ours != along(model, states, as_replayed(tt.LRU()))
    assert differs > 9

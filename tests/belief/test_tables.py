"""The exact tables of the belief MDP against its recursion in fractions, and what may come of a state."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from belief.policy_trees import Tree
from belief.random_models import arbitrary, random_cached, random_model, random_state
from refusals import refused

from teltheory.belief import last_turns
from teltheory.belief import tables as module
from teltheory.belief.mdp import Solver
from teltheory.belief.model import (
    BeliefKind,
    BeliefMDP,
    Known,
    State,
    after,
    after_silence,
    aged,
    allocations,
    arrivals,
    at_hand,
    chances,
    excess,
    first_turn,
    next_chances,
    next_turn,
)
from teltheory.belief.tables import Tables, backward_induction, fits, next_cost, objective, shape
from teltheory.claims.beliefs import longest_past
from teltheory.errors import ArgumentError, ForcedCachingError
from teltheory.policies.learned.posterior import exact_after_silence
from teltheory.workloads.laws import Finite, fixed

HALF = Fraction(1, 2)
COIN = Finite((0, 2), (HALF, HALF))


def feasible(model, state, turns):
    return not model.forced or longest_past(model, state, turns) <= model.capacity


def instances(number, seed, turns=None, longest=2):
    """Yield small models with a state and a horizon; forced caching only where it is possible."""
    rng, found = np.random.default_rng(seed), 0
    while found < number:
        model = random_model(rng, longest=longest)
        model = replace(model, capacity=model.capacity + 3 * model.forced)
        state = random_state(rng, model, int(rng.integers(0, 3)))
        horizon = turns or int(rng.integers(1, 3))
        if feasible(model, state, horizon):
            found += 1
            yield rng, model, state, horizon


def place(model, state, cached):
    """Return where a table of W has the value of a cache."""
    clipped = [min(x, model.capacity) for x in cached]
    clipped[state.arrived] = 0
    return tuple(clipped)


def agree(rng, model, state, turns, caches=3, kepts=3):
    tables, solver = Tables(model), Solver(model)
    for _ in range(caches):
        cached = list(random_cached(rng, model, state))
        cached[state.arrived] = state.conversations[state.arrived].past
        cost = tables.of_cached(state, turns).at(place(model, state, cached))
        assert (
            cost
            == solver.cost(state, tuple(cached), turns)
            == backward_induction(model, state, tuple(cached), turns)
        )
    everything = tuple(known.past for known in state.conversations)
    allowed = allocations(model, state, everything)
    for i in rng.integers(len(allowed), size=kepts):
        cost = tables.of_keeping(state, turns).at(allowed[i])
        assert cost == solver.cost_of_keeping(state, allowed[i], turns)
    return tables


def test_tables_are_the_recursion():
    seen = []
    for rng, model, state, turns in instances(36, 31):
        agree(rng, model, state, turns)
        seen.append((model, state, turns))
    models = [model for model, _, _ in seen]
    for variety in ("belief", "race", "forced"):
        assert len({getattr(model, variety) for model in models}) == 2
    assert {len(model.gaps) for model in models} == {len(model.kinds) for model in models} == {1, 2}
    assert {len(state.conversations) for _, state, _ in seen} == {1, 2, 3}
    assert {turns for _, _, turns in seen} == {1, 2}


def test_tables_over_three_turns():
    compared = 0
    for rng, model, state, turns in instances(16, 32, turns=3, longest=1):
        if len(model.kinds) * len(model.gaps) == 1 and len(state.conversations) < 3:
            agree(rng, model, state, turns, caches=1, kepts=1)
            compared += 1
    assert compared > 2


def test_two_turns_by_every_policy_there_is():
    compared, policies = 0, 0
    for rng, model, state, _ in instances(36, 5, turns=2):
        cached = random_cached(rng, model, state)
        tree = Tree(model, state, cached)
        if tree.policies() > 300:
            continue
        assert Solver(model).cost(state, cached, 2) == backward_induction(model, state, cached, 2) == tree.least()
        compared, policies = compared + 1, policies + tree.policies()
    assert compared > 9
    assert policies > 180


def test_no_policy_costs_less_than_the_best():
    dearer = 0
    for rng, model, state, turns in instances(14, 3):
        cached, policy = random_cached(rng, model, state), arbitrary(int(rng.integers(1000)))
        cost = backward_induction(model, state, cached, turns, policy)
        assert (
            cost
            == Solver(model, policy).cost(state, cached, turns)
            >= backward_induction(model, state, cached, turns)
        )
        dearer += cost > backward_induction(model, state, cached, turns)
    assert dearer > 3


def test_what_cannot_be_solved_is_named():
    model = BeliefMDP(2, 0, (BeliefKind(1, (fixed(2),)),))
    state = first_turn(model, 0, 2, 0)
    for cached, turns, forced in (((2,), 0, False), ((3,), 1, False), ((2, 0), 1, False), ((1,), 1, True)):
        with pytest.raises(ArgumentError, match=r"^turns: found 0|^cached: found"):
            backward_induction(replace(model, forced=forced), state, cached, turns)


def narrow_gap(belief="bayes"):
    """Return a model whose fractions have long denominators."""
    kinds = (BeliefKind(1, (Finite((1, 2), (HALF, HALF)), COIN)),)
    return BeliefMDP(2, 1, kinds, gaps=((Fraction(10**6 + 3, 10**6 + 33), Fraction(1)),), belief=belief)


@pytest.mark.parametrize("belief", ["paper", "bayes"])
def test_numbers_beyond_64_bits(belief):
    model, rng = narrow_gap(belief), np.random.default_rng(33)
    state = random_state(rng, model, 1)
    tables = agree(rng, model, state, 2)
    table = tables.of_keeping(state, 2)
    assert table.denominator > 2**63
    assert table.numerators.dtype == object
    assert next_cost(BeliefMDP(2, 1, model.kinds), state).numerators.dtype == np.int64


def test_int64_and_whole_numbers_of_python_are_the_same(monkeypatch):
    for _, model, state, turns in instances(20, 34):
        narrow = Tables(model).of_keeping(state, turns)
        monkeypatch.setattr(last_turns, "BROAD", 0)
        broad = Tables(model).of_keeping(state, turns)
        monkeypatch.undo()
        assert broad.numerators.dtype == object
        assert (narrow.numerators == broad.numerators).all()
        assert narrow.denominator == broad.denominator


def test_sums_just_above_64_bits():
    """A sum is broad where it, or what it is made of, reaches 2**60."""
    for bits in (58, 59, 60, 61, 62, 63, 64, 70):
        one = module.Exact(np.array([2**bits], object), 1)
        total = module.total([(1, 1, one)] * 3, (1,))
        assert total.at((0,)) == 3 * 2**bits
        assert (total.numerators.dtype == object) == (3 * 2**bits >= 2**60)
        small = module.total([(1, 2**bits, module.Exact(np.array([1], object), 1))] * 3, (1,))
        assert small.at((0,)) == Fraction(3, 2**bits)
        assert (small.numerators.dtype == object) == (2**bits >= 2**60)


def test_tables_are_in_lowest_terms():
    for _, model, state, turns in instances(20, 35):
        table = Tables(model).of_keeping(state, turns)
        assert np.gcd.reduce([*map(int, table.numerators.ravel()), table.denominator]) == 1


def test_the_next_cost_and_the_objective():
    for _, model, state, _ in instances(40, 36):
        pasts = tuple(known.past for known in state.conversations)
        weights = [Fraction(i + 1, 3) for i in range(len(pasts))]
        kept_table, weighed, within = next_cost(model, state), objective(model, state, weights), fits(model, state)
        assert shape(model, state) == tuple(1 + min(past, model.capacity) for past in pasts)
        for kept in product(*(range(size) for size in shape(model, state))):
            assert within[kept] == (sum(kept) <= model.capacity)
            turns = list(arrivals(model, state))
            assert kept_table.at(kept) == sum(t.probability * excess(model, state, kept, t) for t in turns)
            expected = Fraction(0)
            for known, y, r in zip(state.conversations, kept, weights, strict=True):
                law = model.kinds[known.kind].prompt(known.turns)
                expected += r * sum(p * max(known.past + q - y - model.xi, 0) for q, p in law.outcomes)
            assert weighed.at(kept) == expected


def test_forced_caching_that_cannot_be_is_an_error():
    model = BeliefMDP(1, 0, (BeliefKind(1, (fixed(2),)),), forced=True)
    state = first_turn(model, 0, 2, 0)
    for broken in (
        lambda: Tables(model).of_cached(state, 1),
        lambda: Solver(model).cost(state, (2,), 1),
        lambda: allocations(model, state, (2,)),
    ):
        refused(ForcedCachingError, "forced caching must keep a past of length 2, .* capacity 1", broken)


def longest_by_brute_force(model, state, turns):
    states, longest = {state}, state.conversations[state.arrived].past
    for _ in range(turns - 1):
        states = {after(model, s, arrival) for s in states for arrival in arrivals(model, s)}
        longest = max(longest, *(s.conversations[s.arrived].past for s in states))
    return longest


def test_the_longest_past():
    rng, births = np.random.default_rng(37), set()
    for _ in range(60):
        model = replace(random_model(rng, forced=False), race=False)
        model = replace(model, gaps=((HALF, Fraction(1)),))
        state = random_state(rng, model, int(rng.integers(0, 2)))
        births.add(model.birth_rate)
        for turns in (1, 2, 3):
            assert longest_past(model, state, turns) == longest_by_brute_force(model, state, turns)
    assert births == {0, 1, 2}


def test_a_conversation_that_never_starts_has_no_past():
    new_is_long = BeliefKind(1, (fixed(4), fixed(0)))
    for births, longest in ((0, 1), (1, 4)):
        model = BeliefMDP(9, 0, (new_is_long,), Fraction(births))
        assert longest_past(model, first_turn(model, 0, 1, 0), 2) == longest


def test_the_next_turn_is_somebody_s():
    for _, model, state, _ in instances(80, 38):
        turns = list(arrivals(model, state))
        assert sum(turn.probability for turn in turns) == 1
        assert all(turn.probability > 0 for turn in turns)
        by_place = [sum(t.probability for t in turns if t.place == i) for i in range(len(state.conversations) + 1)]
        assert by_place == next_turn(model, state)
        found = next_chances(model, state)
        assert by_place == [Fraction(chance, sum(found)) for chance in found]


def test_beliefs_by_hand():
    """Death rate 2 and turn rate 1, x = 1/2: pi/4; or by Bayes x**3 = 1/8, no turn with 17/24 if alive."""
    known = Known(0, 0, HALF, 1)
    paper = BeliefMDP(1, 0, (BeliefKind(1, (fixed(1),)),), Fraction(1), 2)
    bayes = replace(paper, belief="bayes")
    assert aged(paper, known, HALF) == Fraction(1, 8)
    assert after_silence(bayes, known, HALF)[1] == 1 - HALF + HALF * Fraction(17, 24)
    assert aged(bayes, known, HALF) == HALF / 8 / Fraction(41, 48)


def test_the_posterior_is_that_of_the_module_on_beliefs():
    rng = np.random.default_rng(39)
    for _ in range(200):
        rate, mu, x = int(rng.integers(1, 4)), int(rng.integers(1, 4)), Fraction(int(rng.integers(1, 6)), 5)
        model = BeliefMDP(1, 0, (BeliefKind(rate, (fixed(1),)),), death_rate=mu, belief="bayes")
        pi = Fraction(int(rng.integers(1, 8)), 7)
        found = aged(model, Known(0, 0, pi, 1), x)
        assert found == exact_after_silence(pi, x ** (mu + rate), mu, rate)


def test_a_race_by_hand():
    """One conversation for certain alive, rates 1: (1 + pi x-aged) x (mu + lambda x**2) / 2 at each node."""
    gaps = ((Fraction(1), Fraction(1)), (HALF, Fraction(3)))
    model = BeliefMDP(2, 0, (BeliefKind(1, (fixed(1),)),), gaps=gaps, belief="bayes", race=True)
    (alive, first), (later, second) = chances(model, first_turn(model, 0, 1, 0))
    aged_pi = Fraction(1, 4) / Fraction(5, 8)
    assert (alive, later) == ((Fraction(1),), (aged_pi,))
    weights = [Fraction(1), Fraction(1), 3 * aged_pi * HALF * Fraction(5, 8), 3 * HALF * Fraction(5, 8)]
    every = sum([*first, *second])
    assert [Fraction(chance, every) for chance in (*first, *second)] == [one / sum(weights) for one in weights]


def test_the_state_after_a_turn():
    kind = BeliefKind(1, (fixed(1), fixed(2), fixed(3)), fixed(1))
    model = BeliefMDP(9, 0, (kind, replace(kind, share=Fraction(0))))
    state = first_turn(model, 0, 1, 1)
    assert state == State((Known(0, 1, Fraction(1), 2),), (0,))
    new = next(arrival for arrival in arrivals(model, state) if arrival.place == 1)
    state = after(model, state, new)
    assert state == State((Known(0, 1, HALF, 2), Known(0, 1, Fraction(1), 2)), (0, 1))
    assert at_hand(state, (1,)) == (1, 2)
    again = next(arrival for arrival in arrivals(model, state) if arrival.place == 0)
    assert (again.prompt, again.response, again.kind) == (2, 1, 0)
    assert excess(model, state, (1, 0), again) == 3
    assert excess(replace(model, xi=2), state, (1, 0), again) == 1
    state = after(model, state, again)
    assert state == State((Known(0, 2, Fraction(1), 5), Known(0, 1, HALF, 2)), (1, 0))
    assert at_hand(state, (1, 1)) == (5, 1)
    third = after(model, state, next(arrival for arrival in arrivals(model, state) if arrival.place == 0))
    assert third.conversations[0] == Known(0, 2, Fraction(1), 9)


BAD_MODELS = [
    ({"capacity": -1}, "capacity"),
    ({"xi": HALF}, "xi"),
    ({"death_rate": -1}, "death_rate"),
    ({"belief": "both"}, "belief"),
    ({"race": True}, "race"),
    ({"birth_rate": Fraction(-1)}, "birth_rate"),
    ({"gaps": ()}, "gaps"),
    ({"gaps": ((Fraction(0), Fraction(1)),)}, "gaps"),
    ({"gaps": ((Fraction(3, 2), Fraction(1)),)}, "gaps"),
    ({"gaps": ((HALF, Fraction(0)), (HALF, Fraction(1)))}, "gaps"),
    ({"gaps": ((HALF, HALF),)}, "gaps"),
    ({"kinds": (BeliefKind(1, (fixed(1),), share=HALF),)}, "kinds"),
]


@pytest.mark.parametrize(("changes", "argument"), BAD_MODELS)
def test_models_that_are_none(changes, argument):
    refused(ArgumentError, argument, lambda: replace(BeliefMDP(1, 0, (BeliefKind(1, (fixed(1),)),)), **changes))


def test_kinds_that_are_none():
    refused(ArgumentError, "turn_rate: found 0", lambda: BeliefKind(0, (fixed(1),)))
    refused(ArgumentError, "prompts", BeliefKind, 1, ())


def test_a_race_needs_a_whole_birth_rate():
    model = BeliefMDP(1, 0, (BeliefKind(1, (fixed(1),)),), HALF, belief="bayes", race=True)
    with pytest.raises(ArgumentError, match=r"birth_rate: found .*, expected a whole number"):
        list(arrivals(model, first_turn(model, 0, 1, 0)))

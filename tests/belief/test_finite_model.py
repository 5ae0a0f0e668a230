"""The finite model with forgetting: sweeps in C against backward induction, dictionaries, and quantecon."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from belief.random_models import arbitrary, random_model
from refusals import refused

import teltheory as tt
from teltheory.belief import iteration
from teltheory.belief.compared import rows_of
from teltheory.belief.discrete import pairs
from teltheory.belief.iteration import asked, decisions_at
from teltheory.belief.mdp import Solver
from teltheory.belief.model import as_state
from teltheory.belief.optimality import ScoreRule
from teltheory.belief.reference import Forgetful
from teltheory.belief.rules import POLICIES
from teltheory.belief.sweeps import in_floats
from teltheory.belief.tables import Tables
from teltheory.errors import ArgumentError
from teltheory.workloads.laws import Finite, fixed

belief = tt.belief
HALF = Fraction(1, 2)
COIN = Finite((1, 2), (HALF, HALF))
RULES = list(POLICIES.values())


def that_fits(model):
    """Return a model with forced caching in which every past fits: no prompts after the first, no responses."""
    kinds = tuple(replace(kind, prompts=(kind.prompts[0], fixed(0)), response=fixed(0)) for kind in model.kinds)
    return replace(model, kinds=kinds, forced=True, capacity=max(1, *(max(k.prompts[0].lengths) for k in kinds)))


def models(number, seed, most=2_000, slots=(1, 4)):
    """Yield small models, forced ones and of several gaps among them, with a number of slots and a discount."""
    rng, found = np.random.default_rng(seed), 0
    while found < number:
        model, silent = replace(random_model(rng, False), race=False), int(rng.integers(*slots))
        model = that_fits(model) if rng.integers(4) == 0 else model
        gamma = Fraction(int(rng.integers(0, 10)), 10)
        try:
            finite, _ = asked(model, gamma, silent)
            finite.check_size(most)
            if rng.integers(2):
                model = replace(model, start=finite.known(int(rng.integers(finite.states))))
        except ArgumentError:
            continue
        found += 1
        yield rng, model, silent, gamma


def small(rates=(1, 3)):
    kinds = tuple(belief.Kind(rate, (fixed(1), fixed(0)), share=HALF) for rate in rates)
    return belief.BeliefMDP(1, 0, kinds, belief="bayes")


def nothing(model, state, cached):
    return (0,) * len(cached)


def by_backward_induction(number, seed, exactly):
    """Compare values of turns at each state that nobody is forgotten from, with each cache; return how many."""
    asked_of = 0
    for rng, model, silent, _ in models(number, seed, 600):
        turns = int(rng.integers(1, min(silent, 2) + 1))
        solved, judge = belief.value_iteration(model, turns=turns, silent=silent), Forgetful(model, silent)
        tables, free = Tables(model), Solver(replace(model, forced=False), nothing)
        for place in range(solved.states):
            recent, cached = solved.slots.known(place)
            if recent.conversations[-1].silent > silent - turns:
                continue
            state, at = as_state(model, recent), (0, *(min(x, model.capacity) for x in cached[1:]))
            cost = tables.of_cached(state, turns).at(at)
            saving = free.cost(state, (0,) * len(cached), turns) - cost
            assert abs(float(saving) - solved.table[place]) < 1e-12
            assert not exactly or judge.value(judge.here(recent, cached), turns) == saving
            asked_of += 1
    return asked_of


def test_turns_are_those_of_backward_induction():
    assert by_backward_induction(6, 0, exactly=True) > 60


@pytest.mark.long
def test_turns_are_those_of_backward_induction_on_thousands_of_models():
    assert by_backward_induction(2_000, 1, exactly=False) > 50_000


def test_discounted_values_and_policies_are_those_of_equations_in_fractions():
    worse = 0
    ten_states = (np.random.default_rng(0), small(), 2, HALF)
    for rng, model, silent, gamma in [*models(14, 2, 150, slots=(1, 3)), ten_states]:
        rule = RULES[2] if model == small() else RULES[rng.integers(len(RULES))]
        best, one = belief.regret(model, [rule], gamma, silent, tolerance=1e-11)
        try:
            exact = [Forgetful(model, silent, gamma).best(60, policy) for policy in (None, rule)]
        except ArgumentError:
            continue
        assert [best.value, one.value] == pytest.approx(list(map(float, exact)), abs=1e-10)
        assert best.lower <= exact[0] <= best.upper
        worse += exact[0] > exact[1]
    assert worse


def test_a_case_of_ten_states_in_fractions():
    model = small()
    below = 44425432410523
    assert belief.value_iteration(model, HALF, 2).states == 10
    assert Forgetful(model, 2, HALF).best() == Fraction(29489747218088, below)
    assert Forgetful(model, 2, HALF).best(policy=belief.lru) == Fraction(29489747218088, below)
    assert Forgetful(model, 2, HALF).best(policy=belief.et_lru("printed")) == Fraction(27746187012821, below)


LOST = {  # per cent, by the rate of the quick kind: printed, belief, next, LRU and T-LRU
    1: (0, 0, 0, 0),
    2: (2.1, 2.1, 0, 0),
    8: (14.6, 6.3, 0, 0.05),
    16: (37.8, 1.7, 0, 2.1),
}


def coins(rate, **changes):
    kinds = tuple(belief.Kind(one, (COIN,), share=HALF) for one in (1, rate))
    return belief.BeliefMDP(2, 1, kinds, gaps=((Fraction(2, 3), Fraction(1)),), **{"belief": "bayes", **changes})


@pytest.mark.parametrize("rate", LOST)
def test_what_policies_lose_by_the_rate_of_the_quick_kind(rate):
    rules = [belief.et_lru(name) for name in ("printed", "belief", "next")] + [belief.lru, belief.tlru]
    rows = rows_of(belief.regret(coins(rate), rules, Fraction(9, 10), 4))
    assert rows[0]["states"] == 29_478
    digits = 2 if rate == 8 else 1
    found = [row["percent"] for row in rows[1:]]
    assert [round(one, 1) for one in found[:3]] == list(LOST[rate][:3])
    assert [round(one, digits) for one in found[3:]] == [LOST[rate][3]] * 2


def test_et_lru_is_the_best_under_the_paper_s_belief_and_lru_is_not():
    for rate, (least, most) in {8: (4, 5.5)}.items():
        rows = rows_of(
            belief.regret(coins(rate, belief="paper"), [belief.et_lru(), belief.lru], Fraction(9, 10), 4)
        )
        assert rows[1]["percent"] < 0.05
        assert least < rows[2]["percent"] < most


def test_states_that_somebody_is_forgotten_from_are_left_out_where_turns_are_counted():
    """Theorem D.2 is true for turns; next to the edge forgetting makes ET-LRU lose."""
    model = replace(coins(3, belief="paper"), capacity=3)
    best, one = belief.regret(model, [belief.et_lru()], turns=3, silent=3)
    assert rows_of([best, one])[1]["loses"] == 0
    sweeps, kept = best.worth()
    most = kept.copy()
    sweeps.best(most)
    assert (most - kept[one.choice] > 1e-7).sum() > 0


def test_solvers_agree():
    for _, model, silent, gamma in models(16, 3):
        values = [
            solver(model, gamma, silent, tolerance=1e-10).table
            for solver in (belief.value_iteration, belief.policy_iteration, belief.modified_policy_iteration)
        ]
        assert np.ptp(values, axis=0).max() < 1e-9


def test_the_gain_is_what_a_turn_adds_in_the_end():
    for _, model, silent, _ in models(5, 4, 300):
        if model.birth_rate == 0:
            continue
        gain = belief.value_iteration(model, silent=silent, average=True)
        long = [belief.value_iteration(model, turns=turns, silent=silent).value for turns in (300, 301)]
        assert gain.value == pytest.approx(long[1] - long[0], abs=1e-6)
        assert gain.lower <= gain.upper


def against_quantecon(number, seed):
    for _, model, silent, gamma in models(number, seed):
        found, rows = belief.value_iteration(model, gamma, silent, tolerance=1e-9), pairs(model, gamma, silent)
        theirs = belief.discrete(model, gamma, silent).value_iteration(epsilon=1e-6, max_iter=10_000)
        assert theirs.num_iter < 10_000
        assert abs(theirs.v - found.table[rows.place]).max() <= 1e-6 / 2 + 1e-9


def test_values_are_quantecon_s():
    against_quantecon(16, 5)


@pytest.mark.long
def test_values_are_quantecon_s_on_hundreds_of_models():
    against_quantecon(320, 6)


def test_policies_in_c_keep_what_they_keep_in_python():
    several = forced = 0
    for rng, model, silent, gamma in models(30, 7, 1_000):
        rule, (finite, _) = RULES[rng.integers(len(RULES))], asked(model, gamma, silent)
        sweeps = in_floats(finite, float(gamma))
        plain = decisions_at(sweeps, partial(ScoreRule.__call__, rule))
        assert (decisions_at(sweeps, rule) == plain).all()
        several, forced = several + (len(model.gaps) > 1 and silent > 1), forced + model.forced
    assert several > 5
    assert forced > 2


def test_a_policy_that_leaves_room_is_refused():
    refused(
        ArgumentError, "nothing: found .* tokens to be kept", lambda: belief.evaluate(small(), nothing, HALF, 2)
    )
    loose = belief.evaluate(small(), arbitrary_but_full, HALF, 2)
    assert loose.policy == "arbitrary_but_full"
    assert loose.value <= belief.value_iteration(small(), HALF, 2).value + 1e-8


def arbitrary_but_full(model, state, cached):
    full = min(model.capacity, sum(cached))
    return next(kept for seed in range(99) if sum(kept := arbitrary(seed)(model, state, cached)) == full)


def test_what_is_kept_at_a_state_is_the_best_of_all_that_may_be():
    for rng, model, silent, gamma in models(16, 8, 600):
        how = {"turns": 2} if rng.integers(2) else {"discount": gamma, "tolerance": 1e-11}
        solved = belief.value_iteration(model, silent=silent, **how)
        for place in range(0, solved.states, 7):
            recent, cached = solved.slots.known(place)
            values = solved.of_keeping(recent, cached)
            assert max(values.values()) == pytest.approx(solved.table[place], abs=1e-10)
            assert values[solved.keep(recent, cached)] == max(values.values())


def test_the_cost_is_that_of_backward_induction():
    for rng, model, silent, _ in models(16, 9, slots=(2, 4)):
        turns = int(rng.integers(1, 3))
        longest = 0 if model.start is None else model.start[0].conversations[-1].silent
        if turns > silent - longest:
            continue
        row = rows_of([belief.value_iteration(model, turns=turns, silent=silent)])[0]
        assert row["cost"] == pytest.approx(float(belief.backward_induction(model, turns=turns)), abs=1e-9)


WRONG = [
    ({}, "turns ahead: found 'none', expected one of turns, discount and average"),
    ({"discount": HALF, "turns": 2, "silent": 3}, "turns ahead: found 'discount, turns', expected one of"),
    ({"discount": Fraction(1), "silent": 3}, "discount: found '1', expected a fraction from 0 to below 1"),
    ({"discount": HALF}, "silent: found None, expected the turns of others after which"),
    ({"discount": HALF, "silent": 40}, "silent: found 40, expected from 1 to 31"),
    (
        {"discount": HALF, "silent": 9, "most": 500},
        "silent: found 9, expected at most 500 states, not 781,250: .*4 has 250",
    ),
    (
        {"discount": HALF, "silent": 3, "tolerance": -1.0},
        "values: found '.*', expected to differ .* by less",
    ),
]


@pytest.mark.parametrize(("options", "said"), WRONG, ids=[said[:30] for _, said in WRONG])
def test_what_can_t_be_asked_is_said(options, said, monkeypatch):
    monkeypatch.setattr(iteration, "MOST_SWEEPS", 500)
    refused(ArgumentError, said, lambda: belief.value_iteration(small(), **options))


def test_forced_caching_names_the_kind_whose_past_can_exceed_the_capacity():
    kinds = (belief.Kind(1, (fixed(1),), name="chatty"),)
    model = belief.BeliefMDP(2, 0, kinds, forced=True)
    said = "kind chatty, past after turn 0: found 3, expected at most the capacity 2, with forced caching"
    refused(ArgumentError, said, lambda: belief.value_iteration(model, HALF, 2))

"""Bounds of the model without forgetting: true beside more slots and all histories, and checked by other code."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from belief.test_finite_model import HALF, RULES, coins, models, small

import teltheory as tt
from teltheory.belief.bounds import Ahead, certified
from teltheory.belief.compared import solutions
from teltheory.belief.mdp import Solver
from teltheory.belief.model import Heard, Recent, as_state, first_turn, starts
from teltheory.belief.optimality import ScoreRule
from teltheory.errors import CertificateError

belief = tt.belief


def saved(model, turns, policy=None):
    """Return what is saved in a few turns from the start, by all histories, without forgetting."""
    nothing = Solver(replace(model, forced=False), lambda model, state, cached: (0,) * len(cached))
    total = Fraction(0)
    for p, recent, cached in starts(model):
        state = as_state(model, recent)
        cost = belief.backward_induction(model, state, cached, turns, policy)
        total += p * (nothing.cost(state, cached, turns) - cost)
    return total


def test_bounds_of_turns_hold_the_value_without_forgetting():
    """K = 1 and 2, so that most turns are after something was forgotten."""
    forgot = 0
    for _, model, silent, _ in models(10, 20, 600, slots=(1, 3)):
        solved = belief.value_iteration(model, turns=3, silent=silent)
        exact = saved(model, 3)
        assert solved.lower <= exact <= solved.upper
        forgot += abs(solved.value - float(exact)) > 1e-9
    assert forgot > 3


def forgetful(rule, silent, model):
    """Return a policy that keeps nothing of who was silent for K turns, as pi tells, which falls with each gap."""

    def keep(_, state, cached):
        seen = []
        for i, known in enumerate(state.conversations):
            ages = [
                as_state(model, Recent((Heard(known.kind, 0, 0, n),))).conversations[0].alive
                for n in range(silent)
            ]
            seen += [i] if known.alive in ages else []
        places = {i: at for at, i in enumerate(seen)}
        order = tuple(places[i] for i in state.recency if i in places)
        some = state._replace(conversations=tuple(state.conversations[i] for i in seen), recency=order)
        kept = rule(model, some, tuple(cached[i] for i in seen))
        return tuple(kept[places[i]] if i in places else 0 for i in range(len(cached)))

    return keep


def test_bounds_of_policies_hold_their_value_without_forgetting():
    forgot = 0
    for rng, model, silent, _ in models(40, 21, 600, slots=(1, 3)):
        if len(model.gaps) > 1 or model.gaps[0][0] == 1 or model.death_rate == 0:
            continue
        rule = RULES[rng.integers(len(RULES))]
        solved = belief.evaluate(model, rule, turns=2, silent=silent)
        exact = saved(model, 2, forgetful(rule, silent, model))
        assert solved.lower <= exact <= solved.upper
        forgot += abs(solved.value - float(exact)) > 1e-9
    assert forgot > 2


@pytest.mark.parametrize("options", [{"discount": Fraction(9, 10)}, {"average": True}])
def test_bounds_shrink_with_more_slots_and_hold_each_other(options):
    widths = []
    found = [belief.value_iteration(coins(8), silent=k, **options) for k in range(1, 5)]
    for one in found:
        assert all(one.lower <= other.upper for other in found)
        widths.append(one.upper - one.lower)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < widths[0] / 4
    wide, narrow = found[0], found[-1]
    assert wide.lower <= narrow.lower
    assert narrow.upper <= wide.upper


def test_bounds_hold_for_any_table_over_all_states():
    """The finite model's values, by equations in fractions, with nothing forgotten that counts: f is 0."""
    rng = np.random.default_rng(22)
    for _, model, silent, gamma in models(15, 23, 300, slots=(2, 4)):
        best = belief.value_iteration(model, gamma, silent, tolerance=1e-11)
        slots = replace(best.slots)
        slots.__dict__["forgotten"] = Fraction(0)
        for scale in (1e-6, 0.1, 3.0):
            table = best.table + scale * rng.normal(size=best.states)
            lower, upper = certified(slots, Ahead(gamma), table, None)
            assert float(lower) - 1e-10 <= best.value <= float(upper) + 1e-10


def test_another_code_finds_the_same_bounds():
    kinds = set()
    for rng, model, silent, gamma in models(20, 24, 2_000):
        how = [{"discount": gamma}, {"turns": int(rng.integers(1, 4))}, {"average": True}][rng.integers(3)]
        if "average" in how and model.birth_rate == 0:
            continue
        for one in solutions(model, [RULES[rng.integers(len(RULES))]], silent=silent, **how):
            assert belief.check_bounds(one) == (one.lower, one.upper)
            kinds.add((len(model.gaps), model.forced, *how, one.policy == "optimum"))
    assert len(kinds) > 8


def test_an_error_in_the_table_makes_bounds_wider_and_old_ones_are_refused():
    solved = belief.value_iteration(coins(2), Fraction(9, 10), 3)
    for place in (0, 17, solved.states - 1):
        table = solved.table.copy()
        table[place] += 0.25
        planted = replace(solved, table=table)
        with pytest.raises(CertificateError, match=r"bounds: found .* expected at least what the table proves"):
            belief.check_bounds(planted)
        lower, upper = certified(solved.slots, solved.ahead, table, None)
        assert upper - lower > solved.upper - solved.lower
        assert lower <= solved.upper
        assert solved.lower <= upper


@pytest.mark.parametrize("change", [Fraction(1, 2**30), Fraction(1)])
def test_bounds_that_are_narrower_than_what_is_proved_are_refused(change):
    solved = belief.value_iteration(small(), HALF, 3)
    for planted in (replace(solved, lower=solved.lower + change), replace(solved, upper=solved.upper - change)):
        with pytest.raises(CertificateError, match="bounds: found"):
            belief.check_bounds(planted)
    wider = replace(solved, lower=solved.lower - change, upper=solved.upper + change)
    assert belief.check_bounds(wider) == (solved.lower, solved.upper)


def test_a_table_that_is_none_and_decisions_that_are_none_are_refused():
    best, solved = belief.regret(coins(8), [belief.et_lru("printed")], Fraction(9, 10), 3)
    tables = {
        "no finite": np.where(np.arange(solved.states) == 5, np.nan, solved.table),
        "values": solved.table[:-1],
    }
    for said, table in tables.items():
        with pytest.raises(CertificateError, match=said):
            belief.check_bounds(replace(solved, table=table))
    recent = Recent((Heard(0, 0, 1), Heard(1, 0, 2, 1)))
    none, one = (solved.slots.place(recent, (1, x)) for x in (0, 1))
    for place, wrong in ((40, -1), (40, solved.states), (40, int(solved.choice[40]) + 1), (none, one)):
        choice = solved.choice.copy()
        choice[place] = wrong
        with pytest.raises(CertificateError, match=f"decision of state {place}: found none of the model"):
            belief.check_bounds(replace(solved, choice=choice))
    with pytest.raises(CertificateError, match="bounds: found"):
        belief.check_bounds(replace(solved, table=best.table, lower=best.lower, upper=best.upper))


def test_rates_of_many_digits_are_rounded_and_the_bounds_count_it():
    model = coins(16)
    solved = belief.value_iteration(model, Fraction(9, 10), 4)
    wide = replace(solved.slots)
    assert max(rate.denominator for rate in wide.rates) > 2**60
    assert belief.check_bounds(solved) == (solved.lower, solved.upper)
    wide.__dict__["forgotten"] = Fraction(0)
    lower, upper = certified(wide, solved.ahead, solved.table, None)
    assert 0 < upper - lower < Fraction(1, 10**7)
    assert float(lower) <= solved.value <= float(upper)


def test_laws_of_too_many_digits_are_refused():
    law = tt.workloads.Finite((0, 1), (Fraction(1, 1_000_003), Fraction(1_000_002, 1_000_003)))
    model = replace(small(), kinds=(belief.Kind(1, (law,)),))
    with pytest.raises(CertificateError, match="laws: found a common denominator of"):
        belief.value_iteration(model, HALF, 2)


def test_the_first_state_is_that_of_a_first_turn():
    """`starts` is where values are asked: a first turn of each kind and length, with nobody else."""
    model = coins(8)
    firsts = {as_state(model, recent): p for p, recent, _ in starts(model)}
    assert firsts == {first_turn(model, k, q, 0): Fraction(1, 4) for k in (0, 1) for q in (1, 2)}
    assert isinstance(RULES[0], ScoreRule)

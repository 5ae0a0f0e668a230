"""The proof of the exchange lemma: planted faults open it, and what it speaks of is what the belief MDP does."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import lcm

import pytest
from claims.proving import value_of

from proofs_checks.tail_optimized.instances.belief_grids import ZERO_OR_TWO, kinds_of
from proofs_checks.tail_optimized.lemmas import exchange_proof as proof
from proofs_checks.tail_optimized.theorem_d2_exchange import QUICK, exchange, no_dearer
from teltheory.belief.mdp import Solver
from teltheory.belief.model import BeliefMDP, Known, State, after, allocations, arrivals
from teltheory.belief.optimality import turn_rates
from teltheory.claims.search import decide_safely
from teltheory.claims.smt import cvc5_answer, z3_answer
from teltheory.claims.terms import TRUE, every, integers, truth
from teltheory.workloads.laws import fixed


@pytest.mark.long
def test_nothing_is_left_open():
    found = proof.same_law_proof()
    assert (found.unproved, found.obligations) == (
        (),
        len(proof.obligations()) + len(proof.ALGEBRA) + len(proof.LAW),
    )
    assert all(prover in found.by for prover in ("z3", "cvc5", "sympy"))
    assert "by hand" in found.covers


@pytest.mark.parametrize(
    ("fault", "make"),
    [
        ("scores_after", proof.later),
        ("may_be_exchanged", proof.later),
        ("may_be_exchanged", proof.rule),
        ("exchanged", proof.not_needed),
        ("exchanged", proof.rule_is_reached),
    ],
)
def test_without_a_hypothesis_it_is_not_proved(fault, make, monkeypatch):
    monkeypatch.setattr(proof, fault, lambda *_: [] if make in (proof.later, proof.rule) else TRUE)
    weakened = make(4, 2) if make in (proof.later, proof.rule) else make()
    assert z3_answer(weakened.text) == cvc5_answer(weakened.text) == "sat"


@pytest.mark.parametrize("left_out", [0, 1], ids=["T scores as much as a", "b scores as much as a"])
def test_the_lemma_needs_both_of_its_conditions(left_out):
    """The first hypotheses of `later` with C = 2: T and then b score at least as much as a."""
    obligation = proof.later(4, 2)
    kept = tuple(h for i, h in enumerate(obligation.hypotheses) if i != left_out)
    assert z3_answer(replace(obligation, hypotheses=kept).text) == "sat"


@pytest.mark.parametrize("name", proof.ALGEBRA)
def test_a_sum_of_products_that_is_wrong_or_assumes_more_proves_nothing(name):
    honest = proof.ALGEBRA[name]()
    assert honest.is_proved
    assert not replace(honest, shown=honest.shown - 1).is_proved
    assert not replace(honest, given=honest.given[1:]).is_proved
    assert not replace(honest, terms=honest.terms[1:]).is_proved


# Tokens are items: what the proof speaks of, computed over sets of tokens that need not be prefixes.

HALF = Fraction(1, 2)
KINDS = kinds_of((1, 3), ((fixed(2), ZERO_OR_TWO), (fixed(1), fixed(1))), fixed(0))
PAIR = State((Known(1, 1, HALF, 2), Known(0, 1, Fraction(1), 2)), (0, 1))
UNLIKE = State((Known(0, 1, Fraction(1, 5), 1), Known(1, 1, Fraction(1), 3)), (0, 1))
INSTANCES = [
    (BeliefMDP(capacity, xi, KINDS), state, turns)
    for capacity, xi, state, turns in product((1, 2), (0, 1), (PAIR, UNLIKE), (2,))
]


def tokens_of(state, conversation=None):
    places = range(len(state.conversations)) if conversation is None else [conversation]
    return [(i, j) for i in places for j in range(1, state.conversations[i].past + 1)]


def score(model, state, token):
    known = state.conversations[token[0]]
    law = model.kinds[known.kind].prompt(known.turns)
    return turn_rates(model, state)[token[0]] * law.exactly_at_least(token[1] - known.past + model.xi)


def saved(model, state, kept, turns):
    """Return the excess that a set of tokens saves in the next turns, the best ones being kept from then on."""
    total = Fraction(0)
    for arrival in arrivals(model, state) if turns else ():
        i, then = arrival.place, after(model, state, arrival)
        need = then.conversations[i].past - arrival.response - model.xi
        at_hand = sorted({*kept, *tokens_of(then, i)})
        choices = combinations(at_hand, min(model.capacity, len(at_hand)))
        later = max(saved(model, then, choice, turns - 1) for choice in choices)
        total += arrival.probability * (sum(c == i and j <= need for c, j in kept) + later)
    return total


@pytest.mark.parametrize(("model", "state", "turns"), INSTANCES)
def test_prefixes_save_what_sets_of_tokens_save(model, state, turns):
    nothing = (0,) * len(state.conversations)
    with_nothing = Solver(replace(model, capacity=0)).cost_of_keeping(state, nothing, turns)
    for kept in allocations(model, state, tuple(known.past for known in state.conversations)):
        prefix = [(i, j) for i, j in tokens_of(state) if j <= kept[i]]
        assert with_nothing - saved(model, state, prefix, turns) == Solver(model).cost_of_keeping(
            state, kept, turns
        )


def whole(numbers):
    common = lcm(*(number.denominator for number in numbers))
    return [int(number * common) for number in numbers]


@pytest.mark.parametrize(("model", "state", "turns"), INSTANCES)
def test_sets_of_tokens_meet_the_hypothesis_and_the_rule_is_the_best(model, state, turns):
    """The most valued tokens first, so that 0 ... C - 1 are the rule's choice."""
    tokens = sorted(tokens_of(state), key=lambda token: -score(model, state, token))
    unknown = proof.savings(len(tokens), model.capacity)
    found = whole([saved(model, state, [tokens[t] for t in kept], turns) for kept in unknown])
    scores = whole([score(model, state, token) for token in tokens])
    known = {F.operator: value for F, value in zip(unknown.values(), found, strict=True)}
    known |= {f"v{t}": value for t, value in enumerate(scores)}
    obligation = proof.rule(len(tokens), model.capacity)
    assert value_of(every(obligation.hypotheses), known)
    assert value_of(obligation.conclusion, known)


@pytest.mark.parametrize(("model", "state", "turns"), INSTANCES)
def test_scores_after_a_turn_are_as_the_hypotheses_say(model, state, turns):
    tokens = tokens_of(state)
    n = len(tokens)
    flags = tuple(truth(f"arrives_{t}") for t in range(n))
    hypotheses = every(proof.scores_after(integers("v", n), integers("w", n), flags))
    for arrival in arrivals(model, state):
        then = after(model, state, arrival)
        now = whole([score(model, state, token) for token in tokens])
        later = whole([score(model, then, token) for token in tokens])
        known = {f"v{t}": value for t, value in enumerate(now)} | {f"w{t}": value for t, value in enumerate(later)}
        known |= {f"arrives_{t}": tokens[t][0] == arrival.place for t in range(n)}
        assert value_of(hypotheses, known)


# The row.


@pytest.mark.long
def test_a_rule_that_exchanges_for_less_is_refuted(monkeypatch):
    def turned(values):
        return no_dearer({"a kept": values["b kept"], "b kept": values["a kept"]})

    backwards = replace(exchange, relation=turned)
    assert decide_safely(backwards).verdict == "refuted"


def test_exchanges_are_all_pairs_that_the_lemma_speaks_of():
    for case in list(QUICK[1].cases())[::37]:
        model, state = case.tables.model, case.state
        found, everything = set(), tuple(known.past for known in state.conversations)
        full = [kept for kept in allocations(model, state, everything) if sum(kept) == model.capacity]
        for first, second in product(full, repeat=2):
            mine, yours = (
                frozenset(t for t in tokens_of(state) if t[1] <= kept[t[0]]) for kept in (first, second)
            )
            if len(mine - yours) == 1:
                (a,), (b,) = mine - yours, yours - mine
                least = score(model, state, a)
                if all(score(model, state, t) >= least for t in {*(mine & yours), b}):
                    found.add((first, second))
        assert set(case.exchanges()) == found

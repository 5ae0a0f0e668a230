"""Cases of the belief MDP: every history once, in order of size, and counterexamples that can be rebuilt."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product

import pytest

from proofs_checks.tail_optimized.corollaries_d2 import paging_ever
from proofs_checks.tail_optimized.instances import belief_grids as grids
from proofs_checks.tail_optimized.instances.belief_grids import A_HALF, COIN, FIRST, FORCED, PAPER, kinds_of
from proofs_checks.tail_optimized.theorem_d2 import turn_law
from proofs_checks.tail_optimized.theorem_d2_bayes import bayes_random
from teltheory.belief.mdp import Solver
from teltheory.belief.model import Known, State, after, allocations, arrivals, at_hand, first_turn
from teltheory.claims.beliefs import AllHistories, BeliefCase, PastTurn, histories, model_as_dict, model_from_dict
from teltheory.claims.search import decide
from teltheory.workloads.laws import fixed

HALF = Fraction(1, 2)
TWO_KINDS = kinds_of((1, 3), ((FIRST, COIN),), fixed(0))
MODELS = [
    replace(PAPER, capacity=2, kinds=TWO_KINDS, gaps=A_HALF),
    replace(FORCED, capacity=2, kinds=TWO_KINDS, gaps=A_HALF),
    replace(FORCED, capacity=3, kinds=kinds_of((1,), ((FIRST, fixed(0), COIN),), COIN), gaps=A_HALF),
    replace(grids.BAYES, capacity=1, kinds=kinds_of((1,), ((COIN,),), COIN), gaps=grids.TWO_GAPS),
]


def sequences(model, length):
    """Return every sequence of turns of any length, place and gap: what histories are some of."""
    gaps = {Fraction(1), *(x for x, _ in model.gaps)}
    laws = [law for kind in model.kinds for law in kind.prompts]
    prompts = {q for law in laws for q in law.lengths}
    responses = {a for kind in model.kinds for a in kind.response.lengths}
    turns = [PastTurn(*turn) for turn in product(gaps, range(3), range(len(model.kinds)), prompts, responses)]
    return product(turns, repeat=length)


def may_come(model, steps, conversations):
    """Whether a sequence of turns is a history: by its gaps, its places, its kinds, its laws and its pasts."""
    if steps[0].x != 1 or any(step.x not in dict(model.gaps) for step in steps[1:]):
        return False
    kinds, turns, pasts = {}, {}, {}
    for _, place, kind, q, a in steps:
        if place > len(kinds) or kinds.setdefault(place, kind) != kind:
            return False
        laws = model.kinds[kind].prompts
        if q not in laws[min(turns.get(place, 0), len(laws) - 1)].lengths:
            return False
        turns[place] = turns.get(place, 0) + 1
        pasts[place] = pasts.get(place, 0) + q + a
    fits = not model.forced or max(pasts.values()) <= model.capacity
    return fits and len(kinds) <= conversations


@pytest.mark.parametrize("model", MODELS)
def test_every_history_once(model):
    for length, conversations in ((1, 3), (2, 3), (2, 1), (3, 3), (3, 2)):
        if len(list(islice(sequences(model, length), 60_001))) > 60_000:
            continue
        found = list(histories(model, length, conversations))
        expected = [steps for steps in sequences(model, length) if may_come(model, steps, conversations)]
        assert len(found) == len(set(found)) == len(expected) > 0
        assert set(found) == set(expected)


def test_the_state_of_a_history():
    model = replace(PAPER, kinds=TWO_KINDS, gaps=A_HALF)
    steps = (PastTurn(Fraction(1), 0, 1, 2, 0), PastTurn(HALF, 1, 0, 1, 0), PastTurn(HALF, 0, 1, 1, 0))
    quarter = Known(0, 1, HALF, 1)
    assert BeliefCase(model, steps, 1).state == State((Known(1, 1, Fraction(1), 3), quarter), (1, 0))
    assert BeliefCase(model, steps[:2], 1).state.conversations[0] == Known(1, 1, HALF, 2)


def test_a_case_is_feasible_where_every_past_can_be_kept():
    steps = (PastTurn(Fraction(1), 0, 0, 1, 0),)
    for capacity, turns in product(range(6), (1, 2, 3)):
        model = replace(FORCED, capacity=capacity, kinds=kinds_of((1,), ((FIRST, COIN),), COIN), gaps=A_HALF)
        case = BeliefCase(model, steps, turns)
        longest = {1: 1, 2: 3, 3: 5}[turns]
        assert case.feasible == (longest <= capacity)
        assert BeliefCase(replace(model, forced=False), steps, turns).feasible


SMALL = replace(PAPER, capacity=1, xi=1, kinds=kinds_of((1,), ((FIRST, fixed(1)),), fixed(0)))
SPACE = AllHistories(
    {"quick": lambda: iter([SMALL, replace(SMALL, xi=0)]), "full": grids.Grid(((1,),), (((COIN,),),))},
    {"quick": ((2, 2), (1, 1), (2, 1), (1, 2)), "full": ((1, 1),)},
    "two models",
    conversations=2,
)


def test_classes_are_of_growing_numbers_of_turns():
    classes = [list(cases) for cases in SPACE.classes("quick")]
    assert [{case.measures()["turns"] for case in cases} for cases in classes] == [{2}, {3}, {4}]
    pairs = [{(len(case.steps), case.turns) for case in cases} for cases in classes]
    assert pairs == [{(1, 1)}, {(1, 2), (2, 1)}, {(2, 2)}]
    every = [case for cases in classes for case in cases]
    assert len(every) == len(set(every)) == 2 * (2 * 2 + 2 * len(list(histories(SMALL, 2, 2))))
    assert {case.model for case in every} == {SMALL, replace(SMALL, xi=0)}
    assert len(list(next(iter(SPACE.classes("full"))))) == 8 * 2


@pytest.mark.parametrize(
    "model", [*MODELS, replace(grids.RACE, kinds=TWO_KINDS, xi=3, death_rate=2, birth_rate=Fraction(2))]
)
def test_a_model_as_plain_data_and_back(model):
    assert model_from_dict(json.loads(json.dumps(model_as_dict(model)))) == model


def state_of(model, history):
    """Return the state at the end of a history by the model's own arrivals."""
    _, _, kind, q, a = history[0]
    state = first_turn(model, kind, q, a)
    for x, *turn in history[1:]:
        (then,) = {
            after(model, state, arrival)
            for arrival in arrivals(replace(model, gaps=((Fraction(x), Fraction(1)),)), state)
            if [arrival.place, arrival.kind, arrival.prompt, arrival.response] == turn
        }
        state = then
    return state


@pytest.mark.parametrize("row", [turn_law, bayes_random, paging_ever], ids=lambda row: row.id)
def test_a_counterexample_can_be_rebuilt(row):
    example = json.loads(json.dumps(decide(row).counterexample))
    model = model_from_dict(example["model"])
    state, turns, solver = state_of(model, example["history"]), example["following"], Solver(model)
    assert BeliefCase.of(example).state == state
    cached, kept, best = (tuple(example[name]) for name in ("cached", "kept", "best"))
    rule, optimal = (Fraction(value) for value in example["values"].values())
    assert at_hand(state, cached) == cached
    allowed = allocations(model, state, cached)
    assert {kept, best} <= set(allowed)
    assert solver.cost_of_keeping(state, kept, turns) == rule
    assert solver.cost_of_keeping(state, best, turns) == optimal == solver.cost(state, cached, turns)
    assert optimal < rule

"""The belief MDP's exact tables against quantecon's backward induction, with a row for each state and decision."""

import numpy as np
import pytest
from belief.random_models import random_cached, random_model, random_state
from scipy.sparse import csr_matrix

from teltheory.belief.model import after, allocations, arrivals, at_hand, excess
from teltheory.belief.tables import backward_induction as by_tables
from teltheory.claims.beliefs import longest_past

END = ("no turn", (), 0)


def by_quantecon(model, state, cached, turns):
    """Return the least expected excess and the number of rows; a state has its number of turns to come."""
    from quantecon.markov import DiscreteDP, backward_induction

    order = [END, (state, cached, turns)]
    number = {key: i for i, key in enumerate(order)}
    rows, rewards, of_state, action = [{0: 1.0}], [0.0], [0], [0]
    for s, (now, there, left) in enumerate(order):
        for a, kept in enumerate(allocations(model, now, there) if left else ()):
            row, reward = {}, 0.0
            for arrival in arrivals(model, now):
                then = after(model, now, arrival)
                key = (then, at_hand(then, kept), left - 1) if left > 1 else END
                if key not in number:
                    number[key] = len(order)
                    order.append(key)
                place, p = number[key], float(arrival.probability)
                row[place] = row.get(place, 0.0) + p
                reward -= p * excess(model, now, kept, arrival)
            rows.append(row)
            rewards.append(reward)
            of_state.append(s)
            action.append(a)
    columns = [place for row in rows for place in row]
    chances = [p for row in rows for p in row.values()]
    ends = np.cumsum([0, *map(len, rows)])
    moves = csr_matrix((chances, columns, ends), shape=(len(rows), len(number)))
    solver = DiscreteDP(np.array(rewards), moves, 1.0, np.array(of_state), np.array(action))
    return -backward_induction(solver, turns)[0][0][1], len(rows)


@pytest.mark.filterwarnings("ignore:infinite horizon solution methods")
def test_the_least_cost_is_quantecon_s():
    rng, rows, models = np.random.default_rng(11), 0, []
    while rows < 1_000 or len(models) < 25:
        model = random_model(rng)
        state, turns = random_state(rng, model, int(rng.integers(0, 3))), int(rng.integers(1, 3))
        if model.forced and longest_past(model, state, turns) > model.capacity:
            continue
        cached = random_cached(rng, model, state)
        theirs, pairs = by_quantecon(model, state, cached, turns)
        assert float(by_tables(model, state, cached, turns)) == pytest.approx(theirs, abs=1e-9)
        rows += pairs
        models.append(model)
    assert len({len(model.kinds) for model in models}) == 2
    assert {model.forced for model in models} == {model.race for model in models} == {False, True}
    assert {model.belief for model in models} == {"paper", "bayes"}

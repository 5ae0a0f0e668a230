"""ET-LRU by the printed index in the true model: the index itself, and that a planted fault turns each row."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_checks.tail_optimized import printed_index
from proofs_checks.tail_optimized.instances import belief_grids
from proofs_checks.tail_optimized.instances.belief_grids import BAYES, PAPER
from teltheory.belief.model import BeliefKind, Known, State, aged
from teltheory.belief.optimality import next_turns, printed_turn_rates, turn_rates
from teltheory.claims.search import decide_safely
from teltheory.errors import ArgumentError
from teltheory.model.numbers import exact_root
from teltheory.workloads.laws import fixed

DECAYS = st.fractions(min_value=Fraction(1, 50), max_value=1, max_denominator=50)


@given(gaps=st.lists(DECAYS, max_size=3), rate=st.integers(1, 4), mu=st.integers(1, 3))
def test_the_printed_index_is_the_rate_times_the_decay_since_the_last_turn(gaps, rate, mu):
    """Whatever the belief of the model, which is followed gap by gap."""
    decay, known = Fraction(1), {"paper": Known(0, 0, Fraction(1), 1), "bayes": Known(0, 0, Fraction(1), 1)}
    models = {
        name: replace(base, kinds=(BeliefKind(rate, (fixed(0),)),), death_rate=mu)
        for name, base in (("paper", PAPER), ("bayes", BAYES))
    }
    for x in gaps:
        decay *= x
        known = {name: one._replace(alive=aged(models[name], one, x)) for name, one in known.items()}
    for name, one in known.items():
        assert printed_turn_rates(models[name], State((one,), (0,))) == [rate * decay**mu]


@given(root=st.fractions(min_value=0, max_value=10**12), degree=st.integers(1, 9))
def test_a_root_is_exact_or_an_error(root, degree):
    power = root**degree
    assert exact_root("x", power, degree) == root
    if degree > 1 and root:
        with pytest.raises(ArgumentError, match="th power of a fraction"):
            exact_root("x", 2 * power, degree)


def turned_round(model, state):
    return [1 / weight for weight in printed_turn_rates(model, state)]


@pytest.mark.parametrize(
    ("fault", "row", "verdict"),
    [
        pytest.param(next_turns, printed_index.printed_index, "holds", marks=pytest.mark.long),
        (turned_round, printed_index.printed_index_homogeneous, "refuted"),
        (turn_rates, printed_index.printed_index_ratio, "refuted"),
    ],
    ids=lambda value: getattr(value, "id", None),
)
def test_another_index_turns_each_row(fault, row, verdict, monkeypatch):
    def by_index(tables, state, turns, index, ties):
        return honest(tables, state, turns, fault, ties)

    honest = belief_grids.decisions
    monkeypatch.setattr(belief_grids, "decisions", by_index)
    monkeypatch.setattr(printed_index, "printed_turn_rates", fault)
    assert decide_safely(row).verdict == verdict

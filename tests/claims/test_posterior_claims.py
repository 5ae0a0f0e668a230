"""The rows on beliefs turn when what they rest on is wrong."""

from fractions import Fraction

import pytest
from claims.planting import plant

from proofs_checks.tail_optimized import posterior as rows
from proofs_checks.tail_optimized.lemmas import hidden_chain
from proofs_checks.tail_optimized.posterior import Silence
from teltheory.claims.search import decide_safely

FAULTS = {
    "forget the silence": (rows, "exact_posterior", lambda _: lambda decay, mu, rate: decay),
    "forget the prior": (
        *(rows, "exact_after_silence"),
        lambda exact: lambda pi, *others: exact(Fraction(1), *others),
    ),
    "die twice as fast": (
        *(Silence, "undying"),
        lambda _: property(lambda self: self.decay ** (2 * self.death_rate * self.seconds)),
    ),
    "believe the paper": (rows, "given_silence", lambda _: lambda case: case.undying),
}


@pytest.mark.parametrize(
    ("fault", "row", "turned"),
    [
        ("forget the silence", "silence", "refuted"),
        ("forget the prior", "silence", "refuted"),
        ("die twice as fast", "alive_at_last_turn", "refuted"),
        ("die twice as fast", "sign", "refuted"),
        ("believe the paper", "posterior", "holds"),
        ("believe the paper", "sign", "refuted"),
    ],
)
def test_a_planted_fault_turns_its_row(fault, row, turned, monkeypatch):
    plant(monkeypatch, *FAULTS[fault])
    assert decide_safely(getattr(rows, row)).verdict == turned


@pytest.mark.parametrize(
    ("name", "differ"),
    [("from certainty", lambda m: m.update - m.formula), ("another turn", lambda m: m.rate)],
)
def test_another_identity_turns_the_row_that_is_proved(name, differ, monkeypatch):
    monkeypatch.setitem(hidden_chain.IDENTITIES, name, differ)
    assert decide_safely(rows.symbolic).verdict == "refuted"


def test_formulas_with_the_rates_swapped_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    model = hidden_chain.Model()
    assert hidden_chain.difference("from certainty") == "0"
    swapped = {model.mu: model.rate, model.rate: model.mu}
    model.formula = model.formula.subs(swapped, simultaneous=True)
    monkeypatch.setattr(hidden_chain, "_model", lambda: model)
    assert hidden_chain.difference("from certainty") != "0"
    assert hidden_chain.difference("no turns") != "0"

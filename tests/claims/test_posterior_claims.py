"""The rows on beliefs turn when what they rest on is wrong."""

import pytest

from proofs_checks.tail_optimized import posterior as rows
from proofs_checks.tail_optimized.lemmas import hidden_chain
from teltheory.claims.search import refutes


@pytest.mark.parametrize(
    ("name", "differ"),
    [
        ("from certainty", lambda m: m.update - m.formula),
        pytest.param("another turn", lambda m: m.rate, marks=pytest.mark.long),
    ],
)
def test_another_identity_turns_the_row_that_is_proved(name, differ, monkeypatch):
    monkeypatch.setitem(hidden_chain.IDENTITIES, name, differ)
    assert refutes(rows.symbolic, next(one for one in rows.ALL_IDENTITIES.listed if one.identity == name))


def test_formulas_with_the_rates_swapped_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    model = hidden_chain.Model()
    assert hidden_chain.difference("from certainty") == "0"
    swapped = {model.mu: model.rate, model.rate: model.mu}
    model.formula = model.formula.subs(swapped, simultaneous=True)
    monkeypatch.setattr(hidden_chain, "_model", lambda: model)
    assert hidden_chain.difference("from certainty") != "0"
    assert hidden_chain.difference("no turns") != "0"

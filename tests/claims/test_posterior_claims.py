"""The rows on beliefs turn when what they rest on is wrong."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from proofs_checks.tail_optimized import posterior as rows
from proofs_checks.tail_optimized.lemmas import hidden_chain
from proofs_checks.tail_optimized.posterior import Silence
from teltheory.claims.search import decide_safely

HALF = Fraction(1, 2)
Fault = Callable[[pytest.MonkeyPatch], None]


def verdict(name: str) -> str:
    return decide_safely(getattr(rows, name)).verdict


def forget_the_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "exact_posterior", lambda decay, mu, rate: decay)


def forget_the_prior(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = rows.exact_after_silence
    monkeypatch.setattr(rows, "exact_after_silence", lambda pi, *others: exact(Fraction(1), *others))


def die_twice_as_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Silence, "undying", property(lambda self: self.decay ** (2 * self.death_rate * self.seconds))
    )


def believe_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "given_silence", lambda case: case.undying)


def other_identity(name: str, differ: Callable[[Any], Any]) -> Fault:
    def fault(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(hidden_chain.IDENTITIES, name, differ)

    return fault


@pytest.mark.parametrize(
    ("fault", "row", "turned"),
    [
        (forget_the_silence, "silence", "refuted"),
        (forget_the_prior, "silence", "refuted"),
        (die_twice_as_fast, "alive_at_last_turn", "refuted"),
        (die_twice_as_fast, "sign", "refuted"),
        (believe_the_paper, "posterior", "holds"),
        (believe_the_paper, "sign", "refuted"),
        (other_identity("from certainty", lambda m: m.update - m.formula), "symbolic", "refuted"),
        (other_identity("another turn", lambda m: m.rate), "symbolic", "refuted"),
    ],
)
def test_a_planted_fault_turns_its_row(
    fault: Fault, row: str, turned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    assert verdict(row) == turned


def test_formulas_with_the_rates_swapped_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    model = hidden_chain.Model()
    assert hidden_chain.difference("from certainty") == "0"
    swapped = {model.mu: model.rate, model.rate: model.mu}
    model.formula = model.formula.subs(swapped, simultaneous=True)
    monkeypatch.setattr(hidden_chain, "_model", lambda: model)
    assert hidden_chain.difference("from certainty") != "0"
    assert hidden_chain.difference("no turns") != "0"

"""Proofs by cases: elimination against a linear program, and nothing false is ever proved."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from proofs_checks import case_analysis
from proofs_checks.case_analysis import Obligation, indicator, is_proved, least, multipliers, numbers, plus, prove
from proofs_checks.elimination import Row, contradiction

SMALL = st.integers(-3, 3)
X, Y = numbers("x y")
M, N = numbers("m n", whole=True)


def rows(table: list[list[int]], strict: list[bool]) -> list[Row]:
    unit = np.eye(len(table), dtype=int).tolist()
    return [Row(tuple(a), c, s, tuple(e)) for (*a, c), s, e in zip(table, strict, unit, strict=True)]


def largest_margin(table: list[list[int]], strict: list[bool]) -> float:
    """Return the largest t up to 1 so that a x + c >= 0, and >= t where strict; below 0 where there is none."""
    a = np.array([row[:-1] for row in table], float)
    c = np.array([row[-1] for row in table], float)
    t = np.array([float(s) for s in strict])
    bounds = [(None, None)] * a.shape[1] + [(0, 1)]
    found = linprog([*([0] * a.shape[1]), -1], np.column_stack([-a, t]), c, bounds=bounds)
    return float(-found.fun) if found.status == 0 else -1.0


@settings(max_examples=150)
@given(st.data())
def test_elimination_contradicts_what_has_no_solution_and_nothing_else(data: st.DataObject) -> None:
    width, height = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 6))
    table = data.draw(
        st.lists(st.lists(SMALL, min_size=width + 1, max_size=width + 1), min_size=height, max_size=height)
    )
    strict = data.draw(st.lists(st.booleans(), min_size=height, max_size=height))
    weights = contradiction(rows(table, strict))
    margin = largest_margin(table, strict)
    solvable = margin > 1e-9 if any(strict) else margin >= 0
    assert (weights is None) == solvable
    if weights is not None:
        total = [sum(w * row[k] for w, row in zip(weights, table, strict=True)) for k in range(width + 1)]
        assert min(weights) >= 0
        assert not any(total[:-1])
        assert total[-1] < 0 or (total[-1] == 0 and any(w for w, s in zip(weights, strict, strict=True) if s))


def expressions(x: sympy.Expr, y: sympy.Expr) -> st.SearchStrategy[sympy.Expr]:
    line = st.builds(lambda a, b, c: a * x + b * y + c, SMALL, SMALL, SMALL)
    piece = st.one_of(line, line.map(plus), st.builds(least, line, line), line.map(indicator))
    return st.builds(lambda a, e, f: a * e + f, st.integers(-2, 2), piece, piece)


@settings(max_examples=25)
@given(st.data())
def test_what_is_proved_is_true_wherever_one_looks(data: st.DataObject) -> None:
    x, y, grid = (
        (X, Y, [Fraction(k, 2) for k in range(-6, 7)]) if data.draw(st.booleans()) else (M, N, list(range(-5, 6)))
    )
    shown, hypothesis = data.draw(expressions(x, y)), data.draw(expressions(x, y))
    if is_proved(Obligation(given=(hypothesis,), shown=(shown,))):
        points = [{x: sympy.Rational(str(a)), y: sympy.Rational(str(b))} for a, b in product(grid, grid)]
        assert all(shown.subs(p) >= 0 for p in points if hypothesis.subs(p) >= 0)


@pytest.mark.parametrize(
    ("obligation", "proved"),
    [
        (Obligation(equal=(plus(X) - plus(-X) - X,)), True),
        (Obligation(equal=(plus(X) - plus(-X),)), False),
        (Obligation(shown=(plus(X + Y) - plus(X) - plus(Y),)), False),
        (Obligation(shown=(plus(X) + plus(Y) - plus(X + Y),)), True),
        (Obligation(equal=(least(X, Y) - X - Y + sympy.Max(X, Y),)), True),
        (Obligation(equal=(indicator(X) + indicator(-X) - 1,)), False),
        (Obligation(above=(X,), equal=(indicator(X) + indicator(-X) - 1,)), True),
        (Obligation(equal=(indicator(M) + indicator(-M - 1) - 1,)), True),
        (Obligation(equal=(indicator(X) + indicator(-X - 1) - 1,)), False),
        (Obligation(given=(2 * M - 1,), shown=(M - 1,)), True),
        (Obligation(given=(2 * M - 1, 1 - 2 * M), shown=(N,)), False),
        (Obligation(given=(2 * M - 1, 1 - 2 * M), shown=(N,), by_sign_of=(M - 1,)), True),
        (Obligation(given=(X,), shown=(-X,), by_sign_of=(-X - 1,)), False),
        (Obligation(given=(X,), shown=(-X,), by_sign_of=(X,)), False),
        (Obligation(given=(X - 1, -X), shown=(Y,)), True),
        (Obligation(given=(X,)), False),
        (Obligation(above=(X,), shown=(X,)), True),
        (Obligation(given=(X,), above=(-X,), shown=(Y,)), True),
        (Obligation(given=(X, -X), shown=(Y,)), False),
    ],
)
def test_textbook_statements(obligation: Obligation, proved: bool) -> None:
    assert is_proved(obligation) == proved


def test_multipliers_of_a_contradiction() -> None:
    assert multipliers([(X - Y, False), (Y - X - 1, False)]) == (1, 1)
    assert multipliers([(X - Y, False), (Y - X, True)]) == (1, 1)
    assert multipliers([(X - Y, False), (Y - X, False)]) is None


def test_what_is_not_linear_is_refused() -> None:
    with pytest.raises(ValueError, match=r"x\*y is not linear"):
        is_proved(Obligation(given=(X * Y,), shown=(X,)))


@pytest.mark.parametrize("wrong", [lambda found: tuple(-w for w in found), lambda found: (found[0], 0)])
def test_multipliers_that_do_not_add_up_prove_nothing(wrong, monkeypatch) -> None:
    exact = case_analysis.contradiction
    monkeypatch.setattr(case_analysis, "contradiction", lambda rows: wrong(exact(rows)))
    assert multipliers([(X - Y, False), (Y - X - 1, False)]) is None


def test_a_proof_names_what_it_did_not_prove() -> None:
    true, false = Obligation(shown=(plus(X),)), Obligation(shown=(X,))
    proof = prove({"true": lambda: true, "false": lambda: false}, "all real x")
    assert (proof.obligations, proof.unproved, proof.covers) == (1, ("false",), "all real x")
    assert proof.by == f"sympy {sympy.__version__}"

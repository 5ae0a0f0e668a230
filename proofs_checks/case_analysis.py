"""Proofs of piecewise linear statements for all real or whole numbers, by cases, each closed by a certificate.

1. What is to be shown is denied: e >= 0 becomes e < 0, that is e <= -1 where e is whole.
2. Each max, min and indicator is replaced by one of its two values, under the condition for it.
3. A case without them is a system of linear inequalities. By Motzkin's transposition theorem it has no solution if
   and only if multipliers of 0 or more turn it into 0 > 0 (Schrijver 1986, section 7.8).
4. `elimination` finds them, and sympy confirms them by expanding the sum. A case without multipliers is left open.

Symbols with `integer=True` are whole numbers and all others real.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import lcm
from typing import TYPE_CHECKING, TypeAlias

from proofs_checks.elimination import Row, contradiction
from teltheory.claims.claim import Proof

if TYPE_CHECKING:
    from sympy import Expr

Constraint: TypeAlias = "tuple[Expr, bool]"
"""An expression that is 0 or more, or above 0 where the second entry is True."""


@dataclass(frozen=True)
class Obligation:
    """A statement to be proved for all values of its symbols.

    Attributes
    ----------
    given : tuple of Expr
        Hypotheses: these are 0 or more.
    above : tuple of Expr
        Hypotheses: these are above 0.
    shown : tuple of Expr
        To be shown: these are 0 or more.
    equal : tuple of Expr
        To be shown: these are 0.
    by_sign_of : tuple of Expr
        Cases to distinguish on top: an expression is 0 or more, or it is not.
    """

    given: tuple[Expr, ...] = ()
    above: tuple[Expr, ...] = ()
    shown: tuple[Expr, ...] = ()
    equal: tuple[Expr, ...] = ()
    by_sign_of: tuple[Expr, ...] = ()

    def denials(self) -> Iterator[Expr]:
        """Yield the expressions of which none may be below 0."""
        yield from self.shown
        for e in self.equal:
            yield from (e, -e)


def numbers(names: str, whole: bool = False) -> tuple[Expr, ...]:
    """Return symbols for real numbers, or for whole ones of any sign."""
    import sympy

    return tuple(sympy.symbols(names, integer=True) if whole else sympy.symbols(names, real=True))


def plus(e: Expr) -> Expr:
    """Return (e)+."""
    import sympy

    return sympy.Max(e, 0)


def least(a: Expr, b: Expr) -> Expr:
    """Return min(a, b)."""
    import sympy

    return sympy.Min(a, b)


def indicator(e: Expr) -> Expr:
    """Return 1 where e >= 0, and 0 elsewhere."""
    import sympy

    return sympy.Piecewise((1, sympy.Ge(e, 0)), (0, True))


def is_proved(obligation: Obligation) -> bool:
    """Whether every case of every denial is contradictory."""
    given = [*((e, False) for e in obligation.given), *((e, True) for e in obligation.above)]
    return all(
        _impossible([*given, _below(e)], list(obligation.by_sign_of)) for e in obligation.denials()
    ) and bool(obligation.shown or obligation.equal)


def prove(obligations: Mapping[str, Callable[[], Obligation]], covers: str) -> Proof:
    """Prove obligations by name; `covers` says for what, and what is left to do by hand."""
    import sympy

    unproved = tuple(name for name, state in obligations.items() if not _is_proved(state))
    return Proof(f"sympy {sympy.__version__}", covers, len(obligations) - len(unproved), unproved)


@cache
def _is_proved(state: Callable[[], Obligation]) -> bool:
    return is_proved(state())


def _below(e: Expr) -> Constraint:
    return (-e - 1, False) if e.is_integer else (-e, True)


def _impossible(system: list[Constraint], by_sign_of: list[Expr]) -> bool:
    if by_sign_of:
        e, *rest = by_sign_of
        return _impossible([*system, (e, False)], rest) and _impossible([*system, _below(e)], rest)
    piece = _innermost(system)
    if piece is None:
        return multipliers(system) is not None
    return all(
        _impossible([*((e.xreplace({piece: value}), strict) for e, strict in system), condition], [])
        for value, condition in _values(piece)
    )


def _innermost(system: list[Constraint]) -> Expr | None:
    from sympy import Max, Min, Piecewise, default_sort_key

    pieces = {piece for e, _ in system for piece in e.atoms(Max, Min, Piecewise)}
    plain = [piece for piece in pieces if not any(a.atoms(Max, Min, Piecewise) for a in piece.args)]
    return min(plain, key=default_sort_key, default=None)


def _values(piece: Expr) -> Iterator[tuple[Expr, Constraint]]:
    from sympy import Integer, Max, Piecewise

    if isinstance(piece, Piecewise):
        condition = piece.args[0][1]
        e = condition.lhs - condition.rhs if condition.rel_op == ">=" else condition.rhs - condition.lhs
        yield Integer(1), (e, False)
        yield Integer(0), _below(e)
        return
    first, *others = piece.args
    rest = piece.func(*others)
    difference = first - rest if isinstance(piece, Max) else rest - first
    yield first, (difference, False)
    yield rest, (-difference, False)


def multipliers(system: Sequence[Constraint]) -> tuple[int, ...] | None:
    """Return multipliers of 0 or more that turn linear constraints into 0 > 0, None where there are none.

    Raises
    ------
    ValueError
        Where a constraint is not linear.
    """
    symbols = sorted({s for e, _ in system for s in e.free_symbols}, key=str)
    found = contradiction(_rows(system, symbols))
    return found if found is not None and _confirmed(system, found) else None


def _rows(system: Sequence[Constraint], symbols: list[Expr]) -> list[Row]:
    from sympy import S

    rows = []
    for i, (e, strict) in enumerate(system):
        terms = {term: Fraction(str(k)) for term, k in e.expand().as_coefficients_dict().items()}
        scale = lcm(*(k.denominator for k in terms.values()))
        constant, *coefficients = (int(terms.pop(term, Fraction(0)) * scale) for term in (S.One, *symbols))
        if terms:
            raise ValueError(f"{e} is not linear")
        rows.append(
            Row(tuple(coefficients), constant, strict, tuple(scale * (i == j) for j in range(len(system))))
        )
    return rows


def _confirmed(system: Sequence[Constraint], weights: tuple[int, ...]) -> bool:
    """Whether the weights are 0 or more and the weighted sum says 0 > 0."""
    from sympy import Add

    pairs = list(zip(weights, system, strict=True))
    total = Add(*(m * e for m, (e, _) in pairs)).expand()
    strict = any(m > 0 and above for m, (_, above) in pairs)
    return bool(min(weights) >= 0 and total.is_number and (total < 0 or (total == 0 and strict)))

"""Terms of linear arithmetic, whole or real, printed for a prover.

The same term is what a proof is about (its text in SMT-LIB 2) and what a test holds against the replay (its value
on whole numbers), and neither needs a prover.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias


@dataclass(frozen=True, eq=False)
class Term:
    """An operator of SMT-LIB with its arguments; a variable or a number if it has none.

    `real` says that it is a variable for a real number; what it is added to is real too.
    """

    operator: str
    arguments: tuple[Term, ...] = ()
    real: bool = False


class Int(Term):
    """A whole number."""

    def __add__(self, other: Number) -> Int:
        return Int("+", (self, number(other)))

    def __radd__(self, other: int) -> Int:
        return number(other) + self

    def __sub__(self, other: Number) -> Int:
        return Int("-", (self, number(other)))

    def __rsub__(self, other: int) -> Int:
        return number(other) - self

    def __le__(self, other: Number) -> Bool:
        return Bool("<=", (self, number(other)))

    def __lt__(self, other: Number) -> Bool:
        return Bool("<", (self, number(other)))

    def __ge__(self, other: Number) -> Bool:
        return number(other) <= self

    def __gt__(self, other: Number) -> Bool:
        return number(other) < self


class Bool(Term):
    """A truth value."""

    def __and__(self, other: Bool) -> Bool:
        return Bool("and", (self, other))

    def __or__(self, other: Bool) -> Bool:
        return Bool("or", (self, other))

    def __invert__(self) -> Bool:
        return Bool("not", (self,))


Number: TypeAlias = "Int | int"
TRUE, FALSE = Bool("true"), Bool("false")
CASE = "case"
"""How the names begin that a text gives to cases; no variable's name does."""


def number(value: Number) -> Int:
    """Return a whole number as a term."""
    return value if isinstance(value, Int) else Int(str(value))


def integer(name: str) -> Int:
    """Return a variable for a whole number."""
    return Int(name)


def reals(names: str) -> tuple[Int, ...]:
    """Return variables for real numbers by their names, which spaces separate."""
    return tuple(Int(name, real=True) for name in names.split())


def truth(name: str) -> Bool:
    """Return a variable for a truth value."""
    return Bool(name)


def integers(name: str, count: int) -> tuple[Int, ...]:
    """Return variables name0, name1, ..."""
    return tuple(integer(f"{name}{i}") for i in range(count))


def equal(first: Number, second: Number) -> Bool:
    """Return whether two numbers are equal."""
    return Bool("=", (number(first), number(second)))


def implies(condition: Bool, consequence: Bool) -> Bool:
    """Return whether a consequence holds wherever the condition does."""
    return Bool("=>", (condition, consequence))


def every(conditions: Iterable[Bool]) -> Bool:
    """Return whether all conditions hold."""
    return Bool("and", (TRUE, *conditions))


def some(conditions: Iterable[Bool]) -> Bool:
    """Return whether one of the conditions holds."""
    return Bool("or", (FALSE, *conditions))


def choose(condition: Bool, first: Number, second: Number) -> Int:
    """Return the first number where the condition holds, else the second."""
    return Int("ite", (condition, number(first), number(second)))


def least(first: Number, second: Number) -> Int:
    """Return the smaller of two numbers."""
    first, second = number(first), number(second)
    return choose(first <= second, first, second)


def positive(value: Int) -> Int:
    """Return (value)+, which is 0 below 0."""
    return choose(value >= 0, value, 0)


def indicator(condition: Bool) -> Int:
    """Return 1 if a condition holds, else 0."""
    return choose(condition, 1, 0)


def clip(value: Int, most: Number) -> Int:
    """Return the number between 0 and `most` that is nearest to a value."""
    return positive(least(value, most))


def total(values: Iterable[Int]) -> Int:
    """Return a sum."""
    return reduce(operator.add, values, number(0))


def has_reals(terms: Iterable[Term]) -> bool:
    """Return whether a variable for a real number is among some terms."""
    left, seen = list(terms), set[int]()
    while left:
        term = left.pop()
        if term.real:
            return True
        if id(term) not in seen:
            seen.add(id(term))
            left.extend(term.arguments)
    return False


class Printer:
    """Writes terms in SMT-LIB 2; what is shared by several terms is written once.

    If `real`, sums are real, and variables for whole numbers stay whole. `lines` declare and define what was
    printed so far, in an order that can be read.
    """

    def __init__(self, real: bool = False) -> None:
        self.lines: list[str] = []
        self._real = real
        self._texts: dict[int, str] = {}
        self._declared: set[str] = set()
        self._kept: list[Term] = []

    def text(self, term: Term) -> str:
        """Return a term as text; cases are defined by a name of their own."""
        if id(term) not in self._texts:
            self._kept.append(term)
            self._texts[id(term)] = self._written(term)
        return self._texts[id(term)]

    def _written(self, term: Term) -> str:
        if not term.arguments:
            return self._leaf(term)
        text = f"({term.operator} {' '.join(self.text(argument) for argument in term.arguments)})"
        if term.operator != "ite":
            return text
        name = f"{CASE}{len(self.lines)}"
        self.lines.append(f"(define-fun {name} () {'Real' if self._real else 'Int'} {text})")
        return name

    def _leaf(self, term: Term) -> str:
        name = term.operator
        if name in ("true", "false"):
            return name
        if name.lstrip("-").isdigit():
            digits = name.lstrip("-") + (".0" if self._real else "")
            return f"(- {digits})" if name.startswith("-") else digits
        if name not in self._declared:
            self._declared.add(name)
            sort = "Real" if term.real else type(term).__name__
            self.lines.append(f"(declare-const {name} {sort})")
        return f"(to_real {name})" if self._real and isinstance(term, Int) and not term.real else name

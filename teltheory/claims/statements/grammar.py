"""The grammar of a statement in a line, and of its condition; a text is parsed, never evaluated as Python.

::

    statement  = comparison ["per turn" | "in sum"]
    condition  = comparison {"and" comparison}
    comparison = sum relation sum {relation sum}          relation = "<=" | "<" | "=" | ">=" | ">"
    sum        = product {("+" | "-") product}
    product    = factor {"*" factor}
    factor     = number | "-" factor | "(" sum ")" | parameter | measure "(" policy ")"

A policy is a short form, such as ``tlru:trim=eager`` or ``mine.py:Class``, up to the parenthesis that closes it.
Chains such as ``a <= b <= c`` say that each of their comparisons holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from operator import add, eq, ge, gt, le, lt, mul, sub
from typing import Any, NoReturn, TypeAlias

from teltheory.errors import ArgumentError

MEASURES = {
    "TEL": "tokens above xi",
    "uncached": "tokens that are computed",
    "prefill": "tokens that are computed",
    "hits": "tokens that are reused",
    "violations": "turns that compute more than xi",
}
RELATIONS: dict[str, Callable[[Any, Any], bool]] = {"<=": le, "<": lt, "=": eq, ">=": ge, ">": gt}
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul}
PER_TURN, IN_SUM = "per turn", "in sum"
_TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|(<=|>=|[-<>=+*()])|(\S))")
_SPELLINGS = (("≤", "<="), ("≥", ">="), ("·", "*"), ("ξ", "xi"), ("==", "="), ("at every turn", PER_TURN))
LONGEST = 2000
DEEPEST = 50


@dataclass(frozen=True)
class WholeNumber:
    """A whole number."""

    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class OfTheCase:
    """What a case has without a policy, such as xi or the number of its turns."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Measure:
    """What a policy has, given by its short form; `at` is where that stands in the text."""

    name: str
    policy: str
    at: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.name}({self.policy})"


@dataclass(frozen=True)
class Operation:
    """A sum, a difference or a product of two."""

    sign: str
    left: Term
    right: Term

    def __str__(self) -> str:
        return f"({self.left} {self.sign} {self.right})"


Term: TypeAlias = WholeNumber | OfTheCase | Measure | Operation
Leaf: TypeAlias = OfTheCase | Measure
Reader: TypeAlias = Callable[[Any], Any]
"""What finds the value of a term, in a case or among values."""


@dataclass(frozen=True)
class Relations:
    """Terms with a relation between each two."""

    terms: tuple[Term, ...]
    relations: tuple[str, ...]

    def __str__(self) -> str:
        rest = zip(self.relations, self.terms[1:], strict=True)
        return str(self.terms[0]) + "".join(f" {relation} {term}" for relation, term in rest)

    def leaves(self) -> Iterator[Leaf]:
        """Yield its parameters and measures, as they stand."""
        for term in self.terms:
            yield from _leaves(term)

    def read(self, read: Callable[[Leaf], Reader]) -> Callable[[Any], bool]:
        """Return whether it is true, as a function of what its leaves are read from."""
        terms = [_reader(term, read) for term in self.terms]
        places = zip(self.relations, terms, terms[1:], strict=False)
        tests = [_joined(RELATIONS[relation], left, right) for relation, left, right in places]
        return tests[0] if len(tests) == 1 else lambda found: all(test(found) for test in tests)


@dataclass(frozen=True)
class Statement:
    """A comparison, of sums over all turns or at each turn."""

    comparison: Relations
    per_turn: bool = False

    def __str__(self) -> str:
        return f"{self.comparison}{f' {PER_TURN}' if self.per_turn else ''}"


def _leaves(term: Term) -> Iterator[Leaf]:
    if isinstance(term, Operation):
        yield from (*_leaves(term.left), *_leaves(term.right))
    elif not isinstance(term, WholeNumber):
        yield term


def _reader(term: Term, read: Callable[[Leaf], Reader]) -> Reader:
    if isinstance(term, Operation):
        return _joined(OPERATIONS[term.sign], _reader(term.left, read), _reader(term.right, read))
    return partial(_told, term.value) if isinstance(term, WholeNumber) else read(term)


def _told(value: int, _: object) -> int:
    return value


def _joined(operation: Callable[[Any, Any], Any], left: Reader, right: Reader) -> Reader:
    return lambda found: operation(left(found), right(found))


def parse_statement(text: str, parameters: Collection[str]) -> Statement:
    """Parse a statement; parameters are the names that stand for numbers of a case.

    Raises
    ------
    ArgumentError
        For anything else: with the place in the text, what stands there, and what may.
    """
    parser = _Parser("statement", text, parameters)
    comparison = parser.comparison()
    said = next((words for words in (PER_TURN, IN_SUM) if parser.takes(*words.split())), None)
    parser.end("+, -, *, a relation, per turn, or its end" if said is None else "its end")
    if not any(isinstance(leaf, Measure) for leaf in comparison.leaves()):
        raise ArgumentError(
            "statement", text, f"a measure of a policy in it, such as TEL(lru): {', '.join(MEASURES)}"
        )
    return Statement(comparison, said == PER_TURN)


def parse_condition(text: str, parameters: Collection[str]) -> tuple[Relations, ...]:
    """Parse a condition on a case: comparisons with `and` between them, without measures of policies."""
    parser = _Parser("where", text, parameters, measures=())
    found = [parser.comparison()]
    while parser.takes("and"):
        found.append(parser.comparison())
    parser.end("+, -, *, a relation, and, or its end")
    return tuple(found)


class _Parser:
    """A text, and how far it is read."""

    def __init__(
        self, argument: str, text: str, parameters: Collection[str], measures: Collection[str] = tuple(MEASURES)
    ) -> None:
        if not isinstance(text, str) or not 0 < len(text) <= LONGEST:
            raise ArgumentError(
                argument, text, f"a text such as 'TEL(tlru) <= TEL(lru)', up to {LONGEST:,} characters"
            )
        self.argument, self.parameters, self.measures = argument, parameters, measures
        self.text, self.at, self.depth = _usual(text), 0, 0

    def comparison(self) -> Relations:
        terms, relations = [self.sum()], [self.relation()]
        terms.append(self.sum())
        while self.peek() in RELATIONS:
            relations.append(self.relation())
            terms.append(self.sum())
        return Relations(tuple(terms), tuple(relations))

    def relation(self) -> str:
        found = self.peek()
        if found not in RELATIONS:
            self.refuse("a relation: " + ", ".join(RELATIONS))
        self.takes(found)
        return found

    def sum(self) -> Term:
        term = self.product()
        while (sign := self.peek()) in ("+", "-"):
            self.takes(sign)
            term = Operation(sign, term, self.product())
        return term

    def product(self) -> Term:
        term = self.factor()
        while self.takes("*"):
            term = Operation("*", term, self.factor())
        return term

    def factor(self) -> Term:
        self.depth += 1
        if self.depth > DEEPEST:
            self.refuse(f"at most {DEEPEST} parentheses and signs, one in the other")
        begin, word = self.at, self.peek()
        if self.takes("("):
            term = self.sum()
            self.closed()
        elif self.takes("-"):
            term = Operation("-", WholeNumber(0), self.factor())
        elif word.isdecimal() and self.takes(word):
            term = WholeNumber(int(word))
        elif word in self.parameters and self.takes(word):
            term = OfTheCase(word)
        else:
            term = self.measure(begin, word)
        self.depth -= 1
        return term

    def measure(self, begin: int, word: str) -> Measure:
        name = next((one for one in self.measures if one.lower() == word.lower()), None)
        if name is None:
            measures = [f"{one}(POLICY)" for one in self.measures]
            self.refuse(f"a number, one of {', '.join((*measures, *self.parameters))}, or (")
        self.takes(word)
        if not self.takes("("):
            self.refuse(f"( and a policy: {name}(lru)")
        return Measure(name, *self.policy(name))

    def policy(self, name: str) -> tuple[str, int]:
        """Return the text up to the parenthesis that closes it, and where it begins."""
        begin, depth = self.at, 1
        while depth and self.at < len(self.text):
            depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
            self.at += 1
        policy = self.text[begin : self.at - (not depth)].strip()
        if depth or not policy:
            self.at = begin
            self.refuse(f"a policy and ): {name}(lru)")
        return policy, begin

    def closed(self) -> None:
        if not self.takes(")"):
            self.refuse("+, -, * or )")

    def end(self, expected: str) -> None:
        if self.peek():
            self.refuse(expected)

    def peek(self) -> str:
        """Return the next word, number or sign; "" at the end."""
        found = _TOKEN.match(self.text, self.at)
        return found[0].strip() if found else ""

    def takes(self, *words: str) -> bool:
        """Read these words if they come next, and say whether they did."""
        before = self.at
        for word in words:
            found = _TOKEN.match(self.text, self.at)
            if found is None or found[0].strip().lower() != word.lower():
                self.at = before
                return False
            self.at = found.end()
        return True

    def refuse(self, expected: str) -> NoReturn:
        rest = self.text[self.at :]
        place = self.at + len(rest) - len(rest.lstrip())
        found = self.peek() or "its end"
        raise ArgumentError(f"{self.argument}, character {place + 1}", found, f"{expected} [{self.text}]")


def _usual(text: str) -> str:
    """Return a text with signs as the grammar has them."""
    for written, usual in _SPELLINGS:
        text = text.replace(written, usual)
    return text

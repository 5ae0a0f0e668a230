"""Bounded model checking of a pair of policies: a trace from the empty cache on which a statement fails.

A failed induction is only a lead: the state it begins with need not be reachable. Here every turn from the first
on is written out, for one order of arrivals after the other, shortest first; what a prover finds is a trace, and a
replay decides whether it refutes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from teltheory.claims.case import Case, World
from teltheory.claims.smt import counter_model
from teltheory.claims.terms import Bool, Int, integer, integers, number, total

CAPACITY, XI, Q_HAT = integer("C"), integer("xi"), integer("Q_hat")


@dataclass(frozen=True)
class Line:
    """The conversations that have come, most recent first: who they are, their pasts, and two caches."""

    who: tuple[int, ...]
    L: tuple[Int, ...]
    X: tuple[Int, ...]
    Y: tuple[Int, ...]

    def arrives(self, conversation: int, prompt: Int, response: Int) -> Line:
        """Return the line with a conversation at its front, all its past at hand."""
        past = self.past(conversation) + prompt + response
        others = [i for i, who in enumerate(self.who) if who != conversation]
        return Line(
            (conversation, *(self.who[i] for i in others)),
            (past, *(self.L[i] for i in others)),
            (past, *(self.X[i] for i in others)),
            (past, *(self.Y[i] for i in others)),
        )

    def past(self, conversation: int) -> Int:
        """Return a conversation's past, 0 where it has not come yet."""
        return self._of(self.L, conversation)

    def reused(self, conversation: int) -> tuple[Int, Int]:
        """Return what both caches hold of a conversation."""
        return self._of(self.X, conversation), self._of(self.Y, conversation)

    def _of(self, column: tuple[Int, ...], conversation: int) -> Int:
        return column[self.who.index(conversation)] if conversation in self.who else number(0)


Cut: TypeAlias = Callable[[Line, int], tuple[Line, tuple[Bool, ...]]]
"""Cuts both caches after a turn, which is counted from 0; gives what the cut may assume of its own variables."""


@dataclass(frozen=True)
class Run:
    """Some turns written out.

    Attributes
    ----------
    conversations : tuple of int
        Who arrives.
    prompts, responses : tuple of Int
        The turns' lengths.
    assumed : list of Bool
        What the turns do.
    pasts, first, second : list of Int
        Past of the arriving conversation and what both caches reuse, turn by turn.
    """

    conversations: tuple[int, ...]
    prompts: tuple[Int, ...]
    responses: tuple[Int, ...]
    assumed: list[Bool]
    pasts: list[Int]
    first: list[Int]
    second: list[Int]

    @property
    def tokens(self) -> Int:
        """All prompts and responses together."""
        return total(self.prompts) + total(self.responses)

    def is_continuing(self, k: int) -> bool:
        """Whether turn k continues a conversation."""
        return self.conversations[k] in self.conversations[:k]


def unrolled(conversations: Sequence[int], cut: Cut) -> Run:
    """Write out the turns of given conversations from the empty cache."""
    n = len(conversations)
    run = Run(tuple(conversations), integers("q", n), integers("a", n), [], [], [], [])
    run.assumed.extend(length >= 0 for length in (*run.prompts, *run.responses, CAPACITY, XI, Q_HAT))
    line = Line((), (), (), ())
    for k, conversation in enumerate(conversations):
        run.pasts.append(line.past(conversation))
        first, second = line.reused(conversation)
        run.first.append(first)
        run.second.append(second)
        line, assumed = cut(line.arrives(conversation, run.prompts[k], run.responses[k]), k)
        run.assumed.extend(assumed)
    return run


def find_trace(cut: Cut, fails: Callable[[Run], Bool], turns: int, conversations: int, tokens: int) -> Case | None:
    """Return a trace of as few turns as possible on which a statement fails, None where there is none.

    Parameters
    ----------
    cut : callable
        Both policies' cuts.
    fails : callable
        The hypotheses on the whole run, and that the statement fails on it.
    turns, conversations, tokens : int
        Bounds of the search; capacity, threshold and estimate are at most `tokens` too.
    """
    for order in _orders(turns, conversations):
        run = unrolled(order, cut)
        bounded = [size <= tokens for size in (run.tokens, CAPACITY, XI, Q_HAT)]
        model = counter_model([*run.assumed, *bounded, fails(run)])
        if model is not None:
            return _case(run, model)
    return None


def _orders(turns: int, conversations: int) -> Iterator[tuple[int, ...]]:
    """Yield who arrives in 1, 2, ... turns, conversations numbered in order of appearance."""
    orders: list[tuple[int, ...]] = [()]
    for _ in range(turns):
        orders = [
            (*order, who) for order in orders for who in range(min(max(order, default=-1) + 2, conversations))
        ]
        yield from orders


def _case(run: Run, model: Mapping[str, int | bool | Fraction]) -> Case:
    def value(term: Int) -> int:
        return int(model.get(term.operator, 0))

    lengths = zip(run.conversations, map(value, run.prompts), map(value, run.responses), strict=True)
    return Case(World(tuple(lengths)), value(CAPACITY), value(XI), value(Q_HAT))

"""Configurations of the belief MDP: everything in a state but the caches, and how one follows another.

What is kept changes no arrival, so configurations are a Markov chain of their own. Here the conversations of a
state are listed least recent first, so that the last one has just arrived, whatever the order of first turns.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from teltheory.belief.model import Arrival, BeliefMDP, Known, State, after, arrivals, check_feasible
from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, whole_number


def by_recency(state: State) -> State:
    """Return a state with its conversations least recent first."""
    return State(tuple(state.conversations[i] for i in state.recency), tuple(range(len(state.recency))))


@dataclass(frozen=True)
class Truncation:
    """What makes the configurations finite: the state after each turn is replaced by one of finitely many.

    1. A past above `longest_past` becomes `longest_past`, and a belief below `least_belief` becomes that.
    2. Of more than `most_known` conversations the one with the smallest belief, and of several the least recent,
       is forgotten: it never returns, and its cache is given up.

    The turn itself, its probability and its excess, are those of the model.

    Attributes
    ----------
    longest_past : int
        In tokens, 0 or more.
    least_belief : Fraction
        Above 0, at most 1.
    most_known : int
        1 or more.
    """

    longest_past: int
    least_belief: Fraction
    most_known: int

    def __post_init__(self) -> None:
        whole_number("longest_past", self.longest_past)
        if not 0 < self.least_belief <= 1:
            raise ArgumentError("least_belief", self.least_belief, "a number in (0, 1]")
        if whole_number("most_known", self.most_known) == 0:
            raise ArgumentError("most_known", 0, "1 or more")

    def of(self, state: State) -> tuple[State, int | None]:
        """Return what replaces a state, least recent first, and the place of what is forgotten."""
        known = [self._nearest(conversation) for conversation in by_recency(state).conversations]
        forgotten = None
        if len(known) > self.most_known:
            forgotten = min(range(len(known) - 1), key=lambda i: known[i].alive)
            del known[forgotten]
        return State(tuple(known), tuple(range(len(known)))), forgotten

    def _nearest(self, known: Known) -> Known:
        return known._replace(past=min(known.past, self.longest_past), alive=max(known.alive, self.least_belief))


class Move(NamedTuple):
    """From one configuration to the next, which lists its conversations least recent first.

    `dropped` is the place of the conversation that the child does not have at the same place among the others: the
    one that arrives, or the one that is forgotten; the number of conversations if there is none.
    """

    child: State
    dropped: int


class Chances(NamedTuple):
    """The probability of a move, and that of the move without the truncation changing anything."""

    probability: Fraction
    intact: Fraction


class NextTurn(NamedTuple):
    """Every possible move, and what the next turn costs.

    `costs` has for each conversation the expected excess of the next turn if that is its own, by what is kept of
    it; with the last one's goes the expected excess of a new conversation's first turn.
    """

    moves: dict[Move, Chances]
    costs: tuple[FloatArray, ...]


def next_turn_of(model: BeliefMDP, state: State, truncation: Truncation | None = None) -> NextTurn:
    """Return what may follow a configuration, least recent first."""
    check_feasible(model, state)
    found: dict[Move, list[Fraction]] = defaultdict(lambda: [Fraction(0), Fraction(0)])
    costs = [np.zeros(min(known.past, model.capacity) + 1) for known in state.conversations]
    for arrival in arrivals(model, state):
        move, intact = _move(model, state, arrival, truncation)
        found[move][0] += arrival.probability
        found[move][1] += arrival.probability * intact
        _add_excess(costs, model, state, arrival)
    return NextTurn({move: Chances(*chances) for move, chances in found.items()}, tuple(costs))


def _move(model: BeliefMDP, state: State, arrival: Arrival, truncation: Truncation | None) -> tuple[Move, bool]:
    then = by_recency(after(model, state, arrival))
    if truncation is None:
        return Move(then, arrival.place), True
    child, forgotten = truncation.of(then)
    return Move(child, arrival.place if forgotten is None else forgotten), child == then


def _add_excess(costs: list[FloatArray], model: BeliefMDP, state: State, arrival: Arrival) -> None:
    new = arrival.place == len(costs)
    past = 0 if new else state.conversations[arrival.place].past
    of = costs[-1 if new else arrival.place]
    kept = 0 if new else np.arange(len(of))
    of += float(arrival.probability) * np.maximum(past + arrival.prompt - model.xi - kept, 0)

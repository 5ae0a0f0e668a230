"""Rules for the belief MDP, and whether they keep the right tokens: decisions against the best, for every cache.

An *index* gives problem (6)'s weights r_i, so that the rule keeps a minimiser of sum_i r_i g_i(Y_i) that fills the
cache. The rule is optimal at a state when every such minimiser is. ET-LRU is one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from teltheory.belief.model import Allocation, BeliefKind, BeliefMDP, Policy, State, check_feasible, next_turn
from teltheory.belief.tables import Tables, fits, objective
from teltheory.errors import ArgumentError
from teltheory.model.numbers import IntArray, exact_root
from teltheory.policies.learned.eviction import evict_lowest, tail_score
from teltheory.policies.learned.posterior import exact_decay
from teltheory.workloads.laws import Finite

Ties: TypeAlias = Literal["worst", "best"]
Index: TypeAlias = Callable[[BeliefMDP, State], list[Fraction]]
"""Weights of the conversations in problem (6)."""


def turn_rates(model: BeliefMDP, state: State) -> list[Fraction]:
    """Return lambda-bar_i pi_i, the belief turn rates of the paper's ET-LRU."""
    return [model.kinds[known.kind].turn_rate * known.alive for known in state.conversations]


def printed_turn_rates(model: BeliefMDP, state: State) -> list[Fraction]:
    """Return lambda-bar_i exp(-mu tau_i), tau_i the time since i's last turn: the printed index, in either model.

    With the posterior for a belief, pi_i tells tau_i, if it is one that gaps of rational exp(-t) lead to.
    """
    if model.belief == "paper" or model.death_rate == 0:
        return turn_rates(model, state)
    mu, found = model.death_rate, []
    for known in state.conversations:
        rate = model.kinds[known.kind].turn_rate
        found.append(rate * exact_root("alive", exact_decay(known.alive, mu, rate), rate + mu) ** mu)
    return found


def next_turns(model: BeliefMDP, state: State) -> list[Fraction]:
    """Return the probability that each conversation has the next turn."""
    return next_turn(model, state)[:-1]


def alive(model: BeliefMDP, state: State) -> list[Fraction]:
    """Return pi_i: how likely each conversation is ever to return, where rates differ or not."""
    return [known.alive for known in state.conversations]


INDICES: dict[str, Index] = {"printed": printed_turn_rates, "belief": turn_rates, "next": next_turns}


@dataclass(frozen=True)
class ScoreRule:
    """A policy by scores of tokens: weights of conversations, and the law that stands for the next prompt."""

    name: str
    index: Index
    law: Callable[[BeliefMDP, BeliefKind, int], Finite]

    def __call__(self, model: BeliefMDP, state: State, cached: Allocation) -> Allocation:
        """Return what is kept; theta is exempt under forced caching."""
        weights = self.index(model, state)
        order = [i for i in state.recency if not (model.forced and i == state.arrived)]
        known = [state.conversations[i] for i in order]
        laws = [self.law(model, model.kinds[one.kind], one.turns) for one in known]
        score = tail_score(
            [one.past for one in known],
            [weights[i] for i in order],
            lambda place, length: laws[place].exactly_at_least(length),
            model.xi,
        )
        overflow = max(sum(cached) - model.capacity, 0)
        left = evict_lowest([cached[i] for i in order], score, overflow).cached
        kept = {**dict(enumerate(cached)), **dict(zip(order, left, strict=True))}
        return tuple(kept.values())


def et_lru(index: Index | str = turn_rates) -> ScoreRule:
    """Return ET-LRU: Algorithm 2 with r_i P(L_i + Q_i - xi >= X_i) as the score, r by the index.

    The index is a function, or a name in `INDICES`. Among equal scores the least recent conversation goes first.
    """
    if isinstance(index, str) and index not in INDICES:
        raise ArgumentError("index", index, "one of " + ", ".join(INDICES))
    weights = INDICES[index] if isinstance(index, str) else index
    name = next((name for name, one in INDICES.items() if one is weights), getattr(weights, "__name__", "own"))
    return ScoreRule(f"et-lru:index={name}", weights, lambda model, kind, turns: kind.prompt(turns))


@dataclass(frozen=True)
class Decision:
    """What a rule keeps of a cache X, `kept`, its worst choice if it leaves one, and what that costs.

    `cost` is the expected excess of the next turns after keeping it, with the best decisions from then on;
    `optimal` is that of `best`, an optimal choice.
    """

    cached: Allocation
    kept: Allocation
    cost: Fraction
    best: Allocation
    optimal: Fraction

    @property
    def loss(self) -> Fraction:
        """What the decision loses."""
        return self.cost - self.optimal


def decisions(tables: Tables, state: State, turns: int, index: Index, ties: Ties = "worst") -> list[Decision]:
    """Return what the rule of an index keeps at a state, a decision for each cache that exceeds the capacity.

    `ties` says which of several minimisers the rule keeps. A rule is optimal whatever its choices if none of the
    worst loses anything, and refuted whatever its choices if one of the best does.
    """
    choices = _Choices(tables, state, turns)
    weighed = objective(tables.model, state, index(tables.model, state)).numerators[choices.within]
    found = []
    for cached in choices.caches:
        allowed = choices.allowed(cached)
        filling = allowed & (choices.sums == choices.sums[allowed].max())
        chosen = np.flatnonzero(filling & (weighed == weighed[filling].min()))
        among = choices.costs[chosen]
        chosen_row = chosen[among.argmax() if ties == "worst" else among.argmin()]
        found.append(choices.decision(cached, allowed, int(chosen_row)))
    return found


def decisions_of(tables: Tables, state: State, turns: int, policy: Policy) -> list[Decision]:
    """Return what a policy keeps at a state, a decision for each cache that exceeds the capacity."""
    choices = _Choices(tables, state, turns)
    found = []
    for cached in choices.caches:
        kept = policy(tables.model, state, tuple(map(int, cached)))
        row = int(np.flatnonzero((choices.kept == kept).all(axis=1))[0])
        found.append(choices.decision(cached, choices.allowed(cached), row))
    return found


class _Choices:
    """Everything that may be kept at a state, row by row, and its cost."""

    def __init__(self, tables: Tables, state: State, turns: int) -> None:
        model = tables.model
        check_feasible(model, state)
        table = tables.of_keeping(state, turns)
        self.within = fits(model, state)
        self.kept: IntArray = np.argwhere(self.within)
        self.sums: IntArray = self.kept.sum(axis=1)
        self.costs: NDArray[Any] = table.numerators[self.within]
        self.denominator = table.denominator
        self.theta, past = state.arrived, state.conversations[state.arrived].past
        self.must = self.kept[:, self.theta] >= (past if model.forced else 0)
        others = self.kept[self.kept[:, self.theta] == 0].copy()
        others[:, self.theta] = past
        self.caches = others[others.sum(axis=1) > model.capacity]

    def allowed(self, cached: IntArray) -> NDArray[np.bool_]:
        """Return which rows may be kept of a cache."""
        return np.asarray((self.kept <= cached).all(axis=1) & self.must)

    def decision(self, cached: IntArray, allowed: NDArray[np.bool_], row: int) -> Decision:
        """Return the decision for a row beside the best one."""
        rows = np.flatnonzero(allowed)
        best = rows[self.costs[rows].argmin()]
        return Decision(
            tuple(map(int, cached)),
            tuple(map(int, self.kept[row])),
            Fraction(int(self.costs[row]), self.denominator),
            tuple(map(int, self.kept[best])),
            Fraction(int(self.costs[best]), self.denominator),
        )

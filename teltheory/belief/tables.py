"""The belief MDP solved for all caches at once: exact tables over the tree of next turns.

What is cached changes no arrival. So the tree of states that can follow is built once, and a state has two tables:
J over everything that may be kept, one axis a conversation, and W over everything that may be cached before the
cut, theta's axis of length one (all of theta is available). With g_i(y) = E[max(L_i + Q - y - xi, 0)]

    J_m(Y) = sum_i P(next is i) g_i(Y_i) + sum_next P(next) W_{m-1}(next)(Y),
    W_m(X) = min over Y <= X with sum Y <= C of J_m(Y),

and the second minimum is a running minimum along each axis. Tables are whole numbers over one denominator. All W_1
that follow a state are found together (`last_turns`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import gcd, lcm
from operator import le
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from teltheory.belief import last_turns
from teltheory.belief.last_turns import LastTurns, Table, fits_in, least_of
from teltheory.belief.mdp import Solver
from teltheory.belief.model import (
    Allocation,
    BeliefMDP,
    Hinges,
    Policy,
    Ratio,
    State,
    after,
    arrivals,
    as_state,
    check_feasible,
    next_chances,
    starts,
)
from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.workloads.laws import Finite

__all__ = ["backward_induction"]


@dataclass(frozen=True)
class Exact:
    """A table of fractions over one denominator, one axis per conversation."""

    numerators: Table
    denominator: int

    @cached_property
    def largest(self) -> int:
        """The largest numerator, 1 at least."""
        return max(abs(int(self.numerators.max())), 1)

    def at(self, place: Allocation) -> Fraction:
        """Return an entry."""
        return Fraction(int(self.numerators[place]), self.denominator)


ONE = Exact(np.ones((), np.int64), 1)
Term: TypeAlias = tuple[int, int, Exact]
"""A weight, above and below, and a table."""


def backward_induction(
    model: BeliefMDP,
    state: State | None = None,
    cached: Allocation = (),
    turns: int = 1,
    policy: Policy | None = None,
) -> Fraction:
    """Return W: the expected excess of the next turns, before the cut, in fractions.

    Parameters
    ----------
    model : BeliefMDP
        The model.
    state : State, optional
        The state right after a turn; the model's start if left out, in the mean.
    cached : tuple of int
        What is cached of each of the state's conversations.
    turns : int
        Horizon, 1 or more.
    policy : Policy, optional
        What is kept; the best if left out, by `Tables`. The cost of a policy is `teltheory.belief.mdp.Solver`'s.

    Raises
    ------
    ArgumentError, ForcedCachingError
        No turns, or more cached than there is; forced caching of a past that does not fit.
    """
    if whole_number("turns", turns) == 0:
        raise ArgumentError("turns", turns, "1 or more")
    if state is None:
        given = ((p, as_state(model, recent), x) for p, recent, x in starts(model))
        return sum((p * backward_induction(model, at, x, turns, policy) for p, at, x in given), Fraction(0))
    check_feasible(model, state)
    pasts = [known.past for known in state.conversations]
    must = [past if model.forced and i == state.arrived else 0 for i, past in enumerate(pasts)]
    if len(cached) != len(pasts) or not all(map(le, must, cached)) or not all(map(le, cached, pasts)):
        raise ArgumentError("cached", cached, f"one entry a conversation, from {must} to {pasts}")
    if policy is not None:
        return Solver(model, policy).cost(state, cached, turns)
    box = tuple(slice(low, x + 1) for low, x in zip(must, cached, strict=True))
    table = Tables(model).of_keeping(state, turns)
    return Fraction(int(table.numerators[box][fits(model, state)[box]].min()), table.denominator)


class Tables:
    """Tables of the states that can follow, each computed once."""

    def __init__(self, model: BeliefMDP) -> None:
        self.model = model
        self._kept: dict[tuple[State, int], Exact] = {}
        self._last_turns = LastTurns(model)

    def of_keeping(self, state: State, turns: int) -> Exact:
        """Return J: the expected excess of the next `turns` turns for everything that may be kept.

        What exceeds the capacity has an entry too, of no meaning; see `fits`.
        """
        key = (state, turns)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = self._keeping(state, turns)
        return found

    def of_cached(self, state: State, turns: int) -> Exact:
        """Return W: the least expected excess for everything that may be cached, theta's axis of length one."""
        known = self.of_keeping(state, turns)
        return Exact(least(self.model, state, known.numerators), known.denominator)

    def _keeping(self, state: State, turns: int) -> Exact:
        now = next_cost(self.model, state)
        if turns == 1:
            return now
        sizes = shape(self.model, state)
        later = self._last(state, sizes) if turns == 2 else self._later(state, turns - 1)
        return total([(1, 1, now), *later], sizes)

    def _later(self, state: State, turns: int) -> Iterator[Term]:
        """Yield W of each state that may follow, with its chance."""
        for arrival in arrivals(self.model, state):
            later = self.of_cached(after(self.model, state, arrival), turns)
            if arrival.place == len(state.conversations):
                later = Exact(later.numerators[..., 0], later.denominator)
            yield *arrival.probability.as_integer_ratio(), later

    def _last(self, state: State, sizes: tuple[int, ...]) -> Iterator[Term]:
        """Yield what `_later` does of a single turn, summed for each place."""
        for place, table, below in self._last_turns.after(state):
            box: tuple[Any, ...] = (..., *(slice(size) for i, size in enumerate(sizes) if i != place))
            here: Table = table[box]
            yield 1, below, Exact(np.expand_dims(here, place) if place < len(sizes) else here, 1)


def shape(model: BeliefMDP, state: State) -> tuple[int, ...]:
    """Return the number of ways to keep each conversation: none of it to all that fits."""
    return tuple([min(known.past, model.capacity) + 1 for known in state.conversations])


def fits(model: BeliefMDP, state: State) -> NDArray[np.bool_]:
    """Return which entries of a table are within the capacity."""
    return fits_in(shape(model, state), model.capacity)


@lru_cache(maxsize=4096)
def expected_excess(law: Finite, past: int, hinges: Hinges, most: int, after: int = 0) -> Exact:
    """Return g(y), the mean cost of L + Q - y uncached tokens, E[max(L + Q - y - xi, 0)], for y = 0 ... most.

    After y's axis come so many of length one.
    """
    common = lcm(*(p.denominator for p in law.probabilities))
    weights = [int(p * common) for p in law.probabilities]
    kept = np.arange(most + 1)
    ahead = [(past + q, w) for q, w in zip(law.lengths, weights, strict=True)]
    terms = (w * each * np.maximum(most_u - xi - kept, 0) for most_u, w in ahead for each, xi in hinges)
    return Exact(np.asarray(sum(terms), object).reshape((-1, *[1] * after)), common)


def objective(model: BeliefMDP, state: State, weights: list[Fraction]) -> Exact:
    """Return sum_i r_i g_i(Y_i) for everything that may be kept: the objective of problem (6)."""
    ratios = [weight.as_integer_ratio() for weight in weights]
    return total(_by_conversation(model, state, ratios), shape(model, state))


def next_cost(model: BeliefMDP, state: State) -> Exact:
    """Return the expected excess of the next turn for everything that may be kept."""
    *turns, birth = next_chances(model, state)
    every, (first, below) = sum(turns) + birth, model.first_excess.as_integer_ratio()
    terms = _by_conversation(model, state, [(chance, every) for chance in turns])
    return total([*terms, (birth * first, every * below, ONE)], shape(model, state))


def _by_conversation(model: BeliefMDP, state: State, weights: list[Ratio]) -> list[Term]:
    """Return each r_i with g_i, which varies along i's axis only."""
    axes, terms = len(weights), []
    for i, (known, weight) in enumerate(zip(state.conversations, weights, strict=True)):
        law = model.kinds[known.kind].prompt(known.turns)
        most = min(known.past, model.capacity)
        terms.append((*weight, expected_excess(law, known.past, model.hinges(known.kind), most, axes - 1 - i)))
    return terms


def total(terms: list[Term], sizes: tuple[int, ...]) -> Exact:
    """Return the weighted sum of tables, in lowest terms."""
    common = lcm(*[below * table.denominator for _, below, table in terms])
    factors = [above * (common // (below * table.denominator)) for above, below, table in terms]
    largest = sum([f * table.largest for f, (_, _, table) in zip(factors, terms, strict=True)])
    kind = np.int64 if max(largest, common) < last_turns.BROAD else object
    added: Table = np.zeros(sizes, kind)
    for factor, (_, _, table) in zip(factors, terms, strict=True):
        added += factor * table.numerators.astype(kind, copy=False)
    shared = gcd(common, *added.ravel().tolist())
    return Exact(added // shared, common // shared) if shared > 1 else Exact(added, common)


def least(model: BeliefMDP, state: State, kept: Table) -> Table:
    """Return the minimum over everything that may be kept of what is cached; theta's axis has length one."""
    if model.forced:
        check_feasible(model, state)
    theta, pasts = state.arrived, [state.conversations[state.arrived].past] if model.forced else None
    first, within = np.moveaxis(kept, theta, 0), np.moveaxis(fits(model, state), theta, 0)
    return np.expand_dims(least_of(first[None], within, pasts)[0], theta)

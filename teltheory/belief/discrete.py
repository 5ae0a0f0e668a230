"""The finite model as arrays for quantecon's `DiscreteDP`: another solver, and a judge.

`DiscreteDP` maximises, and stops without a word after `max_iter` steps, 250 by default: value iteration at a
discount of 0.99 needs thousands. A result with num_iter = max_iter is none.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from teltheory.base.extras import needed
from teltheory.base.loops import call
from teltheory.belief.iteration import asked
from teltheory.belief.model import BeliefMDP
from teltheory.belief.sweeps import floats
from teltheory.model.numbers import FloatArray, IntArray

MOST = 10_000_000


class Pairs(NamedTuple):
    """A row for each state and decision: its mean saving, and the chances of the next states, in sparse rows.

    States are numbered by their places, `place`; `action` is the state in which all that is kept is cached.
    """

    reward: FloatArray
    chance: FloatArray
    next_state: NDArray[np.int32]
    row_ends: NDArray[np.int64]
    state: NDArray[np.int32]
    action: NDArray[np.int32]
    place: IntArray


def pairs(model: BeliefMDP, discount: Fraction | int, silent: int, most: int = MOST) -> Pairs:
    """Return the rows."""
    slots, _ = asked(model, discount, silent)
    slots.check_size(most)
    laws = slots.after
    first = np.cumsum([0, *map(len, laws)], dtype=np.int64)
    after = np.array([t for law in laws for t, _ in law], np.int32)
    law = len(after), first, after, floats(p for chances in laws for _, p in chances)
    of_model = (
        slots.shape,
        slots.places,
        floats(w for _, w in model.gaps),
        floats(slots.rates),
        floats(slots.savings),
    )
    given = (*of_model, float(model.birth_rate), law)
    counted, number = np.zeros(3, np.int64), np.empty(slots.states, np.int32)
    call("belief_pairs", *given, 0, 0, counted, number, *[None] * 6)
    count, chances, _ = map(int, counted)
    rows = np.zeros(count + 1, np.int64), np.empty(count, np.int32), np.empty(count, np.int32)
    found = np.empty(count), np.empty(chances), np.empty(chances, np.int32), *rows
    call("belief_pairs", *given, count, chances, counted, number, *found)
    return Pairs(*found, np.flatnonzero(number >= 0))


def discrete(model: BeliefMDP, discount: Fraction | int, silent: int, most: int = MOST) -> Any:
    """Return the finite model as a `quantecon.markov.DiscreteDP`; `pairs` says which state is which.

    Parameters
    ----------
    model : BeliefMDP
        The model.
    discount : Fraction
        gamma, from 0 to below 1.
    silent : int
        K.
    most : int
        States that are too many.

    Raises
    ------
    ArgumentError
        As `teltheory.belief.value_iteration`, or there is no quantecon.
    """
    from scipy.sparse import csr_matrix

    markov = needed("quantecon.markov", "belief")
    found = pairs(model, discount, silent, most)
    moves = csr_matrix(
        (found.chance, found.next_state, found.row_ends), shape=(len(found.reward), len(found.place))
    )
    return markov.DiscreteDP(found.reward, moves, float(discount), found.state, found.action)

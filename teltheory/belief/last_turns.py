"""W_1 of `teltheory.belief.tables` at every state before the last turn, many states in one array.

Most states of a tree of turns are these. A turn leaves the same beliefs whatever its prompt and response are, and
whoever has it, of those who are silent. So with c_i the chance of i's turn, and theta's axis first,

    W_1(X) = min over Y <= X with sum Y <= C of c_theta g_theta(Y_theta) + sum_i c_i g_i(Y_i)

takes one row of g for each past. Every axis has C + 1 entries: one beyond a past is that of the whole past, which
has room wherever it has.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import lcm
from operator import mul
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from teltheory.belief.model import BeliefMDP, Known, State, after_silence, chances, chances_by, charged
from teltheory.errors import ForcedCachingError

Table: TypeAlias = NDArray[Any]
"""Whole numbers: int64, or Python's where these are too narrow."""
BROAD = 2**60


class _Leaf(NamedTuple):
    """A state before the last turn: whose turn led there, how likely that was, and theta's past.

    `rows` has for each conversation, theta first, its chance times its cost at 0 ... C kept, over `below`.
    """

    place: int
    chance: int
    past: int
    rows: list[list[int]]
    below: int


class LastTurns:
    """The least cost of the last turn, for all turns that may come before it."""

    def __init__(self, model: BeliefMDP) -> None:
        self.model = model
        laws = [law for kind in model.kinds for law in (*kind.prompts, kind.response)]
        self._of_laws = lcm(*[p.denominator for law in laws for p in law.probabilities])
        self._of_kinds = lcm(*[kind.share.denominator for kind in model.kinds])
        self._one = self._of_laws**2 * self._of_kinds
        self._new = [Known(k, 0, Fraction(1), 0) for k in range(len(model.kinds))]
        self._fresh = [[after_silence(model, one, x) for x, _ in model.gaps] for one in self._new]
        self._first = _whole(model.first_excess, self._one)
        self._costs: dict[tuple[int, int, int], list[int]] = {}
        self._tokens: dict[tuple[int, int, bool], list[tuple[int, int]]] = {}

    def after(self, state: State) -> Iterator[tuple[int, Table, int]]:
        """Yield each place, the sum of chances times W for 0 ... C of each other, and what it is over."""
        gaps = chances(self.model, state)
        every = self._one * sum(sum(turn) for _, turn in gaps)
        found = [leaf for alive, turn in gaps for leaf in self._leaves(state.conversations, alive, turn)]
        for count in {len(leaf.rows) for leaf in found}:
            leaves = [leaf for leaf in found if len(leaf.rows) == count]
            common = lcm(*{leaf.below for leaf in leaves})
            table, below = _weighed(self.model, leaves, common), every * common
            places = np.array([leaf.place for leaf in leaves])
            for place in sorted(set(places.tolist())):
                yield place, table[places == place].sum(axis=0, keepdims=True).reshape(table.shape[1:]), below

    def _leaves(self, known: tuple[Known, ...], alive: tuple[Fraction, ...], turn: list[int]) -> Iterator[_Leaf]:
        """Yield the states that may follow a gap."""
        model, n = self.model, len(known)
        aged = [one._replace(alive=pi) for one, pi in zip(known, alive, strict=True)]
        silent = [[after_silence(model, one, x) for one in aged] for x, _ in model.gaps]
        rates, costs = [model.kinds[one.kind].turn_rate for one in known], [self._cost(*one) for one in known]
        for i, (k, turns, pi, past) in [*enumerate(known), *((n, one) for one in self._new)]:
            if not turn[i]:
                continue
            aging = [[*one[:i], fresh, *one[i + 1 :]] for one, fresh in zip(silent, self._fresh[k], strict=True)]
            each = chances_by(model, [*rates[:i], model.kinds[k].turn_rate, *rates[i + 1 :]], aging)
            *weights, birth = each[0] if len(each) == 1 else map(sum, zip(*each, strict=True))
            below, own = self._one * sum(weights, birth), weights.pop(i)
            others = zip(weights, costs[:i] + costs[i + 1 :], strict=True)
            rows, first = [[weight * cost for cost in one] for weight, one in others], birth * self._first
            for tokens, chance in self._growth(k, turns, new=i == n):
                theta = [own * cost + first for cost in self._cost(k, turns + 1, pi, past + tokens)]
                yield _Leaf(i, turn[i] * chance, past + tokens, [theta, *rows], below)

    def _cost(self, k: int, turns: int, _: Fraction, past: int) -> list[int]:
        """Return what a turn costs in the mean, over `_one`, at 0 ... C kept."""
        if (k, turns, past) not in self._costs:
            left = [max(past - y, 0) for y in range(self.model.capacity + 1)]
            hinges, outcomes = self.model.hinges(k), self.model.kinds[k].prompt(turns).outcomes
            ahead = [(q, _whole(p, self._one)) for q, p in outcomes]
            self._costs[k, turns, past] = [sum([p * charged(hinges, u + q) for q, p in ahead]) for u in left]
        return self._costs[k, turns, past]

    def _growth(self, k: int, turns: int, *, new: bool) -> list[tuple[int, int]]:
        """Return the tokens of a turn with their chances, over `_one`; `new` ones have their kind's share."""
        if (k, turns, new) not in self._tokens:
            kind, found = self.model.kinds[k], dict[int, int]()
            share = _whole(kind.share, self._of_kinds) if new else self._of_kinds
            for (q, p), (a, p_a) in product(kind.prompt(turns).outcomes, kind.response.outcomes):
                chance = share * _whole(p, self._of_laws) * _whole(p_a, self._of_laws)
                found[q + a] = found.get(q + a, 0) + chance
            self._tokens[k, turns, new] = [(tokens, chance) for tokens, chance in found.items() if chance]
        return self._tokens[k, turns, new]


def _whole(one: Fraction, unit: int) -> int:
    return one.numerator * (unit // one.denominator)


def _weighed(model: BeliefMDP, leaves: list[_Leaf], common: int) -> Table:
    """Return W at each leaf times its chance."""
    pasts, count, sizes = [leaf.past for leaf in leaves], len(leaves[0].rows), model.capacity + 1
    if model.forced and max(pasts) > model.capacity:
        raise ForcedCachingError(None, max(pasts), model.capacity)
    factors = [leaf.chance * (common // leaf.below) for leaf in leaves]
    most = [sum(map(max, leaf.rows)) for leaf in leaves]
    kind = np.int64 if max(*factors, sum(map(mul, factors, most))) < BROAD else object
    rows = np.array([leaf.rows for leaf in leaves], kind)
    kept = sum(rows[:, i].reshape(-1, *[1] * i, sizes, *[1] * (count - 1 - i)) for i in range(count))
    least = least_of(np.asarray(kept), fits_in((sizes,) * count, model.capacity), pasts if model.forced else None)
    return np.array(factors, kind).reshape(-1, *[1] * (count - 1)) * least


@lru_cache(maxsize=4096)
def fits_in(sizes: tuple[int, ...], capacity: int) -> NDArray[np.bool_]:
    """Return which entries of a table of these sizes are within the capacity."""
    within = np.asarray(sum(np.indices(sizes, sparse=True)) <= capacity)
    within.setflags(write=False)
    return within


def least_of(kept: Table, within: NDArray[np.bool_], pasts: list[int] | None) -> Table:
    """Return the minimum over all that may be kept of what is cached of others than theta, of several tables.

    Theta's axis is the first of each; all of `pasts` must be kept of it, unless None.
    """
    allowed = np.where(within, kept, kept.max() + 1)
    allowed = allowed.min(axis=1) if pasts is None else allowed[np.arange(len(kept)), pasts]
    for axis in range(1, allowed.ndim):
        allowed = np.minimum.accumulate(allowed, axis=axis)
    return np.asarray(allowed)

"""Value iteration, policy iteration and modified policy iteration for the finite model with forgetting.

1. One sweep is V <- TV. What the next one changes is between the least and the largest change m, M of the
   discounted means that it is made of, so V* is between V + m / (1 - gamma) and V + M / (1 - gamma) (MacQueen,
   Porteus), in the finite model. It stops when they are `tolerance` apart, and takes the middle.
2. Modified policy iteration (Puterman, Shin) sweeps some times with the decisions of a sweep before it looks for
   better ones; policy iteration until their value is known. Each stops by 1, after a sweep that looks for better.
3. Average (discount 1): m and M are bounds of the gain of a turn (Odoni), V is relative. Turns: as many sweeps.

A sweep needs no matrix: what a state may keep is a running maximum over what is cached less, and a turn moves
slots up. So modified policy iteration saves next to nothing here. `bounds` makes `lower` and `upper` of any table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from teltheory.base.progress import Count, Progress, reporting
from teltheory.belief.bounds import Ahead, certified
from teltheory.belief.model import Allocation, BeliefMDP, Policy, Recent, as_state, starts
from teltheory.belief.optimality import ScoreRule
from teltheory.belief.rules import name_of, ranks_of
from teltheory.belief.slots import MOST_STATES, SlotModel
from teltheory.belief.sweeps import MOST_SWEEPS, Sweeps, in_floats
from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, rational, whole_number

Gamma: TypeAlias = Fraction | int | None
TOLERANCE = 1e-8
EVALUATIONS = 15


@dataclass(frozen=True)
class Solution:
    """What a solver found: the saving of the turns ahead, or of one in the mean where they are averaged.

    Attributes
    ----------
    value : float
        From the start, in the finite model.
    lower, upper : Fraction
        Bounds for the model without forgetting, proved by `teltheory.belief.bounds`.
    states, sweeps : int
        Size, and work.
    slots, ahead : SlotModel, Ahead
        The finite model, and which turns count.
    table : ndarray of float64
        V of each state, by `SlotModel.place`; relative where turns are averaged.
    later : ndarray of float64
        That of the turns after the next one: the same, but for a number of turns.
    choice : ndarray of int32 or None
        A policy's decisions: the place of the state in which all that it keeps is cached. None for the best ones.
    policy : str
        Its name.
    """

    value: float
    lower: Fraction
    upper: Fraction
    states: int
    sweeps: int
    slots: SlotModel = field(repr=False)
    ahead: Ahead
    table: FloatArray = field(repr=False)
    later: FloatArray = field(repr=False)
    choice: NDArray[np.int32] | None = field(repr=False, default=None)
    policy: str = "optimum"

    def of_keeping(self, recent: Recent, cached: Allocation) -> dict[Allocation, float]:
        """Return all that may be kept and leaves no room, with the value of keeping it now and of V later."""
        slots, model, kept = self.slots, self.slots.model, self._worth
        theta = recent.conversations[0].past
        full, found = min(sum(cached[1:]) + theta, model.capacity), {}
        for others in product(*(range(min(x, model.capacity) + 1) for x in cached[1:])):
            y = min(full - sum(others), theta)
            if y >= (theta if model.forced else 0) and y + sum(others) == full:
                found[y, *others] = float(kept[slots.place(recent, (theta, *others))])
        return found

    def worth(self) -> tuple[Sweeps, FloatArray]:
        """Return for each state what it is worth to keep all that is cached there, and V later."""
        sweeps = in_floats(self.slots, float(self.ahead.discount))
        sweeps.value[:] = self.later
        sweeps.expect()
        kept = np.empty(self.slots.states)
        sweeps.keep(kept)
        return sweeps, kept

    @cached_property
    def _worth(self) -> FloatArray:
        """The second of `worth`, of which many states may be asked."""
        return self.worth()[1]

    def keep(self, recent: Recent, cached: Allocation) -> Allocation:
        """Return what is kept at a state of what is cached, theta's entry first."""
        if self.choice is None:
            values = self.of_keeping(recent, cached)
            return max(values, key=lambda kept: (values[kept], kept))
        _, others = self.slots.known(int(self.choice[self.slots.place(recent, cached)]))
        return min(recent.conversations[0].past, self.slots.model.capacity - sum(others[1:])), *others[1:]


def value_iteration(
    model: BeliefMDP, discount: Gamma = None, silent: int | None = None, **options: Any
) -> Solution:
    """Return the best saving of all turns to come.

    Parameters
    ----------
    model : BeliefMDP
        The model; its `start` is where the value is asked.
    discount : Fraction, optional
        gamma, from 0 to below 1. The first turn after the decision weighs 1.
    silent : int, optional
        K: who was silent for so many turns is forgotten. With `turns`, if left out, so many that nobody is.
    **options
        In place of a discount `turns`, so many, or `average=True`, the mean of a turn for ever. `tolerance`: how
        far apart the bounds of V in the finite model may be. `most`: so many states are not too many. `progress`:
        told of each sweep; see `teltheory.base.progress`.

    Raises
    ------
    ArgumentError
        What is asked is none or two of discount, turns and average, or out of range; too many states, with the
        count and the K that fits; no convergence.
    """
    return _solved(0, model, discount, silent, **options)


def modified_policy_iteration(
    model: BeliefMDP,
    discount: Gamma = None,
    silent: int | None = None,
    evaluations: int = EVALUATIONS,
    **options: Any,
) -> Solution:
    """Return what `value_iteration` does, with so many sweeps a policy, and without `turns`."""
    return _solved(whole_number("evaluations", evaluations), model, discount, silent, **options)


def policy_iteration(
    model: BeliefMDP, discount: Gamma = None, silent: int | None = None, **options: Any
) -> Solution:
    """Return what `value_iteration` does, without `turns`; a policy's value is found before a better one is."""
    return _solved(MOST_SWEEPS, model, discount, silent, **options)


def evaluate(
    model: BeliefMDP, policy: Policy, discount: Gamma = None, silent: int | None = None, **options: Any
) -> Solution:
    """Return the saving of a policy, as `value_iteration` does; it keeps nothing of who was forgotten.

    One of `et_lru`, `lru` and `tlru` is followed by compiled loops, any other is asked state by state.
    """
    work = _Work.of(model, discount, silent, **options)
    sweeps, choice = work.sweeps, decisions_at(work.sweeps, policy)
    kept = np.empty(work.slots.states)
    with work.counted() as count:
        while not work.done(count):
            sweeps.keep(kept)
            sweeps.follow(choice, kept)
            work.change = sweeps.expect()
            count.step()
    return _solution(work, count.done, choice, name_of(policy))


def regret(model: BeliefMDP, policies: Sequence[Policy], *args: Any, **options: Any) -> list[Solution]:
    """Return the optimum, then each policy, with the arguments of `value_iteration`."""
    return [
        value_iteration(model, *args, **options),
        *(evaluate(model, policy, *args, **options) for policy in policies),
    ]


def asked(
    model: BeliefMDP, discount: Any, silent: int | None, turns: int | None = None, average: bool = False
) -> tuple[SlotModel, Ahead]:
    """Return the finite model and which turns count, or say what is wrong with them."""
    given = {"discount": discount is not None, "turns": turns is not None, "average": average}
    if sum(given.values()) != 1:
        found = ", ".join(name for name, there in given.items() if there) or "none"
        raise ArgumentError("turns ahead", found, "one of turns, discount and average")
    if turns is not None and not 1 <= whole_number("turns", turns) <= MOST_SWEEPS:
        raise ArgumentError("turns", turns, f"from 1 to {MOST_SWEEPS:,}")
    gamma = Fraction(1) if discount is None else rational("discount", discount, 0)
    if discount is not None and gamma >= 1:
        raise ArgumentError("discount", str(gamma), "a fraction from 0 to below 1")
    if silent is None and turns is None:
        raise ArgumentError(
            "silent", None, "the turns of others after which a conversation is forgotten, such as 5"
        )
    longest = max(one.silent for _, recent, _ in starts(model) for one in recent.conversations)
    return SlotModel(model, (turns or 0) + longest if silent is None else silent), Ahead(gamma, turns)


@dataclass
class _Work:
    """A table of values, and how far it still is from that of the next sweep."""

    slots: SlotModel
    ahead: Ahead
    sweeps: Sweeps
    tolerance: float
    progress: Progress
    change: tuple[Any, Any] = (-np.inf, np.inf)
    later: FloatArray | None = None

    @classmethod
    def of(
        cls,
        model: BeliefMDP,
        discount: Any,
        silent: int | None,
        turns: int | None = None,
        average: bool = False,
        tolerance: float = TOLERANCE,
        most: int = MOST_STATES,
        progress: Progress = None,
    ) -> _Work:
        slots, ahead = asked(model, discount, silent, turns, average)
        slots.check_size(min(most, 2**31 - 1))
        return cls(slots, ahead, in_floats(slots, float(ahead.discount)), tolerance, progress)

    @contextmanager
    def counted(self) -> Iterator[Count]:
        with reporting(self.progress, f"Sweeping {self.slots.states:,} states") as report:
            yield Count(report, self.ahead.turns)

    @property
    def left(self) -> float:
        return float(1 - self.ahead.discount) or 1.0

    def done(self, count: Count, factor: float = 1.0) -> bool:
        """Whether the values are near enough; else, before the last of a number of turns, they are kept."""
        if self.ahead.turns is not None:
            if count.done + 1 == self.ahead.turns:
                self.later = self.sweeps.value.copy()
            return count.done == self.ahead.turns
        if count.done >= MOST_SWEEPS:
            found = f"{self.change[1] - self.change[0]:g}"
            raise ArgumentError(
                "values", found, f"to differ from the next ones by less after {count.done:,} sweeps"
            )
        return bool((self.change[1] - self.change[0]) / self.left <= self.tolerance * factor)


def _solved(evaluations: int, *given: Any, **options: Any) -> Solution:
    work = _Work.of(*given, **options)
    if evaluations and work.ahead.turns is not None:
        raise ArgumentError("turns", work.ahead.turns, "none: value iteration is for a number of turns")
    sweeps, many = work.sweeps, work.slots.states if evaluations else 0
    kept, here = np.empty(many), np.arange(many, dtype=np.int32)
    choice = here.copy()
    with work.counted() as count:
        while not work.done(count):
            choice[:] = here
            sweeps.keep(sweeps.value)
            sweeps.best(sweeps.value, choice if many else None)
            work.change = sweeps.expect()
            count.step()
            within = replace(work)
            for _ in range(0 if work.done(count) else evaluations):
                sweeps.keep(kept)
                sweeps.follow(choice, kept)
                within.change = sweeps.expect()
                count.step()
                if within.done(count, 0.1):
                    break
    return _solution(work, count.done, None, "optimum")


def _solution(work: _Work, done: int, choice: NDArray[np.int32] | None, policy: str) -> Solution:
    slots, ahead, table = work.slots, work.ahead, work.sweeps.value
    del work.sweeps.expected
    value = float((work.change[0] + work.change[1]) / 2)
    if ahead.turns is None:
        table += value / work.left if ahead.discount < 1 else -table[0]
    if ahead.turns is not None or ahead.discount < 1:
        value = sum(float(p) * float(table[slots.place(recent, x)]) for p, recent, x in starts(slots.model))
    later = table if work.later is None else work.later
    lower, upper = certified(slots, ahead, table, choice)
    return Solution(value, lower, upper, slots.states, done, slots, ahead, table, later, choice, policy)


def decisions_at(sweeps: Sweeps, policy: Policy) -> NDArray[np.int32]:
    """Return a policy's decision at each state, as `Solution.choice` has it."""
    slots = sweeps.slots
    choice = np.empty(slots.states, np.int32)
    ranks = ranks_of(policy, slots) if isinstance(policy, ScoreRule) else None
    if ranks is not None:
        sweeps.evict(ranks, ranks.shape[-1] - 1, choice)
        return choice
    return _asked_of(policy, slots, choice)


def _asked_of(policy: Policy, slots: SlotModel, choice: NDArray[np.int32]) -> NDArray[np.int32]:
    for place in range(slots.states):
        recent, cached = slots.known(place)
        kept = policy(slots.model, as_state(slots.model, recent), cached)
        room = min(slots.model.capacity, sum(cached))
        if (
            len(kept) != len(cached)
            or sum(kept) != room
            or any(not 0 <= y <= x for y, x in zip(kept, cached, strict=True))
        ):
            raise ArgumentError(name_of(policy), kept, f"{room} tokens to be kept of {cached}, as they have room")
        choice[place] = slots.place(recent, (cached[0], *kept[1:]))
    return choice

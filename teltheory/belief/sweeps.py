"""The sweeps of `teltheory/belief/sweep.h` on arrays, in doubles or whole numbers, by as many threads as cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teltheory.base.loops import call
from teltheory.base.processes import cores
from teltheory.belief.slots import SlotModel
from teltheory.model.numbers import FloatArray

SMALL = 20_000
"""Rows that are not worth a second thread."""
MOST_SWEEPS = 20_000
"""After so many there is no limit."""

LOOPS = {
    "expect": ("belief_expect", "belief_expect_whole"),
    "keep": ("belief_keep", "belief_keep_whole"),
    "raise": ("belief_raise", "belief_raise_whole"),
}
"""A loop's name for doubles and for whole numbers."""


@dataclass(frozen=True)
class Numbers:
    """What a sweep computes with, as `sweep.h` names it: of one kind, float64 or int64."""

    share: NDArray[Any]
    rate: NDArray[Any]
    saving: NDArray[Any]
    births: Any
    weight: NDArray[Any]
    more: tuple[int, ...]
    never: Any
    whole: bool


class Sweeps:
    """The arrays of one table of values, and what a sweep does to them."""

    def __init__(self, slots: SlotModel, numbers: Numbers) -> None:
        self.slots, self.numbers = slots, numbers
        laws = slots.after
        self._first = np.cumsum([0, *map(len, laws)], dtype=np.int64)
        self._next = np.array([t for law in laws for t, _ in law], np.int32)
        self._rows, kind = slots.histories * slots.rests, numbers.share.dtype
        self.value: NDArray[Any] = np.zeros(slots.states, kind)
        self.expected: NDArray[Any] = np.zeros(self._rows * (len(slots.types) + 1), kind)
        self._threads = cores() if self._rows > SMALL else 1

    def expect(self) -> tuple[Any, Any]:
        """Compute the means after each row; return the least and the largest change of any."""
        k, digits, types, _, histories, rests, capacity, _ = self.slots.shape
        sizes = k, digits, types, histories, rests, capacity
        least, most = (2**62, -(2**62)) if self.numbers.whole else (np.inf, -np.inf)

        def part(start: int, end: int) -> NDArray[Any]:
            change = np.array([least, most], self.value.dtype)
            law = len(self._next), self._first, self._next, self.numbers.weight
            self._call("expect", sizes, self.slots.places[1], law, self.value, start, end, self.expected, change)
            return change

        changes = np.array(self._parts(part, self._rows))
        return changes[:, 0].min(), changes[:, 1].max()

    def keep(self, kept: NDArray[Any]) -> None:
        """Compute the value of keeping, for each state what it has of the others, and of theta what has room."""
        numbers = self.numbers
        given = self.slots.shape, self.slots.places, numbers.share, numbers.rate, numbers.saving, numbers.births
        rest = numbers.more, self.expected, numbers.never
        self._parts(lambda start, end: self._call("keep", given, rest, start, end, kept), self._rows)

    def best(self, kept: NDArray[Any], choice: NDArray[np.int32] | None = None) -> None:
        """Raise what each thing to keep is worth to the best of all that is cached less; `choice` goes along."""
        digits, types, cached = len(self.slots.ways), len(self.slots.types), self.slots.places[1]
        for k in range(1, self.slots.silent):
            stride = types * digits ** (k - 1)
            blocks, given = len(kept) // (stride * digits), (digits, len(kept), stride, cached)
            if blocks >= self._threads:
                self._parts(partial(self._raise, given, 0, stride, kept, choice), blocks)
            else:
                self._parts(partial(self._raise_within, given, 0, blocks, kept, choice), stride)

    def _raise(self, given: Any, start: int, end: int, kept: Any, choice: Any, *blocks: int) -> None:
        self._call("raise", given, blocks, start, end, kept, choice)

    def _raise_within(self, given: Any, first: int, last: int, kept: Any, choice: Any, *within: int) -> None:
        self._call("raise", given, first, last, within, kept, choice)

    def follow(self, choice: NDArray[np.int32], kept: NDArray[Any]) -> None:
        """Set values to those of decisions."""
        size = len(kept)
        self._parts(lambda a, b: call("belief_follow", size, choice, kept, a, b, self.value), size)

    def evict(self, ranks: NDArray[np.int32], longest: int, choice: NDArray[np.int32]) -> None:
        """Set decisions to those of ranks by history, slot, type and tokens."""
        k, digits, types, _, histories, rests, capacity, forced = self.slots.shape
        of, cached, _, past = self.slots.places
        given = k, digits, types, histories, rests, capacity, forced, longest, of, cached, past, ranks
        self._parts(lambda start, end: call("belief_evict", given, start, end, choice), self._rows)

    def _call(self, name: str, *given: Any) -> None:
        loop = LOOPS[name][self.numbers.whole]
        call(loop, *given)

    def _parts(self, work: Callable[[int, int], Any], size: int) -> list[Any]:
        ends = [size * i // self._threads for i in range(self._threads + 1)]
        if self._threads == 1:
            return [work(0, size)]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(work, ends, ends[1:]))


def floats(values: Iterable[Any]) -> FloatArray:
    """Return numbers as doubles."""
    return np.array([float(value) for value in values])


def in_floats(slots: SlotModel, discount: float) -> Sweeps:
    """Return sweeps in doubles, from values of 0."""
    weights = floats(discount * float(p) for law in slots.after for _, p in law)
    numbers = floats(w for _, w in slots.model.gaps), floats(slots.rates), floats(slots.savings)
    return Sweeps(slots, Numbers(*numbers, float(slots.model.birth_rate), weights, (), -np.inf, False))

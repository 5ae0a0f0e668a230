"""A tiny world under a policy: one record, which every check reads and writes.

Conversations are numbered in order of appearance, so that their numbers are the order of first arrival.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias, cast

import numpy as np

from teltheory.replay.compiled import compiled

WIDTH = 8
"""Most turns, and most conversations."""
LEVELS = 48
"""Policies are replayed at levels from -LEVELS to LEVELS - 1, see `simulator`."""
POLICIES = 20
OUT_WIDTH = 128

# Columns of a result: what turns reuse, the lowest X after each cut, how many cuts, which loop, and its stamp.
LOWEST, CUTS, LOOPED, STAMPED = WIDTH, 2 * WIDTH, 2 * WIDTH + 1, 2 * WIDTH + 2

OF_A_TURN = ("label", "prompt", "response", "total", "after", "next")
"""Its conversation and lengths, the conversation's past afterwards and its next turn."""
OF_A_CONVERSATION = (
    *("start_past", "start_held", "first", "latest", "length"),
    *("cached", "past", "upcoming", "order", "surplus", "stride", "taken"),
)
"""Its part of the initial cache, first and last turn, and last past; then a cache, and working room."""
NUMBERS = (
    *("turns", "conversations", "starts", "tokens", "least_capacity", "longest", "continuing", "prompts"),
    *("capacity", "xi", "estimate", "forced", "stamp", "known"),
    *("check", "capacities", "thresholds", "estimates", "least"),
)
"""The world's size and what its turns say as a whole; the case; and what `enumeration` is to try."""

TINY = np.dtype(
    [
        *((name, np.int64, WIDTH) for name in (*OF_A_TURN, *OF_A_CONVERSATION)),
        *((name, np.int64) for name in NUMBERS),
        ("out", np.int64, OUT_WIDTH),
        ("results", np.int64, (2, POLICIES, 2 * LEVELS, STAMPED + 1)),
    ]
)
"""`out` has the number of values and the values; `results` those of each policy and level, at C and at C + 1."""
Tiny: TypeAlias = Any

OUTSIDE, REFUTED, TRUE = -1, 0, 1
"""Answers of a check."""


def codes(values: Iterable[int]) -> list[int]:
    """Return whole numbers of numpy's, for codes that are passed on.

    A compiled function that is called with Python's own constants is compiled once for each of them.
    """
    return list(np.array([*values], np.int64))


def new_tiny(**numbers: int) -> Tiny:
    """Return the record of a world with some numbers, still without turns."""
    tiny = cast("Any", np.zeros(1, TINY)[0])
    for name, number in numbers.items():
        tiny[name] = number
    tiny["stamp"] = 1
    return tiny


@compiled
def describe(tiny: Tiny) -> None:
    """Fill in totals, pasts, next turns, and what the turns say as a whole, from turns and starts."""
    tiny.first[:], tiny.length[:] = tiny.turns, tiny.start_past
    tiny.longest = tiny.continuing = tiny.prompts = 0
    for turn in range(tiny.turns):
        c, prompt = tiny.label[turn], tiny.prompt[turn]
        if c < tiny.starts or tiny.first[c] < tiny.turns:
            tiny.continuing += 1
            tiny.prompts += prompt
            tiny.longest = max(tiny.longest, prompt)
        tiny.total[turn] = tiny.length[c] + prompt
        tiny.length[c] = tiny.after[turn] = tiny.total[turn] + tiny.response[turn]
        _link(tiny, turn, c)
    tiny.least_capacity = tiny.start_held[: tiny.starts].sum()
    if tiny.forced and tiny.turns > 1:
        tiny.least_capacity = max(tiny.least_capacity, tiny.after[: tiny.turns - 1].max())


@compiled
def _link(tiny: Tiny, turn: int, c: int) -> None:
    if tiny.first[c] == tiny.turns:
        tiny.first[c] = turn
    else:
        tiny.next[tiny.latest[c]] = turn
    tiny.latest[c], tiny.next[turn] = turn, tiny.turns


@compiled
def put(tiny: Tiny, value: int) -> None:
    """Append a value."""
    tiny.out[0] += 1
    tiny.out[tiny.out[0]] = value

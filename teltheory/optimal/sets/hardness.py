"""Subset sum as a question about whole items (docs/proofs-prompt-cache.md has the proof).

All numbers are items of a size each, and two requests need all of them. The second one reuses what some items that
fit into the cache add up to, so with xi = 0 some policy has the TEL 2 sum - C if and only if some of the numbers
add up to C.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from teltheory.errors import ArgumentError
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.numbers import whole_number


class SetQuestion(NamedTuple):
    """Whether a trace of whole items can have a TEL at xi = 0 that is `tel` or less."""

    trace: ModuleTrace
    capacity: int
    tel: int


def subset_sum_question(numbers: Sequence[int], wanted: int) -> SetQuestion:
    """Return the question that is answered by yes if and only if some of the numbers add up to `wanted`.

    Parameters
    ----------
    numbers : sequence of int
        1 or more each.
    wanted : int
        0 or more.
    """
    for k, number in enumerate(numbers):
        if whole_number(f"numbers[{k}]", number) < 1:
            raise ArgumentError(f"numbers[{k}]", number, "1 or more")
    items = range(len(numbers))
    trace = ModuleTrace.from_requests([items, items], numbers)
    return SetQuestion(trace, whole_number("wanted", wanted), 2 * sum(numbers) - wanted)

"""Readings of Algorithm 1 that the library has no policy for, token by token, to be read beside the printed text.

    while sum_i X_i > C:                                   (`if` in the longer summary: one pass)
        foreach i in [N]:
            if X_i >= L_i + Q_i - xi:  X_i <- X_i - 1
            if sum_i X_i <= C:  return X
    while sum_i X_i > C:
        j = the least recent i with X_i >= 1
        X_j <- X_j - 1

The printed `while` never ends where a round trims nothing and the cache is still too full; here it is left then,
and such cuts are counted. The printed test has no floor, so that X may fall below 0: such a conversation makes
room for others, and has a reuse below 0 when it returns.

`experiments.paper.algorithm_1_compiled` does the same faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from teltheory.instance import Instance


@dataclass(frozen=True)
class Form:
    """A reading of Algorithm 1.

    Attributes
    ----------
    at_budget : bool
        Trim at X >= L + Q - xi, as printed, and not only above it.
    below_zero : bool
        Let X fall below 0.
    one_pass : bool
        Pass over the conversations once at every cut, then LRU.
    """

    at_budget: bool = False
    below_zero: bool = False
    one_pass: bool = False


ROUND_ROBIN = Form()
AT_BUDGET = Form(at_budget=True)
TO_THE_LETTER = Form(at_budget=True, below_zero=True)
ONE_PASS = Form(one_pass=True)


class Cache:
    """What conversations hold, and the cuts of a reading.

    Parameters
    ----------
    capacity, xi, q_hat : int
        In the trace's unit.
    form : Form
        The reading.
    """

    def __init__(self, capacity: int, xi: int, q_hat: int, form: Form) -> None:
        self.capacity, self.xi, self.q_hat, self.form = capacity, xi, q_hat, form
        self.held: dict[int, int] = {}
        self.past: dict[int, int] = {}
        self.least_recent_first: list[int] = []
        self.endless = 0

    def arrive(self, conversation: int, past: int) -> None:
        """Give the arriving conversation its new past, all of it cached."""
        self.held[conversation] = self.past[conversation] = past
        if conversation in self.least_recent_first:
            self.least_recent_first.remove(conversation)
        self.least_recent_first.append(conversation)

    def cut(self) -> None:
        """Trim, then evict by LRU."""
        while self._is_too_full():
            if not self._trimmed_in_a_pass():
                self.endless += not self.form.one_pass
                break
            if self.form.one_pass:
                break
        while self._is_too_full():
            self.held[next(c for c in self.least_recent_first if self.held[c] >= 1)] -= 1

    def _is_too_full(self) -> bool:
        return sum(self.held.values()) > self.capacity

    def _trimmed_in_a_pass(self) -> bool:
        """Trim one unit of each conversation, in order of first arrival, until the cache fits."""
        trimmed = False
        for conversation in self.held:
            if not self._is_too_full():
                break
            if self._is_trimmed(conversation):
                self.held[conversation] -= 1
                trimmed = True
        return trimmed

    def _is_trimmed(self, conversation: int) -> bool:
        held = self.held[conversation]
        if held == 0 and not self.form.below_zero:
            return False
        surplus = held - (self.past[conversation] + self.q_hat - self.xi)
        return surplus >= 0 if self.form.at_budget else surplus > 0


def replayed_slowly(instance: Instance, xi: int, q_hat: int, form: Form) -> tuple[list[int], int]:
    """Replay a reading under optional caching from an empty cache.

    Parameters
    ----------
    instance : Instance
        Trace and capacity.
    xi, q_hat : int
        Threshold and estimate, in the trace's unit.
    form : Form
        The reading.

    Returns
    -------
    list of int
        What each turn reuses; below 0 where X was.
    int
        Cuts at which the printed `while` would never end.
    """
    cache = Cache(instance.capacity, xi, q_hat, form)
    return list(_reuses(instance, cache)), cache.endless


def _reuses(instance: Instance, cache: Cache) -> Iterator[int]:
    turns = zip(instance.trace.code.tolist(), instance.history.tolist(), instance.past.tolist(), strict=True)
    for conversation, history, past in turns:
        yield min(cache.held.get(conversation, 0), history)
        cache.arrive(conversation, past)
        cache.cut()

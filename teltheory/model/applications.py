"""A trace of applications: turns in arrival order, each of an application, and what a turn waits for.

1. Turns are those of a `Trace`. A turn belongs to one application, and so does a conversation: all its turns do.
2. A turn follows turns of its application that arrived earlier: those that it was given (``after``), and the turn
   before it in its conversation. So the turns of an application are an acyclic graph, and the order of arrival is
   topological in it (Parrot, Section 4.2: requests that are joined by variables).
3. A route of an application is what has to stay below its threshold: all of its turns together ("sum"), or any
   path in its graph ("path").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from teltheory.errors import ArgumentError, TraceError, shown
from teltheory.model.columns import conversation_numbers
from teltheory.model.instance import Instance
from teltheory.model.numbers import INT64_MAX, IntArray, exact_sum, readonly, whole_number
from teltheory.model.trace import Trace

Measure = Literal["sum", "path"]
Earlier = tuple[tuple[int, ...], ...]
"""Of each turn: earlier turns, ascending."""


@dataclass(frozen=True, eq=False)
class ApplicationTrace:
    """Turns with their applications. Make one with `ApplicationTrace.of` or `read_application_trace`.

    Attributes
    ----------
    trace : Trace
        The turns.
    application : ndarray of int64, shape (n,)
        Application of each turn, numbered 0, 1, ... in order of first arrival.
    after : tuple of tuple of int
        The turns that each turn was said to follow, counted from 0, ascending.
    names : tuple of str
        A name of each application.
    requests : tuple of str
        A name of each turn.
    """

    trace: Trace
    application: IntArray
    after: Earlier
    names: tuple[str, ...]
    requests: tuple[str, ...]

    @classmethod
    def of(
        cls,
        trace: Trace,
        application: Sequence[Any] | NDArray[Any],
        after: Sequence[Sequence[int]] | None = None,
        requests: Sequence[str] | None = None,
    ) -> ApplicationTrace:
        """Check the columns against the trace.

        Parameters
        ----------
        trace : Trace
            The turns.
        application : sequence of int or of str, shape (n,)
            Application of each turn.
        after : sequence of sequences of int, optional
            Turns that each turn follows, counted from 0: earlier ones of its application. None when left out.
        requests : sequence of str, optional
            A name for each turn; its number when left out.

        Raises
        ------
        TraceError
            A conversation of two applications, a turn after itself, after a later one or after one of another
            application; a history beyond the past, as the cache starts empty; inputs that add up to 2**63 tokens
            or more. Names the turn and what was expected.
        """
        n = len(trace)
        given, texts = conversation_numbers(application)
        if len(given) != n:
            raise TraceError("application", None, f"{len(given)} values", f"{n}, one a turn")
        if exact_sum(trace.total) > INT64_MAX:
            raise TraceError("history", None, "inputs that add up to more than 2**63 - 1", "a smaller sum")
        labels = dict.fromkeys(given.tolist())
        numbers = {label: number for number, label in enumerate(labels)}
        code = readonly(np.array([numbers[label] for label in given.tolist()], np.int64))
        names = tuple(str(label) if texts is None else texts[label] for label in labels)
        called = tuple(map(str, range(n))) if requests is None else tuple(requests)
        if len(called) != n:
            raise TraceError("request", None, f"{len(called)} values", f"{n}, one a turn")
        Instance.of(trace, 0)
        _check_conversations(trace, code, names)
        return cls(trace, code, _checked_after(after, code, names), names, called)

    def __len__(self) -> int:
        return len(self.trace)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ApplicationTrace):
            return NotImplemented
        same = self.trace == other.trace and np.array_equal(self.application, other.application)
        named = (self.after, self.names, self.requests)
        return same and named == (other.after, other.names, other.requests)

    __hash__ = None  # type: ignore[assignment]

    @property
    def applications(self) -> int:
        """Number of applications."""
        return len(self.names)

    @cached_property
    def turns(self) -> Earlier:
        """The turns of each application, ascending."""
        found: list[list[int]] = [[] for _ in self.names]
        for k, application in enumerate(self.application.tolist()):
            found[application].append(k)
        return tuple(map(tuple, found))

    @cached_property
    def before(self) -> Earlier:
        """The turns that each turn follows, the one before it in its conversation among them; ascending."""
        previous = self.trace.previous_turn.tolist()
        joined = ({*said, earlier} - {-1} for said, earlier in zip(self.after, previous, strict=True))
        return tuple(tuple(sorted(turns)) for turns in joined)

    @cached_property
    def following(self) -> Earlier:
        """The turns that follow each turn directly, ascending."""
        found: list[list[int]] = [[] for _ in range(len(self))]
        for k, earlier in enumerate(self.before):
            for j in earlier:
                found[j].append(k)
        return tuple(map(tuple, found))

    @cached_property
    def left(self) -> tuple[int, ...]:
        """How many turns the longest path from each turn to the end of its application has, itself included."""
        every = range(len(self))
        longest = self.heaviest(every, [1] * len(self), backwards=True)
        return tuple(longest[k] for k in every)

    def heaviest(
        self, turns: Sequence[int], weights: Mapping[int, int] | Sequence[int], backwards: bool = False
    ) -> dict[int, int]:
        """Return what the heaviest path up to each turn weighs, or from it on (`backwards`), itself included.

        `turns` ascend, and hold all turns of their applications; `weights` are 0 or more, by turn.
        """
        beside = self.following if backwards else self.before
        found: dict[int, int] = {}
        for k in reversed(turns) if backwards else turns:
            found[k] = weights[k] + max((found[j] for j in beside[k]), default=0)
        return found

    def weight(self, application: int, weights: Sequence[int], measure: Measure = "sum") -> int:
        """Return what the heaviest route of an application weighs, for weights of 0 or more by turn; exact."""
        mine = self.turns[application]
        if check_measure(measure) == "sum":
            return sum(weights[k] for k in mine)
        return max(self.heaviest(mine, weights).values())


def check_measure(measure: object) -> Measure:
    """Return a measure, or say which there are."""
    if measure not in get_args(Measure):
        raise ArgumentError("measure", measure, "'sum' or 'path'")
    return measure  # type: ignore[return-value]


def thresholds(apps: ApplicationTrace, xi: int | Sequence[int] | IntArray) -> tuple[int, ...]:
    """Return the threshold of each application, given one for all or one for each."""
    if not isinstance(xi, (Sequence, np.ndarray)):
        return (whole_number("xi", xi),) * apps.applications
    if len(xi) != apps.applications:
        raise ArgumentError("xi", f"{len(xi)} values", f"one, or {apps.applications}: one for each application")
    return tuple(whole_number("xi", one) for one in xi)


def _check_conversations(trace: Trace, code: IntArray, names: Sequence[str]) -> None:
    earlier = np.flatnonzero(trace.continuing)
    for k in earlier[code[earlier] != code[trace.previous_turn[earlier]]][:1].tolist():
        owner = names[code[trace.previous_turn[k]]]
        expected = f"{owner!r}, of which its conversation is"
        raise TraceError("application", k, names[code[k]], expected)


def _checked_after(after: Sequence[Sequence[int]] | None, code: IntArray, names: Sequence[str]) -> Earlier:
    if after is None:
        return ((),) * len(code)
    if len(after) != len(code):
        raise TraceError("after", None, f"{len(after)} values", f"{len(code)}, one a turn")
    return tuple(tuple(sorted(set(_earlier(k, said, code, names)))) for k, said in enumerate(after))


def _earlier(k: int, said: Sequence[int], code: IntArray, names: Sequence[str]) -> Iterator[int]:
    for j in said:
        if isinstance(j, bool) or not isinstance(j, (int, np.integer)) or not 0 <= j < k:
            raise TraceError("after", k, j, "turns that arrived earlier, counted from 0")
        if code[j] != code[k]:
            raise TraceError("after", k, j, f"turns of its application, {shown(names[code[k]], 60)}")
        yield int(j)

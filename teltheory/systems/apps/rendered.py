"""Applications before they have run, as a trace of lengths: outputs are as long as they may be.

1. Requests come in the order of the graph, one application after another, without times.
2. An input is its texts, the values that a client sets, and outputs of other requests. An output has `max_tokens`
   tokens, a value that nobody knows has none.
3. A request continues an earlier one of its application, the longest, whose prompt and output it begins with, part
   by part; if another one already did, it begins a conversation of its own, as of a log
   (`teltheory.systems.apps.lift`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from teltheory.model.applications import ApplicationTrace
from teltheory.model.trace import Trace
from teltheory.systems.apps.records import Application
from teltheory.systems.apps.requests import Part, Request

Count = Callable[[str], int]


def as_lengths(applications: Sequence[Application], count: Count) -> ApplicationTrace:
    """Return the trace of applications; `count` returns a text's tokens."""
    rows = [row for one in applications for row in _rows(one, count)]
    place = {(row.application, row.number): at for at, row in enumerate(rows)}
    trace = Trace.from_turns(*zip(*((row.conversation, row.prompt, row.response) for row in rows), strict=True))
    after = [sorted(place[row.application, k] for k in row.before) for row in rows]
    return ApplicationTrace.of(trace, [row.application for row in rows], after, [row.name for row in rows])


@dataclass(frozen=True)
class _Rendered:
    """A request, its lengths in tokens, and those of its application that it follows."""

    application: str
    number: int
    name: str
    before: tuple[int, ...]
    conversation: str
    prompt: int
    response: int


@dataclass
class _Past:
    """What an earlier request of an application leaves to continue: its parts, its length, its conversation."""

    parts: tuple[object, ...]
    tokens: int
    conversation: str
    taken: bool = False


@dataclass
class _Lengths:
    """Tokens of an application's values, as far as they are known."""

    count: Count
    of: dict[str, int] = field(default_factory=dict)

    def part(self, part: Part) -> int:
        """Return the tokens of a part of a prompt."""
        return self.count(part) if isinstance(part, str) else 0 if part.output else self.of.get(part.variable, 0)


def _rows(one: Application, count: Count) -> Iterator[_Rendered]:
    lengths = _Lengths(count, {name: count(value) for name, value in one.values.items()})
    lengths.of |= {name: one.graph.requests[k].sampling.max_tokens for name, k in one.graph.producers.items()}
    pasts: list[_Past] = []
    for k in one.graph.order:
        request = one.graph.requests[k]
        name = f"{one.name}/{request.name or k}"
        total, response = sum(map(lengths.part, request.parts)), _response(request, lengths.of)
        parts = tuple(map(_key, request.parts))
        earlier = _continued(parts, pasts)
        conversation, known = (name, 0) if earlier is None else (earlier.conversation, earlier.tokens)
        pasts.append(_Past(parts, total + response, conversation))
        yield _Rendered(one.name, k, name, one.graph.before[k], conversation, total - known, response)


def _response(request: Request, lengths: Mapping[str, int]) -> int:
    return sum(lengths[part.variable] for part in request.parts if not isinstance(part, str) and part.output)


def _key(part: Part) -> object:
    """Return what two parts are alike in: an output and an input of its variable are."""
    return part if isinstance(part, str) else (part.variable, part.transforms)


def _continued(parts: tuple[object, ...], pasts: Sequence[_Past]) -> _Past | None:
    """Return the longest past that parts begin with and that nobody continues yet; it is taken then."""
    begun = [past for past in pasts if not past.taken and parts[: len(past.parts)] == past.parts]
    found = max(begun, key=lambda past: len(past.parts), default=None)
    if found is not None:
        found.taken = True
    return found

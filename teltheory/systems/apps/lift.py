"""Applications lifted from a plain log of requests: which prompts hold earlier outputs, word for word.

1. Go through the requests of each user as they arrived. What ended before a request arrived may be in its prompt;
   if the log has no ends, all that came before.
2. A prompt that begins with an earlier prompt and its whole response continues it, the longest such one. Whatever
   was found in the earlier prompt is there too, and so is its response, however short.
3. Read the rest of the prompt from left to right. Where a response of `least` or more characters begins, whole or
   without the space around it, the prompt holds it: the longest one, of equal texts the latest. The others are
   written down: the log does not tell which of them it was. Go on behind it.
4. Requests that are joined by what they hold are an application. What nobody holds is what a client gets.

A response that a client cut, translated or put together anew is not found, and a text that two people would write
alike is taken for reuse. `least` weighs one against the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from teltheory.base.extras import needed
from teltheory.errors import ArgumentError
from teltheory.formats.request_logs import Logged
from teltheory.model.applications import ApplicationTrace
from teltheory.model.trace import Trace
from teltheory.systems.apps.graph import Graph
from teltheory.systems.apps.records import Application
from teltheory.systems.apps.requests import Part, Port, Request, Sampling

LEAST = 20
TAIL = 16
BASE = 0x9E3779B97F4A7C15
Count = Callable[[str], int]


@dataclass(frozen=True)
class Reuse:
    """A stretch of a prompt that an earlier response is.

    Attributes
    ----------
    producer : int
        The request whose response it is, counted from 0 in order of arrival.
    begin, length : int
        Where it begins in the prompt, and how long it is, in characters.
    stripped : bool
        Whether the response has space around it that the prompt does not hold.
    others : tuple of int
        Requests whose responses are the same text and could have been meant.
    """

    producer: int
    begin: int
    length: int
    stripped: bool = False
    others: tuple[int, ...] = ()


@dataclass(frozen=True)
class Lifted:
    """A log with what its prompts hold of earlier responses.

    Attributes
    ----------
    log : tuple of Logged
        The requests in order of arrival.
    reuses : tuple of tuple of Reuse
        Of each request, in the order of its prompt.
    continues : tuple of int or None
        The request whose prompt and response each prompt begins with.
    applications : tuple of tuple of int
        The requests of each application, in order of arrival.
    """

    log: tuple[Logged, ...]
    reuses: tuple[tuple[Reuse, ...], ...]
    continues: tuple[int | None, ...]
    applications: tuple[tuple[int, ...], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each application: the user's, and a number."""
        seen: dict[str, int] = {}
        names = []
        for members in self.applications:
            user = self.log[members[0]].user or "app"
            seen[user] = seen.get(user, -1) + 1
            names.append(f"{user}/{seen[user]}")
        return tuple(names)

    @property
    def ambiguous(self) -> int:
        """Reuses of a text that two or more earlier responses are."""
        return sum(bool(reuse.others) for reuses in self.reuses for reuse in reuses)


def lift(log: Sequence[Logged], least: int = LEAST) -> Lifted:
    """Find what prompts hold of earlier responses, see the top of the file; `log` is in order of arrival."""
    if least < 1:
        raise ArgumentError("least", least, "1 character or more")
    users: dict[str, _User] = {}
    reuses: list[tuple[Reuse, ...]] = []
    continues: list[int | None] = []
    for k, one in enumerate(log):
        user = users.setdefault(one.user, _User(log, least))
        earlier = user.continued(one)
        begin = 0
        found: tuple[Reuse, ...] = ()
        if earlier is not None:
            before = log[earlier]
            found = (*reuses[earlier], Reuse(earlier, len(before.prompt), len(before.response)))
            begin = len(before.prompt) + len(before.response)
        reuses.append((*found, *user.held(one, begin)))
        continues.append(earlier)
        user.add(k)
    return Lifted(tuple(log), tuple(reuses), tuple(continues), _joined(reuses))


def _joined(reuses: Sequence[Sequence[Reuse]]) -> tuple[tuple[int, ...], ...]:
    """Return the requests that are joined by what they hold, in order."""
    networkx = needed("networkx", "apps")
    graph = networkx.empty_graph(len(reuses))
    graph.add_edges_from((reuse.producer, k) for k, found in enumerate(reuses) for reuse in found)
    return tuple(sorted(tuple(sorted(members)) for members in networkx.connected_components(graph)))


@dataclass
class _User:
    """Responses of a user so far, by their first characters, and these by number; pasts by length and end."""

    log: Sequence[Logged]
    least: int
    texts: dict[str, dict[str, list[tuple[int, bool]]]] = field(default_factory=dict)
    pasts: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    firsts: set[int] = field(default_factory=set)

    def add(self, k: int) -> None:
        """Add a request."""
        one = self.log[k]
        for text in dict.fromkeys((one.response, one.response.strip())):
            if len(text) >= self.least:
                alike = self.texts.setdefault(text[: self.least], {})
                self.firsts.update(windows(text[: self.least], self.least).tolist())
                alike.setdefault(text, []).append((k, text != one.response))
        if one.response:
            past = one.prompt + one.response
            self.pasts.setdefault(len(past), {}).setdefault(past[-TAIL:], []).append(k)

    def continued(self, one: Logged) -> int | None:
        """Return the request that a prompt continues: of the longest past the latest."""
        for length in sorted(self.pasts, reverse=True):
            if length <= len(one.prompt):
                for k in reversed(self.pasts[length].get(one.prompt[max(length - TAIL, 0) : length], ())):
                    past = self.log[k].prompt + self.log[k].response
                    if self._ended(k, one) and one.prompt.startswith(past):
                        return k
        return None

    def held(self, one: Logged, begin: int) -> Iterator[Reuse]:
        """Yield what the rest of a prompt holds."""
        free = begin
        for at in self._candidates(one.prompt, begin):
            found = self._found(one, at) if at >= free else None
            if found is not None:
                yield found
                free = at + found.length

    def _candidates(self, prompt: str, begin: int) -> list[int]:
        """Return where responses may begin, as their first characters have a number that stands there too."""
        numbers = windows(prompt[begin:], self.least)
        known = np.fromiter(self.firsts, np.uint64, len(self.firsts))
        places: list[int] = np.flatnonzero(np.isin(numbers, known)).tolist()
        return [begin + at for at in places]

    def _found(self, one: Logged, at: int) -> Reuse | None:
        """Return the longest response that begins at a place of a prompt; of equal ones the latest."""
        alike = self.texts.get(one.prompt[at : at + self.least], {})
        for text in sorted(alike, key=len, reverse=True):
            producers = [entry for entry in alike[text] if self._ended(entry[0], one)]
            if producers and one.prompt.startswith(text, at):
                *others, (producer, stripped) = producers
                return Reuse(producer, at, len(text), stripped, tuple(k for k, _ in others))
        return None

    def _ended(self, k: int, one: Logged) -> bool:
        end = self.log[k].end
        return end is None or one.time is None or end <= one.time


def windows(text: str, length: int) -> NDArray[np.uint64]:
    """Return a number for each stretch of so many characters of a text; equal stretches have equal ones.

    Of characters c it is the sum of c[j] BASE**j modulo 2**64, by differences of running sums.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
    count = max(len(codes) - length + 1, 0)
    sums = np.zeros(len(codes) + 1, np.uint64)
    np.cumsum(codes * np.cumprod(np.full(len(codes), BASE, np.uint64)), out=sums[1:])
    back = np.cumprod(np.full(count, pow(BASE, -1, 2**64), np.uint64))
    return np.asarray((sums[length:][:count] - sums[:count]) * back, np.uint64)


def as_applications(lifted: Lifted, count: Count) -> tuple[Application, ...]:
    """Return the applications: literal prompts, with variables where they hold responses.

    An output may be as long as the logged one by `count`, which returns a text's tokens.
    """
    named = zip(lifted.names, lifted.applications, strict=True)
    return tuple(_application(lifted, name, members, count) for name, members in named)


def _application(lifted: Lifted, name: str, members: Sequence[int], count: Count) -> Application:
    numbers = {k: number for number, k in enumerate(members)}
    requests = [_request(lifted, k, numbers, count) for k in members]
    graph = Graph.of(requests)
    gets = {variable: "latency" for variable in graph.producers if variable not in graph.consumers}
    return Application(name, graph, {}, gets)


def _request(lifted: Lifted, k: int, numbers: dict[int, int], count: Count) -> Request:
    one, at, own = lifted.log[k], 0, f"out{numbers[k]}"
    parts: list[Part] = []
    used = set[str]()
    for place, reuse in enumerate(lifted.reuses[k]):
        variable = f"out{numbers[reuse.producer]}"
        port = f"{variable}.{place}" if variable in used else variable
        used.add(variable)
        parts += [one.prompt[at : reuse.begin], Port(port, False, variable, "strip" if reuse.stripped else "")]
        at = reuse.begin + reuse.length
    filled = tuple(part for part in (*parts, one.prompt[at:], Port(own, True, own)) if part)
    return Request(numbers[k], filled, None, Sampling(max(count(one.response), 1)), one.name)


def as_trace(lifted: Lifted, count: Count) -> ApplicationTrace:
    """Return the trace of applications: tokens by `count`, conversations where prompts continue earlier ones.

    If two prompts continue the same request, the first goes on with its conversation; the other begins a new one,
    with all of its prompt as new tokens.
    """
    log = lifted.log
    owner = {k: name for name, members in zip(lifted.names, lifted.applications, strict=True) for k in members}
    conversations: list[int] = []
    prompts: list[int] = []
    taken = set[int]()
    for k, one in enumerate(log):
        earlier = lifted.continues[k]
        if earlier is None or earlier in taken:
            conversations.append(k)
            prompts.append(count(one.prompt))
        else:
            taken.add(earlier)
            conversations.append(conversations[earlier])
            prompts.append(count(one.prompt[len(log[earlier].prompt) + len(log[earlier].response) :]))
    times = [one.time for one in log if one.time is not None]
    trace = Trace.from_turns(
        [f"{owner[k]}:{log[k].name}" for k in conversations],
        prompts,
        [count(one.response) for one in log],
        times or None,
    )
    after = [sorted({reuse.producer for reuse in found}) for found in lifted.reuses]
    return ApplicationTrace.of(trace, [owner[k] for k in range(len(log))], after, [one.name for one in log])

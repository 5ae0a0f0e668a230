"""An engine in simulated time: contexts that are counted exactly, iterations that take what a model of them says.

1. Asked to fill, the engine counts the tokens at once and computes them in an iteration; first come, first served.
2. Asked to generate, it gives the context one token in each decode step, until it has `max_tokens`: the simulated
   model never stops by itself. A token stands for nothing; all of one answer are the same and no other's.
3. A decode step begins if no prompt waits, so that what an answer goes on from is there. Steps are run many at a
   time, up to the end of the next answer; what comes in between waits for the end of the step that runs then.

One process of SimPy is one engine. A token of a text is one character.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

import simpy

from teltheory.systems.apps.engines.contexts import Context, Contexts
from teltheory.systems.apps.engines.protocol import Until
from teltheory.systems.apps.requests import Sampling
from teltheory.systems.apps.simulation.events import BEGIN, Later
from teltheory.systems.apps.simulation.timing import IterationTiming

MOST_FILLED = 8000
"""Tokens of prompts in one iteration; vLLM's `--max-num-batched-tokens` in the authors' scripts."""
ANSWERS, ANSWER_TOKENS = 0x20000, 0xE0000
"""The first token of an answer, and how many different ones there are: characters that no text of ours has."""


@dataclass
class PromptFilling:
    """Tokens of a prompt that wait to be computed."""

    tokens: int
    before: int
    done: simpy.Event


@dataclass(order=True)
class Decoding:
    """An answer that is asked for; once it is begun, `last` is the number of its last step."""

    last: int
    number: int
    tokens: int = field(compare=False)
    path: list[tuple[int, int]] = field(compare=False)
    done: simpy.Event = field(compare=False)
    process: simpy.Process | None = field(compare=False)


class SimulatedEngine:
    """An engine on SimPy (see the top of the file), with the methods of `systems.apps.engines.protocol.Engine`.

    Attributes
    ----------
    contexts : Contexts
        What it holds, and how many tokens were ever filled in and generated.
    first_tokens : dict of simpy.Process to float
        When the first token came that a process generated.
    busy : float
        Seconds of all its iterations.
    """

    def __init__(
        self,
        env: simpy.Environment,
        name: str,
        timing: IterationTiming,
        capacity: int,
        latency_capacity: int,
        model: str = "",
        most_filled: int = MOST_FILLED,
    ) -> None:
        self.env, self.name, self.timing, self.model = env, name, timing, model
        self.capacity, self.latency_capacity, self.most_filled = capacity, latency_capacity, most_filled
        self.contexts = Contexts(capacity, name)
        self.first_tokens: dict[simpy.Process | None, float] = {}
        self.busy = 0.0
        self._fills: deque[PromptFilling] = deque()
        self._asked: list[Decoding] = []
        self._answers: list[Decoding] = []
        self._active: dict[int, int] = {}
        self._once = self._again = self._step = self._number = 0
        self._wanted = env.event()
        env.process(self._work())

    def encode(self, text: str) -> list[int]:
        """Return a token for each character."""
        return list(map(ord, text))

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the characters."""
        return "".join(map(chr, tokens))

    async def fill(self, token_ids: Sequence[int], context_id: int, parent: int | None = None) -> int:
        """Put tokens at the end of a context; return how many were computed."""
        context = self.contexts.fill(token_ids, context_id, parent)
        filling = PromptFilling(len(token_ids), context.length - len(token_ids), self.env.event())
        self._fills.append(filling)
        self._call()
        await Until(filling.done)
        return filling.tokens

    async def generate(self, sampling: Sampling, context_id: int, parent: int | None = None) -> list[int]:
        """Generate `max_tokens` tokens."""
        path, self._number = _path(self.contexts.begin(context_id, parent)), self._number + 1
        tokens, process = sampling.max_tokens, self.env.active_process
        answer = Decoding(tokens, self._number, tokens, path, self.env.event(), process)
        self._asked.append(answer)
        self._call()
        await Until(answer.done)
        generated = [ANSWERS + answer.number % ANSWER_TOKENS] * tokens
        self.contexts.append(context_id, *generated)
        self.contexts.end(context_id)
        return generated

    async def free(self, context_id: int) -> None:
        """Give up a context that has no forks."""
        self.contexts.free(context_id)

    def _begin(self, answer: Decoding) -> None:
        """Let an answer take part in the next step."""
        answer.last += self._step
        for id, length in answer.path:
            self._active[id] = self._active.get(id, 0) + 1
            self._count(self._active[id] == 1, length)
        heappush(self._answers, answer)

    def _end(self, answer: Decoding) -> None:
        for id, length in answer.path:
            self._active[id] -= 1
            self._count(not self._active[id], -length)
            if not self._active[id]:
                del self._active[id]
        self._once -= answer.tokens
        answer.done.succeed()

    def _count(self, once: bool, tokens: int) -> None:
        """Count tokens as different ones, or as repetitions of shared ones."""
        if once:
            self._once += tokens
        else:
            self._again += tokens

    def _call(self) -> None:
        """Let the engine see that something was asked for."""
        if not self._wanted.triggered:
            self._wanted.succeed()

    def _work(self) -> Generator[simpy.Event, Any, None]:
        while True:
            yield Later(self.env, BEGIN)
            self._wanted, began = self.env.event(), self.env.now
            if self._fills:
                yield from self._fill_in()
            elif self._asked or self._answers:
                yield from self._decode()
            else:
                yield self._wanted
                continue
            self.busy += self.env.now - began

    def _fill_in(self) -> Generator[simpy.Event, Any, None]:
        """Run an iteration with the prompts that wait: at least one, no more than the most tokens otherwise."""
        some = [self._fills.popleft()]
        tokens = some[0].tokens
        while self._fills and tokens + self._fills[0].tokens <= self.most_filled:
            some.append(self._fills.popleft())
            tokens += some[-1].tokens
        yield self.env.timeout(self.timing.fill([(one.tokens, one.before) for one in some]))
        for one in some:
            one.done.succeed()

    def _decode(self) -> Generator[simpy.Event, Any, None]:
        """Run the steps up to the end of the next answer, or of the step in which something is asked for."""
        asked, self._asked = self._asked, []
        for answer in asked:
            self._begin(answer)
        count, batch, began = self._answers[0].last - self._step, len(self._answers), self.env.now
        read = self.timing.read(self._once, self._again)
        for answer in asked:
            self.first_tokens.setdefault(answer.process, began + self.timing.steps(1, batch, read))
        ends = self.env.timeout(self.timing.steps(count, batch, read))
        yield ends | self._wanted
        if not ends.processed:
            count = min(count, self.timing.steps_until(self.env.now - began, batch, read))
            rest = began + self.timing.steps(count, batch, read) - self.env.now
            yield self.env.timeout(max(rest, 0.0))
        self._step += count
        self._once += batch * count
        while self._answers and self._answers[0].last == self._step:
            self._end(heappop(self._answers))


def _path(context: Context | None) -> list[tuple[int, int]]:
    """Return the contexts whose tokens a context begins with, each with how many of its own tokens."""
    path: list[tuple[int, int]] = []
    end = context.length if context else 0
    while context is not None:
        path.append((context.id, end - context.begin))
        end, context = context.begin, context.parent
    return path

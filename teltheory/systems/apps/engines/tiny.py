"""An engine that really runs: a drawn transformer of two layers over bytes with continuous batching, in numpy.

1. Tokens are bytes and one that ends an output. Outputs are printable ASCII: their texts have the same tokens.
2. What was asked for is a queue. A step takes each job whose context and parent are computed so far, a chunk of
   tokens of a fill or one of an output, all in one pass of the model. Jobs join and leave between steps.
3. A fork reads the parent's keys and values where they are; attention over both is merged.
4. Greedy at temperature 0: the largest score, of equal ones the first. Above 0 an output has its own generator,
   spawned from that of the engine in the order in which outputs are asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from teltheory.systems.apps.engines.contexts import Context, Contexts
from teltheory.systems.apps.engines.tokens import from_utf8, utf8
from teltheory.systems.apps.engines.transformer import ModelState, New, Transformer, forward
from teltheory.systems.apps.faults import ENGINE, AppError
from teltheory.systems.apps.requests import Sampling

END = 256
CHOICES = np.array([*range(32, 127), END])


@dataclass(eq=False)
class _Job:
    """Tokens of a context up to `end` are to be computed, or an output is to be generated."""

    context: Context
    end: int
    done: asyncio.Future[None]
    sampling: Sampling | None = None
    rng: np.random.Generator | None = None
    chosen: list[int] = field(default_factory=list)


class TinyEngine:
    """A tiny model on asyncio; it computes in the thread of the event loop, for as long as a step takes.

    Parameters
    ----------
    rng : numpy.random.Generator or None
        Draws the weights, then outputs above temperature 0; None: the generator of seed 0.
    name : str
        What messages call it.
    capacity, latency_capacity : int
        Tokens of its contexts.
    chunk : int
        Tokens of one fill in one step.

    Attributes
    ----------
    contexts : Contexts
        What it holds, and has filled and generated.
    steps, computed : int
        Passes of the model, and tokens computed in them.
    """

    model = "tiny"

    def __init__(
        self,
        rng: np.random.Generator | None = None,
        name: str = "tiny",
        capacity: int = 64_000,
        latency_capacity: int = 2_000,
        chunk: int = 64,
    ) -> None:
        self._rng = np.random.default_rng(0) if rng is None else rng
        self.name, self.capacity, self.latency_capacity, self.chunk = name, capacity, latency_capacity, chunk
        self.contexts = Contexts(capacity, name)
        self.steps = self.computed = 0
        self._weights = Transformer.drawn(self._rng, END + 1)
        self._states: dict[int, ModelState] = {}
        self._jobs: list[_Job] = []
        self._driver: asyncio.Task[None] | None = None

    def encode(self, text: str) -> list[int]:
        """Return the bytes of a text."""
        return utf8(text)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of bytes."""
        return from_utf8([token for token in tokens if token != END])

    async def fill(self, token_ids: Sequence[int], context_id: int, parent: int | None = None) -> int:
        """Put tokens at the end of a context; they are computed for forks even if the caller is cancelled."""
        context = self.contexts.fill(token_ids, context_id, parent)
        self._states.setdefault(context_id, self._weights.empty())
        await self._whole(_Job(context, context.length, _future()))
        return len(token_ids)

    async def generate(self, sampling: Sampling, context_id: int, parent: int | None = None) -> list[int]:
        """Generate until the end token, a stop text, which is left out, or the most tokens."""
        context = self.contexts.begin(context_id, parent)
        self._states.setdefault(context_id, self._weights.empty())
        job = _Job(context, context.length, _future(), sampling, self._rng.spawn(1)[0])
        try:
            await self._whole(job)
        finally:
            self._jobs = [other for other in self._jobs if other is not job]
            drop = max(_stop(job.chosen, sampling), context.length - self._computed(context))
            self.contexts.end(context_id, drop)
            self._states[context_id] = self._states[context_id].cut(len(context.own))
        return job.chosen[: len(job.chosen) - drop]

    async def free(self, context_id: int) -> None:
        """Give up a context, and what is still to be computed for it."""
        self.contexts.free(context_id)
        del self._states[context_id]
        for job in [job for job in self._jobs if job.context.id == context_id]:
            self._over(job, AppError(ENGINE, f"{self.name}, context {context_id}", "its free", "its fill first"))

    async def _whole(self, job: _Job) -> None:
        self._jobs.append(job)
        if self._driver is None or self._driver.done():
            self._driver = asyncio.create_task(self._drive())
        await job.done

    async def _drive(self) -> None:
        """Make steps while there are jobs; others of the event loop go on between them."""
        while self._jobs:
            try:
                self._step()
            except Exception as error:
                for job in list(self._jobs):
                    self._over(job, error)
            await asyncio.sleep(0)

    def _step(self) -> None:
        """Choose a token for each output that can go on, then compute what can be computed, in one pass."""
        for job in list(self._jobs):
            if job.sampling and self._computed(job.context) == job.context.length:
                self._choose(job, job.sampling)
        work = {job.context.id: job.context for job in self._jobs if self._ready(job.context)}
        news = [self._new(context) for context in work.values()]
        if news:
            for context, state in zip(work.values(), forward(self._weights, news), strict=True):
                self._states[context.id].add(state)
            self.steps, self.computed = self.steps + 1, self.computed + sum(len(new.tokens) for new in news)
        for job in [job for job in self._jobs if not job.sampling and self._computed(job.context) >= job.end]:
            self._over(job)

    def _choose(self, job: _Job, sampling: Sampling) -> None:
        """Append the next token of an output, or end it."""
        token = END
        if len(job.chosen) < sampling.max_tokens and not _stop(job.chosen, sampling):
            token = chosen(self._last(job.context) @ self._weights.scores, sampling.temperature, job.rng)
        if token == END:
            return self._over(job)
        try:
            self.contexts.append(job.context.id, token)
        except AppError as error:
            return self._over(job, error)
        return job.chosen.append(token)

    def _over(self, job: _Job, error: Exception | None = None) -> None:
        self._jobs.remove(job)
        if job.done.done():
            return
        if error is None:
            job.done.set_result(None)
        else:
            job.done.set_exception(error)

    def _computed(self, context: Context) -> int:
        """Tokens that a context holds, the parent's included, as far as they are computed."""
        own, above = len(self._states[context.id]), context.parent
        return context.begin + own if own or not above else min(context.begin, self._computed(above))

    def _ready(self, context: Context) -> bool:
        """Whether a context has tokens to compute, and all of its parent that it needs."""
        above = context.parent
        return self._computed(context) < context.length and (not above or self._computed(above) >= context.begin)

    def _new(self, context: Context) -> New:
        begin = self._computed(context)
        at = begin - context.begin
        return New(context.own[at : at + self.chunk], begin, self._states_to(context, begin))

    def _states_to(self, context: Context | None, end: int) -> list[ModelState]:
        """Return the states of the first tokens that a context holds, part by part."""
        if context is None:
            return []
        own = self._states[context.id].cut(end - context.begin)
        return [*self._states_to(context.parent, context.begin), own]

    def _last(self, context: Context) -> np.ndarray:
        states = [state for state in self._states_to(context, context.length) if len(state)]
        return np.asarray(states[-1].last[-1])


def chosen(scores: np.ndarray, temperature: float, rng: np.random.Generator | None) -> int:
    """Return the next token of its scores: the first largest, or one drawn by exp(score / temperature)."""
    own = scores[CHOICES]
    if temperature == 0 or rng is None:
        return int(CHOICES[np.argmax(own)])
    with np.errstate(over="ignore"):
        weights = np.cumsum(np.exp((own - own.max()) / temperature))
    return int(CHOICES[np.searchsorted(weights, rng.random() * weights[-1], side="right")])


def _stop(tokens: Sequence[int], sampling: Sampling) -> int:
    """Return how many tokens at the end are a stop text."""
    ends = [stop for stop in map(utf8, sampling.stop) if stop and list(tokens[-len(stop) :]) == stop]
    return max(map(len, ends), default=0)


def _future() -> asyncio.Future[None]:
    return asyncio.get_running_loop().create_future()

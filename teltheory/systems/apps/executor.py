"""The executor: requests whose inputs are there go to engines (Parrot, Sections 5.1 and 5.4).

1. A request is in the queue from when its inputs are there until it has a place. The queue is in the order of
   Algorithm 1: sessions as they were opened, the requests of one in the order of its graph.
2. Whenever a request joins the queue or leaves its engine, Algorithm 1 says who goes where now. It is asked after
   everything else of that instant, so that a request goes before those of later sessions if an end makes it ready.
3. While a request runs, its prompt and longest outputs count as tokens of its engine, and what requests share that
   run there counts once. Contexts that are merely kept take no room from anybody.
4. What no engine could run even alone is an error: 413, or 404 if none has its model.
5. Contexts whose prefixes an open session has used stay while there is room. Closing it frees the others.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from teltheory.base.extras import needed
from teltheory.systems.apps.algorithm_1 import Job, check_size
from teltheory.systems.apps.deduction import LABELS
from teltheory.systems.apps.engines.keeping import Kept
from teltheory.systems.apps.engines.protocol import Engine
from teltheory.systems.apps.faults import MALFORMED, UNKNOWN, AppError
from teltheory.systems.apps.machine import EngineState
from teltheory.systems.apps.prefixes import prefix_hashes
from teltheory.systems.apps.queues import Algorithm1, PlacingRules
from teltheory.systems.apps.requests import Request, Sampling
from teltheory.systems.apps.running import Ran, encoded, run
from teltheory.systems.apps.workers import Workers

Piece = tuple[int, ...] | Sampling


class ExecutedSession(Protocol):
    """What the executor asks of a session."""

    number: int

    def rank(self, request: int) -> int:
        """Return the place of a request in its session, as the rules have it."""

    def label(self, request: int) -> str:
        """Return its label."""

    def group(self, request: int) -> Hashable | None:
        """Return its task group."""


class InQueue(Protocol):
    """What waits for an engine: a request of a session, or a chat that passes through."""

    def job(self) -> Job:
        """Return it as Algorithm 1 sees it now."""


@dataclass(frozen=True)
class _OfSession:
    application: ExecutedSession
    request: Request
    tokens: int
    borders: tuple[tuple[int, int], ...]

    def job(self) -> Job:
        said, k, model = self.application, self.request.id, self.request.model
        asked = said.label(k), self.tokens, said.group(k), self.borders, model, said.rank(k)
        return Job((said.number, k), said.number, *asked)


@dataclass(eq=False)
class _Waiting:
    what: InQueue
    place: asyncio.Future[int] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Executor:
    """Engines, the requests that wait for them, and those that run.

    Parameters
    ----------
    engines : sequence of Engine
        Nobody else makes contexts there.
    rules : PlacingRules
        How requests are placed.
    """

    def __init__(self, engines: Sequence[Engine], rules: PlacingRules) -> None:
        needed("networkx", "apps")
        self.engines, self.rules = tuple(engines), rules
        self.machines = tuple(EngineState(Kept(engine, self._wanted), monotonic) for engine in engines)
        self._queue = Algorithm1(rules)
        self.workers = Workers()
        self._waiting: dict[Hashable, _Waiting] = {}
        self._running: dict[Hashable, tuple[Job, int]] = {}
        self._used: dict[int, set[int]] = {}
        self._owners = Counter[int]()
        self._sweeping = 0
        self._woken = False

    def check(self, request: Request) -> None:
        """Raise an `AppError` for what can never run: a model that no engine has, texts that are too large."""
        known = {port.name: "" for port in request.ports if not port.output}
        self._check_size(request, encoded(request, known, self._engine_of(request)))

    async def run(self, application: ExecutedSession, request: Request, values: Mapping[str, str]) -> list[str]:
        """Run a request once it has a place; return the texts of its outputs."""
        async with self.place(self._measured(application, request, values)) as k:
            ran = await run(request, values, self.machines[k].kept)
        self._own(application, _borders_after(encoded(request, values, self.engines[k]), ran))
        return [self.engines[k].decode(output) for output in ran.outputs]

    @asynccontextmanager
    async def place(self, what: InQueue) -> AsyncIterator[int]:
        """Wait for an engine and give its place; what runs there counts until the block ends."""
        key, waiting = what.job().key, _Waiting(what)
        self._waiting[key] = waiting
        self.wake()
        try:
            yield await waiting.place
        finally:
            self._waiting.pop(key, None)
            self._leave(key)
            self.wake()

    def rest(self, at: int, seconds: float) -> None:
        """Give an engine nothing for a while, as long as another one of its model does not rest."""
        loop = asyncio.get_running_loop()
        self.machines[at].resting = monotonic() + seconds
        loop.call_later(seconds, self.wake)

    def order(self, first: int, model: str | None) -> list[int]:
        """Return an engine, and then the others of a model: those that rest last, the least busy first."""
        others = [k for k, engine in enumerate(self.engines) if model in {None, engine.model} and k != first]
        return [first, *sorted(others, key=lambda k: (self.machines[k].rests, self.machines[k].jobs))]

    def move(self, key: Hashable, at: int) -> None:
        """Let what has a place count at another engine."""
        job, before = self._running[key]
        if at != before:
            self._leave(key)
            self._take(job, at)

    @property
    def waiting(self) -> int:
        """How many wait for an engine."""
        return len(self._waiting)

    def wake(self) -> None:
        """Ask Algorithm 1 after everything else of this instant: what is ready now joins the queue before that."""
        if not self._woken:
            self._woken = True
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self._schedule)

    async def forget(self, application: ExecutedSession) -> None:
        """Free the contexts that no other session has used."""
        for hash in self._used.pop(application.number, ()):
            self._owners[hash] -= 1
            if not self._owners[hash]:
                del self._owners[hash]
        self._sweeping += 1
        try:
            for machine in self.machines:
                await machine.kept.sweep()
        finally:
            self._sweeping -= 1

    async def close(self) -> None:
        """Free all contexts that no request uses, and end the threads."""
        self.workers.close()
        for machine in self.machines:
            await machine.kept.close()

    def _wanted(self, hash: int) -> bool:
        return not self._sweeping or hash in self._owners

    def _own(self, application: ExecutedSession, borders: Sequence[tuple[int, int]]) -> None:
        used = self._used.setdefault(application.number, set())
        new = {hash for hash, _ in borders} - used
        used |= new
        self._owners.update(new)

    def _engine_of(self, request: Request) -> Engine:
        """Return the first engine of its model, which counts its tokens."""
        for engine in self.engines:
            if request.model in {None, engine.model}:
                return engine
        models = ", ".join(dict.fromkeys(engine.model for engine in self.engines)) or "none, as there is no engine"
        raise AppError(UNKNOWN, request.place, f"model {request.model!r}", f"one of {models}")

    def _measured(self, application: ExecutedSession, request: Request, values: Mapping[str, str]) -> InQueue:
        parts = encoded(request, values, self._engine_of(request))
        size = self._check_size(request, parts)
        borders = prefix_hashes(_leading(parts))
        if not borders:
            raise AppError(MALFORMED, request.place, "nothing before its first output", "a text or a value there")
        self._own(application, borders)
        return _OfSession(application, request, size, self.rules.binding(borders))

    def _check_size(self, request: Request, parts: Sequence[Piece]) -> int:
        """Return the tokens of a request; `AppError` 413 if no engine could run it alone."""
        tokens = sum(part.max_tokens if isinstance(part, Sampling) else len(part) for part in parts)
        job = Job(request.place.removeprefix("request "), 0, LABELS[0], tokens, model=request.model)
        check_size(job, [machine.view() for machine in self.machines])
        return tokens

    def _schedule(self) -> None:
        self._woken = False
        jobs = {key: waiting.what.job() for key, waiting in self._waiting.items()}
        self._queue.renew(jobs.values())
        try:
            placed = self._queue.assign(self.machines)
        except Exception as error:
            return self._refuse(error)
        for key, k in placed:
            waiting = self._waiting.pop(key)
            self._take(jobs[key], k)
            if not waiting.place.done():
                waiting.place.set_result(k)
        return None

    def _take(self, job: Job, at: int) -> None:
        self._running[job.key] = (job, at)
        self.machines[at].take(job, job.prefixes if self.rules.sharing else ())

    def _leave(self, key: Hashable) -> None:
        if key in self._running:
            job, at = self._running.pop(key)
            self.machines[at].leave(job, job.prefixes if self.rules.sharing else ())

    def _refuse(self, error: Exception) -> None:
        """Let everybody who waits know what went wrong, as nobody would be asked again."""
        while self._waiting:
            _, waiting = self._waiting.popitem()
            if not waiting.place.done():
                waiting.place.set_exception(error)


def _leading(parts: Sequence[Piece]) -> list[tuple[int, ...]]:
    """Return the parts before the first output that are not empty."""
    given: list[tuple[int, ...]] = []
    for part in parts:
        if isinstance(part, Sampling):
            break
        given += [part] if part else []
    return given


def _borders_after(parts: Sequence[Piece], ran: Ran) -> tuple[tuple[int, int], ...]:
    """Return the borders of a prompt that has run, its outputs included."""
    outputs = iter(ran.outputs)
    return prefix_hashes([next(outputs) if isinstance(part, Sampling) else part for part in parts])

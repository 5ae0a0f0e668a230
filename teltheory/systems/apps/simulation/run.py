"""A workload on a simulated cluster: clients, the network, the queue, and engines that `running.run_parts` drives.

1. An application comes. If the system takes applications whole, all its requests are at the server after one delay
   of the network, and a request is ready once those before it are done. Else the client sends each request when it
   has its inputs, and each has a delay of its own.
2. A ready request waits in the scheduler's queue. The scheduler is asked whenever requests came or ended.
3. A request that begins is cut at its borders, and runs as on any engine: `run_parts` fills in, forks, generates.
4. An application is done when all its requests are. A delay is the way there and back, so nothing follows it.

Delays are drawn before anything runs, so that they are the same for every system. After that nothing is random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
import simpy

from teltheory.systems.apps.engines.keeping import Kept, Tokens, never
from teltheory.systems.apps.machine import EngineState
from teltheory.systems.apps.placing import check_size
from teltheory.systems.apps.prefixes import Hashes, prefix_hashes
from teltheory.systems.apps.queues import Algorithm1, Scheduler, ShortestQueue, rules_of
from teltheory.systems.apps.requests import Request, Sampling
from teltheory.systems.apps.running import encoded, run_parts
from teltheory.systems.apps.simulation.borders import cuts, joined, leading
from teltheory.systems.apps.simulation.cluster import Cluster
from teltheory.systems.apps.simulation.engine import SimulatedEngine
from teltheory.systems.apps.simulation.events import ASSIGN, Later
from teltheory.systems.apps.simulation.simulated import Simulated, SimulatedRequest, alone
from teltheory.systems.apps.simulation.systems import System
from teltheory.systems.apps.waiting import Job
from teltheory.systems.apps.workloads.application import ClientApp


@dataclass(eq=False)
class _ReadyCall:
    """A request that is ready."""

    parts: Sequence[Tokens | Sampling]
    hashes: Hashes
    text_first: bool
    job: Job
    served: SimulatedRequest


@dataclass(eq=False)
class _Running:
    """An application that came: values that are there, and what its requests wait for."""

    application: ClientApp
    delays: dict[int, float]
    values: dict[str, str]
    labels: dict[int, str]
    groups: dict[int, tuple[int, ...]]
    missing: dict[int, int]
    order: dict[int, int]
    served: list[SimulatedRequest] = field(default_factory=list)


class AppSimulation:
    """One run; its methods are the events."""

    def __init__(
        self, workload: Sequence[ClientApp], cluster: Cluster, system: System, rng: np.random.Generator | None
    ) -> None:
        self.env = simpy.Environment()
        self.system, self.cluster = system, cluster
        self.machines = [self._machine(at) for at in range(len(cluster.engines))]
        self.rules, own = rules_of(system.rules), system.algorithm
        self.scheduler: Scheduler = Algorithm1(self.rules) if own else ShortestQueue(len(self.machines))
        self.calls: dict[Hashable, _ReadyCall] = {}
        self.sharers: Counter[int] = Counter()
        self.called = False
        order = sorted(range(len(workload)), key=lambda a: workload[a].arrival)
        self.applications = [self._running(workload[a], rng) for a in order]
        self._check_sizes()

    def run(self) -> Simulated:
        """Run all events; return what came of them."""
        for number in range(len(self.applications)):
            self.env.process(self._arrive(number))
        self.env.run()
        engines = [machine.engine for machine in self.machines]
        return Simulated(
            self.system.name,
            tuple(running.application for running in self.applications),
            tuple(tuple(sorted(running.served, key=lambda one: one.request)) for running in self.applications),
            tuple(alone(running.application, self.cluster.engines[0].timing) for running in self.applications),
            tuple(engine.busy for engine in engines if isinstance(engine, SimulatedEngine)),
            tuple(engine.contexts.peak for engine in engines if isinstance(engine, SimulatedEngine)),
        )

    def _machine(self, at: int) -> EngineState:
        model, system = self.cluster.engines[at], self.system
        timing = replace(model.timing, reads=system.reads)
        engine = SimulatedEngine(
            self.env, f"engine {at}", timing, model.capacity, model.latency_capacity, model.model
        )
        kept = Kept(engine, never) if system.sharing == "none" else Kept(engine)
        return EngineState(kept, speed=model.timing.speed, batch=model.batch)

    def _running(self, application: ClientApp, rng: np.random.Generator | None) -> _Running:
        graph, system = application.graph, self.system
        low, high = self.cluster.network
        count = len(application.requests)
        drawn = [(low + high) / 2] * count if rng is None else rng.uniform(low, high, count).tolist()
        delays = dict(zip(graph.requests, drawn, strict=True))
        asked, together, order = self.rules.deduced(graph, application.gets)
        if system.label is not None:
            asked = dict.fromkeys(asked, system.label)
        if system.label is not None or not system.algorithm:
            together = []
        grouped = {k: members for members in together for k in members}
        missing = {k: len(before) for k, before in graph.before.items()}
        return _Running(application, delays, dict(application.values), asked, grouped, missing, order)

    def _check_sizes(self) -> None:
        empty = [machine.view() for machine in self.machines]
        for number, running in enumerate(self.applications):
            for k, request in running.application.graph.requests.items():
                tokens = sum(running.application.sizes[k])
                check_size(Job((number, k), number, running.labels[k], tokens, model=request.model), empty)

    def _arrive(self, number: int) -> Generator[simpy.Event, Any, None]:
        running = self.applications[number]
        yield self.env.timeout(running.application.arrival)
        if self.system.whole:
            yield self.env.timeout(next(iter(running.delays.values())))
        for k in running.application.graph.order:
            if not running.missing[k]:
                self._send(number, k)

    def _send(self, number: int, k: int) -> None:
        """Let a request, whose inputs are there, come to the server."""
        sent = self.env.now
        if self.system.whole:
            self._ready(number, k, sent)
        else:
            self.env.process(self._later(number, k, sent))

    def _later(self, number: int, k: int, sent: float) -> Generator[simpy.Event, Any, None]:
        yield self.env.timeout(self.applications[number].delays[k])
        self._ready(number, k, sent)

    def _ready(self, number: int, k: int, sent: float) -> None:
        """Put a request into the queue."""
        running = self.applications[number]
        request = running.application.graph.requests[k]
        values = {port.name: running.values[port.variable] for port in request.ports if not port.output}
        parts = encoded(request, values, self.machines[0].engine)
        call = self._call(number, request, parts, SimulatedRequest(number, k, sent, self.env.now))
        self.sharers.update(name for name, _ in call.hashes)
        self.calls[call.job.key] = call
        self.scheduler.add(call.job, self.machines)
        self._ask()

    def _call(
        self, number: int, request: Request, parts: Sequence[Tokens | Sampling], served: SimulatedRequest
    ) -> _ReadyCall:
        running, hashes = self.applications[number], prefix_hashes(leading(parts))
        tokens = sum(part.max_tokens if isinstance(part, Sampling) else len(part) for part in parts)
        shared = hashes[:-1] if self.system.sharing == "dynamic" else ()
        group = running.groups.get(request.id)
        job = Job(
            key=(number, request.id),
            app=number,
            label=running.labels[request.id],
            tokens=tokens,
            group=None if group is None else (number, group),
            prefixes=self.rules.binding(shared),
            model=request.model,
            order=running.order[request.id],
        )
        return _ReadyCall(parts, hashes, isinstance(request.parts[0], str), job, served)

    def _ask(self) -> None:
        """Let the scheduler be asked at this instant, once all that is due has happened."""
        if not self.called:
            self.called = True
            self.env.process(self._assign())

    def _assign(self) -> Generator[simpy.Event, Any, None]:
        yield Later(self.env, ASSIGN)
        self.called = False
        some = True
        while some:
            begun = [self._begin(key, at) for key, at in self.scheduler.assign(self.machines)]
            some = any(begun)

    def _begin(self, key: Hashable, at: int) -> bool:
        """Let a request begin, if the engine's memory has room; return whether it has."""
        call, machine = self.calls[key], self.machines[at]
        cut = list(cuts(call.hashes, self.system.sharing, call.text_first, self.sharers, machine.kept.hashes))
        borders = tuple(call.hashes[k - 1] for k in cut) if self.rules.sharing else ()
        if not machine.holds(call.job, borders):
            return False
        self.scheduler.remove(key, at)
        del self.calls[key]
        machine.take(call.job, borders)
        self.env.process(cast(Any, self._serve(call, at, borders, joined(call.parts, cut))))
        return True

    async def _serve(self, call: _ReadyCall, at: int, borders: Hashes, parts: Sequence[Tokens | Sampling]) -> None:
        machine, process = self.machines[at], self.env.active_process
        engine = machine.engine
        assert isinstance(engine, SimulatedEngine)
        started = self.env.now
        ran = await run_parts(parts, machine.kept)
        call.served.engine, call.served.started, call.served.finished = at, started, self.env.now
        call.served.first_token = engine.first_tokens.pop(process)
        call.served.filled, call.served.forked = ran.filled, ran.forked
        call.served.generated = sum(map(len, ran.outputs))
        machine.leave(call.job, borders)
        self.sharers.subtract(name for name, _ in call.hashes)
        self._done(call, [engine.decode(tokens) for tokens in ran.outputs])

    def _done(self, call: _ReadyCall, outputs: Sequence[str]) -> None:
        """Hand what a request generated to those that wait for it."""
        running, k = self.applications[call.served.application], call.served.request
        graph = running.application.graph
        running.served.append(call.served)
        running.values.update(zip(graph.requests[k].outputs, outputs, strict=True))
        for other in graph.after[k]:
            running.missing[other] -= 1
            if not running.missing[other]:
                self._send(call.served.application, other)
        self._ask()

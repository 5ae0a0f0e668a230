"""On what adaptive thresholds are tried: steady workloads, workloads that change half-way, and a real trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

import teltheory as tt
from experiments.paper.grid import Q_HAT
from teltheory.processes import cores, on_processes
from teltheory.sweep.sources import Source, TraceAtHand
from teltheory.trace import Trace
from teltheory.workloads import Chats, sharegpt_like, wildchat_like

CHAT_CAPACITIES, TRACE_CAPACITIES = (1_000, 4_000, 10_000), (300_000, 1_000_000, 3_000_000)
CHAT_SLO, TRACE_SLO = Fraction(1, 5), Fraction(2)
TURNS, SAMPLES = 2_000, (40, 10)
LONGER, FACTOR = 10, 3
"""How many times as long the long samples are, and by how much a workload that changes does so."""

R = TypeVar("R")


class Sampler(Protocol):
    """What makes the trace of a seed."""

    @property
    def key(self) -> str:
        """All that the traces depend on but the seed."""
        ...

    def __call__(self, seed: int) -> Trace:
        """Make the trace."""
        ...


@dataclass(frozen=True)
class InTurn:
    """Workloads that follow each other, with equally many turns of each.

    Attributes
    ----------
    parts : tuple of Chats
        In their order.
    turns : int
        Of all together.
    """

    parts: tuple[Chats, ...]
    turns: int

    @property
    def key(self) -> str:
        """The workloads, the length and the generator."""
        return f"{self.parts!r} {self.turns} PCG64 of numpy {np.__version__}"

    def __call__(self, seed: int) -> Trace:
        """Sample every part with a generator of its own."""
        turns = self.turns // len(self.parts)
        rngs = (np.random.default_rng((seed, i)) for i in range(len(self.parts)))
        return one_after_the_other([part.sample(turns, rng) for part, rng in zip(self.parts, rngs, strict=True)])


@dataclass(frozen=True)
class OneTrace:
    """The same trace for every seed."""

    source: TraceAtHand

    @property
    def key(self) -> str:
        """Digest of the trace."""
        return self.source.key

    def __call__(self, seed: int) -> Trace:
        """Return the trace."""
        return self.source.load()


@dataclass(frozen=True)
class Scenario:
    """Samples of a workload, and what they are replayed with.

    Attributes
    ----------
    name : str
        In tables.
    sample : Sampler
        Makes the trace of a seed.
    samples : int
        How many seeds there are.
    capacities : tuple of int
        In tokens.
    q_hat, xi : int
        Prompt estimate, and the threshold of TEL; in tokens.
    """

    name: str
    sample: Sampler
    samples: int
    capacities: tuple[int, ...]
    q_hat: int
    xi: int

    @property
    def key(self) -> str:
        """All that the scenario's results depend on, but for what is replayed."""
        return f"{self.name} {self.sample.key} {self.samples} {self.capacities} {self.q_hat} {self.xi}"


def scenarios(
    file: str | None = None, turns: int = TURNS, samples: tuple[int, int] = SAMPLES
) -> dict[str, Scenario]:
    """Return the scenarios by name.

    Parameters
    ----------
    file : str or None
        A trace, which is added as "mooncake".
    turns : int
        Length of a sample; the long ones have ten times as many.
    samples : tuple of int
        Of the short and of the long workloads.
    """
    short, long = (turns, samples[0]), (LONGER * turns, samples[1])
    wildchat, sharegpt = wildchat_like(), sharegpt_like()
    busier = replace(wildchat, seconds_between_starts=wildchat.seconds_between_starts / FACTOR)
    found = [
        chats("wildchat", (wildchat,), *short),
        chats("wildchat-20000", (wildchat,), *long),
        chats("sharegpt", (sharegpt,), *short),
        chats("longer-halfway", (wildchat, scaled(wildchat, FACTOR)), *long),
        chats("shorter-halfway", (scaled(wildchat, FACTOR), wildchat), *long),
        chats("busier-halfway", (wildchat, busier), *long),
    ]
    if file is not None:
        found.append(of_trace("mooncake", TraceAtHand(tt.read_trace(file))))
    return {scenario.name: scenario for scenario in found}


def chats(name: str, parts: tuple[Chats, ...], turns: int, samples: int) -> Scenario:
    """Return the scenario of workloads that follow each other, with equally many turns of each."""
    q_hat = Q_HAT["sharegpt" if name == "sharegpt" else "wildchat"]
    xi = tt.A100_LLAMA2_7B.threshold(CHAT_SLO)
    return Scenario(name, InTurn(parts, turns), samples, CHAT_CAPACITIES, q_hat, xi)


def of_trace(
    name: str, source: Source, capacities: tuple[int, ...] = TRACE_CAPACITIES, slo: Fraction = TRACE_SLO
) -> Scenario:
    """Return the scenario of one trace."""
    known = source if isinstance(source, TraceAtHand) else TraceAtHand(source.load())
    return Scenario(name, OneTrace(known), 1, capacities, known.estimate, tt.A100_LLAMA2_7B.threshold(slo))


def at_most(scenario: Scenario, samples: int) -> Scenario:
    """Return the scenario with so many samples, or fewer."""
    return replace(scenario, samples=min(samples, scenario.samples))


def on_all(
    work: Callable[[Scenario, Trace, int], R], chosen: Sequence[Scenario], workers: int | None = 1
) -> Iterator[tuple[Scenario, int, list[R]]]:
    """Do the work on every sample at every capacity.

    Parameters
    ----------
    work : callable
        From a scenario, a sample of it and a capacity; sent to processes.
    chosen : sequence of Scenario
        What it is done on.
    workers : int or None
        Processes; 1 is this one, None one a core.

    Yields
    ------
    Scenario, int, list
        The results of all samples at a capacity.
    """
    places = [(scenario, capacity) for scenario in chosen for capacity in scenario.capacities]
    jobs = [(scenario, capacity, seed) for scenario, capacity in places for seed in range(scenario.samples)]
    doing = partial(_on_sample, work)
    alone = workers == 1
    done = dict(enumerate(map(doing, jobs)) if alone else on_processes(doing, jobs, workers or cores(), _named))
    results = iter(done[i] for i in range(len(jobs)))
    for scenario, capacity in places:
        yield scenario, capacity, [next(results) for _ in range(scenario.samples)]


def _on_sample(work: Callable[[Scenario, Trace, int], R], job: tuple[Scenario, int, int]) -> R:
    scenario, capacity, seed = job
    return work(scenario, scenario.sample(seed), capacity)


def _named(job: tuple[Scenario, int, int]) -> str:
    return f"{job[0].name}, capacity {job[1]}, sample {job[2]}"


def scaled(workload: Chats, factor: float) -> Chats:
    """Return the workload with all prompts and responses that many times as long."""
    prompts = tuple(law.scaled(factor) for law in workload.prompts)
    responses = tuple(law.scaled(factor) for law in workload.responses)
    return replace(workload, prompts=prompts, responses=responses)


def one_after_the_other(traces: list[Trace]) -> Trace:
    """Return the turns of all traces, those of each after those of the ones before, whose conversations end."""
    codes = np.cumsum([0, *(trace.conversations for trace in traces)])
    columns = [
        (trace.code + code, trace.prompt, trace.response) for trace, code in zip(traces, codes, strict=False)
    ]
    return Trace.from_turns(*(np.concatenate(parts) for parts in zip(*columns, strict=True)))

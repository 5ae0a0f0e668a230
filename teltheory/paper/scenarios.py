"""Where adaptive thresholds are tried: steady workloads, workloads that change half-way, and a real trace."""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

import teltheory as tt
from teltheory.model.trace import Trace
from teltheory.paper.grid import Q_HAT
from teltheory.paper.script import errors_in_one_line, in_order
from teltheory.paper.tidy import TableRow, write_rows
from teltheory.sweep.sources import Source, TraceAtHand
from teltheory.workloads import Chats, LogNormal, fixed, sharegpt_like, wildchat_like

CHAT_CAPACITIES, TRACE_CAPACITIES = (1_000, 4_000, 10_000), (300_000, 1_000_000, 3_000_000)
CHAT_SLO, TRACE_SLO = Fraction(1, 5), Fraction(2)
TURNS, SAMPLES = 2_000, (40, 10)
LONGER, FACTOR = 10, 3
"""How many times as long the long samples are, and by how much a workload that changes does so."""

R = TypeVar("R")


@dataclass(frozen=True)
class Scenario:
    """Samples of a workload or one trace, and what they are replayed with.

    `origin` has workloads that follow each other, with equally many of the `turns`, or the trace of every seed.
    """

    name: str
    origin: tuple[Chats, ...] | TraceAtHand
    turns: int
    samples: int
    capacities: tuple[int, ...]
    q_hat: int
    xi: int

    @property
    def key(self) -> str:
        """All that the scenario's results depend on, except what is replayed."""
        origin = f"{self.origin!r} {self.turns} PCG64 of numpy {np.__version__}"
        if isinstance(self.origin, TraceAtHand):
            origin = self.origin.key
        return f"{self.name} {origin} {self.samples} {self.capacities} {self.q_hat} {self.xi}"

    def sample(self, seed: int) -> Trace:
        """Return the trace of a seed; each workload has a generator of its own."""
        if isinstance(self.origin, TraceAtHand):
            return self.origin.load()
        turns = self.turns // len(self.origin)
        rngs = [np.random.default_rng((seed, i)) for i in range(len(self.origin))]
        return concatenated([part.sample(turns, rng) for part, rng in zip(self.origin, rngs, strict=True)])


def scenarios(
    file: str | None = None, turns: int = TURNS, samples: tuple[int, int] = SAMPLES
) -> dict[str, Scenario]:
    """Return the scenarios by name."""
    short, long = (turns, samples[0]), (LONGER * turns, samples[1])
    wildchat = wildchat_like()
    busier = replace(wildchat, seconds_between_starts=wildchat.seconds_between_starts / FACTOR)
    found = [
        chats("wildchat", (wildchat,), *short),
        chats("wildchat-20000", (wildchat,), *long),
        chats("sharegpt", (sharegpt_like(),), *short),
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
    return Scenario(name, parts, turns, samples, CHAT_CAPACITIES, q_hat, tt.A100_LLAMA2_7B.threshold(CHAT_SLO))


def of_trace(
    name: str, source: Source, capacities: tuple[int, ...] = TRACE_CAPACITIES, slo: Fraction = TRACE_SLO
) -> Scenario:
    """Return the scenario of one trace."""
    known = source if isinstance(source, TraceAtHand) else TraceAtHand(source.load())
    return Scenario(name, known, 0, 1, capacities, known.estimate, tt.A100_LLAMA2_7B.threshold(slo))


def on_all(
    work: Callable[[Scenario, Trace, int], R], chosen: Sequence[Scenario], workers: int | None = 1
) -> Iterator[tuple[Scenario, int, list[R]]]:
    """Do the work on every sample at every capacity."""
    places = [(scenario, capacity) for scenario in chosen for capacity in scenario.capacities]
    jobs = [(scenario, capacity, seed) for scenario, capacity in places for seed in range(scenario.samples)]
    results = in_order(
        partial(_on_sample, work),
        jobs,
        workers,
        lambda job: f"{job[0].name}, capacity {job[1]}, sample {job[2]}",
    )
    for scenario, capacity in places:
        yield scenario, capacity, [next(results) for _ in range(scenario.samples)]


def _on_sample(work: Callable[[Scenario, Trace, int], R], job: tuple[Scenario, int, int]) -> R:
    scenario, capacity, seed = job
    return work(scenario, scenario.sample(seed), capacity)


def scaled(workload: Chats, factor: float) -> Chats:
    """Return the workload with all prompts and responses that many times as long."""
    prompts = tuple(law.scaled(factor) for law in workload.prompts)
    responses = tuple(law.scaled(factor) for law in workload.responses)
    return replace(workload, prompts=prompts, responses=responses)


def concatenated(traces: list[Trace]) -> Trace:
    """Return the turns of all traces, those of each after those of the ones before, whose conversations end."""
    first = np.cumsum([0, *(trace.conversations for trace in traces)])
    columns = [(t.code + code, t.prompt, t.response) for t, code in zip(traces, first, strict=False)]
    return Trace.from_turns(*(np.concatenate(parts) for parts in zip(*columns, strict=True)))


def people_and_agents() -> tt.ConversationMixture:
    """Return a mixture of people, of whom most write once or twice, and of agents with fast long conversations."""
    people = tt.Kind(1 / 1_000, LogNormal(400.0, spread=1.0), LogNormal(300.0), share=0.8)
    agents = tt.Kind(1 / 20, [fixed(2_000), LogNormal(100.0)], fixed(80), share=0.2)
    return tt.ConversationMixture(birth_rate=1 / 10, death_rate=1 / 300, kinds=[people, agents])


def write_table(
    arguments: Sequence[str] | None,
    rows: Callable[[Sequence[Scenario], int | None], Iterable[TableRow]],
    row: type[TableRow],
    workloads: Sequence[str] = (),
    seeds: int = SAMPLES[0],
) -> None:
    """Write the table that a script's arguments ask for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=Path)
    parser.add_argument("--workload", nargs="+", choices=list(scenarios()), default=workloads)
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--trace", help="the Mooncake trace, or another; it is added to the workloads")
    parser.add_argument("--workers", type=int, help="processes; one per core if left out")
    given = parser.parse_args(arguments)
    with errors_in_one_line():
        known = scenarios(given.trace)
        chosen = [known[name] for name in known if not given.workload or name in (*given.workload, "mooncake")]
        limited = [replace(scenario, samples=min(given.seeds, scenario.samples)) for scenario in chosen]
        write_rows(rows(limited, given.workers), given.table, row)

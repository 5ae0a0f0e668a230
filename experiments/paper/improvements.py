"""Improvements of T-LRU over LRU and Threshold-LRU on many samples: any thresholds, any reading of Algorithm 1.

TTFT is linear in the uncached tokens, so that a percentile's improvement is that of the percentile of uncached
tokens. Where a reading counts in blocks of several tokens, LRU and Threshold-LRU do so too, and a turn computes
its tokens less the whole blocks that it reuses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from experiments.paper.grid import Q_HAT, TURNS, chats_of, tokens
from experiments.paper.printed import CAPACITIES, SLO_MS, Column, Metric
from teltheory.instance import Instance
from teltheory.numbers import IntArray
from teltheory.policies import LRU, ThresholdLRU
from teltheory.policies.spec import DEFAULT_CUTOFF
from teltheory.processes import on_processes
from teltheory.replay import replay_instance
from teltheory.sweep import Sample
from teltheory.workloads import Chats

Floats = NDArray[np.float64]
METRICS: tuple[Metric, ...] = ("p90", "p95", "p99", "above")
PERCENTILES = (50, 90, 95, 99)
BASES = ("lru", "threshold-lru")
SLO_TOKENS = tokens(SLO_MS)
Task: TypeAlias = "tuple[World, tuple[Reading, ...], tuple[int, ...], int]"
OfSample: TypeAlias = list[tuple[Floats, dict[str, Floats]]]

Reuse = Callable[[Instance, int, int], IntArray]
"""What each turn reuses of an instance, given xi and an estimate, all in the instance's unit."""


@dataclass(frozen=True)
class Reading:
    """A way to read Algorithm 1.

    Attributes
    ----------
    name : str
        What a table calls it.
    reuse : callable
        What each turn reuses.
    unit : int
        Tokens of a block; what is cached and evicted is whole blocks.
    """

    name: str
    reuse: Reuse
    unit: int = 1


@dataclass(frozen=True)
class World:
    """A workload under assumptions, and the printed tables' parameters for it.

    Attributes
    ----------
    workload : {"wildchat", "sharegpt"}
        Whose tables it is for.
    name : str
        The assumptions in words.
    chats : Chats
        What is sampled.
    q_hat : int
        Prompt estimate, in tokens.
    turns : int
        Of a sample.
    """

    workload: str
    name: str
    chats: Chats
    q_hat: int
    turns: int = TURNS


def frozen(workload: str) -> World:
    """Return a workload under the defaults, which were chosen on LRU's percentiles."""
    return World(workload, "frozen defaults", chats_of(workload), Q_HAT[workload])


@dataclass(frozen=True)
class Measured:
    """Measures of uncached tokens, one entry a sample, threshold, capacity and metric.

    Attributes
    ----------
    tlru : ndarray of float64, shape (samples, thresholds, capacities, metrics)
        Of a reading.
    bases : dict of str to ndarray of float64, shape (samples, 1, capacities, metrics)
        Of what it is compared with.
    xi_ms : tuple of int
        The thresholds, in milliseconds.
    """

    tlru: Floats
    bases: dict[str, Floats]
    xi_ms: tuple[int, ...]

    def improvements(self, metric: Metric, against: str) -> Floats:
        """Return improvements in per cent, shape (samples, thresholds, capacities)."""
        i = METRICS.index(metric)
        ours, base = self.tlru[..., i], self.bases[against][..., i]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(base == 0, np.where(ours == 0, 0.0, -np.inf), 100 * (1 - ours / base)))

    def column(self, column: Column) -> Floats:
        """Return the improvements of a column at all thresholds, shape (samples, thresholds, capacities)."""
        return self.improvements(column.metric, column.against)


def measures(uncached: IntArray) -> list[float]:
    """Return the `METRICS` of a replay, percentiles in tokens."""
    return [*percentiles(uncached)[1:], float(np.count_nonzero(uncached > SLO_TOKENS))]


def percentiles(values: IntArray) -> list[float]:
    """Return the ceil(p n)-th smallest value for each of `PERCENTILES`."""
    places = [-(-percent * len(values) // 100) - 1 for percent in PERCENTILES]
    return [float(value) for value in np.partition(values, places)[places]]


class Job(NamedTuple):
    """Readings to replay on the samples of a world with these seeds."""

    world: World
    readings: tuple[Reading, ...]
    seeds: Sequence[int]


def measure(jobs: Sequence[Job], xi_ms: Sequence[int], workers: int = 1) -> list[list[Measured]]:
    """Replay readings on samples of worlds.

    Parameters
    ----------
    jobs : sequence of Job
        What is replayed.
    xi_ms : sequence of int
        Thresholds, in milliseconds.
    workers : int
        Processes.

    Returns
    -------
    list of list of Measured
        For each job, one a reading.
    """
    tasks = [(job.world, job.readings, tuple(xi_ms), seed) for job in jobs for seed in job.seeds]
    alone = workers <= 1
    done = dict(enumerate(map(_of_sample, tasks)) if alone else on_processes(_of_sample, tasks, workers, _named))
    found = iter(done[i] for i in range(len(tasks)))
    return [_of_job(job, [next(found) for _ in job.seeds], tuple(xi_ms)) for job in jobs]


def _of_job(job: Job, samples: Sequence[OfSample], xi_ms: tuple[int, ...]) -> list[Measured]:
    return [_stacked([sample[i] for sample in samples], xi_ms) for i in range(len(job.readings))]


def _named(task: Task) -> str:
    return f"seed {task[3]}, {task[0].workload}-like, {task[0].name}"


def _stacked(samples: Sequence[tuple[Floats, dict[str, Floats]]], xi_ms: tuple[int, ...]) -> Measured:
    bases = {name: np.stack([bases[name] for _, bases in samples]) for name in BASES}
    return Measured(np.stack([tlru for tlru, _ in samples]), bases, xi_ms)


def _of_sample(task: Task) -> OfSample:
    """Return of each reading its measures, and those of LRU and Threshold-LRU in its unit."""
    world, readings, xi_ms, seed = task
    units = {reading.unit: in_unit(world, seed, reading.unit) for reading in readings}
    bases = {unit: of_unit.bases() for unit, of_unit in units.items()}
    return [(units[reading.unit].tlru(reading, xi_ms), bases[reading.unit]) for reading in readings]


@dataclass(frozen=True)
class InUnit:
    """A sample's instances, one a capacity, in blocks of `unit` tokens, and the tokens of each turn."""

    instances: tuple[Instance, ...]
    total: IntArray
    unit: int
    q_hat: int

    def bases(self) -> dict[str, Floats]:
        """Return the measures of LRU and Threshold-LRU, shape (1, capacities, metrics) each."""
        policies = {"lru": LRU(), "threshold-lru": ThresholdLRU(DEFAULT_CUTOFF // self.unit)}
        return {
            name: np.array([[self._measures(replay_instance(i, policy, "kernel").cached) for i in self.instances]])
            for name, policy in policies.items()
        }

    def tlru(self, reading: Reading, xi_ms: Sequence[int]) -> Floats:
        """Return the measures of a reading, shape (thresholds, capacities, metrics)."""
        q_hat = -(-self.q_hat // self.unit)
        return np.array(
            [
                [self._measures(reading.reuse(i, tokens(ms) // self.unit, q_hat)) for i in self.instances]
                for ms in xi_ms
            ]
        )

    def _measures(self, reused: IntArray) -> list[float]:
        return measures(self.total - self.unit * reused)


def in_unit(world: World, seed: int, unit: int) -> InUnit:
    """Return a sample at all capacities in blocks of `unit` tokens."""
    trace = Sample(world.chats, world.turns, seed).load()
    blocks = trace if unit == 1 else trace.to_blocks(unit)
    instances = tuple(Instance.of(blocks, capacity // unit) for capacity in CAPACITIES)
    return InUnit(instances, trace.total, unit, world.q_hat)


def columns_of(measured: Measured, columns: Sequence[Column], xi_ms: Sequence[int]) -> Floats:
    """Return a table's cells with each column at its own threshold, shape (samples, capacities, columns)."""
    each = [
        measured.column(column)[:, measured.xi_ms.index(ms)] for column, ms in zip(columns, xi_ms, strict=True)
    ]
    return np.stack(each, axis=-1)

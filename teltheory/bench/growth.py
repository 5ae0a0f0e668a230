"""Growth: what a turn costs on ten times as many turns, in the loops of each kind of requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np

import teltheory as tt
from teltheory.bench.forests import AS_FOREST
from teltheory.bench.replays import GROWING, LEAST_RECENT, chosen, jobs
from teltheory.bench.timing import TimedJob, Timing
from teltheory.bench.workload import SEED, BenchPlan
from teltheory.model.trace import Trace
from teltheory.workloads.laws import LogNormal, fixed
from teltheory.workloads.module_sets import draw_module_trace

CURVE = f"{LEAST_RECENT}, every capacity"
TWO_TIERS, ON_REPLICAS, OF_SETS = "{}, two tiers", "{}, 8 replicas", "{}, sets of 5 modules"

Clock: TypeAlias = Callable[[Sequence[TimedJob]], Mapping[str, Timing]]


def two_tiers(capacity: int) -> tt.Tiers:
    """Return two tiers, the second four times the first."""
    return tt.Tiers((capacity, 4 * capacity), (0, Fraction(3, 10)))


def jobs_on(trace: Trace, capacity: int) -> list[TimedJob]:
    """Return a job for each loop: on a trace, or on as many requests; replicas only where turns have times."""
    policies, rng = chosen((LEAST_RECENT,)), np.random.default_rng(SEED)
    sets = draw_module_trace(len(trace), 10_000, 5, LogNormal(100, 1.0), fixed(20), rng, again=0.5)
    of = trace, policies[LEAST_RECENT]
    eight = partial(tt.serve, *of, capacity // 8, replicas=8, router="least-loaded", engine="kernel")
    return [
        *jobs(trace, capacity, chosen(GROWING)),
        TimedJob(CURVE, lambda _: tt.capacity_curve(*of)),
        *jobs(trace.forest, capacity, policies, label=AS_FOREST),
        *jobs(trace, two_tiers(capacity), policies, label=TWO_TIERS),
        *jobs(sets, capacity, policies, label=OF_SETS),
        *([] if trace.arrival is None else [TimedJob(ON_REPLICAS.format(LEAST_RECENT), lambda _: eight())]),
    ]


def growth(plan: BenchPlan, trace: Trace, clock: Clock) -> dict[str, Any]:
    """Return nanoseconds per turn on longer and longer prefixes, and by how much they grow from `base_of` them."""
    cost: dict[str, dict[str, float]] = {}
    for size in plan.sizes:
        for name, timing in clock(jobs_on(trace[:size], plan.capacity)).items():
            cost.setdefault(name, {})[str(size)] = timing.median * 1e9 / size
    base, last = str(base_of(plan.sizes)), str(plan.sizes[-1])
    rows = [{"name": name, "ns_a_turn": by, "factor": by[last] / by[base]} for name, by in cost.items()]
    return {"from": int(base), "to": int(last), "rows": rows}


def base_of(sizes: Sequence[int]) -> int:
    """Return the largest size at most a hundredth of the last, or the first where there is none."""
    return max((size for size in sizes if size * 100 <= sizes[-1]), default=sizes[0])

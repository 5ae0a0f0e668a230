"""The engine of Parrot's simulation beside seconds that its authors released: what is fitted, and how well.

    python -m experiments.fit_parrot_engine

1. Released: the total seconds of 64 Bing-like calls on LLaMA 7B, by kernel and batch (microsoft/ParrotServe,
   `artifact/figure14/result.txt`), and those of ten chains of summaries on LLaMA 13B (`artifact/figure11`).
2. The seconds of a batch that is given all its calls at once are linear in `STEP`, `REQUEST` and `REPEATED` of
   `teltheory.systems.apps.simulation.timing`: four runs of the simulator tell the line, least squares of relative
   errors the numbers. `STEP` and `REQUEST` stay as they are, `REPEATED` is fitted; the free fit stands beside.
3. `SCALE_13B` is what makes a token of the chains, alone on its engine, take its released time. The number of
   their calls is told by what the network's 0.25 s a call adds to them in the baseline.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from teltheory.model.numbers import FloatArray
from teltheory.paper.script import markdown, run
from teltheory.systems.apps.simulation.cluster import Cluster, EngineModel
from teltheory.systems.apps.simulation.simulate import simulate
from teltheory.systems.apps.simulation.systems import PAGED, PARROT, UNSHARED, System
from teltheory.systems.apps.simulation.timing import LLAMA_7B, REPEATED, REQUEST, SCALE_13B, STEP, IterationTiming
from teltheory.systems.apps.workloads import bing_like

SEED, USERS, BLOCKS = 15, 64, 6_800 * 16
RELEASED = {
    (UNSHARED, 8): 112.48,
    (UNSHARED, 16): 99.17,
    (PAGED, 8): 67.96,
    (PAGED, 16): 55.01,
    (PAGED, 32): 46.23,
    (PAGED, 64): 46.16,
    (PARROT, 8): 63.25,
    (PARROT, 16): 44.03,
    (PARROT, 32): 34.04,
    (PARROT, 64): 30.46,
}
CHAINS = {25: (416.62, 565.61), 100: (1462.83, 1607.80)}
"""Seconds of ten documents with outputs of 25 and 100 tokens: Parrot and the baseline."""
A_CALL, CONTEXT = 0.25, 500


def total(system: System, batch: int, timing: IterationTiming) -> float:
    """Return the seconds of all calls."""
    work = bing_like(USERS, np.random.default_rng(SEED))
    cluster = Cluster((EngineModel(timing, BLOCKS, BLOCKS, batch),), (0.0, 0.0))
    return max(simulate(work, cluster, system).latencies)


def lines_of(timing: IterationTiming) -> tuple[FloatArray, FloatArray]:
    """Return what `STEP`, `REQUEST` and `REPEATED` each add to each released number, and what the rest takes."""
    none = replace(timing, step=0.0, request=0.0, repeated=0.0)
    units = [replace(none, step=1.0), replace(none, request=1.0), replace(none, repeated=1.0)]
    rest = np.array([total(system, batch, none) for system, batch in RELEASED])
    slopes = [[total(system, batch, unit) for system, batch in RELEASED] for unit in units]
    return np.array(slopes).T - rest[:, np.newaxis], rest


def fitted(slopes: FloatArray, rest: FloatArray) -> FloatArray:
    """Return the numbers with the least squares of relative errors."""
    seconds = np.array(list(RELEASED.values()))
    found: FloatArray = np.linalg.lstsq(slopes / seconds[:, np.newaxis], (seconds - rest) / seconds, rcond=None)[0]
    return found


def scale() -> float:
    """Return the work of the 13B model beside the 7B one."""
    calls = np.mean([baseline - parrot for parrot, baseline in CHAINS.values()]) / A_CALL
    token = (CHAINS[100][0] - CHAINS[25][0]) / (100 - 25) / calls
    alone = replace(LLAMA_7B, step=0.0, request=0.0).steps(1, 1, CONTEXT)
    return float((token - STEP - REQUEST) / alone)


def main() -> Iterator[str]:
    """Yield the fit and the table of its errors."""
    slopes, rest = lines_of(LLAMA_7B)
    given = np.array([STEP, REQUEST])
    repeated = fitted(slopes[:, 2:], rest + slopes[:, :2] @ given)[0]
    step, request, free = fitted(slopes, rest)
    yield f"REPEATED {repeated:.2f} (taken: {REPEATED}), SCALE_13B {scale():.2f} (taken: {SCALE_13B})"
    yield f"all three free: STEP {step * 1e3:.1f} ms, REQUEST {request * 1e3:.2f} ms, REPEATED {free:.2f}"
    yield ""
    ours = rest + slopes @ np.array([STEP, REQUEST, REPEATED])
    rows = [
        (system.reads, batch, f"{seconds:.1f}", f"{mine:.1f}", f"{mine / seconds - 1:+.0%}")
        for ((system, batch), seconds), mine in zip(RELEASED.items(), ours, strict=True)
    ]
    yield from markdown(("reads", "batch", "released s", "modelled s", "off"), rows, "lrrrr")


if __name__ == "__main__":
    run(main, __doc__)

"""How long the simulation of clusters for applications takes.

    python -m experiments.apps_simulation_speed

Calls of 1,000 tokens and outputs of 50: 25 chains of 20 calls on one engine; 10,000 calls of 8 applications, 25 a
second, on 8 engines. Processor seconds of one core are the machine's; the latencies are not.
"""

from collections.abc import Iterator, Sequence
from time import process_time

import numpy as np

from teltheory.paper.script import markdown, run
from teltheory.systems.apps.simulation.cluster import Cluster, EngineModel
from teltheory.systems.apps.simulation.simulate import simulate
from teltheory.systems.apps.simulation.systems import LATENCY, PARROT, THROUGHPUT, System
from teltheory.systems.apps.simulation.timing import LLAMA_7B, LLAMA_13B
from teltheory.systems.apps.workloads import ClientApp, chain_summary
from teltheory.systems.apps.workloads.application import text
from teltheory.systems.apps.workloads.chats import single

CHAINS, CALLS, SINGLE, ENGINES, RATE, SEED = 25, 20, 10_000, 8, 25, 3


def chains() -> list[ClientApp]:
    """Return 25 chains of 20 calls, all at once."""
    return [chain_summary(f"document {i}", CALLS, chunk=910) for i in range(CHAINS)]


def singles() -> list[ClientApp]:
    """Return 10,000 calls, half of them urgent."""
    times = np.cumsum(np.random.default_rng(SEED).exponential(1 / RATE, SINGLE)).tolist()
    gets = ("latency", "throughput")
    return [
        single("o", text(f"application {i % 8}", 600), text(f"query {i}", 400), 50, gets[i % 2], at)
        for i, at in enumerate(times)
    ]


def row(name: str, work: Sequence[ClientApp], cluster: Cluster, system: System) -> list[str]:
    """Return a row: what ran, what it took, what became of it."""
    start = process_time()
    ran = simulate(work, cluster, system)
    took = process_time() - start
    fairness = [f"{ran.largest_slowdown:.1f}", f"{ran.jain:.2f}"]
    return [name, system.name, f"{took:.1f}", f"{ran.mean_latency():.2f}", *fairness, f"{ran.filled:,}"]


def lines() -> Iterator[str]:
    """Yield the table; a first small run, which loads what is needed, is not timed."""
    one, eight = Cluster((EngineModel(LLAMA_13B),)), Cluster((EngineModel(LLAMA_7B),) * ENGINES)
    simulate(chains()[:1], one, PARROT)
    rows = [row("25 chains of 20 calls", chains(), one, system) for system in (PARROT, LATENCY)]
    rows += [row("10,000 calls, 8 engines", singles(), eight, system) for system in (PARROT, THROUGHPUT)]
    columns = ("workload", "system", "processor s", "mean latency s", "largest slowdown", "Jain", "filled")
    yield from markdown(columns, rows, "llrrrrr")


if __name__ == "__main__":
    run(lines, __doc__)

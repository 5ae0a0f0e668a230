"""Small requests of applications on engines, drawn with a seed or by Hypothesis."""

import numpy as np

from teltheory.optimal.schedules import Scheduling, Task, TaskServer


def drawn(rng: np.random.Generator, tasks: int, work: int = 3) -> Scheduling:
    """Draw up to three applications with two prefixes on one or two engines."""
    apps, made = int(rng.integers(1, 4)), list[Task]()
    for j in range(tasks):
        app = int(rng.integers(apps))
        after = tuple(i for i in range(j) if made[i].application == app and rng.random() < 1 / 2)
        prefix = None if rng.random() < 1 / 3 else int(rng.integers(2))
        made.append(Task(app, int(rng.integers(1, work + 1)), after, prefix, int(rng.integers(1, 3))))
    servers = [
        TaskServer(int(rng.integers(1, 3)), int(rng.integers(2, 4))) for _ in range(int(rng.integers(1, 3)))
    ]
    prefixes, arrivals = rng.integers(0, 4, 2).tolist(), rng.integers(0, 3, apps).tolist()
    return Scheduling.of(made, servers, prefixes, arrivals, "latency" if rng.random() < 1 / 2 else "makespan")

"""How far Algorithm 1's schedules are from the best ones, in whole units of time.

    python -m experiments.schedule_ratios [--seeds 40]

Two engines with room for two tokens each; requests take one or two, and those that are together do not slow each
other. *Chains*: four applications of one to three requests, one after the other, of 1 to 3 units. *Map-reduce*:
two applications of three requests of one token and a last one that needs them, of 1 to 3 units, and a single one.
*Prompts*: seven single requests of 1 to 3 units that begin with one of two prefixes of 2. Applications arrive at
times up to 4. Each schedule's sum of latencies is divided by the least, which is proved, or found by HiGHS and
counted exactly.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import ceil

import numpy as np

from teltheory.optimal.schedules import Plan, Scheduling, Task, TaskServer, best_schedule
from teltheory.paper.script import errors_in_one_line, markdown, say
from teltheory.systems.apps.schedules import by_algorithm_1, cost, in_order_of_requests

COLUMNS = ("applications", "schedule", "best in", "median", "9 of 10", "largest")
SERVERS = (TaskServer(1, 2), TaskServer(1, 2))
WAYS: dict[str, Callable[[Scheduling], Plan]] = {
    "Algorithm 1": by_algorithm_1,
    "... ties packed": partial(by_algorithm_1, ties="pack"),
    "... strict affinity": partial(by_algorithm_1, affinity="strict"),
    "... no affinity": partial(by_algorithm_1, affinity=False),
    "... first in, first out": partial(by_algorithm_1, lookahead=0, together=False),
    "request by request": in_order_of_requests,
}


def chains(rng: np.random.Generator) -> list[Task]:
    """Draw chains."""
    tasks: list[Task] = []
    for app in range(4):
        for place in range(int(rng.integers(1, 4))):
            work, tokens = rng.integers(1, (4, 3)).tolist()
            tasks.append(Task(app, work, (len(tasks) - 1,) if place else (), tokens=tokens))
    return tasks


def map_reduce(rng: np.random.Generator) -> list[Task]:
    """Draw two map-reduce applications and a single request."""
    work = rng.integers(1, 4, 9).tolist()
    maps = [Task(app, work[4 * app + k]) for app in range(2) for k in range(3)]
    reduces = [Task(app, work[4 * app + 3], tuple(range(3 * app, 3 * app + 3)), tokens=2) for app in range(2)]
    return [*maps, *reduces, Task(2, work[8], tokens=2)]


def prompts(rng: np.random.Generator) -> list[Task]:
    """Draw single requests with prefixes."""
    drawn = rng.integers((1, 0, 1), (4, 2, 3), (7, 3)).tolist()
    return [Task(app, work, (), prefix, tokens) for app, (work, prefix, tokens) in enumerate(drawn)]


FAMILIES = {"chains": chains, "map-reduce": map_reduce, "prompts": prompts}


def ratios(family: str, seeds: int) -> dict[str, list[float]]:
    """Return the ratio of each schedule to the best one, by the way it is made."""
    found: dict[str, list[float]] = {name: [] for name in WAYS}
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        tasks = FAMILIES[family](rng)
        arrivals = sorted(rng.integers(0, 5, 1 + max(task.application for task in tasks)).tolist())
        problem = Scheduling.of(tasks, SERVERS, (2, 2), arrivals)
        best = best_schedule(problem).upper
        for name, way in WAYS.items():
            found[name].append(cost(problem, way(problem)) / best)
    return found


def table(seeds: int) -> Iterator[tuple[object, ...]]:
    """Yield a line per family and way."""
    for family in FAMILIES:
        for name, every in ratios(family, seeds).items():
            ranked = sorted(every)
            at = [ranked[ceil(share * len(ranked)) - 1] for share in (0.5, 0.9, 1.0)]
            yield family, name, f"{sum(one == 1 for one in every)} of {seeds}", *(f"{one:.2f}" for one in at)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=40)
    given = parser.parse_args(arguments)
    with errors_in_one_line():
        say(markdown(COLUMNS, table(given.seeds)))


if __name__ == "__main__":
    main()

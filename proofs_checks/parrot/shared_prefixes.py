"""What it does to share prefixes: affinity against the best schedule, and whether sharing slows an engine.

docs/proofs-parrot.md has the proofs.
"""

from fractions import Fraction
from typing import Any

from proofs_checks.parrot.app_schedules import Family, against_the_best, family
from proofs_checks.parrot.small_schedules import ONE, TWO, SmallSchedules, World, one_engine, unshared
from teltheory.claims.claim import Values, rows
from teltheory.claims.origin import OURS, reading, sharpness
from teltheory.claims.worlds import Given
from teltheory.optimal.schedules import Scheduling, Task, TaskServer
from teltheory.systems.apps.schedules import by_algorithm_1, cost, finished

row = rows(source="Prompts that share a prefix (Parrot, Sections 5.3 and 5.4)")
PAIRS = ((TaskServer(1, 2), TaskServer(1, 2)),)
STRICT = {"affinity": "strict", "together": False}
WAYS: dict[str, dict[str, Any]] = {
    "strict": STRICT,
    "preferred": {"affinity": True, "together": False},
    "none": {"affinity": False},
}


def ways(*names: str) -> Any:
    """Return the check of what plans cost with these kinds of affinity."""
    return lambda case: {name: cost(case.problem, by_algorithm_1(case.problem, **WAYS[name])) for name in names}


@row(
    "parrot.affinity.strict.bound",
    "On m equal engines with room for one request each, applications that are there at once: if each request "
    "waits for the engine that has its prefix, the last end is at most m times the least.",
    relation=lambda of: of["Algorithm 1"] <= of["m"] * of["least"],
    space=SmallSchedules({2: 2, 3: 2}, {2: 3, 3: 2, 4: 1}, TWO, "any", (1,), goal="makespan"),
)
def strict_bound(case: World) -> Values:
    """Compare with everything."""
    return {**against_the_best(case, **STRICT), "m": len(case.problem.servers)}


@row(
    "parrot.affinity.strict",
    "No smaller number will do: 2 requests of n units with a prefix of 1 on 2 engines take (2 n + 1) / (n + 1) "
    "times the least, which comes as near to 2 as one likes.",
    relation=lambda of: of["Algorithm 1"] == of["(2 n + 1) / (n + 1)"] * of["least"],
    space=family(1, 12, 20, "n from 1 to {}"),
)
def strict(case: Family) -> Values:
    """Compare with everything."""
    problem = Scheduling.of([Task(k, case.n, prefix=0) for k in range(2)], TWO[0], [1], goal="makespan")
    ratio = Fraction(2 * case.n + 1, case.n + 1)
    return {**against_the_best(World(problem), **STRICT), "(2 n + 1) / (n + 1)": ratio}


@row(
    "parrot.affinity.none",
    "Without affinity 2 engines can take 2 (n + 1) / (n + 2) times the least: 2 prefixes of n, 2 requests of 1 "
    "for each, which come as a b b a.",
    relation=lambda of: of["Algorithm 1"] == of["2 (n + 1) / (n + 2)"] * of["least"],
    space=family(1, 4, 6, "n from 1 to {}"),
)
def none(case: Family) -> Values:
    """Compare with everything."""
    tasks = [Task(k, 1, prefix=prefix) for k, prefix in enumerate((0, 1, 1, 0))]
    problem = Scheduling.of(tasks, TWO[0], [case.n, case.n], goal="makespan")
    ratio = Fraction(2 * (case.n + 1), case.n + 2)
    return {**against_the_best(World(problem), affinity=False), "2 (n + 1) / (n + 2)": ratio}


prefer_strict = row(
    "parrot.affinity.preferred.strict",
    "Affinity that is preferred, but waits for nobody, never ends later than strict affinity.",
    relation=lambda of: of["preferred"] <= of["strict"],
    space=SmallSchedules({2: 2, 3: 2, 4: 1}, {2: 3, 3: 3, 4: 2}, TWO, "none", (3,), goal="makespan"),
    origin=reading("a request goes elsewhere if the engine that has its prefix is full"),
)(ways("preferred", "strict"))

prefer_none = row(
    "parrot.affinity.preferred.none",
    "Affinity that is preferred never has a larger sum of latencies than none.",
    relation=lambda of: of["preferred"] <= of["none"],
    space=SmallSchedules({3: 1, 4: 1}, {3: 2, 4: 1}, PAIRS, "none", (1,), tokens=2),
    origin=reading("a request goes elsewhere if the engine that has its prefix is full"),
)(ways("preferred", "none"))

sharing = rows(
    source="Sharing prefixes on one engine (Parrot, Section 5.3)",
    relation=lambda of: all(a <= b for a, b in zip(of["shared"], of["each its own"], strict=True)),
)


def ends(case: World, together: bool = False) -> Values:
    """Return when applications are done if prefixes are shared, and if each request fills its own."""
    both = {"shared": case.problem, "each its own": unshared(case.problem)}
    plans = {name: by_algorithm_1(problem, together=together) for name, problem in both.items()}
    return {name: finished(both[name], plan) for name, plan in plans.items()}


alone = sharing(
    "parrot.sharing.one-at-a-time",
    "On one engine with room for one request, sharing prefixes lets no application be done later.",
    space=SmallSchedules({2: 2, 3: 2}, {2: 3, 3: 2, 4: 1}, ONE, "any", (1,), arrivals=1),
    origin=OURS,
)(ends)

independent = sharing(
    "parrot.sharing.independent",
    "The same with room for two or three of equal tokens, first in, first out, if no request depends on another.",
    space=SmallSchedules(
        {2: 2, 3: 2, 4: 1}, {2: 3, 3: 3, 4: 2}, one_engine(2) + one_engine(3), "none", (1,), arrivals=1
    ),
    origin=OURS,
)(ends)

overtaking = sharing(
    "parrot.sharing.together",
    "The same if those that share a prefix go at once, before requests that arrived earlier.",
    space=SmallSchedules({2: 2, 3: 2}, {2: 2, 3: 2}, one_engine(2), "none", (1,)),
    origin=sharpness("parrot.sharing.independent", "first in, first out"),
)(lambda case: ends(case, together=True))

unequal = sharing(
    "parrot.sharing.tokens",
    "The same if requests take one or two tokens of a room for two.",
    space=SmallSchedules({2: 1, 3: 1, 4: 1}, {2: 2, 3: 2, 4: 2}, one_engine(2), "none", (1,), 2, 1),
    origin=sharpness("parrot.sharing.independent", "requests take equal tokens"),
)(ends)

FIVE = (Task(0, 2, prefix=0), Task(0, 1, (0,)), Task(0, 1, (0,)), Task(1, 1, prefix=0), Task(2, 3))
dependent = sharing(
    "parrot.sharing.dependent",
    "The same if requests depend on each other.",
    space=Given((World(Scheduling.of(FIVE, one_engine(2)[0], [1], [0, 1, 1])),), "a case of five requests"),
    origin=sharpness("parrot.sharing.independent", "no request depends on another one"),
)(ends)

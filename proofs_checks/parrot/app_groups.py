"""Task groups: whether their members depend on each other, by two readings of "the same stage".

docs/proofs-parrot.md has the proofs.
"""

from collections.abc import Iterator
from itertools import combinations, permutations

from proofs_checks.parrot.app_labels import labelled
from proofs_checks.parrot.origins import PAPER
from proofs_checks.parrot.small_graphs import Session, small_sessions
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed
from teltheory.claims.origin import reading, sharpness
from teltheory.systems.apps.deduction import groups

row = rows(source="Task groups (Parrot, Section 5.2)")
SMALL = small_sessions(("latency",), 4, 5)


def members(case: Session, how: str) -> list[tuple[int, ...]]:
    """Return the groups of a session by a reading."""
    graph = case.graph()
    return groups(graph, dict(enumerate(labelled(case))), how)


def dependent(case: Session, found: list[tuple[int, ...]]) -> Values:
    """Return pairs of members of which the second depends on the first."""
    pairs = [pair for group in found for one in combinations(group, 2) for pair in permutations(one)]
    return {"groups": found, "dependent": [pair for pair in pairs if case.reaches(*pair)]}


def none_depend(of: Values) -> bool:
    """Whether no member depends on another one."""
    return not of["dependent"]


by_stage = row(
    "parrot.groups.stage",
    "If a group is the latency requests of one stage, counted from the results, no member depends on another one.",
    relation=none_depend,
    space=SMALL,
    origin=reading("a stage is the longest way to a request that nothing follows"),
)(lambda case: dependent(case, members(case, "stage")))

by_consumer = row(
    "parrot.groups.consumer",
    "If a group is the latency requests whose first consumer, in topological order, is the same, no member "
    "depends on another one.",
    relation=none_depend,
    space=SMALL,
    origin=reading("what runs side by side for one request is a group"),
)(lambda case: dependent(case, members(case, "consumer")))

any_consumer = row(
    "parrot.groups.consumer.any",
    "The same if a group is all latency requests whose outputs one request needs.",
    relation=none_depend,
    space=SMALL,
    origin=sharpness("parrot.groups.consumer", "a request is grouped by the first of its consumers"),
)(lambda case: dependent(case, [one for k, one in enumerate(case.before) if reached(case, k) and len(one) > 1]))


def reached(case: Session, k: int) -> bool:
    """Return whether a request is for latency."""
    return labelled(case)[k] == "latency"


def maps(most: int) -> Iterator[Iterator[Session]]:
    """Yield maps of 2 requests or more with a reduce that is got for latency."""
    for count in range(2, most + 1):
        yield iter([Session((*((),) * count, tuple(range(count))), ((count, "latency"),))])


@row(
    "parrot.groups.map-reduce",
    "The requests of a map are one group if a reduce that is got for latency needs all of them.",
    relation=lambda of: of["by stage"] == of["by consumer"] == of["the map"],
    space=Listed(maps, 16, 64, "maps of 2 to {} requests"),
    origin=PAPER,
)
def map_reduce(case: Session) -> Values:
    """Group them by both readings."""
    found = {f"by {how}": members(case, how) for how in ("stage", "consumer")}
    return {**found, "the map": [case.before[-1]]}

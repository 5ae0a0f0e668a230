"""The file of vectors: what stands in it, and how answers are filled in.

A file has cases; a case has turns of private conversations or requests for paths of blocks, and runs; a run has a
cache, what each policy hits a request, and the optimum at some thresholds. Whoever reads a file serves its rows by
arrival, equal ones as they stand, and all lists of a run are in that order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta, Struct, structs

from teltheory.model.forest import Forest
from teltheory.model.trace import Trace
from teltheory.policies.spec import parse_policy
from teltheory.problem import Problem

Whole = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(description="Seconds. Rows are served by arrival, equal ones as they stand.")]


class VectorTurn(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A turn of a private conversation; its input is the first `history` tokens of its past, then the prompt."""

    conversation: str
    history: Whole
    prompt: Whole
    response: Whole = 0
    arrival: Seconds | None = None


class VectorRequest(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A request: its first `ask` blocks are input, the rest is output; an empty cache computes `total` blocks."""

    path: Annotated[
        list[Whole], Meta(description="Block ids, root first; an id stands for a block and all before it.")
    ]
    ask: Whole
    total: Whole
    arrival: Seconds | None = None


class VectorStart(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is cached before the first row: the first tokens of a past, or the first blocks of a path.

    What is listed first is least recent.
    """

    cached: Whole
    conversation: str = ""
    past: Whole = 0
    path: list[Whole] = []


class VectorOptimum(Struct, frozen=True, forbid_unknown_fields=True):
    """The least TEL of any policy is between `lower` and `upper`, which are equal except in some strict caches."""

    xi: Whole
    lower: Annotated[int, Meta(description="Proved by steps: no policy has less.")]
    upper: Annotated[int, Meta(description="The TEL of the plan.")]
    plan: Annotated[list[Whole], Meta(description="What each row hits in a plan that reaches `upper`.")]
    steps: Annotated[
        list[Whole], Meta(description="Step t is the cache before row t, counted from 1; see the page.")
    ]


class VectorRun(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A cache of some capacity, and what is true in it."""

    cache: Literal["conversations", "strict", "holes"]
    capacity: Whole
    forced: bool
    hits: Annotated[
        dict[str, list[Whole]],
        Meta(description="By policy: what each row finds in the cache, leading units of its input."),
    ]
    optima: list[VectorOptimum]
    initial: list[VectorStart] = []


class Vector(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A trace, as turns or as requests, and runs on it."""

    name: str
    about: str
    runs: list[VectorRun]
    turns: list[VectorTurn] = []
    requests: list[VectorRequest] = []


class Vectors(Struct, frozen=True, forbid_unknown_fields=True):
    """The file: cases, those with the fewest rows first."""

    teltheory_vectors: Literal[1]
    cases: list[Vector]


def served(case: Vector) -> list[Any]:
    """Return the rows of a case in the order in which they are served."""
    rows: list[Any] = [*case.turns, *case.requests]
    return sorted(rows, key=lambda row: 0 if row.arrival is None else row.arrival)


def problem_of(case: Vector, run: VectorRun, xi: int = 0) -> Problem:
    """Return what a run asks."""
    rows = served(case)
    names = [name for name in rows[0].__struct_fields__ if getattr(rows[0], name) is not None]
    columns: dict[str, Any] = {name: [getattr(row, name) for row in rows] for name in names}
    if run.cache == "conversations":
        initial: Any = [(held.conversation, held.past, held.cached) for held in run.initial]
        return Problem(Trace.from_turns(**columns), run.capacity, xi, forced=run.forced, initial=initial)
    paths = columns.pop("path")
    forest = Forest.from_paths(paths, **columns)
    nodes = {block: node for k, path in enumerate(paths) for block, node in zip(path, forest.path(k), strict=True)}
    initial = [(at, nodes[held.path[-1]], held.cached) for at, held in enumerate(run.initial)]
    return Problem(forest, run.capacity, xi, forced=run.forced, initial=initial, cache=run.cache)


def answered(case: Vector) -> Vector:
    """Return a case with the answers of its runs made anew, for the policies and thresholds that stand there."""
    return structs.replace(case, runs=[_run(case, run) for run in case.runs])


def _run(case: Vector, run: VectorRun) -> VectorRun:
    problem = problem_of(case, run)
    hits = {text: _hits(problem, text) for text in run.hits}
    return structs.replace(run, hits=hits, optima=[_optimum(case, run, one.xi) for one in run.optima])


def _hits(problem: Problem, text: str) -> list[int]:
    found: list[int] = problem.replay(parse_policy(text).build(0, 0), engine="reference").cached.tolist()
    return found


def _optimum(case: Vector, run: VectorRun, xi: int) -> VectorOptimum:
    best = problem_of(case, run, xi).optimum()
    plan, steps = best.outcome.cached.tolist(), best.certificate.steps.tolist()
    return VectorOptimum(xi, best.lower, best.upper, plan, steps)


class OursAndTheirs(NamedTuple):
    """How many answers of a policy or of optima in a cache are ours, of how many, and the first that is not."""

    what: str
    same: int
    answers: int
    first: str


def agreements(cases: Sequence[Vector]) -> list[OursAndTheirs]:
    """Return where the answers of a file are ours."""
    found: dict[str, list[str]] = {}
    for case in cases:
        for given, ours in zip(case.runs, answered(case).runs, strict=True):
            place = f"{case.name}, capacity {given.capacity}"
            for name, one, other in _pairs(given, ours):
                what = f"{given.cache}, {'forced' if given.forced else 'optional'}, {name.partition(':')[0]}"
                said = "" if one == other else f"{place}, {name}: found {one}, expected {other}"
                found.setdefault(what, []).append(said)
    return [
        OursAndTheirs(what, said.count(""), len(said), next(filter(None, said), ""))
        for what, said in found.items()
    ]


def _pairs(given: VectorRun, ours: VectorRun) -> Iterator[tuple[str, object, object]]:
    for text, hits in given.hits.items():
        yield text, hits, ours.hits[text]
    for one, other in zip(given.optima, ours.optima, strict=True):
        yield f"optimum:xi={one.xi}", [one.lower, one.upper], [other.lower, other.upper]

"""Unsplittable flow on a path with unit profits, as questions about a cache (docs/proofs-limits.md proves it).

A path has edges 1, 2, ... with a capacity each. A task covers the edges first ... last and has a demand; a set of
tasks fits if on no edge the demands of those that cover it exceed its capacity. How many fit is strongly NP-hard
(Folwarczny and Sgall, "General caching is hard: even with small pages", steps in docs/proofs-limits.md).

1. *Uniform capacities*: tasks of one edge and demand 1 fill every edge up to the largest capacity.
2. *Violations*: a task of demand d is a conversation with a past of 2d when its first edge begins, which returns
   when its last edge has ended, with a prompt of xi, so that it keeps the SLO if all its past is there and only
   then.
3. *Percentiles*: so many turns that never, or always, exceed xi are added that P_q <= xi is possible where a
   number of tasks fits, and only there.

All lengths are 1 or more.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import NamedTuple, TypeAlias

from teltheory.errors import ArgumentError
from teltheory.model.numbers import rational, whole_number
from teltheory.model.trace import Trace

Turns: TypeAlias = list[tuple[int, int, int]]
RETURNS, BEGINS, VISITS = "returns", "begins", "visits"


class PathTask(NamedTuple):
    """A task that covers the edges first ... last, counted from 1, with a demand of 1 or more."""

    first: int
    last: int
    demand: int


@dataclass(frozen=True)
class PathFlow:
    """Tasks, at least one, on a path whose edges all have one capacity, 1 or more."""

    tasks: tuple[PathTask, ...]
    capacity: int

    def __post_init__(self) -> None:
        if whole_number("capacity", self.capacity) < 1:
            raise ArgumentError("capacity", self.capacity, "1 or more")
        if not self.tasks:
            raise ArgumentError("tasks", self.tasks, "at least one task")
        for i, task in enumerate(self.tasks):
            first, last, demand = (whole_number(f"tasks[{i}]", number) for number in task)
            if not (1 <= first <= last and demand >= 1):
                raise ArgumentError(f"tasks[{i}]", tuple(task), "1 <= first <= last and a demand of 1 or more")

    @property
    def edges(self) -> int:
        """Number of edges."""
        return max(task.last for task in self.tasks)

    @property
    def largest(self) -> int:
        """The largest demand."""
        return max(task.demand for task in self.tasks)

    def fits(self, chosen: Collection[int]) -> bool:
        """Whether the tasks of these numbers, counted from 0, fit together."""
        tasks = [self.tasks[k] for k in chosen]
        taken = (sum(d for first, last, d in tasks if first <= edge <= last) for edge in range(1, self.edges + 1))
        return all(demand <= self.capacity for demand in taken)


def with_uniform_capacity(tasks: Sequence[PathTask], capacities: Sequence[int]) -> tuple[PathFlow, int]:
    """Return a flow with one capacity for tasks on edges 1, 2, ... with their own, and the number of its fillers.

    The most tasks that fit there are the most that fit here and the fillers.
    """
    if max(task.last for task in tasks) > len(capacities):
        raise ArgumentError("capacities", list(capacities), "one for each edge that a task covers")
    most = max(*capacities, 1)
    fillers = [
        PathTask(edge, edge, 1) for edge, room in enumerate(capacities, start=1) for _ in range(most - room)
    ]
    return PathFlow((*tasks, *fillers), most), len(fillers)


@dataclass(frozen=True)
class CacheQuestion:
    """A trace in which task k is conversation k.

    ``returns[k]`` is the turn, counted from 0, that exceeds xi unless all tokens of task k are cached. What other
    turns compute does not depend on the policy.
    """

    trace: Trace
    capacity: int
    xi: int
    forced: bool
    returns: tuple[int, ...]


def violations_question(flow: PathFlow, forced: bool = False) -> CacheQuestion:
    """Return a trace whose fewest SLO violations are the tasks less the most that fit.

    Under forced caching each edge has a turn of one more conversation, for which there is room besides.
    """
    return _question(flow, _turns(flow, forced), forced)


def percentile_question(flow: PathFlow, q: Fraction, wanted: int, forced: bool = False) -> CacheQuestion:
    """Return a trace with P_q <= xi, whatever the policy that reaches it, if and only if `wanted` tasks fit."""
    if not 0 < rational("q", q) < 1:
        raise ArgumentError("q", str(q), "a level above 0 and below 1")
    if whole_number("wanted", wanted) > len(flow.tasks):
        raise ArgumentError("wanted", wanted, f"{len(flow.tasks)} tasks at most")
    turns = _turns(flow, forced)
    quiet, loud = _padding(len(turns), len(flow.tasks) - wanted, q)
    new = 1 + max(conversation for conversation, _, _ in turns)
    prompts = [1] * quiet + [flow.largest + 1] * loud
    return _question(flow, [*turns, *((new + k, prompt, 1) for k, prompt in enumerate(prompts))], forced)


def _question(flow: PathFlow, turns: Turns, forced: bool) -> CacheQuestion:
    second = {conversation: turn for turn, (conversation, _, _) in enumerate(turns)}
    capacity = 2 * flow.capacity + (_visitor(flow) if forced else 0)
    returns = tuple(second[k] for k in range(len(flow.tasks)))
    return CacheQuestion(Trace.from_turns(*zip(*turns, strict=True)), capacity, flow.largest, forced, returns)


def meetings(flow: PathFlow, visited: bool = False) -> Iterator[tuple[str, int]]:
    """Yield edge by edge the tasks that return, those that begin, and, if so, the visitor of that edge.

    Each is a kind, `RETURNS`, `BEGINS` or `VISITS`, with the number of the task, or of the edge, from 0.
    """
    for edge in range(1, flow.edges + 2):
        for k, task in enumerate(flow.tasks):
            if task.last == edge - 1:
                yield RETURNS, k
        for k, task in enumerate(flow.tasks):
            if task.first == edge:
                yield BEGINS, k
        if visited and edge <= flow.edges:
            yield VISITS, edge - 1


def _turns(flow: PathFlow, forced: bool) -> Turns:
    """Return a turn for each meeting: a visitor takes all room that is there for it."""
    return [_turn(flow, kind, k) for kind, k in meetings(flow, forced)]


def _turn(flow: PathFlow, kind: str, k: int) -> tuple[int, int, int]:
    if kind == VISITS:
        return len(flow.tasks) + k, 1, _visitor(flow) - 1
    demand = flow.tasks[k].demand
    return (k, flow.largest, 1) if kind == RETURNS else (k, demand, demand)


def _visitor(flow: PathFlow) -> int:
    """Return the largest past of a conversation that returned, which is that of the visitors."""
    return 3 * flow.largest + 1


def _padding(turns: int, allowed: int, q: Fraction) -> tuple[int, int]:
    """Return how many turns that never, and that always, exceed xi make P_q <= xi the same as so many that do."""
    quiet = loud = 0
    while _above(turns + quiet, q) < allowed:
        quiet += 1
    while _above(turns + quiet + loud, q) > allowed + loud:
        loud += 1
    return quiet, loud


def _above(turns: int, q: Fraction) -> int:
    """Return how many turns may exceed a percentile."""
    return turns - ceil(q * turns)

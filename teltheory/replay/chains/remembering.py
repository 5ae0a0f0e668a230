"""Private conversations under policies with a memory: FIFO, LFU, SLRU, priorities, GDSF, 2Q, S3-FIFO, TTL.

A conversation is the chain of its units, as in `Trace.forest`, so that a trace and its forest have one outcome;
where a history is shorter than the past, what is cut is gone, as for every policy of a trace.

Units that one turn added and that are all still there have had the same reads: they are a *run*. A conversation is
a stack of runs, of which only the end may go. The unit before it in a run has the same key or a smaller one, so
that units go by runs, and a replay takes O(log n) for each run that changes. S3-FIFO alone moves single units on.

`teltheory.replay.trees.reference` says the same unit by unit (`replay_units`).
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.instance import ForestInstance, Instance
from teltheory.model.outcome import Outcome
from teltheory.policies.expiry import TTL
from teltheory.policies.pgdsf import GDSF, PGDSF
from teltheory.policies.policy import NotCompiledError
from teltheory.policies.queues import S3FIFO, TwoQ
from teltheory.policies.residence import FIFO, LFU, SLRU, Priority
from teltheory.replay.trees.reference import replay_reference

KINDS = (FIFO, LFU, SLRU, Priority, GDSF, PGDSF, TwoQ, S3FIFO, TTL)


def forest_of(instance: Instance) -> ForestInstance:
    """Return private conversations, which begin with an empty cache, as the forest of their units."""
    if instance.initial:
        raise ArgumentError("initial", instance.initial, "none, under a policy with a memory")
    return instance.as_forest()


def replay_units(instance: Instance, policy: Any) -> Outcome:
    """Replay unit by unit, in plain Python: the reference."""
    return Outcome.of(instance, replay_reference(forest_of(instance), policy).cached)


def replay_runs(instance: Instance, policy: Any) -> Outcome:
    """Replay by runs; `NotCompiledError` for a policy that is none of the toolkit's own."""
    priced = isinstance(policy, PGDSF) and policy.cost is not None
    if type(policy) not in KINDS or priced:
        raise NotCompiledError("policy", policy, "engine='reference' for one with a memory of its own")
    cache = QueuesCache(policy, forest_of(instance))
    trace, last = instance.requests, len(instance) - 1 if instance.forced else len(instance)
    reused = []
    for k, row in enumerate(
        zip(trace.code.tolist(), instance.history.tolist(), instance.past.tolist(), strict=True)
    ):
        reused.append(cache.serve(k, *row))
        cache.release(k, row[0])
        if k < last:
            cache.cut()
    return Outcome.of(instance, np.array(reused, np.int64))


@dataclass(slots=True)
class UnitRun:
    """Units from depth `start` to `end` of a conversation, and what happened to them since a turn added them.

    `grade` is the greatest priority, or the clock at the end of the last request; `chances` are S3-FIFO's, and
    `entered` is when the run entered its queue.
    """

    start: int
    end: int
    since: int
    queue: int = 0
    reads: int = 0
    chances: int = -1
    entered: int = 0
    grade: float = 0.0


@dataclass(slots=True)
class Ghosts:
    """Units that left the first queue, from `start` to `end` of a conversation, the deepest first."""

    start: int
    end: int


@dataclass(slots=True)
class Chain:
    """A conversation: its runs, root first, its ghosts, its last turn, and how often its end has changed."""

    runs: list[UnitRun] = field(default_factory=list)
    ghosts: list[Ghosts] = field(default_factory=list)
    last: int = -1
    counts: bool = False
    version: int = 0


class QueuesCache:
    """All conversations, with the ends that may go in a heap for each of two queues; most policies have one."""

    def __init__(self, policy: Any, instance: ForestInstance) -> None:
        self.policy, self.capacity, self.forced = policy, instance.capacity, instance.forced
        self.queues = isinstance(policy, TwoQ | S3FIFO)
        sizes: tuple[int, int] = policy.sizes(instance.capacity) if self.queues else (0, 0)
        self.limit, self.most = sizes
        self.priority: Any = (
            policy.of_requests(instance.requests).tolist() if isinstance(policy, Priority) else None
        )
        if isinstance(policy, TTL):
            policy.memory(instance)
        arrival = instance.requests.arrival
        self.times: Any = None if arrival is None or not isinstance(policy, TTL) else arrival.tolist()
        self.chains: dict[int, Chain] = {}
        self.heaps: tuple[list[Any], list[Any]] = [], []
        self.size = [0, 0]
        self.ghosts: deque[Ghosts] = deque()
        self.remembered = self.used = self.steps = 0
        self.clock = 0.0
        self.running: Chain | None = None

    def serve(self, k: int, conversation: int, history: int, past: int) -> int:
        """Serve a turn; return what it reuses."""
        self._expire(k)
        chain = self.chains.pop(conversation, None) or Chain()
        self.chains[conversation] = chain
        self._pull(chain)
        while chain.runs and chain.runs[-1].end > history:
            self._shorten(chain, chain.runs[-1].end - max(chain.runs[-1].start, history))
        reused = chain.runs[-1].end if chain.runs else 0
        for start, end, queue in self._added(chain, reused, history, past):
            chain.runs.append(UnitRun(start, end, k, queue))
        self.used += past - reused
        for run in chain.runs:
            run.reads, run.chances = run.reads + 1, min(run.chances + 1, 3)
            if self.priority is not None:
                run.grade = max(run.grade, self.priority[k]) if run.since < k else self.priority[k]
        chain.last = k
        return reused

    def _expire(self, k: int) -> None:
        """Let go what no turn has asked for too long."""
        for chain in [*self.chains.values()] if self.times is not None else ():
            if self.times[k] - self.times[chain.last] <= self.policy.seconds:
                break  # the others are more recent
            self._pull(chain)
            while chain.runs:
                self._shorten(chain, chain.runs[-1].end - chain.runs[-1].start)

    def _added(self, chain: Chain, reused: int, history: int, past: int) -> list[tuple[int, int, int]]:
        """Return what a turn adds, from where to where and to which queue; ghosts of it are gone then."""
        back = sorted((ghost.start, min(ghost.end, history)) for ghost in chain.ghosts if ghost.start < history)
        for ghost in chain.ghosts:
            self.remembered -= max(min(ghost.end, history) - ghost.start, 0)
            ghost.start = max(ghost.start, min(ghost.end, history))
        chain.ghosts, parts, at = [], list[tuple[int, int, int]](), reused
        for start, end in back:
            parts += [(at, start, 0), (start, end, 1)]
            at = end
        return [part for part in (*parts, (at, past, 0)) if part[0] < part[1]]

    def release(self, k: int, conversation: int) -> None:
        """Let the units of the turn that has ended count for the queues: this one, or the one before it."""
        ended, chain = (self.running if self.forced else self.chains[conversation]), self.chains[conversation]
        self.running = chain if self.forced else None
        if ended is None or (self.forced and ended is chain):
            return
        self.steps += 1
        for run in ended.runs:
            if not (run.entered and (isinstance(self.policy, S3FIFO) or (self.queues and run.queue == 0))):
                run.entered = self.steps
            if self.priority is None:
                run.grade = self.clock
            self.size[run.queue] += run.end - run.start
        ended.counts = True
        self._push(ended)

    def _pull(self, chain: Chain) -> None:
        """Let the units of a conversation count for no queue."""
        for run in chain.runs if chain.counts else ():
            self.size[run.queue] -= run.end - run.start
        chain.counts, chain.version = False, chain.version + 1

    def _push(self, chain: Chain) -> None:
        """Put the end of a conversation into the heap of its queue."""
        chain.version += 1
        if chain.runs:
            run = chain.runs[-1]
            entry = self.key(run), run.entered, chain.version, chain
            heapq.heappush(self.heaps[run.queue], (*entry[:2], id(chain), *entry[2:]))

    def key(self, run: UnitRun) -> float:
        """Return by what the end of a run goes, the smallest first; of equal ones the first that entered goes."""
        policy = self.policy
        if isinstance(policy, FIFO):
            return run.since
        if isinstance(policy, LFU):
            return run.reads
        if isinstance(policy, SLRU):
            return int(run.reads >= 2)
        if isinstance(policy, GDSF):
            return run.grade + run.reads * (1 + getattr(policy, "per_depth", 0.0) * (run.end - 1))
        return run.grade if self.priority is not None else 0

    def cut(self) -> None:
        """Cut the cache to the capacity."""
        while self.used > self.capacity:
            due = self.size[0] > self.limit
            chain = self._next(due)
            while self._goes_round(chain):
                chain = self._next(due)
            run = chain.runs[-1]
            units = min(self.used - self.capacity, run.end - run.start)
            if self.queues and due and run.queue == 0:
                units = min(units, max(self.size[0] - self.limit, 1))
            if isinstance(self.policy, GDSF):
                self.clock = max(self.clock, self.key(run))
            self.size[run.queue] -= units
            if self.queues and run.queue == 0:
                self._remember(chain, Ghosts(run.end - units, run.end))
            self._shorten(chain, units)
            self._push(chain)

    def _next(self, due: bool) -> Chain:
        """Return who loses units: one of the first queue if it is due, unless only the other has one."""
        for heap in self.heaps:
            while heap and heap[0][4].version != heap[0][3]:
                heapq.heappop(heap)
        first, second = self.heaps
        chain: Chain = (first if not second or (first and due) else second)[0][4]
        return chain

    def _goes_round(self, chain: Chain) -> bool:
        """Give the last unit of a conversation a place at the end of the second queue, if it has a chance left."""
        run = chain.runs[-1]
        if not isinstance(self.policy, S3FIFO) or run.chances < (2 if run.queue == 0 else 1):
            return False
        chances = run.chances - 1 if run.queue else 0
        self.steps += 1
        self.size[run.queue] -= 1
        self.size[1] += 1
        self._pop(chain, 1)
        moved = UnitRun(run.end, run.end + 1, run.since, 1, run.reads, chances, self.steps)
        chain.runs.append(moved)
        self._push(chain)
        return True

    def _remember(self, chain: Chain, gone: Ghosts) -> None:
        """Remember ghosts, and forget the oldest."""
        self.ghosts.append(gone)
        chain.ghosts.append(gone)
        self.remembered += gone.end - gone.start
        while self.remembered > self.most:
            oldest = self.ghosts[0]
            forgotten = min(self.remembered - self.most, oldest.end - oldest.start)
            oldest.end -= forgotten
            self.remembered -= forgotten
            if oldest.start == oldest.end:
                self.ghosts.popleft()

    def _shorten(self, chain: Chain, units: int) -> None:
        """Take units from the end of a conversation's last run."""
        self._pop(chain, units)
        self.used -= units

    def _pop(self, chain: Chain, units: int) -> None:
        chain.runs[-1].end -= units
        if chain.runs[-1].start == chain.runs[-1].end:
            chain.runs.pop()

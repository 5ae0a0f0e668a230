"""Algorithm 1: which waiting request goes to which engine (Parrot, Section 5.4), as pure functions.

1. The queue is in order: application by application as they arrived, each in topological order.
2. For each request r in turn, as long as some engine has room:
3.  if r is of a task group, all members that wait go to one engine;
4.  else if others in the queue share r's longest prefix, r goes where that is kept, or else to an engine of its
    choice, and the others follow in order as long as they fit;
5.  else r goes to an engine that keeps a prefix of it, or else to any one.
6. The engine is FindEngine's (`teltheory.systems.apps.placing`). What was placed counts at once.

The paper's sentences say this much; what they leave open is an argument.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from teltheory.systems.apps.placing import (
    EngineLoad,
    EngineView,
    Readings,
    check_size,
    find,
    find_engine,
    serves,
    tokens_of,
)
from teltheory.systems.apps.waiting import Job, Kind, WaitingJobs

__all__ = ["EngineView", "Job", "WaitingJobs", "algorithm_1", "check_size", "find_engine"]


def algorithm_1(
    queue: Sequence[Job],
    engines: Sequence[EngineView],
    affinity: bool | str = True,
    groups: bool = True,
    ties: str = "spread",
    split: str = "if-needed",
    together: bool = True,
    sharing: bool = True,
    lookahead: int | None = 32,
    idle: bool = False,
) -> list[tuple[Hashable, int]]:
    """Return what goes where now, as (key, place of the engine), in order; others stay queued.

    A request that is larger than the latency capacity runs alone, on an engine that runs nothing else.

    Parameters
    ----------
    queue : sequence of Job
        What is ready; of one application in topological order. A `WaitingJobs` that is kept is faster.
    engines : sequence of EngineView
        The cluster.
    affinity : bool or "strict"
        Whether engines that keep the longest prefix of a job go first; "strict": it waits for one of them.
    groups : bool
        Whether task groups count. If not, each member is a request with its own label.
    ties : {"spread", "pack"}
        Between engines that lose the same: the one that would have the fewest tokens for its speed, or the one
        that would have the least room. Then the first one.
    split : {"if-needed", "always"}
        What becomes of a task group that fits on no engine now: it waits if an engine could run it whole, or its
        members go one by one.
    together, sharing : bool
        Whether those that share a prefix follow the first of them at once, before requests that arrived earlier;
        whether a prefix that an engine counts already takes no room again.
    lookahead : int or None
        How many requests of a kind (model, limit) may be passed over in a call: 0, first in, first out; None, any
        number, as the paper has it. A task group that waits counts as one.
    idle : bool
        Whether engines that run nothing go first, whatever they lose, and the members of a task group go one by
        one while two or more of them run nothing: for a few small applications on many engines.

    Raises
    ------
    AppError, ArgumentError
        413: a job larger than any engine; 404: no engine has its model; an argument that is none of the above.
    """
    readings = Readings(affinity, groups, ties, split, together, sharing, lookahead, idle)
    waiting = queue if isinstance(queue, WaitingJobs) and groups else WaitingJobs(readings.seen(queue))
    call = _Call(waiting, engines, readings)
    call.run()
    return call.placed


class _Call:
    """One call of Algorithm 1."""

    def __init__(self, waiting: WaitingJobs, engines: Sequence[EngineView], readings: Readings) -> None:
        self.waiting, self.views, self.readings = waiting, engines, readings
        self.engines = [EngineLoad(view, at) for at, view in enumerate(engines)]
        self.placed: list[tuple[Hashable, int]] = []
        self._done: set[Hashable] = set()
        self._kept: dict[int, bool] = {}
        self._split: set[Hashable] = set()
        self._most: dict[Hashable, int] = {}
        self._closed: set[Kind] = set()
        self._kinds = waiting.kinds()
        self._check_sizes()

    def run(self) -> None:
        """Go through the queue; a kind of jobs is closed when none of it fits, or too many were passed over."""
        passed, seen = Counter[Kind](), -1
        for job in self.waiting.still(self._closed):
            if len(self.placed) != seen:
                seen = len(self.placed)
                self._close()
            if job.key in self._done or job.kind in self._closed or self._place(job):
                continue
            passed[job.kind] += 1
            if self.readings.lookahead is not None and passed[job.kind] > self.readings.lookahead:
                self._closed.add(job.kind)

    def _check_sizes(self) -> None:
        for (model, _), (_, most) in self._kinds.items():
            if most > max((view.capacity for view in self.views if serves(view, model)), default=-1):
                for job in self.waiting:
                    check_size(job, self.views)

    def _close(self) -> None:
        """Close the kinds of which not even the smallest need fits on an engine."""
        for (model, limit), (least, _) in self._kinds.items():
            rooms = (engine.room(limit) for engine in self.engines if serves(engine.view, model))
            if max(rooms, default=-1) < least:
                self._closed.add((model, limit))

    def _place(self, job: Job) -> bool:
        """Place a job, and those that go with it; return whether it was placed."""
        if job.group is not None:
            whole = self._place_group(job)
            if whole is not None:
                return whole
        at = find((job,), self.engines, self.readings) if job.tokens <= self._most_tokens(job) else None
        if at is None:
            return False
        others = self._followers(job)
        self._take(job, at)
        for other in others:
            if not self.engines[at].fits((other,), self.readings.sharing):
                break
            self._take(other, at)
        return True

    def _place_group(self, job: Job) -> bool | None:
        """Return whether the group of a job was placed whole; None: its members go one by one."""
        members = [other for other in self.waiting.members(job.group) if other.model == job.model]
        if len(members) == 1 or (job.group, job.model) in self._split:
            return None
        if (
            self.readings.idle
            and sum(one.label is None and serves(one.view, job.model) for one in self.engines) > 1
        ):
            self._split.add((job.group, job.model))
            return None
        at = find(members, self.engines, self.readings)
        if at is not None:
            for member in members:
                self._take(member, at)
            return True
        if not self._waits(members):
            self._split.add((job.group, job.model))
            return None
        self._done.update(member.key for member in members)
        return False

    def _waits(self, members: Sequence[Job]) -> bool:
        """Return whether a group waits for room: some engine could run it whole."""
        alone = tokens_of(members, self.readings.sharing, lambda job: 0)
        able = any(view.capacity >= alone for view in self.views if serves(view, members[0].model))
        return able and self.readings.split == "if-needed"

    def _followers(self, job: Job) -> Iterator[Job]:
        """Return those in the queue that share the longest prefix of a job that any share, in order."""
        if not (self.readings.together and self.readings.affinity) or job.group is not None:
            return
        names = (
            name for name, length in reversed(job.prefixes) if length and self.waiting.how_many(name, job.kind) > 1
        )
        for other in self.waiting.sharers(next(names, 0), job.kind):
            if other.key not in self._done:
                yield other

    def _most_tokens(self, job: Job) -> int:
        """Return how many tokens a job could have that is like this one in its kind and in what is kept of it."""
        likeness = (job.kind, tuple(name for name, _ in job.prefixes if self._is_kept(name)))
        if likeness not in self._most:
            sharing, serving = self.readings.sharing, (e for e in self.engines if serves(e.view, job.model))
            rooms = (engine.room(job.limit) + sharing * engine.held(job) for engine in serving)
            self._most[likeness] = max(rooms, default=-1)
        return self._most[likeness]

    def _is_kept(self, name: int) -> bool:
        """Return whether some engine keeps a prefix."""
        if name not in self._kept:
            self._kept[name] = any(name in view.prefixes or name in (view.counted or ()) for view in self.views)
        return self._kept[name]

    def _take(self, job: Job, at: int) -> None:
        self.engines[at].take(job, self.readings.sharing)
        self._most.clear()
        self.placed.append((job.key, at))
        self._done.add(job.key)
        self._kept.update((name, True) for name, _ in job.prefixes)

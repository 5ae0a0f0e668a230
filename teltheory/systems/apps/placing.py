"""FindEngine: the engine that loses least by a request, or by requests that go together (Parrot, Section 5.4).

1. An engine's capacity is that of the strictest label on it: 64,000 tokens if all are for throughput, 2,000 if
   one is not. So a latency request takes capacity from an engine with none of its sort, and nothing from others.
2. Engines with room compete; if `affinity`, only those among them that keep the longest prefix of the request.
3. Least is lost: capacity first, then peace (engines that run requests of the other sort go last), then ties.
   If `idle`, an engine that runs nothing goes before all others.

The paper omits the details of FindEngine; "the least negative impact" is read as these three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field, replace

from teltheory.errors import ArgumentError
from teltheory.systems.apps.deduction import LABELS, strictest
from teltheory.systems.apps.faults import TOO_LARGE, UNKNOWN, AppError
from teltheory.systems.apps.waiting import Job

TIES, AFFINITIES, SPLITS = ("spread", "pack"), (False, True, "strict"), ("if-needed", "always")
THROUGHPUT = LABELS[0]


@dataclass(frozen=True)
class EngineView:
    """An engine, as the scheduler sees it.

    Attributes
    ----------
    name : str
        What messages call it.
    capacity, latency_capacity : int
        Tokens of all active requests, if all of them are for throughput, and if one is not.
    used : int
        Tokens of its active requests with their longest outputs, shared parts once, and of what it can't free.
    label : str or None
        The strictest `Job.limit` of its active requests; None: it has none.
    jobs : int
        Number of its active requests; for a caller's own rules, as Algorithm 1 counts tokens.
    model : str or None
        Its model; None: it serves any.
    speed : float
        How fast it is, beside the others.
    prefixes : set of int
        Hashes of the prefixes that it keeps.
    counted : set of int or None
        Those of them whose tokens are in `used`; None: all. The others take their room again when they are used.
    given : int
        How many requests it was given so far: the last tie, before the order of engines.
    urgent : bool
        Whether it runs a request that is not for throughput, in a task group or not; for ParrotServe's rules.
    batch : int or None
        Most requests that it runs at once; None: any number; for ParrotServe's rules.
    """

    name: str
    capacity: int = 64_000
    latency_capacity: int = 2_000
    used: int = 0
    label: str | None = None
    jobs: int = 0
    model: str | None = None
    speed: float = 1.0
    prefixes: Set[int] = frozenset()
    counted: Set[int] | None = None
    given: int = 0
    urgent: bool = False
    batch: int | None = None


def find_engine(
    job: Job,
    engines: Sequence[EngineView],
    ties: str = "spread",
    affinity: bool | str = True,
    sharing: bool = True,
    idle: bool = False,
) -> int | None:
    """Return the engine, by its place, that loses least by a job; None where nothing fits now (FindEngine).

    The arguments are those of `algorithm_1`.
    """
    readings = Readings(affinity, True, ties, "if-needed", True, sharing, None, idle)
    return find((job,), [EngineLoad(view, at) for at, view in enumerate(engines)], readings)


def check_size(job: Job, engines: Sequence[EngineView]) -> None:
    """Refuse a job that no engine could run even alone.

    Raises
    ------
    AppError
        413: it is larger than any engine of its model; 404: there is no engine of that model.
    """
    largest = max((view.capacity for view in engines if serves(view, job.model)), default=None)
    place = f"request {job.key}"
    if largest is None:
        raise AppError(UNKNOWN, place, f"model {job.model!r}, which no engine has", "the model of an engine")
    if job.tokens > largest:
        raise AppError(
            TOO_LARGE, place, f"{job.tokens} tokens", f"at most {largest}, the largest engine's capacity"
        )


@dataclass(frozen=True)
class Readings:
    """The arguments of `algorithm_1`."""

    affinity: bool | str
    groups: bool
    ties: str
    split: str
    together: bool
    sharing: bool
    lookahead: int | None
    idle: bool

    def __post_init__(self) -> None:
        choices = {"affinity": AFFINITIES, "ties": TIES, "split": SPLITS}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise ArgumentError(name, getattr(self, name), " or ".join(map(repr, allowed)))

    def seen(self, queue: Iterable[Job]) -> Iterable[Job]:
        """Return the jobs, without their groups where these don't count."""
        return queue if self.groups else (replace(job, group=None) for job in queue)


@dataclass
class EngineLoad:
    """An engine during a call: what was placed on it counts at once."""

    view: EngineView
    at: int
    used: int = field(init=False)
    label: str | None = field(init=False)
    added: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.used, self.label = self.view.used, self.view.label

    def capacity(self, *labels: str | None) -> int:
        """Return its capacity with some labels on it; None stands for none."""
        plain = all(label is None or label == THROUGHPUT for label in labels)
        return self.view.capacity if plain else self.view.latency_capacity

    def room(self, limit: str) -> int:
        """Return how many tokens fit beside what it has, if the strictest label is at least `limit`."""
        if self.label is None:
            return self.view.capacity - self.used
        return self.capacity(self.label, limit) - self.used

    def kept(self, job: Job) -> int:
        """Return the length of the longest prefix of a job that it keeps."""
        for name, length in reversed(job.prefixes):
            if name in self.view.prefixes or name in self.added:
                return length
        return 0

    def held(self, job: Job) -> int:
        """Return the length of the longest prefix of a job that takes no more room on it."""
        counted = self.view.prefixes if self.view.counted is None else self.view.counted
        for name, length in reversed(job.prefixes):
            if name in counted or name in self.added:
                return length
        return 0

    def need(self, jobs: Sequence[Job], sharing: bool) -> int:
        """Return how many tokens the jobs take on it; if they share, what it holds takes none."""
        return tokens_of(jobs, sharing, self.held)

    def fits(self, jobs: Sequence[Job], sharing: bool) -> bool:
        """Return whether there is room for jobs of one limit; anything fits alone that the engine can hold."""
        need, limit = self.need(jobs, sharing), jobs[0].limit
        if self.label is None and len(jobs) == 1:
            return self.used + need <= self.view.capacity
        return self.used + need <= self.capacity(self.label, limit)

    def impact(self, jobs: Sequence[Job], readings: Readings) -> tuple[float, ...]:
        """Return what is lost by the jobs: capacity, peace with what it runs; and then how ties are broken."""
        limit = jobs[0].limit
        lost = self.capacity(self.label) - self.capacity(self.label, limit)
        unlike = self.label is not None and (self.label == THROUGHPUT) != (limit == THROUGHPUT)
        after = self.used + self.need(jobs, readings.sharing)
        tie = after / self.view.speed if readings.ties == "spread" else self.view.capacity - after
        return (readings.idle and self.label is not None, lost, unlike, tie, self.view.given, self.at)

    def take(self, job: Job, sharing: bool) -> None:
        """Run a job here."""
        self.used += self.need((job,), sharing)
        self.label = strictest(self.label, job.limit)
        self.added.update(name for name, _ in job.prefixes)


def serves(view: EngineView, model: str | None) -> bool:
    """Return whether an engine has a model; None: any will do."""
    return model is None or view.model is None or model == view.model


def tokens_of(jobs: Sequence[Job], sharing: bool, held: Callable[[Job], int]) -> int:
    """Return the tokens of jobs that go together, where a prefix that is held, or that two share, counts once."""
    if len(jobs) == 1 and sharing:
        return jobs[0].tokens - held(jobs[0])
    if not sharing:
        return sum(job.tokens for job in jobs)
    seen, total = set[int](), 0
    for job in jobs:
        own = max((length for name, length in job.prefixes if name in seen), default=0)
        total += job.tokens - max(own, held(job))
        seen.update(name for name, _ in job.prefixes)
    return total


def find(jobs: Sequence[Job], engines: Sequence[EngineLoad], readings: Readings) -> int | None:
    """Return the engine that loses least by jobs that go together; None where they fit on none."""
    served = [engine for engine in engines if serves(engine.view, jobs[0].model)]
    if readings.affinity == "strict":
        alone = tokens_of(jobs, readings.sharing, lambda job: 0)
        served = _keepers([engine for engine in served if engine.view.capacity >= alone], jobs[0])
    fitting = [engine for engine in served if engine.fits(jobs, readings.sharing)]
    if readings.affinity:
        fitting = _keepers(fitting, jobs[0])
    return min(fitting, key=lambda engine: engine.impact(jobs, readings)).at if fitting else None


def _keepers(engines: list[EngineLoad], job: Job) -> list[EngineLoad]:
    """Return those that keep the longest prefix of a job; all, where none keeps any."""
    longest = max((engine.kept(job) for engine in engines), default=0)
    return [engine for engine in engines if engine.kept(job) == longest]

"""Algorithm 1 and FindEngine: golden cases, a plain second writing as judge, and laws."""

import time
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teltheory.errors import ArgumentError
from teltheory.systems.apps import AppError
from teltheory.systems.apps.algorithm_1 import EngineView, Job, WaitingJobs, algorithm_1, check_size, find_engine
from teltheory.systems.apps.deduction import LABELS, strictest

FOUR = tuple(EngineView(f"engine {k}") for k in range(4))
SMALL = st.integers(1, 12)


def jobs(count: int, label: str, tokens: int = 500, **facts: Any) -> list[Job]:
    return [Job(k, facts.pop("app", k), label, tokens, **facts) for k in range(count)]


def counts(placed: list[tuple[Hashable, int]]) -> list[int]:
    return [sum(at == k for _, at in placed) for k in range(4)]


@pytest.mark.parametrize("ties", ["spread", "pack"])
def test_eight_latency_jobs_fill_one_engine_and_then_a_second(ties: str) -> None:
    """Golden: 4 + 4, as the second engine loses its throughput only when the first is full."""
    assert counts(algorithm_1(jobs(8, "latency"), FOUR, ties=ties)) == [4, 4, 0, 0]


def test_eight_throughput_jobs_are_packed_on_one_engine_or_spread() -> None:
    """Golden: all on one engine, where ties are packed; two on each, where they are spread."""
    assert counts(algorithm_1(jobs(8, "throughput"), FOUR, ties="pack")) == [8, 0, 0, 0]
    assert counts(algorithm_1(jobs(8, "throughput"), FOUR)) == [2, 2, 2, 2]


def test_both_sorts_at_once() -> None:
    """Golden: packed, they stay apart; spread, requests for throughput leave no engine to the others."""
    first = jobs(8, "throughput")
    later = [replace(job, key=8 + job.app, app=8 + job.app) for job in jobs(8, "latency")]
    assert counts(algorithm_1(first + later, FOUR, ties="pack")) == [8, 4, 4, 0]
    placed = dict(algorithm_1(first + later, FOUR))
    assert {placed[k] for k in range(8)} == {placed[k] for k in range(8, 16)} == {0, 1, 2, 3}


def test_a_group_of_sixteen_is_on_one_engine() -> None:
    """Golden: sixteen latency requests of one group, whatever else there is."""
    group = jobs(16, "latency", group="maps", app=0)
    assert counts(algorithm_1(group, FOUR)) == [16, 0, 0, 0]
    busy = (replace(FOUR[0], used=60_000, label="throughput"), *FOUR[1:])
    assert counts(algorithm_1(group, busy)) == [0, 16, 0, 0]
    assert counts(algorithm_1(group, FOUR, groups=False)) == [4, 4, 4, 4]


def test_four_prefixes_are_on_four_engines() -> None:
    """Golden: the requests of each prefix together, the prefixes on engines 0 to 3."""
    mixed = [Job(k, k, "throughput", 700, prefixes=((k % 4, 600),)) for k in range(16)]
    placed = algorithm_1(mixed, FOUR)
    assert dict(placed) == {k: k % 4 for k in range(16)}
    assert [key for key, _ in placed] == [k + 4 * i for k in range(4) for i in range(4)]
    one_by_one = algorithm_1(mixed, FOUR, together=False)
    assert [key for key, _ in one_by_one] == list(range(16))
    assert dict(one_by_one) == dict(placed)


def test_who_shares_the_longest_prefix_follows_first() -> None:
    """What shares only the beginning comes in its turn; another model, label or group does not follow."""
    queue = [
        Job("leader", 0, "throughput", 300, prefixes=((1, 100), (2, 200), (3, 300))),
        Job("begins alike", 1, "throughput", 300, prefixes=((1, 100),)),
        Job("for latency", 2, "latency", 300, prefixes=((1, 100), (2, 200))),
        Job("of a group", 3, "throughput", 300, "group", ((1, 100), (2, 200))),
        Job("of a model", 4, "throughput", 300, None, ((1, 100), (2, 200)), "7B"),
        Job("follows", 5, "throughput", 300, prefixes=((1, 100), (2, 200))),
    ]
    order = [key for key, _ in algorithm_1(queue, FOUR)]
    assert order == ["leader", "follows", "begins alike", "for latency", "of a group", "of a model"]


def test_applications_run_one_after_another() -> None:
    """Golden: 4 x (A -> B) at capacity 1, where the Bs were submitted after all As and wait for theirs."""
    engine = EngineView("engine", capacity=1, latency_capacity=1)
    waiting, order = WaitingJobs(Job(k, k, "latency", 1) for k in range(4)), list[Hashable]()
    while waiting:
        ((key, _),) = algorithm_1(waiting, [engine])
        done = waiting.remove(key)
        order.append(key)
        if done.app == key:
            waiting.add(Job(done.app + 4, done.app, "latency", 1))
    assert order == [0, 4, 1, 5, 2, 6, 3, 7]
    everything = [Job(k, k % 4, "latency", 1) for k in range(8)]
    assert [key for key, _ in algorithm_1(everything, [replace(engine, latency_capacity=8)])] == order


def test_a_latency_job_goes_where_least_is_lost() -> None:
    """To an engine with one; else to an idle engine rather than to a busy one that would lose as much."""
    idle, slow = EngineView("idle"), EngineView("slow", used=900, label="throughput")
    quick = EngineView("quick", used=900, label="ttft")
    job = Job("job", 0, "latency", 500)
    assert find_engine(job, [idle, slow, quick]) == 2
    assert find_engine(job, [slow, idle]) == 1
    assert find_engine(job, [slow]) == 0
    assert find_engine(replace(job, tokens=1_101), [slow, quick]) is None
    assert find_engine(replace(job, label="throughput"), [quick, slow]) == 1


def test_models_and_speeds_of_one_cluster() -> None:
    """A job goes to an engine of its model; ties are spread by tokens for speed."""
    cluster = [
        EngineView("7B", model="7B"),
        EngineView("13B", model="13B"),
        EngineView("fast", model="7B", speed=3),
    ]
    seven = [Job(k, k, "throughput", 100, model="7B") for k in range(8)]
    assert [dict(algorithm_1(seven, cluster))[k] for k in range(8)].count(2) == 6
    assert find_engine(Job(0, 0, "latency", 1, model="13B"), cluster) == 1
    with pytest.raises(AppError, match="model '70B', which no engine has") as raised:
        check_size(Job(0, 0, "latency", 1, model="70B"), cluster)
    assert raised.value.code == 404


def test_a_job_larger_than_any_engine_is_refused() -> None:
    """413, wherever it stands in the queue; one that is larger than the latency capacity runs alone."""
    with pytest.raises(AppError, match="request 9: found 64001 tokens, expected at most 64000") as raised:
        algorithm_1([*jobs(3, "latency"), Job(9, 9, "latency", 64_001)], FOUR)
    assert raised.value.code == 413
    large = [Job(k, k, "latency", 3_000) for k in range(5)]
    assert counts(algorithm_1(large, FOUR)) == [1, 1, 1, 1]


def test_a_group_waits_for_room_unless_it_is_split() -> None:
    """Whole or not at all, if an engine could run it whole; else its members go one by one."""
    full = [replace(engine, used=60_000, label="throughput") for engine in FOUR]
    group = [Job(k, 0, "latency", 1_500, group="maps") for k in range(3)]
    assert algorithm_1(group, full) == []
    assert counts(algorithm_1(group, full, split="always")) == [1, 1, 1, 0]
    huge = [replace(job, tokens=40_000) for job in group]
    assert counts(algorithm_1(huge, FOUR)) == [1, 1, 1, 0]


def test_idle_engines_are_used_if_that_is_asked_for() -> None:
    """Chats go to an engine of their own each, and a task group is divided among those that run nothing."""
    chats = [Job(k, k, "latency", 100) for k in range(4)]
    assert [at for _, at in algorithm_1(chats, FOUR)] == [0, 0, 0, 0]
    assert [at for _, at in algorithm_1(chats, FOUR, idle=True)] == [0, 1, 2, 3]
    maps = [Job(k, 0, "latency", 100, group="g") for k in range(6)]
    assert [at for _, at in algorithm_1(maps, FOUR)] == [0] * 6
    assert [at for _, at in algorithm_1(maps, FOUR, idle=True)] == [0, 1, 2, 3, 0, 1]
    busy = [replace(view, used=10, label="throughput") for view in FOUR[1:]]
    assert [at for _, at in algorithm_1(maps, [FOUR[0], *busy], idle=True)] == [0] * 6


def test_strict_affinity_waits_for_the_engine_that_keeps_the_prefix() -> None:
    """It is put elsewhere only where that engine could never run it."""
    keeper = EngineView("keeper", capacity=1_000, used=900, label="throughput", prefixes=frozenset({5}))
    job = Job("job", 0, "throughput", 400, prefixes=((5, 200),))
    cluster = [keeper, EngineView("idle")]
    assert find_engine(job, cluster) == 1
    assert find_engine(job, cluster, affinity="strict") is None
    assert find_engine(replace(job, tokens=1_300), cluster, affinity="strict") == 1
    assert find_engine(replace(job, tokens=300), cluster) == 0
    assert find_engine(replace(job, tokens=300), cluster, affinity=False, sharing=False) == 1


def test_a_prefix_that_is_kept_and_not_counted_takes_its_room_again() -> None:
    """It draws requests to its engine all the same."""
    keeper = EngineView("keeper", capacity=1_000, used=700, label="throughput", prefixes=frozenset({5}))
    job = Job("job", 0, "throughput", 400, prefixes=((5, 200),))
    assert find_engine(job, [keeper]) == 0
    assert find_engine(job, [replace(keeper, counted=frozenset())]) is None
    assert find_engine(job, [EngineView("idle"), replace(keeper, used=600, counted=frozenset())]) == 1


def test_a_lookahead_of_none_is_first_in_first_out() -> None:
    """A large request holds back the others, or is passed over."""
    busy = [EngineView("busy", used=60_000, label="throughput")]
    queue = [Job("large", 0, "throughput", 5_000), Job("small", 1, "throughput", 10)]
    assert algorithm_1(queue, busy) == [("small", 0)]
    assert algorithm_1(queue, busy, lookahead=0) == []
    assert algorithm_1(queue, busy, lookahead=1) == [("small", 0)]


@pytest.mark.parametrize(("name", "value"), [("ties", "random"), ("affinity", "yes"), ("split", "never")])
def test_wrong_arguments_are_named(name: str, value: str) -> None:
    wrong: Any = {name: value}
    with pytest.raises(ArgumentError, match=f"{name}: found '{value}'"):
        algorithm_1([], FOUR, **wrong)


@st.composite
def queues(draw: st.DrawFn, grouped: bool = False) -> list[Job]:
    """Jobs with prefixes that are tree-like: hash p * 10 + depth, at tokens of its depth."""
    found = []
    for k in range(draw(st.integers(0, 12))):
        branch, depth, tokens = draw(st.integers(0, 2)), draw(st.integers(0, 3)), draw(SMALL)
        prefixes = tuple((branch * 10 + d, d) for d in range(1, min(depth, tokens) + 1))
        label, model = draw(st.sampled_from(LABELS)), draw(st.sampled_from([None, "a"]))
        group = draw(st.sampled_from([None, "g", "h"])) if grouped else None
        found.append(Job(k, draw(st.integers(0, 3)), label, tokens, group, prefixes, model))
    return found


@st.composite
def clusters(draw: st.DrawFn) -> list[EngineView]:
    found = [EngineView("first", 30, 12, model="a")]
    for k in range(draw(st.integers(0, 3))):
        label = draw(st.sampled_from([None, *LABELS]))
        capacity = draw(st.integers(12, 30))
        used = 0 if label is None else draw(st.integers(0, 12))
        model, speed = draw(st.sampled_from([None, "a", "b"])), draw(st.sampled_from([0.5, 1.0, 2.0]))
        kept = draw(st.frozensets(st.sampled_from([1, 2, 11, 12, 21]), max_size=2))
        counted = draw(st.none() | st.just(frozenset(sorted(kept)[:1])))
        found.append(EngineView(f"engine {k}", capacity, 12, used, label, 0, model, speed, kept, counted))
    return found


READINGS = st.fixed_dictionaries(
    {
        "affinity": st.sampled_from([True, False, "strict"]),
        "ties": st.sampled_from(["spread", "pack"]),
        "sharing": st.booleans(),
        "idle": st.booleans(),
    }
)


def with_job(view: EngineView, job: Job, sharing: bool) -> EngineView:
    """Return an engine that runs one job more."""
    counted = view.prefixes if view.counted is None else view.counted
    held = max((length for name, length in job.prefixes if name in counted), default=0)
    used = view.used + job.tokens - (held if sharing else 0)
    names = frozenset(name for name, _ in job.prefixes)
    label = strictest(view.label, job.limit)
    return replace(view, used=used, label=label, prefixes=view.prefixes | names, counted=counted | names)


def plainly(
    queue: list[Job], engines: list[EngineView], together: bool, **readings: Any
) -> tuple[list[tuple[Hashable, int]], list[EngineView]]:
    """Algorithm 1 without groups, written a second time: nothing is remembered, each job is tried."""
    placed: dict[Hashable, int] = {}
    views = list(engines)
    order = sorted(queue, key=lambda job: job.app)
    for job in order:
        at = None if job.key in placed else find_engine(job, views, **readings)
        if at is None:
            continue
        alike = [other for other in order if other.kind == job.kind]
        shared = [name for name, _ in job.prefixes if sum(name in dict(other.prefixes) for other in alike) > 1]
        follows = together and readings["affinity"] and bool(shared)
        followers = [j for j in alike if follows and shared[-1] in dict(j.prefixes) and j.key not in placed]
        for other in [job, *(other for other in followers if other is not job)]:
            if other is not job and find_engine(other, [views[at]], **readings) is None:
                break
            placed[other.key] = at
            views[at] = with_job(views[at], other, readings["sharing"])
    return list(placed.items()), views


@given(queues(), clusters(), READINGS, st.booleans())
def test_nothing_that_is_remembered_changes_what_is_placed(
    queue: list[Job], engines: list[EngineView], readings: dict[str, Any], together: bool
) -> None:
    """The quick scheduler equals the plain one, with and without a queue that is kept."""
    expected, _ = plainly(queue, engines, together, **readings)
    assert algorithm_1(queue, engines, together=together, **readings) == expected
    assert algorithm_1(WaitingJobs(queue), engines, together=together, **readings) == expected


@given(queues(grouped=True), clusters(), READINGS, st.sampled_from(["if-needed", "always"]))
def test_no_engine_is_over_capacity_under_its_strictest_label(
    queue: list[Job], engines: list[EngineView], readings: dict[str, Any], split: str
) -> None:
    """What was placed fits under the strictest label at the end, unless a job runs alone."""
    placed = algorithm_1(queue, engines, split=split, **readings)
    by_key = {job.key: job for job in queue}
    assert len(dict(placed)) == len(placed)
    for at, view in enumerate(engines):
        mine = [by_key[key] for key, where in placed if where == at]
        after = view
        for job in mine:
            after = with_job(after, job, readings["sharing"])
            assert job.model is None or view.model is None or job.model == view.model
        if mine and not (view.label is None and len(mine) == 1):
            assert after.used <= (view.capacity if after.label == "throughput" else view.latency_capacity)
        assert after.used <= view.capacity or not mine


@given(queues(grouped=True), clusters(), READINGS)
def test_a_group_is_kept_whole_if_an_engine_could_run_it(
    queue: list[Job], engines: list[EngineView], readings: dict[str, Any]
) -> None:
    """All members of one model on one engine, or none placed; unless no empty engine has room for all."""
    readings |= {"sharing": False, "idle": False}
    placed = dict(algorithm_1(queue, engines, **readings))
    for group in ("g", "h"):
        for model in (None, "a"):
            members = [job for job in queue if job.group == group and job.model == model]
            serving = [view for view in engines if model is None or view.model in (None, model)]
            if members and sum(job.tokens for job in members) <= max(view.capacity for view in serving):
                assert len({placed.get(job.key) for job in members}) == 1


@given(queues(), clusters(), st.sampled_from(["spread", "pack"]))
def test_who_stays_fits_nowhere(queue: list[Job], engines: list[EngineView], ties: str) -> None:
    """Without prefixes nothing waits that some engine has room for."""
    bare = [replace(job, prefixes=()) for job in queue]
    placed, views = plainly(bare, engines, False, affinity=True, ties=ties, sharing=True)
    left = [job for job in bare if job.key not in dict(placed)]
    assert algorithm_1(bare, engines, ties=ties) == placed
    assert all(find_engine(job, views, ties) is None for job in left)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3), SMALL), max_size=30))
def test_a_queue_is_in_order_whatever_comes_and_goes(steps: list[tuple[bool, int, int]]) -> None:
    """Against a list that is sorted each time."""
    waiting, plain = WaitingJobs(), list[Job]()
    for k, (comes, app, tokens) in enumerate(steps):
        if comes or not plain:
            job = Job(k, app, "latency", tokens, "g" if tokens % 2 else None, ((app, 1), (app, 1), (tokens, 1)))
            waiting.add(job)
            plain.append(job)
        else:
            waiting.remove(plain.pop(tokens % len(plain)).key)
        order = sorted(plain, key=lambda job: job.app)
        assert list(waiting) == list(waiting[:]) == order
        assert [waiting[i] for i in range(len(waiting))] == order
        assert waiting.members("g") == [job for job in order if job.group]
        alone = [job for job in order if not job.group and app in dict(job.prefixes)]
        assert list(waiting.sharers(app, (None, "latency"))) == alone
        assert waiting.how_many(app, (None, "latency")) == len(alone)
        least = {
            (None, limit): (min(j.least for j in same), max(j.tokens for j in same))
            for limit in LABELS
            if (same := [job for job in order if job.limit == limit])
        }
        assert waiting.kinds() == least


def test_a_key_waits_once() -> None:
    with pytest.raises(ArgumentError, match="key: found 'job'"):
        WaitingJobs([Job("job", 0, "latency", 1), Job("job", 1, "latency", 1)])


def ten_thousand() -> WaitingJobs:
    """Return jobs of two labels and many sizes, of which two thirds have one of four prefixes."""
    tokens = [200 + 37 * k % 1_500 for k in range(10_000)]
    labels = ("latency", "throughput")
    return WaitingJobs(
        Job(k, k // 20, labels[k % 2], tokens[k], prefixes=((k % 4, 150),) if k % 3 else ()) for k in range(10_000)
    )


def test_a_call_where_nothing_fits_costs_next_to_nothing() -> None:
    """A thousand calls with ten thousand in the queue."""
    waiting = ten_thousand()
    full = [replace(engine, used=63_990, label="throughput") for engine in FOUR]
    begin = time.process_time()
    assert not any(algorithm_1(waiting, full) for _ in range(1_000))
    assert time.process_time() - begin < 2


@pytest.mark.long
def test_ten_thousand_jobs_are_scheduled_in_seconds() -> None:
    """On 8 engines, with a call at each end of a job."""
    waiting = ten_thousand()
    begin = time.process_time()
    assert drained(waiting, [EngineView(f"engine {k}", 16_000) for k in range(8)]) == 10_000
    assert time.process_time() - begin < 10


def drained(waiting: WaitingJobs, views: list[EngineView]) -> int:
    """Run a queue, where of each engine in turn the first job ends; return how many ran."""
    running: list[list[Job]] = [[] for _ in views]
    ran = 0
    while waiting or any(running):
        for at, mine in enumerate(running):
            if mine:
                mine.pop(0)
                labels = [job.limit for job in mine]
                kept = frozenset(name for job in mine for name, _ in job.prefixes)
                used = sum(job.least for job in mine) + 150 * len(kept)
                views[at] = replace(
                    views[at], used=used, label=strictest(*labels) if labels else None, prefixes=kept
                )
            for key, where in algorithm_1(waiting, views):
                job = waiting.remove(key)
                running[where].append(job)
                views[where] = with_job(views[where], job, True)
                ran += 1
    return ran

"""Applications on simulated clusters: latencies by hand, laws, and the fills of an engine that really runs."""

import asyncio
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from teltheory.errors import ArgumentError
from teltheory.systems.apps import AppError
from teltheory.systems.apps.engines.keeping import Kept, always, never
from teltheory.systems.apps.engines.tiny import TinyEngine
from teltheory.systems.apps.machine import EngineState
from teltheory.systems.apps.requests import Sampling
from teltheory.systems.apps.running import run, run_parts
from teltheory.systems.apps.simulation import run as simulation_run
from teltheory.systems.apps.simulation.borders import cuts, joined, leading
from teltheory.systems.apps.simulation.cluster import Cluster, EngineModel
from teltheory.systems.apps.simulation.engine import SimulatedEngine
from teltheory.systems.apps.simulation.simulate import simulate
from teltheory.systems.apps.simulation.systems import LATENCY, PARROT, STATIC, SYSTEMS, THROUGHPUT, UNSHARED
from teltheory.systems.apps.simulation.timing import LLAMA_7B, LLAMA_13B
from teltheory.systems.apps.waiting import Job
from teltheory.systems.apps.workloads import (
    agents,
    bing_like,
    chain_summary,
    chat,
    gpts_like,
    map_reduce,
    multi_agent,
)

ONE = Cluster((EngineModel(LLAMA_13B),))


def test_a_chain_alone_takes_its_calls_and_one_delay_or_one_for_each():
    """Closed forms: nothing is shared and nothing else is there."""
    chain = chain_summary("d", 5, chunk=300, output=25)
    whole, apart = (simulate([chain], ONE, system) for system in (UNSHARED, LATENCY))
    calls = LLAMA_13B.alone(340, 25) + 4 * LLAMA_13B.alone(365, 25)
    assert whole.alone == pytest.approx([calls])
    assert whole.latencies == pytest.approx([calls + 0.25])
    assert apart.latencies == pytest.approx([calls + 5 * 0.25])
    assert whole.slowdowns == pytest.approx([1 + 0.25 / calls])
    assert whole.filled == apart.filled == 340 + 4 * 365


def test_delays_are_the_same_whatever_the_system():
    chain = chain_summary("d", 3)
    runs = [simulate([chain], ONE, system, np.random.default_rng(4)) for system in (THROUGHPUT, LATENCY)]
    assert runs[0].latencies == runs[1].latencies
    drawn = np.random.default_rng(4).uniform(0.2, 0.3, 3)
    calls = [one.arrived - one.sent for one in runs[0].served[0]]
    assert calls == pytest.approx(drawn)


def test_a_chain_shares_its_instructions_with_itself():
    """The first call fills its own in, the second those that the others share."""
    ran = simulate([chain_summary("d", 5)], ONE, PARROT)
    assert [one.forked for one in ran.served[0]] == [0, 0, 40, 40, 40]


def test_maps_are_a_group_with_the_room_of_throughput_and_the_baseline_takes_seven():
    """Latency capacity 4,096: 7 calls of 530 tokens at once; Parrot runs all 20 in one batch."""
    work = [map_reduce("d", 20)]
    parrot, baseline = (simulate(work, ONE, system, np.random.default_rng(2)) for system in (PARROT, LATENCY))
    assert len({one.started for one in parrot.served[0][:20]}) == 1
    starts = sorted(one.started for one in baseline.served[0][:20])
    ends = sorted(one.finished for one in baseline.served[0][:20])
    most = max(sum(a <= at for a in starts) - sum(b <= at for b in ends) for at in starts)
    assert most == 7
    assert baseline.mean_latency() > 1.5 * parrot.mean_latency()


def test_agents_share_the_code_that_all_of_them_read():
    """Between them, four reviewers fill in their instructions and the code once, and each its own seven tokens."""
    work = multi_agent(4, np.random.default_rng(1), cycles=1)
    ran, unshared = (simulate([work], ONE, system) for system in (PARROT, UNSHARED))
    reviews = ran.served[0][5:9]
    code = sum(one.generated for one in ran.served[0][1:5])
    assert sum(one.filled for one in reviews) == 680 + code + 4 * 7
    assert {one.filled + one.forked for one in reviews} == {680 + code + 7}
    assert ran.filled < unshared.filled / 2


def test_static_sharing_knows_the_first_text_and_nothing_that_was_generated():
    work = multi_agent(4, np.random.default_rng(1), cycles=1)
    forked = [one.forked for one in simulate([work], ONE, STATIC).served[0]]
    assert forked == [0, *[0, 3050, 3050, 3050], *[0, 680, 680, 680], *[0, 540, 540, 540]]


@pytest.mark.parametrize(
    ("engines", "applications", "seconds"), [(4, 1, ["4.8", "3.2"]), (2, 10, ["13.3", "13.7"])]
)
def test_idle_engines_make_one_application_faster_and_many_slower(engines, applications, seconds):
    cluster = Cluster((EngineModel(LLAMA_13B, capacity=64_000, latency_capacity=4_096),) * engines)
    work = [map_reduce(f"document {k}", chunks=20, chunk=440, output=50) for k in range(applications)]
    systems = (replace(PARROT, rules=replace(PARROT.rules, idle=idle)) for idle in (False, True))
    assert [f"{simulate(work, cluster, system).mean_latency():.1f}" for system in systems] == seconds


def test_applications_go_on_in_the_order_in_which_they_came():
    """Four chains of two calls with room for one call: 0 4 1 5 2 6 3 7, as ParrotServe's own test has it."""
    chains = [chain_summary(f"d{i}", 2, chunk=100, output=20) for i in range(4)]
    cluster = Cluster((EngineModel(LLAMA_7B, 64_000, 200),), (0.0, 0.0))
    ran = simulate(chains, cluster, PARROT)
    order = sorted((one for own in ran.served for one in own), key=lambda one: one.started)
    assert [4 * one.request + one.application for one in order] == [0, 4, 1, 5, 2, 6, 3, 7]


def test_simultaneous_calls_are_assigned_together_and_filled_in_together():
    """Eight calls at one instant are one batch: they end at one instant too."""
    work = [replace(one, arrival=1.0) for one in bing_like(8, np.random.default_rng(1))]
    ran = simulate(work, Cluster((EngineModel(LLAMA_7B, 100_000),), (0.0, 0.0)), UNSHARED)
    assert {own[0].started for own in ran.served} == {1.0}
    assert len({own[0].first_token for own in ran.served}) == 1


def test_the_shortest_queue_counts_who_waits():
    work = bing_like(6, np.random.default_rng(1))
    ran = simulate(work, Cluster((EngineModel(LLAMA_7B, 10_000),) * 3), THROUGHPUT)
    assert sorted(own[0].engine for own in ran.served) == [0, 0, 1, 1, 2, 2]


def test_a_batch_limits_how_many_run_at_once():
    work = bing_like(6, np.random.default_rng(1))
    ran = simulate(work, Cluster((EngineModel(LLAMA_7B, 100_000, batch=2),), (0.0, 0.0)), PARROT)
    starts = sorted(own[0].started for own in ran.served)
    ends = sorted(own[0].finished for own in ran.served)
    assert all(sum(a <= at for a in starts) - sum(b <= at for b in ends) <= 2 for at in starts)


def test_what_no_engine_can_hold_is_refused():
    work = [chain_summary("d", 1, chunk=70_000)]
    assert refused(AppError, r"70090 tokens.*at most 64000", simulate, work, ONE, PARROT).code == 413
    refused(ArgumentError, "engines", Cluster, ())
    refused(ArgumentError, "network", lambda: Cluster((EngineModel(),), (0.3, 0.2)))
    refused(ArgumentError, "sharing", replace, PARROT, sharing="some")


def mixed(seed: int) -> list:
    """A few small applications of every sort."""
    rng = np.random.default_rng(seed)
    some = [
        chain_summary("a", 3, 200, 20, arrival=float(rng.uniform(0, 2))),
        map_reduce("b", 6, 300, 20, arrival=float(rng.uniform(0, 2))),
        multi_agent(2, rng, cycles=1, arrival=float(rng.uniform(0, 2))),
        *chat(4, 0.3, rng),
        *gpts_like(3.0, 4, rng),
    ]
    return [some[k] for k in rng.permutation(len(some))[:6]]


@settings(deadline=None, max_examples=25)
@given(
    st.integers(0, 10**6), st.sampled_from(sorted(SYSTEMS)), st.integers(1, 3), st.sampled_from([10_000, 20_000])
)
def test_every_request_runs_once_in_order_and_within_memory(seed, name, engines, capacity):
    work, system = mixed(seed), SYSTEMS[name]
    cluster = Cluster((EngineModel(LLAMA_7B, capacity, 2_000),) * engines)
    ran, again = (simulate(work, cluster, system, np.random.default_rng(seed)) for _ in range(2))
    assert ran.served == again.served
    assert max(ran.peak) <= capacity
    for application, own in zip(ran.applications, ran.served, strict=True):
        assert [one.request for one in own] == sorted(application.graph.requests)
        by_number = {one.request: one for one in own}
        for one in own:
            assert one.sent <= one.arrived <= one.started < one.first_token <= one.finished + 1e-12
            assert all(by_number[k].finished <= one.sent for k in application.graph.before[one.request])
            assert one.generated == application.graph.requests[one.request].sampling.max_tokens
            assert system.sharing != "none" or one.forked == 0
    unshared = simulate(work, cluster, replace(system, sharing="none"), np.random.default_rng(seed))
    totals = [[sum(one.filled + one.forked for one in own) for own in run.served] for run in (ran, unshared)]
    assert totals[0] == totals[1]
    assert 0 < ran.jain <= 1


SEGMENTS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(1, 9)), max_size=12)


@given(SEGMENTS, st.randoms())
def test_loads_count_what_is_shared_once(rows, chance):
    """Against the union of segments, whatever the order in which jobs end."""
    load = EngineState(Kept(SimpleNamespace()))
    there = []
    for at, (first, second, own) in enumerate(rows):
        job = Job(at, at, "latency" if own % 2 else "throughput", 30 + own)
        borders = ((first, 10), (10 * first + second + 100, 30))
        load.take(job, borders)
        there.append((job, borders))
        if chance.random() < 0.5:
            load.leave(*there.pop(chance.randrange(len(there))))
        firsts = {borders[0] for _, borders in there}
        seconds = {borders[1] for _, borders in there}
        assert load.used == 10 * len(firsts) + 20 * len(seconds) + sum(job.tokens - 30 for job, _ in there)
        asked = {job.label for job, _ in there}
        assert load.label == (None if not asked else "latency" if "latency" in asked else "throughput")


def test_memory_holds_what_is_shared_once_and_no_more():
    """100 tokens: two jobs of 60 if they share 20, not if they share 10; a third by its batch alone."""
    load = EngineState(Kept(SimpleNamespace(capacity=100)), batch=2)
    first, second = Job(0, 0, "throughput", 60), Job(1, 0, "throughput", 60)
    load.take(first, ((1, 10), (2, 20)))
    assert load.holds(second, ((1, 10), (2, 20)))
    assert not load.holds(second, ((1, 10),))
    load.take(second, ((1, 10), (2, 20)))
    assert not load.holds(Job(2, 0, "throughput", 0), ())


def test_prompts_are_cut_where_others_begin_to_differ():
    hashes = ((1, 10), (2, 20), (3, 30), (4, 40))
    sharers = Counter({1: 5, 2: 3, 3: 3, 4: 1})
    assert list(cuts(hashes, "dynamic", False, sharers, ())) == [1, 3]
    assert list(cuts(hashes, "dynamic", True, Counter({1: 3, 2: 3, 3: 3}), ())) == [1, 3]
    assert list(cuts(hashes, "dynamic", False, Counter(), {2})) == [2]
    assert list(cuts(hashes, "static", True, sharers, {2})) == [1]
    assert list(cuts(hashes, "static", False, sharers, {2})) == []
    assert list(cuts(hashes, "none", True, sharers, {2})) == []
    parts = [(1,), (2, 3), (4,), Sampling(2), (5,)]
    assert leading(parts) == [(1,), (2, 3), (4,)]
    assert joined(parts, [1]) == [(1,), (2, 3, 4), Sampling(2), (5,)]
    assert joined(parts, []) == [(1, 2, 3, 4), Sampling(2), (5,)]


def fills(requests, together: bool, make, drive) -> list[tuple[int, int]]:
    """Return what each request filled in and forked on an engine: one by one, or all at once."""
    engine = make()
    kept, found = Kept(engine), {}

    async def one(k, request, values):
        ran = await run(request, values, kept)
        found[k] = ran.filled, ran.forked

    drive(engine, [one(k, *request) for k, request in enumerate(requests)], together)
    return [found[k] for k in range(len(requests))]


def on_asyncio(engine, work, together) -> None:
    async def whole():
        if together:
            await asyncio.gather(*work)
        else:
            for one in work:
                await one

    asyncio.run(whole())


def on_simpy(engine, work, together) -> None:
    async def whole():
        for one in work:
            await one

    for one in work if together else [whole()]:
        engine.env.process(one)
    engine.env.run()


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_fills_are_those_of_an_engine_that_really_runs(seed, together):
    """The same prompts on the tiny transformer and in simulated time: each request, one by one or all at once."""
    rng = np.random.default_rng(seed)
    requests = []
    for application in (chain_summary("a", 3, 20, 3), map_reduce("b", 4, 15, 3), *gpts_small(rng)):
        values = {v: f"<{v}>" for request in application.requests for v in (*request.inputs, *request.outputs)}
        for request in application.requests:
            given = {port.name: values[port.variable] for port in request.ports if not port.output}
            requests.append((replace(request, sampling=Sampling(3)), given))
    tiny = fills(requests, together, TinyEngine, on_asyncio)

    def simulated():
        return SimulatedEngine(simpy.Environment(), "e", LLAMA_7B, 64_000, 64_000)

    assert fills(requests, together, simulated, on_simpy) == tiny
    assert any(forked for _, forked in tiny)


def gpts_small(rng) -> list:
    """Two applications with instructions of their own, asked in turn."""
    some = chat(6, 1.0, rng)
    texts = ["one long text of instructions ", "another text of instructions "]
    return [
        replace(one, requests=(replace(one.requests[0], parts=(texts[k % 2], *one.requests[0].parts)),))
        for k, one in enumerate(some)
    ]


@pytest.mark.parametrize("system", [PARROT, STATIC, UNSHARED])
def test_a_simulated_cluster_fills_in_what_the_tiny_engine_does(system, monkeypatch):
    """Agents and maps at once on one engine; then their prompts, cut alike, one by one on the tiny transformer."""
    small = {
        "TASK": 25,
        "DESIGN": 9,
        "CODE": (4, 9),
        "COMMENT": (3, 5),
        "CODING": 30,
        "REVIEWING": 20,
        "REVISING": 20,
    }
    for name, tokens in small.items():
        monkeypatch.setattr(agents, name, tokens)
    cut = []

    async def written_down(parts, kept):
        cut.append(parts)
        return await run_parts(parts, kept)

    monkeypatch.setattr(simulation_run, "run_parts", written_down)
    work = [multi_agent(3, np.random.default_rng(0), cycles=2), *(map_reduce(name, 4, 20, 3) for name in "de")]
    ran = simulate(work, ONE, replace(system, whole=True))
    kept = Kept(TinyEngine(), never if system.sharing == "none" else always)
    numbers = {token: k for k, token in enumerate({t for parts in cut for part in given_of(parts) for t in part})}
    for parts in cut:
        small = [part if isinstance(part, Sampling) else tuple(numbers[t] for t in part) for part in parts]
        asyncio.run(run_parts([Sampling(1) if isinstance(part, Sampling) else part for part in small], kept))
    assert len(cut) == 26
    assert kept.filled == ran.filled


def given_of(parts):
    """Return the parts of a prompt that are tokens."""
    return [part for part in parts if not isinstance(part, Sampling)]

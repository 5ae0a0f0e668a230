"""ParrotServe's rules: its stored answers, and servers and simulations that go by them."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripted_engine import Scripted, call

from experiments.parrotserve_judge import PACKED, placed
from teltheory.errors import ArgumentError
from teltheory.systems.apps import EngineView, Job, Manager
from teltheory.systems.apps.deduction import LABELS
from teltheory.systems.apps.engines.keeping import Kept
from teltheory.systems.apps.machine import EngineState
from teltheory.systems.apps.parrotserve import parrotserve
from teltheory.systems.apps.queues import ParrotServe
from teltheory.systems.apps.simulation.cluster import Cluster, EngineModel
from teltheory.systems.apps.simulation.simulate import simulate
from teltheory.systems.apps.simulation.systems import PARROT
from teltheory.systems.apps.simulation.timing import LLAMA_13B
from teltheory.systems.apps.workloads import bing_like, map_reduce

FILE = Path(__file__).with_name("parrotserve.json")
STORED: dict[str, list[tuple[Any, list[int]]]] = json.loads(FILE.read_text())


@pytest.mark.parametrize(("sort", "queues"), [("singles", 75), ("groups", 75), ("prefixes", 75), ("both", 75)])
def test_stored_answers_of_the_program_are_ours(sort: str, queues: int) -> None:
    """Graphs, gets, engines and a queue go in; who goes where comes out."""
    assert [placed(case, ParrotServe()) for case, _ in STORED[sort]] == [answer for _, answer in STORED[sort]]
    assert len(STORED[sort]) == queues
    assert len({at for _, answer in STORED[sort] for at in answer}) > 3


def test_the_smallest_queues_in_which_algorithm_1_differs() -> None:
    """One by groups and one by prefixes."""
    found = [(answer, placed(case, ParrotServe()), placed(case, PACKED)) for case, answer in STORED["smallest"]]
    assert found == [([0, 0], [0, 0], [0, 1]), ([1, 1], [1, 1], [1, 0])]


def test_a_request_may_be_taken_along_twice() -> None:
    """By its group to one engine, and by its text to another one; it counts at both, and ends at the second."""
    text, other = ((1, 5),), ((2, 5),)
    queue = [
        Job("a", 0, "latency", 10, "g", other),
        Job("b", 1, "throughput", 10, None, text),
        Job("c", 0, "latency", 10, "g", text),
    ]
    engines = [EngineView("small", 20), EngineView("large", 1_000)]
    assert dict(parrotserve(queue, engines)) == {"a": 0, "c": 1, "b": 1}
    assert dict(parrotserve([*queue, Job("d", 2, "latency", 5)], engines)) == {"a": 0, "c": 1, "b": 1, "d": 1}


def test_those_that_go_together_have_one_model() -> None:
    """The one thing that is not the program's: it would send the second to an engine without its model."""
    engines = [EngineView("a", model="a"), EngineView("b", model="b")]
    for group, text in ((None, ((1, 5),)), ("g", ())):
        queue = [Job(model, 0, "latency", 10, group, text, model) for model in ("a", "b")]
        assert parrotserve(queue, engines) == [("a", 0), ("b", 1)]


def test_the_deepest_go_first() -> None:
    queue = [Job("first", 0, "latency", 10), Job("deep", 1, "latency", 10, order=-1)]
    assert parrotserve(queue, [EngineView("small", 10)]) == [("deep", 0)]


def test_a_machine_says_what_the_rules_count() -> None:
    machine, jobs = EngineState(Kept(Scripted()), batch=3), [Job(k, 0, LABELS[k], 10, "g") for k in range(2)]
    views = [machine.view()]
    for act in (machine.take, machine.leave):
        for job in jobs:
            act(job, ())
            views.append(machine.view())
    assert [(view.jobs, view.urgent) for view in views] == [(0, 0), (1, 0), (2, 1), (1, 1), (0, 0)]
    assert {view.batch for view in views} == {3}


def served(rules: str, submit: Any, engines: int = 2) -> Sequence[int]:
    """Return how many requests each engine of a server ran."""

    async def main() -> list[int]:
        there = [Scripted(lambda text: "x", f"e{k}", 10_000, 5_000, steps=60) for k in range(engines)]
        async with Manager(there, rules=rules) as manager:
            await submit(manager)
            return [machine.given for machine in manager.executor.machines]

    return asyncio.run(main())


async def five(manager: Manager) -> None:
    """Five users, each with one request for latency, which begin one after another."""
    gets = []
    for k in range(5):
        session = manager.session()
        call(session, f"{k}", [], ["x"])
        gets.append(asyncio.create_task(session.get("x")))
        for _ in range(8):
            await asyncio.sleep(0)
    await asyncio.gather(*gets)


async def maps(manager: Manager) -> None:
    """Six maps for throughput, and what sums them up."""
    session = manager.session()
    for k in range(6):
        call(session, f"{k}", [], [f"m{k}"])
    call(session, "reduce", [f"m{k}" for k in range(6)], ["all"])
    await session.get("all", "throughput")


def test_a_server_goes_by_the_rules() -> None:
    """Five requests for latency would all fit on an engine in tokens; ParrotServe counts four of them."""
    assert served("parrotserve", five) == [4, 1]
    assert served("parrot", five) == [5, 0]
    assert served("parrotserve", maps) == [7, 0]
    assert served("parrot", maps) == [4, 3]


def test_a_simulation_goes_by_the_rules() -> None:
    """Five requests for latency that begin alike go together, as one; two of them fit in tokens."""
    cluster = Cluster((EngineModel(LLAMA_13B, capacity=64_000, latency_capacity=600),) * 2)
    work = [map_reduce(f"document {k}", chunks=1, chunk=200, output=20) for k in range(5)]
    ran = {rules: simulate(work, cluster, replace(PARROT, rules=rules)) for rules in ("parrot", "parrotserve")}
    first = {rules: [own[0].engine for own in one.served] for rules, one in ran.items()}
    assert first == {"parrot": [0, 0, 1, 1, 0], "parrotserve": [0] * 5}


def test_a_simulation_counts_what_is_shared_for_each_request() -> None:
    """Two of four long prompts fit at once, although they begin alike."""
    cluster = Cluster((EngineModel(LLAMA_13B, capacity=16_000, latency_capacity=16_000),))
    ran = simulate(bing_like(4, np.random.default_rng(0)), cluster, replace(PARROT, rules="parrotserve"))
    started = [own[0].started for own in ran.served]
    assert started.count(min(started)) == 2


def test_rules_that_nobody_knows_are_refused() -> None:
    with pytest.raises(ArgumentError, match="rules: found 'vllm', expected 'parrot' or 'parrotserve'"):
        Manager([Scripted()], rules="vllm")

"""A server and a simulation that get the same requests at one instant send the same ones to the same engines."""

import asyncio
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scripted_engine import Scripted

from teltheory.systems.apps import Manager, Sampling
from teltheory.systems.apps.queues import Placing
from teltheory.systems.apps.simulation.cluster import Cluster, EngineModel
from teltheory.systems.apps.simulation.run import AppSimulation
from teltheory.systems.apps.simulation.systems import PARROT
from teltheory.systems.apps.workloads.application import ClientApp, call

Asked = tuple[str, str, int, str]


def drawn(rng: np.random.Generator) -> tuple[list[tuple[int, int]], list[Asked], Placing]:
    """Return engines, and requests: a text that others may share, an own one, the longest output, a criterion."""
    engines = [(int(rng.integers(60, 200)), int(rng.integers(30, 60))) for _ in range(rng.integers(1, 4))]
    labels = rng.choice(["latency", "throughput"], int(rng.integers(1, 12))).tolist()
    sizes = [tuple(int(rng.integers(*ends)) for ends in ((0, 3), (1, 20), (1, 12))) for _ in labels]
    asked = [
        (chr(97 + shared) * 20, f"<{k}>" + "." * own, tokens, label)
        for k, ((shared, own, tokens), label) in enumerate(zip(sizes, labels, strict=True))
    ]
    rules = Placing(affinity=bool(rng.integers(2)), ties=str(rng.choice(["spread", "pack"])), sharing=True)
    return engines, asked, rules


class Busy(Scripted):
    """An engine that is never done."""

    async def fill(self, token_ids: Any, context_id: int, parent: int | None = None) -> int:
        await asyncio.Event().wait()
        return 0


async def by_server(engines: list[tuple[int, int]], asked: list[Asked], rules: Placing) -> dict[int, int]:
    """Return who has an engine once the server has asked for places."""
    made = [Busy(capacity=most, latency_capacity=urgent) for most, urgent in engines]
    async with Manager(made, rules=rules) as manager:
        for k, (shared, own, tokens, label) in enumerate(asked):
            session = manager.session()
            session.submit(**submitted(session, k, shared, own, tokens))
            asyncio.ensure_future(session.get("o", label)).add_done_callback(lambda done: done.exception())
        await asyncio.sleep(0)
        for _ in range(20):
            await asyncio.sleep(0)
        return {number: at for (number, _), (_, at) in manager.executor._running.items()}


def submitted(session: Any, k: int, shared: str, own: str, tokens: int) -> dict[str, Any]:
    """Return the arguments of a submit."""
    request = call(0, [("input", "s"), own], "o", tokens)
    session.set("s", shared)
    return {"prompt": "{{input:i0}}" + own + "{{output:o}}", "ports": request.ports, "sampling": Sampling(tokens)}


def by_simulation(engines: list[tuple[int, int]], asked: list[Asked], rules: Placing) -> dict[int, int]:
    """Return who began at the first instant, and where."""
    models = tuple(EngineModel(capacity=most, latency_capacity=urgent) for most, urgent in engines)
    work = [
        ClientApp((call(0, [("input", "s"), own], "o", tokens),), {"o": label}, {"s": shared})
        for shared, own, tokens, label in asked
    ]
    system = replace(PARROT, rules=rules)
    ran = AppSimulation(work, Cluster(models, (0.0, 0.0)), system, None).run()
    return {k: served.engine for k, (served,) in enumerate(ran.served) if served.started == 0}


@pytest.mark.parametrize("queues", [50, pytest.param(2_000, marks=pytest.mark.long)])
def test_decisions_are_the_same_on_random_queues(queues: int) -> None:
    rng, some = np.random.default_rng(1), 0
    for _ in range(queues):
        case = drawn(rng)
        found = by_simulation(*case)
        assert asyncio.run(by_server(*case)) == found, case
        some += 0 < len(found) < len(case[1])
    assert some > queues / 4

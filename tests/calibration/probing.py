"""Probes of the loopback server, virtual or behind a socket."""

import asyncio
from contextlib import contextmanager

import numpy as np
from calibration.loopback import SocketServer, VirtualClock, virtual_transport

from teltheory.server.client import Completions
from teltheory.server.grid import ProbePlan
from teltheory.server.probe import Prompts, probe
from teltheory.server.record import ProbeRecord

ADDRESS = "http://virtual:8000"


def run_probe(server, plan, path, seed=0):
    """Measure what is missing, and return all measurements of the file."""

    async def session():
        async with server:
            await probe(server, record, Prompts(np.random.default_rng(seed)), lambda line: None)

    with ProbeRecord(path, plan) as record:
        asyncio.run(session())
        return record.measured


def virtual(engine, **options):
    """A client of an engine on a virtual clock."""
    clock = VirtualClock()
    return Completions(ADDRESS, "tiny", transport=virtual_transport(engine, clock), clock=clock, **options)


@contextmanager
def serving(engine, front):
    """Address of an engine, and what makes clients of it, behind a socket or virtual."""
    if front == "virtual":
        yield ADDRESS, lambda **options: virtual(engine, **options)
        return
    with SocketServer(engine) as server:
        yield server.url, lambda **options: Completions(server.url, "tiny", **options)


def small_plan(url=ADDRESS, **changes):
    given = {"lengths": (64, 128), "shares": (0, 0.5), "repeats": 3, **changes}
    return ProbePlan(url, "tiny", **given)

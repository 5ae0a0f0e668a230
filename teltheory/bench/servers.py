"""What is timed of the RAG server: requests served in time, with every part on, and from a long queue.

A seeded workload: two to five documents per request, asked for by Zipf's law, searched in eight stages; for half
of the requests the first stage has another last document. Requests come as a Poisson process, or all at once. A
*block request* is a document that a stage of a search sends.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib.util import find_spec

import numpy as np

import teltheory as tt
from teltheory.bench.timing import TimedJob
from teltheory.bench.workload import SEED
from teltheory.model.numbers import IntArray
from teltheory.systems.rag.popularity import poisson_arrivals, zipf_draws
from teltheory.systems.rag.server import Server, serve
from teltheory.systems.rag.workload import Workload

ALL, PLAIN, AT_ONCE = "every part on", "first in, first out", "every part on, all at once"
RATIOS = [(ALL, PLAIN), (AT_ONCE, ALL)]
REQUESTS, FEW_REQUESTS = 5_000, 300
DOCUMENTS, STAGES, MOST = 20_000, 8, 5
BESIDE = np.array([0, 17, 43, 101, 211])
TIERS = tt.Tiers((200_000, 20_000_000), (0, Fraction(26, 100)), "swap-out-once")
SERVER = Server(TIERS, tt.policies.LFU(), window=32, speculation="always")
LOAD = 18.5e-6


def installed() -> bool:
    """Return whether SimPy is there."""
    return find_spec("simpy") is not None


def drawn(requests: int) -> Workload:
    """Return the workload: four requests a second."""
    rng = np.random.default_rng(SEED)
    first, size = zipf_draws(DOCUMENTS, 0.8, requests, rng), rng.integers(2, MOST + 1, requests)
    answer = (first[:, np.newaxis] + BESIDE) % DOCUMENTS
    answer[np.arange(MOST) >= size[:, np.newaxis]] = -1
    found = np.repeat(answer[:, np.newaxis], STAGES, axis=1)
    early = rng.random(requests) < 0.5
    found[early, 0, size[early] - 1] = (first[early] + 307) % DOCUMENTS
    length, asked = rng.integers(200, 1_500, DOCUMENTS), rng.integers(10, 60, requests)
    arrival = poisson_arrivals(4.0, requests, rng)
    return Workload.of(length, found, np.full(STAGES, 0.025), asked, arrival, system=100)


def jobs(asked: Workload) -> list[TimedJob]:
    """Return a job for every part on, for none, and for a queue of all requests."""
    plain = replace(SERVER, window=0, speculation=None)
    at_once = replace(asked, arrival=np.zeros(len(asked)))
    cases = {ALL: (asked, SERVER), PLAIN: (asked, plain), AT_ONCE: (at_once, SERVER)}
    return [TimedJob(name, partial(_served, *case)) for name, case in cases.items()]


def _served(asked: Workload, server: Server, _: object) -> object:
    return serve(asked, server, tt.A100_LLAMA2_7B_ATTENTION, LOAD)


def documents(asked: Workload) -> IntArray:
    """Return the documents that the stages of each request send."""
    return np.asarray((asked.found >= 0).sum(axis=(1, 2)), np.int64)

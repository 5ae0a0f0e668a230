"""RAGCache beside what it is measured against, and without each of its parts.

1. `none`: nothing is cached from one request to the next, as in the paper's vLLM.
2. `gpu-lru`: a prefix tree in the GPU alone, LRU, first in first out, as in SGLang.
3. `ragcache`: PGDSF, two tiers, swap out only once, reordering and speculative pipelining.
4. `without ...`: the same with one part switched off, which the paper does not measure: LRU in the place of PGDSF,
   no host tier, no reordering, no speculation, exclusive tiers in the place of swap-out-once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from teltheory.model.numbers import LARGEST, real_number
from teltheory.model.tiers import Tiers
from teltheory.policies.online import LRU
from teltheory.systems.rag.served import RagServed
from teltheory.systems.rag.server import Server
from teltheory.systems.rag.workload import Workload

NONE, GPU_LRU, RAGCACHE, WITHOUT = "none", "gpu-lru", "ragcache", "without "
QUANTILES = (0.5, 0.95, 0.99)
FARTHEST = 40
"""Doublings and halvings of a rate that are tried at most."""


def ablation(full: Server) -> dict[str, Server]:
    """Return the systems by name, made of RAGCache with all its parts.

    Parameters
    ----------
    full : Server
        RAGCache; what it has not, such as a host tier, is not switched off a second time.
    """
    gpu = Tiers(full.tiers.capacities[:1], full.tiers.loads[:1])
    first = full.policy[0] if isinstance(full.policy, tuple) else full.policy
    plain = replace(full, tiers=gpu, policy=LRU(), window=0, patience=None, speculation=None)
    parts = {
        "PGDSF": replace(full, policy=LRU()),
        "host": replace(full, tiers=gpu, policy=first),
        "reordering": replace(full, window=0, patience=None),
        "speculation": replace(full, speculation=None),
        "swap-once": replace(full, tiers=replace(full.tiers, mode="exclusive")),
    }
    off = {f"{WITHOUT}{part}": server for part, server in parts.items() if server != full}
    return {NONE: replace(plain, reuse=False), GPU_LRU: plain, RAGCACHE: full, **off}


@dataclass(frozen=True)
class Worth:
    """What a system did with a workload.

    Attributes
    ----------
    mean, p50, p95, p99 : float
        TTFT in seconds; infinite if requests were given up.
    throughput : float
        First tokens a second, from the first arrival to the last first token.
    documents, host_documents, tokens : float
        Share of the documents that were found in a tier, in the host, and share of all input tokens.
    copied, saved, loaded : int
        Tokens copied out to the host; that left the GPU without a copy, as the host had one; that were loaded.
    wasted : float
        Share of the GPU's seconds that went to speculation that was not used.
    """

    mean: float
    p50: float
    p95: float
    p99: float
    throughput: float
    documents: float
    host_documents: float
    tokens: float
    copied: int
    saved: int
    loaded: int
    wasted: float


def worth(served: RagServed) -> Worth:
    """Return what a system did, in a few numbers."""
    ttft, totals = served.ttft, served.totals
    asked, found = int((served.workload.found[:, -1] >= 0).sum()), served.documents.sum(axis=1)
    mean = float(ttft.mean()) if len(ttft) else 0.0
    p50, p95, p99 = np.quantile(ttft, QUANTILES, method="inverted_cdf") if len(ttft) else np.zeros(3)
    told = served.first_token[np.isfinite(served.first_token)]
    span = float(told.max() - served.arrival[0]) if len(told) else 0.0
    return Worth(
        mean=mean,
        p50=float(p50),
        p95=float(p95),
        p99=float(p99),
        throughput=len(told) / span if span else 0.0,
        documents=float(found.sum()) / max(asked, 1),
        host_documents=float(found[1:].sum()) / max(asked, 1),
        tokens=float(served.outcome.hit_rate),
        copied=totals.copied,
        saved=totals.freed,
        loaded=totals.loaded,
        wasted=totals.wasted_seconds / totals.busy if totals.busy else 0.0,
    )


def highest_rate(run: Callable[[float], RagServed], rate: float, most: float, tolerance: float = 0.01) -> float:
    """Return the highest rate at which the mean TTFT is at most `most` seconds.

    Doubling or halving finds two rates with the answer between them, bisection the rest; both take the mean TTFT
    to grow with the rate.

    Parameters
    ----------
    run : callable
        Serves the same requests at a rate, such as by `at_rate`.
    rate : float
        Where to begin, requests a second.
    most : float
        Seconds, such as a few times the mean TTFT at a rate so low that nobody waits.
    tolerance : float
        How far apart the two rates are at the end, as a share of the lower.

    Returns
    -------
    float
        0 if not even `rate` / 2^40 keeps it, infinity if `rate` 2^40 or the largest below 1e9 does.
    """

    def keeps(at: float) -> bool:
        return float(run(at).ttft.mean()) <= most

    factor = 2.0 if keeps(rate) else 0.5
    tried = (at for i in range(1, FARTHEST + 1) if (at := rate * factor**i) <= LARGEST)
    turned = next((at for at in tried if keeps(at) == (factor < 1)), None)
    if turned is None:
        return inf if factor > 1 else 0.0
    low, high = sorted((turned, turned / factor))
    while high - low > tolerance * low:
        middle = (low + high) / 2
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return low


def at_rate(workload: Workload, rate: float) -> Workload:
    """Return the requests with their arrivals stretched so that they come at another rate, on average."""
    real_number("rate", rate, 0)
    span = float(workload.arrival[-1] - workload.arrival[0]) if len(workload) > 1 else 0.0
    if not span:
        return workload
    stretch = (len(workload) - 1) / span / rate
    arrival = np.asarray((workload.arrival - workload.arrival[0]) * stretch)
    return workload.arriving(arrival)

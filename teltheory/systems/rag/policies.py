"""Policies of eviction on the documents of a RAG server, one request at a time, and the two sides of hindsight.

1. Each policy is replayed in tiers of whole documents; every request ends before the next one begins.
2. What no cache can beat: one pool as large as all tiers together, from which loading is free, in which a document
   may be cut anywhere and may outlive what stands before it; the greedy is optimal there and proves it. Its TEL is
   at most that of any cache of these tiers, and so is what it computes.
3. What some cache with a knowledge of the future reaches: the best of Belady and Tail-Optimized Belady replayed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from teltheory.cost.latency import Latency
from teltheory.cost.metrics import tail_excess_latency
from teltheory.cost.profile import PrefillProfile
from teltheory.model.numbers import IntArray, Ratio, exact_sum
from teltheory.model.tiers import TieredOutcome, Tiers
from teltheory.optimal import hindsight_optimum
from teltheory.policies import (
    GDSF,
    LFU,
    LRU,
    TLRU,
    Belady,
    LeastRecentlyUsed,
    Node,
    Policy,
    RetrievalPGDSF,
    TailOptimizedBelady,
    on_arrays,
)
from teltheory.policies.spec import default_estimate
from teltheory.replay import replay
from teltheory.replay.tiers.nodes import WholeNodes
from teltheory.systems.rag.served import documents_within
from teltheory.systems.rag.workload import Workload

READINGS: Mapping[str, Mapping[str, Any]] = {
    "pgdsf": {},
    "pgdsf, NewSize of the document": {"new_size": "document"},
    "pgdsf, without the question": {"question": False},
    "pgdsf, frequency of the document": {"frequency": "document"},
    "pgdsf, last 100 requests": {"window": 100, "window_in": "requests"},
    "pgdsf, forgets": {"remembers": False},
    "pgdsf, clock at the end": {"clock_at": "end"},
    "pgdsf, clock as printed": {"clock": "as-printed"},
}
"""RAGCache's policy in its readings; all but the first differ from it in one choice."""


@dataclass(frozen=True)
class RememberingLFU(LeastRecentlyUsed):
    """LFU that counts all requests through a node, before it was evicted too."""

    @on_arrays
    def eviction_key(self, node: Node) -> int:
        """Order by requests ever."""
        return node.hits


class FlatBelady(TailOptimizedBelady):
    """Tail-Optimized Belady that takes a document for worth as much in the host as in the GPU."""

    budgets = "flat"


class PerToken:
    """Every token costs the same: T(alpha, beta) = beta."""

    def prefill(self, cached: int, uncached: int) -> float:
        """Return the uncached tokens."""
        return float(uncached)


@dataclass(frozen=True)
class PolicyRow:
    """What a policy comes to.

    Attributes
    ----------
    policy : str
        Its name.
    documents, tokens : Fraction
        Hit rates: share of the documents that requests ask for which were found in some tier, and share of all
        tokens, those of the system prompt and of questions included.
    seconds : float
        Computing what was not found takes, all requests together; without the time of loading.
    tel : Fraction
        Tail excess latency in tokens, a token loaded from tier i counting as rho_i of one.
    loaded, copied : int
        Tokens moved from the host to the GPU, and from the GPU to the host.
    """

    policy: str
    documents: Fraction
    tokens: Fraction
    seconds: float
    tel: Fraction
    loaded: int
    copied: int


@dataclass(frozen=True)
class Sides:
    """Between what the best TEL of the tiers lies, and between what their most reused tokens.

    Attributes
    ----------
    tel : tuple of (int, Fraction)
        The least TEL of one pool with free loads, proved; the best of the clairvoyant policies.
    tokens : tuple of (Fraction, Fraction)
        The largest hit rate by tokens that they reach: of the clairvoyant policies, of the pool.
    """

    tel: tuple[int, Fraction]
    tokens: tuple[Fraction, Fraction]


def question_estimate(workload: Workload) -> int:
    """Return the mean question, rounded up: T-LRU's estimate of what a request adds to the documents before it.

    On a forest the estimate is usually what no earlier request made available. Here a list of documents does not
    grow from request to request: a path that comes back has all its documents already, and the mark of a node
    counts those below it. What a cache never holds is the question.
    """
    return -(-exact_sum(workload.question) // max(len(workload), 1))


def online_policies(workload: Workload, xi: int, profile: PrefillProfile) -> dict[str, Policy]:
    """Return LRU, LFU, GDSF, PGDSF in its readings and T-LRU by name.

    T-LRU's budgets are flat, as whole documents keep more than their budget anyway; or scaled, as in other tiers.
    LFU and GDSF forget what is evicted, PGDSF does not. So that what remembering is worth and what costs are worth
    can be told apart, there is an LFU that remembers, and a GDSF: PGDSF if all tokens cost the same.
    """
    learnt = partial(RetrievalPGDSF, profile, documents=workload.document)
    estimates = {"": question_estimate(workload), ", new tokens": default_estimate(workload.forest)}
    return {
        "lru": LRU(),
        "lfu": LFU(),
        "lfu, remembers": RememberingLFU(),
        "gdsf": GDSF(),
        "gdsf, remembers": RetrievalPGDSF(PerToken()),
        **{name: learnt(**reading) for name, reading in READINGS.items()},
        **{f"t-lru{name}": TLRU(xi, q_hat, "least-recent", budget="flat") for name, q_hat in estimates.items()},
        "t-lru, scaled": TLRU(xi, estimates[""], "least-recent"),
    }


def clairvoyant_policies(xi: int) -> dict[str, Policy]:
    """Return Belady and Tail-Optimized Belady by name."""
    return {"belady": Belady(), "tail-optimized-belady": FlatBelady(xi)}


def policy_rows(
    workload: Workload,
    tiers: Tiers,
    xi: int,
    latency: Latency,
    policies: Mapping[str, Policy | Sequence[Policy]] | None = None,
    block: int = 1,
) -> list[PolicyRow]:
    """Replay a workload, one request at a time, under each policy; caching is forced.

    Parameters
    ----------
    workload : Workload
        Requests to a RAG server.
    tiers : Tiers
        GPU and host, or the GPU alone.
    xi : int
        Threshold in tokens, the question included.
    latency : Latency
        Says how long computing takes.
    policies : mapping of str to policy, optional
        A policy, or one for each tier; left out, those of `online_policies` and `clairvoyant_policies`.
    block : int
        See `WholeNodes`.

    Raises
    ------
    ForcedCachingError
        If the documents of a request do not fit into the first tier.
    """
    if policies is None:
        most = max(int(workload.forest.total.max()), 1)
        profile = PrefillProfile.of_latency(latency, most, most)
        policies = {**online_policies(workload, xi, profile), **clairvoyant_policies(xi)}
    return [_row(name, workload, tiers, xi, latency, policy, block) for name, policy in policies.items()]


def policy_sides(workload: Workload, tiers: Tiers, xi: int, rows: Sequence[PolicyRow]) -> Sides:
    """Return between what the optimum of the tiers lies.

    Parameters
    ----------
    workload, tiers, xi : Workload, Tiers, int
        As of `policy_rows`.
    rows : sequence of PolicyRow
        Of `policy_rows`: any cache's row is an upper side.
    """
    pool = partial(hindsight_optimum, workload.forest, sum(tiers.capacities), cache="holes", forced=True)
    most: Fraction = pool(0).outcome.hit_rate
    return Sides((pool(xi).objective, min(row.tel for row in rows)), (max(row.tokens for row in rows), most))


def _row(
    name: str, workload: Workload, tiers: Tiers, xi: int, latency: Latency, policy: Any, block: int
) -> PolicyRow:
    outcome: TieredOutcome = replay(workload.forest, policy, tiers, forced=True, cache=WholeNodes(block))
    found = outcome.cached.sum(axis=0)
    seconds = float(latency.ttft(outcome.total - found, found).sum())
    loaded, copied = sum(outcome.moved.loaded), sum(outcome.moved.copied)
    tel = Ratio(tail_excess_latency(outcome, xi))
    return PolicyRow(name, hit_documents(workload, found), outcome.hit_rate, seconds, tel, loaded, copied)


def hit_documents(workload: Workload, found: IntArray) -> Fraction:
    """Return the share of all documents asked for that lie in the leading `found` tokens of each path."""
    within = documents_within(workload, found)
    return Ratio(exact_sum(within), max(int((workload.found[:, -1] >= 0).sum()), 1))

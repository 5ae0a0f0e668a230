"""What `teltheory rag serve` prints: what was asked and assumed, and a table of the systems for each rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import inf
from typing import Any, TypeAlias

import numpy as np
from rich.table import Table

from teltheory.cli.printed.tables import plain_table
from teltheory.cost.kv_cache import KVSize
from teltheory.cost.latency import Latency
from teltheory.model.display import counted, percent
from teltheory.systems.rag.corpus import Corpus, Queries
from teltheory.systems.rag.policies import PolicyRow, Sides
from teltheory.systems.rag.popularity import top_share
from teltheory.systems.rag.requests import settled
from teltheory.systems.rag.stage_times import StageTimes
from teltheory.systems.rag.systems import RAGCACHE, WITHOUT
from teltheory.systems.rag.workload import Workload

Policies: TypeAlias = tuple[list[PolicyRow], Sides]
COLUMNS = ("system", "mean s", "P50 s", "P95 s", "P99 s", "/s", "docs", "host", "tokens", "out", "in", "wasted")
POLICY_COLUMNS = ("policy", "docs", "tokens", "prefill s", "out", "in", "TEL")
LEGEND = (
    "/s: first tokens a second. docs, host: documents found in the cache, and those of them in the host. tokens: "
    "share of the input that was reused. out, in: {moved} copied to the host and loaded from it. wasted: share of "
    "the GPU's time that went to speculation that was not used."
)
MODELLED = (
    "Measured here: what retrieval finds and the stages of its search. Modelled: prefill times ({latency}), "
    "loading, the queue. Not modelled: decoding."
)


def about(
    corpus: Corpus, queries: Queries, drawn: Workload, times: StageTimes, latency: Latency, law: str
) -> list[str]:
    """Return what was asked of what, by which law, what was measured and what is modelled."""
    answers, stages = drawn.found[:, -1], settled(drawn.found)
    documents = len(np.unique(answers[answers >= 0]))
    early = ", ".join(f"{np.mean(stages <= stage):.0%} by {stage}" for stage in range(1, len(times.seconds) + 1))
    top, retrieved = (percent(top_share(answers, len(corpus), among=a)) for a in ("corpus", "retrieved"))
    total = float(drawn.forest.total.mean())
    return [
        f"Corpus: {corpus.note}. Questions: {queries.note}.",
        f"{counted(len(drawn), 'request')} for {counted(documents, 'document')}, {law}; {total:,.0f} tokens each.",
        f"The top 3 % of all documents have {top} of the retrievals; of those that are retrieved, {retrieved}.",
        f"Search: {times.index}, {sum(times.seconds) * 1e3:.3g} ms in {counted(len(times.seconds), 'stage')} "
        f"({guessed(times)}). The answer stands after stage: {early}.",
        MODELLED.format(latency=latency.name),
    ]


def compared(rows: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the systems that a figure has beside each other: RAGCache and others, RAGCache and its parts."""
    systems = list(dict.fromkeys(row["system"] for row in rows))
    parts = [name for name in systems if name.startswith(WITHOUT)]
    return {"systems": [name for name in systems if name not in parts], "parts": [RAGCACHE, *parts]}


def guessed(times: StageTimes) -> str:
    """Return where stage times come from."""
    factor = "" if times.factor == 1 else f", times {times.factor:g}: a guess"
    return f"measured on {times.machine}{factor}"


def tables(rows: Sequence[dict[str, Any]], size: KVSize | None) -> Iterator[str | Table]:
    """Yield what the columns are, and a table for each rate."""
    yield LEGEND.format(moved="tokens" if size is None else "GB")
    limits = any(row["highest_rate"] is not None for row in rows)
    if limits:
        yield "highest: the rate up to which the mean TTFT is at most K times that of `none` without load."
    slow = any(row["slow"] is not None for row in rows)
    if slow:
        yield "slow: share of the requests with a TTFT above the SLO."
    columns = (*COLUMNS, *(["slow"] if slow else []), *(["highest"] if limits else []))
    for rate in dict.fromkeys(row["rate"] for row in rows):
        lines = (_line(row, size, limits) for row in rows if row["rate"] == rate)
        yield plain_table(f"Rate: {rate:g} a second", columns, lines, ("system",))


def policy_table(policies: Policies, xi: int, size: KVSize | None) -> Iterator[str | Table]:
    """Yield the policies of eviction beside each other, and the sides of hindsight."""
    rows, ((least, found), (reached, most)) = policies[0], (policies[1].tel, policies[1].tokens)
    title = f"What is evicted: the same requests one at a time, in both tiers; threshold {xi:,} tokens"
    yield plain_table(title, POLICY_COLUMNS, (_policy_line(row, size) for row in rows), ("policy",))
    yield (
        f"Hindsight: the least TEL of these tiers is from {least:,} to {float(found):,.0f}, and from "
        f"{percent(reached)} to {percent(most)} of the tokens can be reused. One side is the best row above; the "
        "other is one pool as large as both tiers, from which loading is free, by a proof."
    )


def policies_as_data(policies: Policies, xi: int) -> dict[str, Any]:
    """Return the same as plain data."""
    rows, sides = policies
    hindsight = {"tel": [float(tel) for tel in sides.tel], "tokens": [float(share) for share in sides.tokens]}
    return {"xi": xi, "policies": [_policy_as_data(row) for row in rows], "hindsight": hindsight}


def rows_as_data(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows as JSON has them: null for what is infinite, such as a rate without a bound."""
    return [{name: None if value == inf else value for name, value in row.items()} for row in rows]


def _policy_line(row: PolicyRow, size: KVSize | None) -> list[str]:
    moved = [_moved(row.copied, size), _moved(row.loaded, size)]
    hits = [percent(row.documents), percent(row.tokens)]
    return [row.policy, *hits, f"{row.seconds:,.1f}", *moved, f"{float(row.tel):,.0f}"]


def _policy_as_data(row: PolicyRow) -> dict[str, Any]:
    return {**asdict(row), "documents": float(row.documents), "tokens": float(row.tokens), "tel": float(row.tel)}


def _line(row: dict[str, Any], size: KVSize | None, limits: bool) -> list[str]:
    times = [f"{row[name]:.3f}" for name in ("mean", "p50", "p95", "p99")]
    times.append(f"{row['throughput']:.3g}")
    hits = [percent(row[name]) for name in ("documents", "host_documents", "tokens")]
    moved = [_moved(row[name], size) for name in ("copied", "loaded")]
    more = [] if row["slow"] is None else [percent(row["slow"])]
    more += [f"{row['highest_rate']:.3g}"] if limits else []
    return [row["system"], *times, *hits, *moved, percent(row["wasted"]), *more]


def _moved(tokens: int, size: KVSize | None) -> str:
    return f"{tokens:,}" if size is None else f"{size.bytes(tokens) / 1e9:,.1f}"

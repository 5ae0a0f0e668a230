"""What RAGCache gains over a server without reuse and over a tree in the GPU alone, by skew, rate and host.

    python -m experiments.rag_gains TABLE.csv

1. Synthetic documents of 1,000 tokens on average (lognormal), two a request, found by IVF in four stages of
   `STAGE` seconds. Documents are asked about by a Zipf law. Prefill is `A100_LLAMA2_7B_PREFILL`, the link PCIe 4.
2. The GPU holds 40,000 tokens, the host a multiple of that. RAGCache has all its parts, with the window and the
   speculation that `teltheory rag serve` takes if nothing is said.
3. A load is a share of the rate at which the server without reuse would compute all the time. The throughput is
   the highest rate with a mean TTFT of at most `WITHIN` times that of the server without reuse if nobody waits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import teltheory as tt
from teltheory.base.whole_files import check_place
from teltheory.cost.catalogue import ARCHITECTURES
from teltheory.cost.links import load_seconds, marginal_seconds
from teltheory.paper import tidy
from teltheory.paper.rows import ServedDocuments
from teltheory.paper.script import markdown, run
from teltheory.policies import RetrievalPGDSF
from teltheory.systems.rag.indexes import IVF, build
from teltheory.systems.rag.requests import draw_workload
from teltheory.systems.rag.served import RagServed
from teltheory.systems.rag.server import Server, serve
from teltheory.systems.rag.synthetic import synthetic_corpus
from teltheory.systems.rag.systems import GPU_LRU, NONE, RAGCACHE, ablation, at_rate, highest_rate, worth
from teltheory.systems.rag.workload import Workload
from teltheory.workloads.laws import LogNormal

DOCUMENTS, QUESTIONS, REQUESTS, K, SEED = 1000, 4000, 1000, 2, 24
GPU, HOSTS, SKEWS, LOADS = 40_000, (1, 4, 16), (0.6, 0.9, 1.2), (0.2, 0.5, 0.8, 0.95)
INDEX, STAGE = IVF(lists=32, probe=16, stages=4), 0.005
WINDOW, SPECULATION, WITHIN, IDLE = 32, "idle", 4, 1e-6
LATENCY = tt.A100_LLAMA2_7B_PREFILL
LOAD = load_seconds("LINK", "pcie4", ARCHITECTURES["llama-2-7b"].stored(), LATENCY)


def requests(zipf: float, rng: np.random.Generator) -> Workload:
    """Draw the requests of a skew; they come at one a second."""
    corpus, queries = synthetic_corpus(DOCUMENTS, QUESTIONS, rng, lengths=LogNormal(1000, 0.5), asked=32)
    drawn = partial(draw_workload, corpus, build(INDEX, corpus.vectors), queries, k=K, rng=rng, by="documents")
    return drawn(seconds=[STAGE] * INDEX.stages, rate=1.0, zipf=zipf, requests=REQUESTS)


def ragcache(work: Workload, host: int) -> Server:
    """Return RAGCache with a host of so many GPUs."""
    policy = RetrievalPGDSF(tt.PrefillProfile.of_latency(LATENCY, work.longest, work.longest))
    tiers = tt.Tiers((GPU, GPU * host), (0, LOAD / marginal_seconds(LATENCY)), "swap-out-once")
    return Server(tiers, policy, window=WINDOW, speculation=SPECULATION)


@dataclass(frozen=True)
class Run:
    """A system with the requests of a skew."""

    work: Workload
    server: Server

    def at(self, rate: float) -> RagServed:
        """Serve the requests at a rate."""
        return serve(at_rate(self.work, rate), self.server, LATENCY, float(LOAD))


def rows_of(zipf: float) -> Iterator[ServedDocuments]:
    """Yield the rows of a skew: every host, load and system."""
    work = requests(zipf, np.random.default_rng(SEED))
    full = 1 / float(LATENCY.ttft(work.forest.total).mean())
    systems = {host: ablation(ragcache(work, host)) for host in HOSTS}
    plain = {name: Run(work, systems[HOSTS[0]][name]) for name in (NONE, GPU_LRU)}
    most = WITHIN * float(plain[NONE].at(IDLE).ttft.mean())
    shared = {name: list(_rows(run, full, most)) for name, run in plain.items()}
    for host in HOSTS:
        own = {RAGCACHE: list(_rows(Run(work, systems[host][RAGCACHE]), full, most))}
        for name, measured in {**shared, **own}.items():
            for load, *numbers in measured:
                yield ServedDocuments(zipf, host, load, name, *numbers)


def _rows(run: Run, full: float, most: float) -> Iterator[tuple[float, ...]]:
    """Yield, per load, rate, mean and P95 of TTFT, hit rate by tokens, and the highest rate."""
    highest = highest_rate(run.at, full, most, 0.02)
    for load in LOADS:
        found = worth(run.at(load * full))
        yield load, load * full, found.mean, found.p95, found.tokens, highest


def lines(rows: Sequence[ServedDocuments]) -> Iterator[str]:
    """Yield the table to read: how many times RAGCache's TTFT the others have, and its throughput over theirs."""
    columns = ("zipf", "host", *(f"{of} at {load:g}" for load in LOADS for of in ("mean", "P95")), "throughput")
    for other in (NONE, GPU_LRU):
        cells = []
        for place, some in tidy.grouped(rows, ("zipf", "host")).items():
            ours, theirs = (sorted(_of(some, name), key=lambda row: row.load) for name in (RAGCACHE, other))
            pairs = list(zip(ours, theirs, strict=True))
            ratios = [ratio for a, b in pairs for ratio in (b.mean / a.mean, b.p95 / a.p95)]
            ratios.append(ours[0].highest / theirs[0].highest)
            cells.append([*place, *(f"{ratio:.2f}" for ratio in ratios)])
        yield f"\nTTFT of {other} over RAGCache's, by load; RAGCache's throughput over that of {other}\n"
        yield from markdown(columns, cells, "r" * len(columns))
    yield "\nHit rate by tokens, and highest rate (requests a second)\n"
    yield from markdown(("zipf", "host", "system", "hit", "highest"), _plain(rows), "rrlrr")


def _of(rows: Sequence[ServedDocuments], system: str) -> list[ServedDocuments]:
    return [row for row in rows if row.system == system]


def _plain(rows: Sequence[ServedDocuments]) -> Iterator[list[object]]:
    for (zipf, host, system), some in tidy.grouped(rows, ("zipf", "host", "system")).items():
        if system == RAGCACHE or host == HOSTS[0]:
            where = host if system == RAGCACHE else ""
            yield [zipf, where, system, f"{some[0].hit:.1%}", f"{some[0].highest:.2f}"]


def write(table: str) -> Iterator[str]:
    """Write the table and yield what it says."""
    path = Path(table)
    check_place(path, "to write")
    rows = [row for zipf in SKEWS for row in rows_of(zipf)]
    tidy.write_rows(rows, path, ServedDocuments)
    yield from lines(rows)


if __name__ == "__main__":
    run(write, __doc__)

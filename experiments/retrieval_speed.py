"""How long the indexes take to be built and searched, on synthetic documents.

    python -m experiments.retrieval_speed DOCUMENTS

One thread. Seconds and searches are of the machine; sizes, recall and what is drawn are not.
"""

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from teltheory.base.extras import needed
from teltheory.errors import ArgumentError
from teltheory.paper.script import markdown, run
from teltheory.systems.rag.hnsw import HNSW
from teltheory.systems.rag.indexes import IVF, FlatL2, Index, build
from teltheory.systems.rag.stage_times import measured
from teltheory.systems.rag.synthetic import synthetic_corpus
from teltheory.systems.rag.vectors import VectorArray

INDEXES: tuple[Index, ...] = (FlatL2(), IVF(1024, 64, 8), HNSW(width=64, stages=8))
QUERIES, K, REPEATS, DIMENSIONS = 1000, 5, 3, 64


def rows(vectors: VectorArray, queries: VectorArray) -> Iterator[list[str]]:
    """Yield, per index, seconds to build it, its size, searches a second, recall and microseconds a stage."""
    truth, _ = build(FlatL2(), vectors).search(queries, K)
    for index in INDEXES:
        start = perf_counter()
        built = build(index, vectors)
        took = perf_counter() - start
        times = measured(built, queries, K, REPEATS)
        found, _ = built.search(queries, K)
        recall = (found[:, :, np.newaxis] == truth[:, np.newaxis]).any(axis=2).mean()
        size = needed("faiss", "rag").serialize_index(built.searcher.faiss_index).nbytes / 2**20
        stages = ", ".join(f"{1e6 * seconds:.0f}" for seconds in times.seconds)
        rate = 1 / sum(times.seconds)
        yield [index.name, f"{took:.1f}", f"{size:,.0f}", f"{rate:,.0f}", f"{recall:.3f}", stages]


def lines(documents: str) -> Iterator[str]:
    """Yield the table."""
    if not documents.isdecimal():
        raise ArgumentError("DOCUMENTS", documents, "a whole number")
    start = perf_counter()
    corpus, queries = synthetic_corpus(int(documents), QUERIES, np.random.default_rng(0), dimensions=DIMENSIONS)
    yield f"{corpus.note}; drawn in {perf_counter() - start:.1f} s"
    yield f"{measured(build(FlatL2(), corpus.vectors), queries.vectors[:1], K, 1).machine}\n"
    columns = ("index", "build, s", "MiB", "searches a second", f"recall of {K}", "µs of each stage")
    yield from markdown(columns, rows(corpus.vectors, queries.vectors), "lrrrrl")


if __name__ == "__main__":
    run(lines, __doc__)

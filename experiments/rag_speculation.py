"""Speculative prefills under load: how long the first token takes, by who may speculate, as one tidy table.

    python -m experiments.rag_speculation SEEDS REQUESTS TABLE.csv

A seeded synthetic corpus (2,000 documents of 1,000 tokens on average, lognormal), two documents an answer,
questions asked for by Zipf's law with exponent 1, searched by IVF (64 lists, 32 probed, 8 stages). In one corpus
topics lie apart, so that most answers stand after the first stage; in the other they do not (*stands* is the share
that does). A search takes 0.2 s, its stages equally long: that is set here, not measured. Prefill times are those
of an A100 with Llama-2-7B, loading a token takes 18.5 us; the GPU holds 60,000 tokens, the host 600,000; LRU, swap
out only once, reordering window 32.

*Load* is what the prefills of the same requests, served first in, first out and without speculation, take of the
GPU's time. Each row is compared with its `none`: the same requests at the same times without speculation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import teltheory as tt
from teltheory.base.whole_files import check_place
from teltheory.paper import tidy
from teltheory.paper.script import markdown, run
from teltheory.systems.rag.indexes import IVF, build
from teltheory.systems.rag.requests import draw_workload, settled
from teltheory.systems.rag.server import Server, serve
from teltheory.systems.rag.synthetic import synthetic_corpus
from teltheory.systems.rag.workload import Workload

LATENCY, LOAD = tt.A100_LLAMA2_7B_ATTENTION, 18.5e-6
TIERS = tt.Tiers((60_000, 600_000), (0, Fraction(26, 100)), "swap-out-once")
SERVER = Server(TIERS, tt.LRU(), window=32)
SPREADS = {"apart": (0.5, 2.0), "mixed": (2.0, 1.0)}
LOADS = (0.5, 0.8, 0.95, 1.1)
STAGES, SEARCH, DOCUMENTS, QUESTIONS = 8, 0.2, 2_000, 2_000
NONE = "none"
LATE = "always, not interrupted"
RULES: dict[str, dict[str, Any]] = {
    NONE: {},
    "always": {"speculation": "always"},
    LATE: {"speculation": "always", "interruption": "after the iteration"},
    "queue:2": {"speculation": "queue:2"},
    "idle": {"speculation": "idle"},
    "spare": {"speculation": "spare"},
}
"""Options of the server by name."""


@dataclass(frozen=True)
class Row(tidy.TableRow):
    """One run.

    Attributes
    ----------
    topics : str
        How the corpus's topics lie.
    stands : float
        Share of the searches whose answer stands after the first stage.
    load : float
        Share of the GPU's time, see above.
    rule : str
        Who may speculate.
    seed : int
        Draws corpus, questions and arrivals.
    mean, p95 : float
        Of TTFT, seconds.
    busy, wasted : float
        Share of the time until the last first token that the GPU was busy, and busy for nothing.
    hit_rate : float
        Share of all tokens that was reused.
    """

    AXES: ClassVar = ("topics", "load", "rule", "seed")

    topics: str
    load: float
    rule: str
    seed: int
    stands: float
    mean: float
    p95: float
    busy: float
    wasted: float
    hit_rate: float


def drawn(topics: str, seed: int, requests: int) -> Workload:
    """Return requests, one a second on average."""
    rng, (spread, blur) = np.random.default_rng(seed), SPREADS[topics]
    corpus, queries = synthetic_corpus(DOCUMENTS, QUESTIONS, rng, spread=spread, blur=blur)
    index = build(IVF(stages=STAGES), corpus.vectors)
    even = [SEARCH / STAGES] * STAGES
    return draw_workload(corpus, index, queries, k=2, seconds=even, rate=1.0, zipf=1.0, requests=requests, rng=rng)


def rows_of(topics: str, seed: int, requests: int) -> Iterator[Row]:
    """Yield the rows of one corpus."""
    asked = drawn(topics, seed, requests)
    stands = float((settled(asked.found) == 1).mean())
    prefill = serve(asked, replace(SERVER, window=0), LATENCY, LOAD).totals.busy / requests
    for load in LOADS:
        timed = replace(asked, arrival=asked.arrival * (prefill / load))
        for rule in RULES:
            yield Row(topics, load, rule, seed, stands, *_measured(timed, rule))


def _measured(asked: Workload, rule: str) -> tuple[float, ...]:
    served = serve(asked, replace(SERVER, **RULES[rule]), LATENCY, LOAD)
    end, totals = float(served.first_token.max()), served.totals
    times = float(served.ttft.mean()), float(np.quantile(served.ttft, 0.95))
    return *times, totals.busy / end, totals.wasted_seconds / end, float(served.outcome.hit_rate)


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a Markdown table a corpus: means over seeds, and how TTFT compares with none, seed by seed."""
    columns = (
        "stands",
        "load",
        "speculation",
        "mean, s",
        "P95, s",
        "busy",
        "wasted",
        "mean",
        "worst",
        "P95",
        "worst",
    )
    for topics in SPREADS:
        at = {load: [row for row in rows if (row.topics, row.load) == (topics, load)] for load in LOADS}
        yield from markdown(columns, [_cells(at[load], rule) for load in LOADS for rule in RULES], "rrl" + 8 * "r")
        yield ""


def _cells(rows: Sequence[Row], rule: str) -> list[str]:
    ours, without = ([row for row in rows if row.rule == name] for name in (rule, NONE))
    stands, mean, p95, busy, wasted = (
        np.mean([getattr(row, name) for row in ours]) for name in ("stands", "mean", "p95", "busy", "wasted")
    )
    ratios = [
        [getattr(row, name) / getattr(none, name) for row, none in zip(ours, without, strict=True)]
        for name in ("mean", "p95")
    ]
    compared = [f"{value:.2f}" for ratio in ratios for value in (np.mean(ratio), max(ratio))]
    times, shares = (f"{mean:.3f}", f"{p95:.3f}"), (f"{100 * busy:.1f} %", f"{100 * wasted:.1f} %")
    return [f"{100 * stands:.0f} %", f"{ours[0].load:g}", rule, *times, *shares, *compared]


def verdicts(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a Markdown table of how often each rule was worse than none, over all rows."""
    none = {(row.topics, row.load, row.seed): row for row in rows if row.rule == NONE}
    cells = []
    for rule in list(RULES)[1:]:
        pairs = [(row, none[row.topics, row.load, row.seed]) for row in rows if row.rule == rule]
        mean, p95 = ([getattr(a, name) / getattr(b, name) for a, b in pairs] for name in ("mean", "p95"))
        worse = [str(sum(ratio > 1 for ratio in ratios)) for ratios in (mean, p95)]
        cells.append([rule, str(len(pairs)), *worse, f"{max(mean):.3f}", f"{max(p95):.3f}"])
    columns = ("speculation", "runs", "mean worse", "P95 worse", "largest of means", "largest of P95s")
    yield from markdown(columns, cells, "l" + 5 * "r")


def counted(argument: str, text: str) -> int:
    """Return a whole number, 1 or more, of a command line."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise tt.ArgumentError(argument, text, "a whole number, 1 or more")
    return int(text)


def main(seeds: str, requests: str, target: str) -> Iterator[str]:
    """Serve, yield the table, and write it."""
    check_place(Path(target), "to write")
    corpora, n = counted("SEEDS", seeds), counted("REQUESTS", requests)
    yield (
        f"{corpora} seeds, {n:,} requests each. The last four columns are TTFT as a multiple of none: "
        "its mean and its largest over the seeds."
    )
    yield ""
    cases = product(SPREADS, range(corpora))
    rows = [row for topics, seed in cases for row in rows_of(topics, seed, n)]
    yield from lines(rows)
    yield from verdicts(rows)
    tidy.write_rows(rows, Path(target), Row)


if __name__ == "__main__":
    run(main, __doc__)

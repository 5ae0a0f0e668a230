"""Policies on the documents of a RAG server, one request at a time: one tidy table, and tables to read.

    python -m experiments.rag_policies TABLE.csv

1. Synthetic documents with vectors, `mean` tokens long on average; a question is about one of them, and retrieval
   is exact search: the document and its neighbours, so that lists share documents in different orders.
2. Documents have ranks, and the one of rank r is asked about in proportion to r ** -zipf. Where popularity shifts,
   ranks are drawn anew every `PHASE` requests.
3. The GPU holds 40 mean documents, the host a multiple of that, exclusively; a token takes 0.26 as long to load as
   to compute. The threshold is half of what a request has on average. Prefill is `A100_LLAMA2_7B_PREFILL`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import ClassVar, NamedTuple

import numpy as np

import teltheory as tt
from teltheory.base.whole_files import check_place
from teltheory.model.numbers import IntArray
from teltheory.paper import tidy
from teltheory.paper.script import markdown, run
from teltheory.systems.rag.indexes import FlatL2, build
from teltheory.systems.rag.policies import READINGS, PolicyRow, policy_rows, policy_sides
from teltheory.systems.rag.popularity import asked_for
from teltheory.systems.rag.synthetic import synthetic_corpus
from teltheory.systems.rag.workload import Workload
from teltheory.workloads.laws import LogNormal

DOCUMENTS, QUESTIONS, REQUESTS, PHASE, SEED = 1000, 4000, 1500, 250, 24
QUESTION, LONGEST, GPU, LOAD = 32, 8, 40, Fraction(26, 100)
LATENCY = tt.A100_LLAMA2_7B_PREFILL
LENGTHS = {"equal": 0.0, "lognormal": 0.5, "heavy": 1.5}
"""Standard deviation of the logarithm of documents' lengths; no document is longer than eight times the mean."""
T_LRU = ("t-lru", "t-lru, new tokens", "t-lru, scaled")
SHOWN = ("lfu", "lfu, remembers", "gdsf", "gdsf, remembers", "pgdsf", *T_LRU, "belady")
BOUND = "bound"


class Setting(NamedTuple):
    """What is varied.

    Skew; mean length of documents; how lengths vary; documents per request; host over GPU; popularity.
    """

    zipf: float
    mean: int
    lengths: str
    k: int
    host: int
    popularity: str


SKEWS, POPULARITIES = (0.6, 0.9, 1.2), ("stationary", "shifting")
SHORT, LONG = 1000, 8000
GRID = [
    *(Setting(*one) for one in product(SKEWS, (SHORT,), LENGTHS, (1, 3), (0, 4), POPULARITIES)),
    *(Setting(*one) for one in product(SKEWS, (LONG,), LENGTHS, (3,), (4,), POPULARITIES)),
]


@dataclass(frozen=True)
class Row(tidy.TableRow):
    """What a policy comes to in a setting; see `Setting` and `PolicyRow`. `BOUND` is what no cache passes."""

    AXES: ClassVar = (Setting._fields, "policy")

    zipf: float
    mean: int
    lengths: str
    k: int
    host: int
    popularity: str
    xi: int
    policy: str
    documents: float | None
    tokens: float
    seconds: float | None
    tel: float
    loaded: int | None
    copied: int | None


def asked(setting: Setting, about: IntArray | None, rng: np.random.Generator) -> IntArray:
    """Return the question of each request."""
    phases = REQUESTS // PHASE if setting.popularity == "shifting" else 1
    each = REQUESTS // phases
    drawn = [asked_for(QUESTIONS, about, "documents", setting.zipf, each, rng) for _ in range(phases)]
    return np.concatenate(drawn)


def workload(setting: Setting, rng: np.random.Generator) -> Workload:
    """Draw the requests of a setting."""
    law = LogNormal(setting.mean, LENGTHS[setting.lengths])
    corpus, queries = synthetic_corpus(DOCUMENTS, QUESTIONS, rng, lengths=law, asked=QUESTION)
    which = asked(setting, queries.about, rng)
    found = build(FlatL2(), corpus.vectors).staged(queries.vectors, setting.k).documents[which]
    length = np.minimum(corpus.length, LONGEST * setting.mean)
    return Workload.of(length, found, np.zeros(1), queries.length[which], np.arange(REQUESTS).astype(float))


def rows_of(setting: Setting) -> Iterator[Row]:
    """Yield the rows of a setting: policies, then the bound."""
    work = workload(setting, np.random.default_rng(SEED))
    gpu = GPU * setting.mean
    tiers = tt.Tiers((gpu, gpu * setting.host), (0, LOAD)) if setting.host else tt.Tiers((gpu,))
    xi = int(work.forest.total.sum()) // (2 * len(work))
    found = policy_rows(work, tiers, xi, LATENCY)
    yield from (_row(setting, xi, row) for row in found)
    sides = policy_sides(work, tiers, xi, found)
    yield Row(*setting, xi, BOUND, None, float(sides.tokens[1]), None, float(sides.tel[0]), None, None)


def _row(setting: Setting, xi: int, row: PolicyRow) -> Row:
    rates = float(row.documents), float(row.tokens)
    return Row(*setting, xi, row.policy, *rates, row.seconds, float(row.tel), row.loaded, row.copied)


def change(rows: Sequence[Row], policy: str, other: str, of: Callable[[Row], float]) -> list[float]:
    """Return, setting by setting, how much more a policy has of something than another, as a share."""
    settings = tidy.grouped(rows, Setting._fields).values()
    worth = [{row.policy: of(row) for row in one if row.policy in (policy, other)} for one in settings]
    return [one[policy] / one[other] - 1 for one in worth]


def seconds(row: Row) -> float:
    """Return the seconds that a policy computes."""
    return row.seconds or 0.0


def tel(row: Row) -> float:
    """Return the tail excess latency."""
    return row.tel


def beside_lru(rows: Sequence[Row], names: Sequence[str], of: Callable[[Row], float]) -> Iterator[str]:
    """Yield what policies have more than LRU, a row for each popularity, length, law of lengths and k."""
    columns = "popularity", "mean", "lengths", "k"
    cells = (
        [*place, *(f"{fmean(change(some, name, 'lru', of)):+.1%}" for name in names)]
        for place, some in tidy.grouped(rows, columns).items()
    )
    yield from markdown((*columns, *names), cells, "lrlr" + len(names) * "r")


def moved(rows: Sequence[Row]) -> Iterator[str]:
    """Yield hit rates and what is moved, for each popularity and policy, with a host."""
    columns = "popularity", "policy", "documents", "tokens", "loaded a request", "copied a request"
    cells = []
    hosted = [row for row in rows if row.host and row.mean == SHORT and row.policy != BOUND]
    for (popularity, policy), some in tidy.grouped(hosted, columns[:2]).items():
        rates = (f"{fmean(getattr(row, name) for row in some):.1%}" for name in ("documents", "tokens"))
        each = (f"{fmean(getattr(row, name) for row in some) / REQUESTS:,.0f}" for name in ("loaded", "copied"))
        cells.append([popularity, policy, *rates, *each])
    yield from markdown(columns, cells, "llrrrr")


def against(rows: Sequence[Row], pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield what a policy computes more than another: the mean, the extremes, and how often less."""
    columns = "popularity", "mean length", "policy", "against", "mean", "least", "most", "less in"
    cells = []
    for place, some in tidy.grouped(rows, ("popularity", "mean")).items():
        for policy, other in pairs:
            more = change(some, policy, other, seconds)
            less = f"{sum(one < 0 for one in more)} of {len(more)}"
            shares = (f"{one:+.1%}" for one in (fmean(more), min(more), max(more)))
            cells.append([*place, policy, other, *shares, less])
    yield from markdown(columns, cells, "lrllrrrr")


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the tables to read."""
    yield "Seconds of computing, against LRU\n"
    yield from beside_lru(rows, SHOWN, seconds)
    yield "\nTEL, against LRU\n"
    yield from beside_lru(rows, (*SHOWN, "tail-optimized-belady", BOUND), tel)
    yield "\nSeconds of computing, setting by setting\n"
    pairs = [("pgdsf", "gdsf, remembers"), ("gdsf, remembers", "gdsf"), ("pgdsf", "lfu, remembers")]
    yield from against(rows, pairs + [(name, "pgdsf") for name in READINGS if name != "pgdsf"])
    yield "\nHits and what is moved, documents of 1,000 tokens, host of four GPUs\n"
    yield from moved(rows)


def write(table_file: str) -> Iterator[str]:
    """Write the table and yield what it says."""
    path = Path(table_file)
    check_place(path, "to write")
    rows = [row for setting in GRID for row in rows_of(setting)]
    tidy.write_rows(rows, path, Row)
    yield from lines(rows)


if __name__ == "__main__":
    run(write, __doc__)

"""Parrot's ratios, modelled, beside those of the seed and of the results that its authors released.

    python -m experiments.parrot_ratios

1. Each row is one system over another on one made-up workload (`teltheory.systems.apps.workloads`) and simulated
   engines. Settings are those of the authors' scripts (microsoft/ParrotServe, branch artifact) where these say
   them.
2. One band decides: reproduced is what is within 20 % of the seed's number, or of the released one where the seed
   has none or says "up to" of other settings too. Every row that was written down is printed.
3. Fitted: `experiments.fit_parrot_engine` fits the engine's constants to released seconds of that experiment. All
   other rows have the same constants, so none is free of what was fitted.
4. A6000: it ran on four A6000s. Its first row takes the timings of an A100, its second one divides the GPU's speed
   by the ratio of the memory bandwidths.
5. Released results of the mixed load are those of commit 34b6fae of that branch, `artifact/figure18`; later
   commits do not have them.
6. Each row tells the largest slowdown of an application and Jain's index of the slowdowns, of both systems.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from teltheory.paper.script import markdown, run
from teltheory.systems.apps.simulation.cluster import Cluster, EngineModel
from teltheory.systems.apps.simulation.simulate import simulate
from teltheory.systems.apps.simulation.simulated import Simulated
from teltheory.systems.apps.simulation.systems import (
    LATENCY,
    NO_AFFINITY,
    PAGED,
    PARROT,
    THROUGHPUT,
    UNSHARED,
    System,
)
from teltheory.systems.apps.simulation.timing import LLAMA_7B, LLAMA_7B_A6000, LLAMA_13B, IterationTiming
from teltheory.systems.apps.workloads import (
    ClientApp,
    background,
    bing_like,
    chain_summary,
    chat,
    gpts_like,
    map_reduce,
    multi_agent,
)

SEED, BAND, DRAWS = 27, 0.2, 5
CHUNKS, DOCUMENT = 54, "document"
"""Calls of a chain, maps of a document: the authors' ten documents have 40 to 90, by their released seconds."""
URGENT, AGENTS_URGENT, MEMORY_13B, MEMORY_7B, MEMORY_A6000 = 4_096, 7_096, 64_000, 108_800, 56_000
"""Tokens: latency capacity, that for agents; KV caches of an A100 with 13B, one with 7B, an A6000 with 7B."""
WITHIN, SECONDS, LEAST_CALLS = 0.08, 30, 100
"""Seconds per token up to which a rate of GPTs counts; how long its calls come, and how many there are at least.
The last two are a choice, on which the rates depend much: docs/apps-measured.md has what others give."""
MIXED_GAPS = (0.5, 0.5, 10, 0.5, 0.5, 10, 0.5, 0.5)
FITTED, OTHER_GPU, BY_BANDWIDTH = "fitted", "A6000: A100 timings", "A6000: by bandwidth"


@dataclass(frozen=True)
class Row:
    """One ratio; `most` says that the seed's number is its maximum over several settings, maybe not here."""

    workload: str
    setting: str
    seed: float | None
    released: float | None
    modelled: float
    runs: tuple[Simulated, Simulated] | None
    mark: str = ""
    most: bool = False

    @property
    def verdict(self) -> str:
        """Whether the modelled ratio is within the band of what it is compared with."""
        judge = self.released if self.seed is None or (self.most and self.released is not None) else self.seed
        if judge is None:
            return "-"
        return "reproduced" if abs(self.modelled / judge - 1) <= BAND else "not reproduced"

    @property
    def cells(self) -> list[str]:
        """The cells of a table."""
        seed = "-" if self.seed is None else f"{'<= ' if self.most else ''}{self.seed:g}"
        released = "-" if self.released is None else f"{self.released:.2f}"
        slow, even = ("-", "-")
        if self.runs:
            slow = " / ".join(f"{one.largest_slowdown:.1f}" for one in self.runs)
            even = " / ".join(f"{one.jain:.2f}" for one in self.runs)
        numbers = [seed, released, f"{self.modelled:.2f}"]
        return [self.workload, self.setting, *numbers, self.verdict, self.mark, slow, even]


def rng(more: int = 0) -> np.random.Generator:
    """Return the generator of a workload or of a network."""
    return np.random.default_rng([SEED, more])


def on(engines: Sequence[EngineModel], work: Sequence[ClientApp], *systems: System) -> list[Simulated]:
    """Run a workload under each system, with the same delays of the network."""
    return [simulate(work, Cluster(tuple(engines)), system, rng(1)) for system in systems]


def one_13b(urgent: int = URGENT) -> list[EngineModel]:
    """Return one A100 with LLaMA 13B."""
    return [EngineModel(LLAMA_13B, MEMORY_13B, urgent)]


def beside(draws: Sequence[Sequence[ClientApp]], kind: str) -> tuple[float, tuple[Simulated, Simulated]]:
    """Return the latency baseline's mean latency of one kind over Parrot's, in all draws, and the first runs."""
    runs = [on(one_13b(), work, PARROT, LATENCY) for work in draws]
    parrot, other = (sum(pair[at].mean_latency(kind) for pair in runs) for at in (0, 1))
    return other / parrot, (runs[0][0], runs[0][1])


def batches() -> Iterator[Row]:
    """Compare a step of 16 map calls with one: 8.2 times the throughput is 16 tokens in 1.95 times the time."""
    ratio = 16 * LLAMA_13B.steps(1, 1, 1000) / LLAMA_13B.steps(1, 16, 16_000)
    yield Row("decode step", "16 calls beside 1", 8.2, None, ratio, None)


def chains() -> Iterator[Row]:
    """Yield one chain of summaries, one beside calls of others, and many at once."""
    for output, seed, released in ((25, 1.38, 1.353), (50, 1.2, 1.198)):
        ratio = beside([[chain_summary(DOCUMENT, CHUNKS, output=output)]], "chain")
        yield Row("chain", f"output {output}", seed, released, *ratio, FITTED)
    for rate, released in ((0, 1.32), (1, 1.14), (2, 1.26), (3, 1.73), (3.5, 2.88)):
        document = chain_summary(DOCUMENT, CHUNKS, arrival=3)
        draws = [[*background(rate, 300, rng(draw)), document] for draw in range(DRAWS if rate else 1)]
        yield Row("chain, background", f"{rate} a second", 2.38, released, *beside(draws, "chain"), most=True)
    for many, one, released in ((10, None, 1.38), (15, None, 1.52), (20, None, 1.63), (25, 1.68, 1.68)):
        work = [chain_summary(f"document {i}", 20, chunk=910) for i in range(many)]
        yield Row("chains at once", f"{many}", one, released, *beside([work], "chain"))


def maps() -> Iterator[Row]:
    """Yield summaries by map and reduce."""
    for output, seed, released in ((25, None, 1.66), (50, None, 1.97), (75, None, 2.19), (100, 2.37, 2.30)):
        ratio = beside([[map_reduce(DOCUMENT, CHUNKS, output=output)]], "map-reduce")
        yield Row("map-reduce", f"output {output}", seed, released, *ratio)


def in_batch(ran: Simulated) -> float:
    """Return the mean seconds from when a call begins: the released latencies do not have its wait."""
    return ran.mean_of(lambda one: one.finished - one.started)


def bing() -> Iterator[Row]:
    """Yield calls that share one long prompt."""
    work = bing_like(64, rng())
    unshared, paged = {8: (1.8, 1.76), 16: (2.4, 2.37)}, {8: 1.02, 16: 1.23, 32: 1.38, 64: 1.63}
    ends = {8: 1.1, 64: 1.7}
    for batch, released in paged.items():
        engine = EngineModel(LLAMA_7B, MEMORY_7B, MEMORY_7B, batch)
        parrot, kernel, *none = on([engine], work, PARROT, PAGED, *([UNSHARED] if batch in unshared else []))
        for other in none:
            ratio = in_batch(other) / in_batch(parrot)
            yield Row(
                "Bing-like, nothing shared", f"batch {batch}", *unshared[batch], ratio, (parrot, other), FITTED
            )
        ratio = in_batch(kernel) / in_batch(parrot)
        runs = parrot, kernel
        yield Row("Bing-like, paged", f"batch {batch}", ends.get(batch), released, ratio, runs, FITTED)


def per_token(ran: Simulated, kind: str | None = None) -> float:
    """Return the mean latency of an output token, the network included."""
    pairs = zip(ran.applications, ran.latencies, strict=True)
    return fmean(seconds / app.sizes[0][1] for app, seconds in pairs if kind in (None, app.kind))


def highest(run_at: Callable[[float], Simulated]) -> tuple[float, Simulated]:
    """Return the highest rate that keeps `WITHIN`, to 5 %, and its run: doubling, then halving the ratio."""
    low = high = 0.25
    while per_token(run_at(high)) <= WITHIN:
        low, high = high, 2 * high
    while high / low > 1.05:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if per_token(run_at(middle)) <= WITHIN else (low, middle)
    return low, run_at(low)


def calls_at(rate: float) -> int:
    """Return how many calls a rate is tried with."""
    return max(LEAST_CALLS, round(SECONDS * rate))


def gpts(timing: IterationTiming, mark: str) -> Iterator[Row]:
    """Yield four applications with long prompts on four engines: the rates that keep 80 ms per token."""
    engines = [EngineModel(timing, MEMORY_A6000, URGENT)] * 4

    def rate(system: System) -> tuple[float, Simulated]:
        return highest(lambda at: on(engines, gpts_like(at, calls_at(at), rng()), system)[0])

    (parrot, best), (other, base), (paged, kernel), (apart, loose) = map(
        rate, (PARROT, THROUGHPUT, PAGED, NO_AFFINITY)
    )
    yield Row("GPTs-like rate", "baseline", 12, 10.8, parrot / other, (best, base), mark)
    yield Row("GPTs-like rate", "paged", 2.4, None, parrot / paged, (best, kernel), mark)
    yield Row("GPTs-like rate", "no affinity over baseline", 3, None, apart / other, (loose, base), mark)


def agents() -> Iterator[Row]:
    """Yield agents on 16 files, the most that there are, where the seed's ratios are largest."""
    work = [multi_agent(16, rng())]
    parrot, *others = on(one_13b(AGENTS_URGENT), work, PARROT, LATENCY, THROUGHPUT, UNSHARED, PAGED)
    known = ((11.7, 8.90), (2.45, 2.43), (2.35, None), (1.2, 1.16))
    for other, (seed, released) in zip(others, known, strict=True):
        ratio = other.mean_latency() / parrot.mean_latency()
        yield Row("multi-agent, 16 files", other.system, seed, released, ratio, (parrot, other))


def mixed(timing: IterationTiming, mark: str) -> Iterator[Row]:
    """Yield 40 chat calls, one a second, and nine summaries that come meanwhile, on four engines."""
    engines = [EngineModel(timing, MEMORY_A6000, URGENT)] * 4
    times = np.cumsum((15.0, *MIXED_GAPS)).tolist()
    documents = [map_reduce(f"document {i}", 65, get="throughput", arrival=at) for i, at in enumerate(times)]
    parrot, *others = on(engines, [*chat(40, 1.0, rng()), *documents], PARROT, LATENCY, THROUGHPUT)
    known = ((5.5, 6.34), (1.0, 1.04), (3.7, 3.25)), ((1.23, 1.03), (1.72, 1.78), (1.05, 0.92))
    for other, numbers in zip(others, known, strict=True):
        for (name, measure), (seed, released) in zip(MEASURES.items(), numbers, strict=True):
            ratio = measure(other) / measure(parrot)
            yield Row(f"mixed, {other.system}", name, seed, released, ratio, (parrot, other), mark)


MEASURES: dict[str, Callable[[Simulated], float]] = {
    "chat, latency a token": lambda ran: per_token(ran, "chat"),
    "chat, decoding a token": lambda ran: ran.mean_of(lambda one: one.decoding, "chat"),
    "map-reduce, latency": lambda ran: ran.mean_latency("map-reduce"),
}


def rows() -> Iterator[Row]:
    """Yield all rows."""
    yield from batches()
    yield from chains()
    yield from maps()
    yield from bing()
    yield from agents()
    for part in (gpts, mixed):
        yield from part(LLAMA_7B, OTHER_GPU)
        yield from part(LLAMA_7B_A6000, BY_BANDWIDTH)


def main() -> Iterator[str]:
    """Yield the table, and how many ratios are reproduced."""
    found = list(rows())
    titles = "workload", "setting", "seed", "released", "modelled", "verdict", "mark", "largest slowdown", "Jain"
    yield from markdown(titles, [row.cells for row in found], "llrrrllrr")
    yield ""
    for mark in ("", FITTED, OTHER_GPU, BY_BANDWIDTH):
        own = [row.verdict for row in found if row.mark == mark]
        yield f"{mark or 'not marked'}: {own.count('reproduced')} of {len(own)} reproduced"


if __name__ == "__main__":
    run(main, __doc__)

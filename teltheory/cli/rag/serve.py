"""`teltheory rag serve`: documents that requests share, on a server with RAGCache and without its parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.progress import Progress

from teltheory.cli.asked.options import bundled, gpu_hour_option, served_options, table_options
from teltheory.cli.asked.pictures import Picture, picture_options
from teltheory.cli.asked.question import read_capacity, read_sizes
from teltheory.cli.asked.served import ServedModel as Model
from teltheory.cli.parts import command, option
from teltheory.cli.printed.money import GpuPrice
from teltheory.cli.printed.output import check_targets, progress_bar, report
from teltheory.cli.rag.options import rag_machine, rag_requests, rag_sources
from teltheory.cli.rag.text import Policies, about, compared, policies_as_data, policy_table, rows_as_data, tables
from teltheory.cost.latency import Latency
from teltheory.cost.links import load_seconds, marginal_seconds
from teltheory.cost.profile import PrefillProfile
from teltheory.errors import ArgumentError, ForcedCachingError
from teltheory.model.numbers import real_number
from teltheory.model.tiers import Tiers
from teltheory.model.units import listed_values, read_time, read_tokens
from teltheory.plots.curves import caption_of_rates, draw_rates
from teltheory.policies.retrieval import RetrievalPGDSF
from teltheory.replay.tiers.replicas import Replicas
from teltheory.systems.rag.corpus import Corpus, Queries
from teltheory.systems.rag.faults import GPULoss
from teltheory.systems.rag.hnsw import HNSW
from teltheory.systems.rag.indexes import IVF, Built, FlatL2, Index, build
from teltheory.systems.rag.policies import (
    READINGS,
    clairvoyant_policies,
    online_policies,
    policy_rows,
    policy_sides,
)
from teltheory.systems.rag.requests import draw_workload
from teltheory.systems.rag.served import RagServed
from teltheory.systems.rag.server import Copying, Server, serve
from teltheory.systems.rag.sources import Sources
from teltheory.systems.rag.speculation import Interruption
from teltheory.systems.rag.stage_times import StageTimes, measured, read_stage_times, write_stage_times
from teltheory.systems.rag.systems import NONE, ablation, at_rate, highest_rate, worth
from teltheory.systems.rag.workload import Workload

LATENCY = "a100-llama2-7b-prefill"
PGDSF = next(iter(READINGS))
INDEXES: dict[str, Any] = {"flat": FlatL2, "ivf": IVF, "hnsw": HNSW}
AS_GIVEN = ("block", "window", "batch", "interruption", "searchers", "copying")
"""Options of `Machine` that `Server` takes as they are."""
MEASURED_ON = 256
"""Queries that stage times are measured on."""
IDLE = 1e-6
"""Of the rate: so slow that no request waits for another."""


@dataclass(frozen=True)
class RagRequests:
    """Which requests come, and what finds their documents."""

    rates: str
    requests: int
    zipf: float
    popular: str
    top_k: int
    index: str | None
    stage_times: str | None
    slower: float
    seed: int

    def rates_asked(self) -> list[float]:
        """Return the rates, requests a second."""
        return [_number("--rate", text) for text in listed_values("--rate", [self.rates])]

    @property
    def law(self) -> str:
        """What is assumed of their popularity."""
        return f"popularity of {self.popular} by a Zipf law of {self.zipf:g}, which is assumed"

    def draw(self, corpus: Corpus, queries: Queries, rng: np.random.Generator) -> tuple[Workload, StageTimes]:
        """Return the requests at the first rate, and how long the stages of a search take."""
        index = usual_index(len(corpus)) if self.index is None else read_index(self.index)
        built = build(index, corpus.vectors)
        times = self._times(built, queries)
        drawn = draw_workload(
            corpus,
            built,
            queries,
            k=self.top_k,
            seconds=times.seconds,
            rate=self.rates_asked()[0],
            zipf=self.zipf,
            requests=self.requests,
            rng=rng,
            by=self.popular,
        )
        return drawn, times

    def _times(self, built: Built, queries: Queries) -> StageTimes:
        """Return stage times from their file; if it is not there they are measured and written."""
        if self.stage_times is not None and Path(self.stage_times).exists():
            times = read_stage_times(self.stage_times)
            times.check(built)
        else:
            times = measured(built, queries.vectors[:MEASURED_ON], self.top_k)
            if self.stage_times is not None:
                write_stage_times(times, self.stage_times)
        return times if self.slower == 1 else times.scaled(self.slower)


@dataclass(frozen=True)
class Machine:
    """The server's memory, queue and pipeline."""

    tiers: tuple[str, ...]
    block: int
    window: int
    patience: str | None
    batch: int
    speculation: str
    interruption: Interruption
    searchers: int | None
    copying: Copying
    replicas: int
    losses: tuple[str, ...]

    @property
    def faults(self) -> tuple[GPULoss, ...]:
        """When the GPU is lost."""
        return tuple(
            GPULoss(float(read_time("--lose-gpu", at))) for at in listed_values("--lose-gpu", self.losses)
        )

    def sizes_in_bytes(self, model: Model) -> Iterator[str]:
        """Yield a line for each tier whose size was given in bytes."""
        return read_sizes([tier.partition(":")[0] for tier in self.tiers], model.shape)

    def server(self, model: Model, latency: Latency, longest: int) -> tuple[Server, float]:
        """Return RAGCache with all its parts, and seconds to load a token from the host."""
        if len(self.tiers) != 2:
            found = ", ".join(self.tiers) or "none"
            raise ArgumentError("--tier", found, "two of them, GPU and host: --tier 20k --tier 200k:pcie4")
        gpu, (host, _, link) = self.tiers[0], self.tiers[1].partition(":")
        load = load_seconds("--tier", link or "pcie4", model.shape, latency)
        sizes = tuple(read_capacity("--tier", size, model.shape) for size in (gpu, host))
        tiers = Tiers(sizes, (0, load / marginal_seconds(latency)), "swap-out-once")
        policy = RetrievalPGDSF(PrefillProfile.of_latency(latency, longest, longest))
        patience = None if self.patience is None else float(read_time("--patience", self.patience))
        options = {name: getattr(self, name) for name in AS_GIVEN}
        options["speculation"] = None if self.speculation == "none" else self.speculation
        options["replicas"] = Replicas(self.replicas) if self.replicas else None
        return Server(tiers, policy, patience=patience, **options), float(load)


def usual_index(documents: int) -> Index:
    """Return the index of so many documents where none is named: IVF, or a flat one if its lists are more."""
    return IVF() if documents >= IVF.lists else FlatL2()


def read_index(text: str) -> Index:
    """Read an index such as ``flat``, ``ivf:lists=64,probe=32,stages=8`` or ``hnsw:width=64``."""
    name, _, rest = text.partition(":")
    kind = INDEXES.get(name.lower())
    if kind is None:
        raise ArgumentError("--index", text, "one of " + ", ".join(INDEXES))
    known = [field.name for field in fields(kind)]
    pairs = [pair.partition("=") for pair in rest.split(",") if pair]
    for name, _, value in pairs:
        if name not in known or not value.isdecimal():
            expected = f"{', '.join(known) or 'no parameters'}, each with a whole number"
            raise ArgumentError("--index", text, expected)
    index: Index = kind(**{name: int(value) for name, _, value in pairs})
    return index


def _number(option: str, text: str) -> float:
    try:
        return real_number(option, float(text), 0)
    except ValueError:
        raise ArgumentError(option, text, "requests a second, a number above 0; a comma lists") from None


@dataclass(frozen=True)
class SystemRuns:
    """Systems that serve the same requests."""

    requests: Workload
    systems: dict[str, Server]
    latency: Latency
    load: float
    faults: Sequence[GPULoss] = ()
    slo: float | None = None

    def rows(self, rates: Sequence[float], within: float | None, bar: Progress) -> list[dict[str, Any]]:
        """Return a row for each rate and system."""
        pairs = [(rate, name) for rate in rates for name in self.systems]
        highest = {} if within is None else self.highest(rates[0], within, bar)
        found = []
        for rate, name in bar.track(pairs, description="Serving"):
            served = self.served(name, rate)
            slow = None if self.slo is None else float((served.ttft > self.slo).mean())
            row = {"rate": rate, "system": name, **asdict(worth(served)), "slow": slow}
            found.append({**row, "highest_rate": highest.get(name)})
        return found

    def highest(self, rate: float, within: float, bar: Progress) -> dict[str, float]:
        """Return each system's highest rate with a mean TTFT of at most K times that of `none` without load."""
        if within <= 1:
            raise ArgumentError("--within", within, "a number above 1")
        most = within * worth(self.served(NONE, rate * IDLE)).mean
        systems = bar.track(self.systems, description="Looking for the highest rates")
        return {name: highest_rate(partial(self.served, name), rate, most) for name in systems}

    def served(self, name: str, rate: float) -> RagServed:
        """Return what a system does at a rate."""
        server = self.systems[name]
        try:
            return serve(at_rate(self.requests, rate), server, self.latency, self.load, self.faults)
        except ForcedCachingError as error:
            most = f"at most {server.tiers.capacities[0]:,} tokens of documents, the GPU tier"
            raise ArgumentError(f"request {error.turn}", f"{error.length:,}", most) from None


def threshold(xi: str | None, slo: str | None, latency: Latency, requests: Workload) -> int:
    """Return the threshold of TEL in tokens."""
    if xi is not None and slo is not None:
        raise ArgumentError("--slo", slo, "none with --xi")
    if slo is not None:
        return latency.threshold(read_time("--slo", slo))
    return int(requests.forest.total.mean()) // 2 if xi is None else read_tokens("--xi", xi)


def policies_at(requests: Workload, server: Server, xi: int, latency: Latency) -> Policies:
    """Return what policies come to in the server's tiers, and between what the optimum lies."""
    tiers, profile = server.tiers, server.policy.profile
    named = {**online_policies(requests, xi, profile), **clairvoyant_policies(xi)}
    policies = {name: policy for name, policy in named.items() if name not in READINGS or name == PGDSF}
    rows = policy_rows(requests, tiers, xi, latency, policies, server.block)
    return rows, policy_sides(requests, tiers, xi, rows)


def check_fits(corpus: Corpus, server: Server) -> None:
    """Raise an error for a document that is longer than the GPU tier."""
    most = server.tiers.capacities[0]
    for document in np.flatnonzero(corpus.length > most)[:1].tolist():
        found = f"{corpus.length[document]:,} tokens"
        raise ArgumentError(f"document {corpus.names[document]}", found, f"at most {most:,}, the GPU tier")


@command("serve", "rag serve mine --queries log.jsonl --tier 4GiB --tier 16GiB:pcie4")
@click.argument("corpus", metavar="CORPUS")
@bundled("sources", Sources, rag_sources)
@bundled("asked", RagRequests, rag_requests)
@bundled("machine", Machine, rag_machine)
@option(
    "--within",
    type=float,
    metavar="K",
    help="Also find the highest rate whose mean TTFT is at most K times that without load.",
)
@option("--xi", metavar="TOKENS", help="Threshold in tokens. Half of the mean prompt if left out.")
@option("--slo", metavar="TIME", help="Threshold as a time to first token. Requests above it are counted, too.")
@picture_options("It shows TTFT against the rate")
@served_options
@gpu_hour_option
@table_options
def serve_command(
    sources: Sources,
    asked: RagRequests,
    machine: Machine,
    served: Model,
    within: float | None,
    xi: str | None,
    slo: str | None,
    picture: Picture,
    gpu_hour: float | None,
    target: str | None,
) -> int:
    """Serve questions about CORPUS with RAGCache.

    The same questions are also served without each of its parts, and without reuse.

    CORPUS is your own documents (a folder of texts, or a file of records), a file in SQuAD's form such as XQuAD's,
    a folder of public texts, or synthetic:100000.
    """
    check_targets({"--json": target, **picture.files})
    picture.check()
    if served.latency is None and served.model is None and served.accept_latency_of is served.gpu is None:
        served = replace(served, latency=LATENCY)
    rates, rng = asked.rates_asked(), np.random.default_rng(asked.seed)
    with progress_bar() as bar:
        task = bar.add_task("Retrieving", total=None)
        corpus, queries = sources.read(rng)
        drawn, times = asked.draw(corpus, queries, rng)
        latency = served.needed_latency
        server, load = machine.server(served, latency, drawn.longest)
        bar.remove_task(task)
        check_fits(corpus, server)
        seconds = None if slo is None else float(read_time("--slo", slo))
        found = SystemRuns(drawn, ablation(server), latency, load, machine.faults, seconds).rows(
            rates, within, bar
        )
        bar.add_task("Comparing policies", total=None)
        most = threshold(xi, slo, latency, drawn)
        policies = policies_at(drawn, server, most, latency)
    said = [*about(corpus, queries, drawn, times, latency, asked.law), *machine.sizes_in_bytes(served)]
    shown = [*said, *tables(found, served.shape), *policy_table(policies, most, served.shape)]
    shown += _money(gpu_hour, served, policies)
    data = {"said": said, "times": asdict(times), "rows": rows_as_data(found)}
    report(target, shown, {**data, **policies_as_data(policies, most)})
    name = Path(sources.corpus).name
    picture.draw(lambda: draw_rates(found, compared(found), name), caption_of_rates(found, name))
    return 0


def _money(hour: float | None, served: Model, policies: Policies) -> list[str]:
    """Return what the policies' seconds cost, as a line; nothing without a price."""
    if hour is None:
        return []
    price = GpuPrice(hour, served.tensor_parallel or 1, served.needed_latency)
    spent = [(row.policy, row.seconds) for row in policies[0]]
    return [price.line("prefill, with loading,", spent, all_computed=False)]

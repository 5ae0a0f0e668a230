"""`teltheory simulate replicas`: a trace served by replicas with queues, each with its tiers of memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from teltheory.cli.asked.options import (
    forced_option,
    grid_options,
    policy_option,
    prefix_options,
    q_hat_option,
    scheduler_option,
    store_option,
    trace_options,
    workers_option,
)
from teltheory.cli.asked.pictures import Picture, picture_options
from teltheory.cli.asked.prefixes import Prefixes
from teltheory.cli.asked.served import ServedModel
from teltheory.cli.asked.serving import Servers, servers_options
from teltheory.cli.asked.tiers import Tiered, tier_options
from teltheory.cli.asked.traces import Reading
from teltheory.cli.parts import command, option
from teltheory.cli.printed.written import Written, written_options
from teltheory.cli.replay.command import about
from teltheory.cli.replay.served_runs import question_in_tiers, run_served, tiers_of_each
from teltheory.cli.replay.served_tables import cells_as_data, served_tables, serving_text, tiers_text
from teltheory.errors import ArgumentError
from teltheory.plots.tails import TAIL_PARTS, caption_of_tails, draw_tails
from teltheory.policies.spec import parse_policies, policy_texts
from teltheory.sweep import ServedCell, Store

POLICIES = "lru", "tlru:trim=least-recent"
"""If none is asked for."""


@command(None, "simulate replicas trace.jsonl --replicas 2,4 --load 0.7 --slo 2s")
@click.argument("trace_file", metavar="TRACE")
@policy_option
@q_hat_option
@tier_options
@servers_options()
@option(
    "--bound/--no-bound", "bounded", default=True, help="Also compute the least TEL that any policy can reach."
)
@picture_options("It shows what the tail is made of")
@workers_option
@store_option
@scheduler_option
@trace_options()
@forced_option
@prefix_options()
@grid_options
@written_options
def replicas(
    trace_file: str,
    policies: tuple[str, ...],
    tiered: Tiered,
    servers: Servers,
    bounded: bool,
    picture: Picture,
    workers: int | None,
    store: str | None,
    scheduler: str | None,
    reading: Reading,
    prefixes: Prefixes,
    served: ServedModel,
    written: Written,
    **asked: Any,
) -> int:
    """Serve TRACE by replicas, each with a queue and a cache.

    The cache may have tiers of memory. TTFT is wait + load + prefill. Every combination of --replicas, --router,
    --load, of capacities or of sizes of --tier, and of thresholds is served. --load stretches the arrivals of all
    policies alike. A policy may be one for each tier, lru+tlru. Without --policy: LRU, and T-LRU with least-recent
    trim.
    """
    written.check(picture.files)
    picture.check()
    servers.read()
    latency = served.needed_latency
    specs = [parse_policies(text) for text in policy_texts(policies) or POLICIES]
    question, tiers = question_in_tiers(specs, tiered, served=served, prefixes=prefixes, **asked)
    trace = reading.read(trace_file)
    if trace.arrival is None:
        raise ArgumentError(trace_file, "no arrival times", "arrival times, or --times LAW")
    with about(trace_file):
        found = question.on(trace)
        cells = run_served(
            found,
            tiers_of_each(tiers, found),
            lambda place: servers.at(found.requests, place, latency),
            bounded=bounded,
            workers=workers,
            store=None if store is None else Store(store),
            scheduler=scheduler,
        )
    written.report([*served_tables(found, cells), *overloaded(cells)], cells_as_data(found, cells))
    labels = {xi: found.thresholds.label(xi) for xi in found.thresholds.xis}
    shown, name = [*bars(cells)], Path(trace_file).name
    picture.draw(lambda: draw_tails(shown, labels, name), caption_of_tails(shown, labels, name))
    return 0


def bars(cells: Sequence[ServedCell]) -> list[dict[str, Any]]:
    """Return what the figure draws of each cell."""
    parts = [{name: getattr(cell, name) for name in ("xi", "policy", *TAIL_PARTS)} for cell in cells]
    servers = (f"{serving_text(cell.serving)}; {tiers_text(cell.tiers)}" for cell in cells if cell.serving)
    return [row | {"server": server} for row, server in zip(parts, servers, strict=True)]


def overloaded(cells: Sequence[ServedCell]) -> Iterator[str]:
    """Yield a sentence for each server that gets more work under LRU than it can do."""
    for serving, section in groupby(cells, key=lambda cell: cell.serving):
        busiest = max(section, key=lambda cell: cell.utilisation or 0)
        if serving is not None and (busiest.utilisation or 0) >= 1:
            busy = f"{busiest.utilisation:.0%} busy under {busiest.policy}"
            yield f"{serving_text(serving)}: {busy}, so that queues grow until the last arrival."

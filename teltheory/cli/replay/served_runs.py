"""Runs of policies in tiers of memory, on an idle server or on replicas, as commands ask for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from teltheory.cli.asked.question import Asked, Question, read_question
from teltheory.cli.asked.served import ServedModel
from teltheory.cli.asked.tiers import Tiered
from teltheory.cli.printed.output import progress_bar
from teltheory.errors import ArgumentError, listed
from teltheory.model.tiers import Tiers
from teltheory.policies.spec import AnySpec
from teltheory.serving.serve import Serving
from teltheory.sweep import ServedCell, ServedGrid, Store, sweep


def question_in_tiers(
    specs: Sequence[AnySpec], tiered: Tiered, capacities: Sequence[str], served: ServedModel, **asked: Any
) -> tuple[Question, tuple[Tiers, ...]]:
    """Return what was asked for, and the tiers, none of which are those of capacities or the trace's own."""
    if tiered and capacities:
        raise ArgumentError("--capacity", ", ".join(capacities), "none with --tier, which has sizes")
    tiers = tiered.read(served)
    question = read_question(specs, capacities=capacities, served=served, **asked)
    if not tiers:
        return question, ()
    first = tuple(dict.fromkeys(int(one.capacities[0]) for one in tiers))
    return replace(question, capacities=first, said=(*question.said, *tiered.lines(served))), tiers


def tiers_of_each(tiers: Sequence[Tiers], found: Asked) -> Sequence[Tiers]:
    """Return the tiers; without any, each capacity as one."""
    return tiers or [Tiers((size,)) for size in found.grid.capacities]


def run_served(
    found: Asked,
    tiers: Sequence[Tiers],
    servings: Callable[[Tiers], Sequence[Serving | None]] = lambda _: [None],
    *,
    bounded: bool = True,
    workers: int | None = None,
    store: Store | None = None,
    scheduler: str | None = None,
) -> list[ServedCell]:
    """Sweep policies, tiers and servers with a progress bar; what serves may depend on the tiers."""
    grid, latency = found.grid, found.thresholds.latency
    ruled = dict.fromkeys(str(one) for one in (grid.rules, *map(grid.rules_of, grid.policies)))
    if grid.running > 1 or [*ruled] != ["strict"]:
        raise ArgumentError("--rules", listed([*ruled]), "strict in tiers and on replicas, one request at a time")
    names = "slos", "q_hat", "cutoff", "latency", "forced"
    options: dict[str, Any] = {name: getattr(grid, name) for name in names}
    cells: list[ServedCell] = []
    with progress_bar() as bar:
        for place in bar.track(tiers, description="Serving"):
            asked = ServedGrid(
                grid.policies,
                [place],
                servings(place),
                grid.thresholds,
                bounded=bounded,
                in_tokens=True,
                **options,
            )
            cells += sweep(found.requests, asked, latency, workers=workers, store=store, scheduler=scheduler)
    return cells

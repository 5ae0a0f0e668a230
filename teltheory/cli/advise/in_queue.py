"""`teltheory advise` for replicas with queues: advice for each memory, then a plan if one was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teltheory.advice.sentences_in_queue import queue_lines
from teltheory.cli.advise.loaded import (
    LEAD,
    METHOD,
    queue_as_data,
    queue_card,
    queue_section,
    queue_tables,
)
from teltheory.cli.advise.plan import (
    EXPECTED,
    check_tier,
    plan_section,
    plan_sentences,
    plan_table,
    plans_as_data,
    read_percentile,
    read_plan,
)
from teltheory.cli.asked.options import bundled
from teltheory.cli.asked.served import Served
from teltheory.cli.asked.serving import Loaded, speed_lines
from teltheory.cli.asked.tiers import Tiered
from teltheory.cli.parts import option
from teltheory.cli.printed.output import console, progress_bar, show, write_text
from teltheory.cli.replay.command import about
from teltheory.cost.given import in_text
from teltheory.cost.kv_cache import KVSize
from teltheory.errors import ArgumentError, listed
from teltheory.model.forest import Forest
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.policies.online import LRU
from teltheory.report.markdown import bullets, facts, plain_text
from teltheory.report.page import Page, Section, digest, render, versions

if TYPE_CHECKING:
    from teltheory.advice.loaded import QueueAdvice
    from teltheory.advice.planning import Plan


@dataclass(frozen=True)
class Planned:
    """What `--plan` and `--percentile` ask for."""

    plan: str | None = None
    percentile: str | None = None

    def __bool__(self) -> bool:
        return self.plan is not None or self.percentile is not None

    def read(self, served: Served, tiers: int, *, overload: bool) -> Grid | None:
        """Return the grid, None if there is no plan."""
        if self.plan is None:
            if self.percentile is not None:
                raise ArgumentError("--percentile", self.percentile, "--plan with it")
            return None
        percentile = read_percentile(self.percentile or "p95")
        resource, numbers = read_plan(self.plan, served.shape, overload=overload)
        check_tier(resource, tiers)
        return Grid(resource, numbers, percentile)


plan_options = bundled(
    "planned",
    Planned,
    option("--plan", metavar="GRID", help=f"Find how much of a resource keeps the SLO: {EXPECTED}."),
    option(
        "--percentile", metavar="pNN", help="Percentile of TTFT that is to keep the SLO in a plan, such as p95."
    ),
)


@dataclass(frozen=True)
class Grid:
    """A resource, the numbers to try, and the percentile that is to keep the SLO."""

    resource: str
    numbers: list[int | Fraction]
    percentile: Fraction


@dataclass(frozen=True)
class Found:
    """An advice, at which speed, and the plans under LRU and under what is recommended, by name."""

    advice: QueueAdvice
    speed: tuple[str, ...]
    plans: dict[str, Plan]


@dataclass(frozen=True)
class LoadedQuestion:
    """What was asked of a loaded server, before the trace is read; without tiers the capacities are asked for."""

    loaded: Loaded
    tiers: tuple[Tiers, ...]
    grid: Grid | None
    said: tuple[str, ...]
    shape: KVSize | None

    @classmethod
    def of(
        cls, tiered: Tiered, loaded: Loaded, planned: Planned, served: Served, sizes: tuple[int, ...]
    ) -> LoadedQuestion:
        """Check what was asked for."""
        loaded.read()
        tiers = tiered.read(served)
        if tiers and sizes:
            raise ArgumentError("--capacity", listed([f"{size:,}" for size in sizes]), "none with --tier")
        said = tuple(tiered.lines(served)) if tiers else ()
        grid = planned.read(served, len(tiers[0]) if tiers else 1, overload=loaded.overload)
        return cls(loaded, tiers, grid, said, served.shape)

    def answer(
        self, trace_file: str, requests: Trace | Forest, sizes: tuple[int, ...], wish: dict[str, Any]
    ) -> list[Found]:
        """Advise on each memory, with a bar."""
        with about(trace_file), progress_bar() as bar:
            task = bar.add_task("Serving settings", total=None)
            wish = wish | {"progress": lambda done, total: bar.advance(task)}
            return [self._find(requests, memory, wish) for memory in (self.tiers or sizes)]

    def _find(self, requests: Trace | Forest, memory: int | Tiers, wish: dict[str, Any]) -> Found:
        from teltheory.advice import advise

        serving, load = self.loaded.read()
        advice = replace(advise(requests, in_text(memory), serving=serving, load=load, **wish), shape=self.shape)
        speed = tuple(speed_lines(advice.serving, load, advice.held_out.rows[0].utilisation))
        return Found(advice, speed, {} if self.grid is None else plans_of(requests, advice, self.grid, wish))


def plans_of(requests: Trace | Forest, advice: QueueAdvice, grid: Grid, wish: dict[str, Any]) -> dict[str, Plan]:
    """Return the plan under LRU and, if the advice recommends another setting, under that."""
    from teltheory.advice import plan
    from teltheory.advice.server import in_units

    unit = requests.block_size
    numbers = [n // unit if grid.resource.startswith("tier") else n for n in grid.numbers]
    under = {"LRU": LRU()}
    if advice.recommended:
        under[advice.policy] = advice.policies
    own = replace(advice.serving, stretch=1) if grid.resource == "load" else advice.serving
    common = {"percentile": grid.percentile, "serving": own, "seed": wish["seed"], "progress": wish["progress"]}
    memory, how = in_units(advice.capacity, unit), (wish["slo"], wish["latency"])
    return {
        name: plan(requests, grid.resource, numbers, memory, *how, policy=policy, **common)
        for name, policy in under.items()
    }


def print_found(found: list[Found], block_size: int) -> None:
    """Print advice and plans."""
    out = console()
    for one in found:
        show(out, "", *one.speed, *queue_lines(one.advice), *queue_tables(one.advice))
        if one.plans:
            show(out, *plan_sentences(one.advice, one.plans, block_size), plan_table(one.plans, block_size))


def found_as_data(one: Found, block_size: int) -> dict[str, Any]:
    """Return what was found as plain data."""
    plans = plans_as_data(one.plans, block_size)
    found: dict[str, Any] = finite(queue_as_data(one.advice) | {"speed": list(one.speed), "plans": plans})
    return found


def finite(data: Any) -> Any:
    """Return plain data with null in the place of what is infinite, such as a utilisation of no time at all."""
    if isinstance(data, dict):
        return {name: finite(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [finite(value) for value in data]
    return None if isinstance(data, float) and not isfinite(data) else data


def write_found(
    page: str, trace_file: str, said: list[str], found: list[Found], block_size: int, seed: int
) -> None:
    """Write a page with each advice and its plans."""
    trace = Path(trace_file)
    source = [(trace.name, f"SHA-256 {digest(trace)}")] if trace.is_file() else []
    made = facts([*versions(), ("Seed of the draws", str(seed)), *source])
    sections = [section for i, one in enumerate(found, start=1) for section in _sections(i, one, block_size)]
    sections += [Section("method", "How it was found", bullets([*map(plain_text, said), *METHOD]))]
    sections += [Section("provenance", "Provenance", made)]
    cards = [queue_card(one.advice) for one in found]
    write_text(page, render(Page(f"T-LRU in a queue on {trace.name}", LEAD, cards, "", sections)))


def _sections(number: int, one: Found, block_size: int) -> Iterator[Section]:
    yield queue_section(f"memory-{number}", one.advice)
    if one.plans:
        yield plan_section(f"plan-{number}", one.advice, one.plans, block_size)

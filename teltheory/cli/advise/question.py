"""What `teltheory advise` is asked: advice for each memory, and a plan if one is asked for; and how it is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teltheory.advice.sentences import advice_lines
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
from teltheory.cli.advise.text import (
    LEAD,
    LEAD_IN_QUEUE,
    METHOD,
    METHOD_IN_QUEUE,
    advice_as_data,
    advice_card,
    advice_section,
    advice_tables,
)
from teltheory.cli.asked.options import bundled
from teltheory.cli.asked.served import ServedModel
from teltheory.cli.asked.serving import Loaded, speed_lines
from teltheory.cli.asked.tiers import Tiered
from teltheory.cli.parts import option
from teltheory.cli.printed.money import GpuPrice
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
from teltheory.serving.serve import Serving

if TYPE_CHECKING:
    from teltheory.advice import Advice
    from teltheory.advice.planning import Plan


@dataclass(frozen=True)
class Planned:
    """What `--plan` and `--percentile` ask for."""

    plan: str | None = None
    percentile: str | None = None

    def __bool__(self) -> bool:
        return self.plan is not None or self.percentile is not None

    def read(self, served: ServedModel, tiers: int, *, overload: bool) -> PlanGrid | None:
        """Return the grid, None if there is no plan."""
        if self.plan is None:
            if self.percentile is not None:
                raise ArgumentError("--percentile", self.percentile, "--plan with it")
            return None
        percentile = read_percentile(self.percentile or "p95")
        resource, numbers = read_plan(self.plan, served.shape, overload=overload)
        check_tier(resource, tiers)
        return PlanGrid(resource, numbers, percentile)


plan_options = bundled(
    "planned",
    Planned,
    option("--plan", metavar="GRID", help=f"Find how much of a resource keeps the SLO: {EXPECTED}."),
    option(
        "--percentile", metavar="pNN", help="Percentile of TTFT that is to keep the SLO in a plan, such as p95."
    ),
)


@dataclass(frozen=True)
class PlanGrid:
    """A resource, the numbers to try, and the percentile that is to keep the SLO."""

    resource: str
    numbers: list[int | Fraction]
    percentile: Fraction


@dataclass(frozen=True)
class Advised:
    """An advice, at which speed, and the plans under LRU and under what is recommended, by name."""

    advice: Advice
    speed: tuple[str, ...]
    plans: dict[str, Plan]
    price: GpuPrice | None = None

    def show(self, block_size: int) -> None:
        """Print it."""
        out = console()
        show(out, "", *self.speed, *advice_lines(self.advice), *self.money, *advice_tables(self.advice))
        if self.plans:
            show(out, *plan_sentences(self.advice, self.plans, block_size), plan_table(self.plans, block_size))

    @property
    def money(self) -> list[str]:
        """What prefill on the rest costs, as a sentence; nothing without a price."""
        if self.price is None:
            return []
        spent = [(row.policy, row.busy) for row in self.advice.held_out.rows[:2]]
        idle = self.advice.serving is None
        return [self.price.line("prefill on the rest" if idle else "prefill and loading on the rest", spent, idle)]

    def as_data(self, block_size: int) -> dict[str, Any]:
        """Return it as plain data."""
        found: dict[str, Any] = advice_as_data(self.advice)
        if self.price is not None:
            found["money"] = {row.policy: self.price.of(row.busy) for row in self.advice.held_out.rows[:2]}
        if self.advice.serving is not None:
            found |= {"speed": list(self.speed), "plans": plans_as_data(self.plans, block_size)}
        return dict(finite(found))

    def sections(self, number: int, block_size: int) -> Iterator[Section]:
        """Yield it as sections of a page."""
        yield advice_section(f"memory-{number}", self.advice)
        if self.plans:
            yield plan_section(f"plan-{number}", self.advice, self.plans, block_size)


@dataclass(frozen=True)
class AdviceQuestion:
    """What was asked, before the trace is read; without tiers the capacities are asked for.

    `serving` is None of an idle server.
    """

    serving: Serving | None
    load: Fraction | None
    tiers: tuple[Tiers, ...]
    grid: PlanGrid | None
    said: tuple[str, ...]
    shape: KVSize | None
    price: GpuPrice | None = None

    @classmethod
    def of(
        cls, tiered: Tiered, loaded: Loaded, planned: Planned, served: ServedModel, sizes: tuple[Any, ...]
    ) -> AdviceQuestion:
        """Check what was asked for."""
        if not (tiered or loaded or planned):
            return cls(None, None, (), None, (), served.shape)
        serving, load = loaded.read()
        tiers = tiered.read(served)
        if tiers and sizes:
            raise ArgumentError("--capacity", listed([f"{size:,}" for size in sizes]), "none with --tier")
        said = tuple(tiered.lines(served)) if tiers else ()
        grid = planned.read(served, len(tiers[0]) if tiers else 1, overload=loaded.overload)
        return cls(serving, load, tiers, grid, said, served.shape)

    def answer(
        self, trace_file: str, requests: Trace | Forest, sizes: tuple[int, ...], wish: dict[str, Any]
    ) -> list[Advised]:
        """Advise on each memory, with a bar."""
        memories: tuple[Any, ...] = self.tiers or sizes
        with about(trace_file), progress_bar() as bar:
            task = bar.add_task("Trying settings", total=len(memories) if self.serving is None else None)

            def told(place: int, done: int, total: int | None) -> None:
                if total:
                    bar.update(task, completed=place + done / total)

            return [
                self._find(requests, memory, wish | {"progress": partial(told, place)})
                for place, memory in enumerate(memories)
            ]

    def _find(self, requests: Trace | Forest, memory: int | Tiers, wish: dict[str, Any]) -> Advised:
        from teltheory.advice import advise

        found = advise(requests, in_text(memory), serving=self.serving, load=self.load, **wish)
        advice = replace(found, shape=self.shape)
        if advice.serving is None:
            return Advised(advice, (), {}, self.price)
        speed = tuple(speed_lines(advice.serving, self.load, advice.held_out.rows[0].utilisation))
        plans = {} if self.grid is None else plans_of(requests, advice, self.grid, wish)
        return Advised(advice, speed, plans, self.price)


def plans_of(requests: Trace | Forest, advice: Advice, grid: PlanGrid, wish: dict[str, Any]) -> dict[str, Plan]:
    """Return the plan under LRU and, if the advice recommends another setting, under that."""
    from teltheory.advice import plan
    from teltheory.advice.server import in_units

    unit, serving = requests.block_size, advice.serving or Serving()
    numbers = [n // unit if grid.resource.startswith("tier") else n for n in grid.numbers]
    under = {"LRU": LRU()}
    if advice.recommended:
        under[advice.policy] = advice.policies
    own = replace(serving, stretch=1) if grid.resource == "load" else serving
    common = {"percentile": grid.percentile, "serving": own, "seed": wish["seed"], "progress": wish["progress"]}
    memory, how = in_units(advice.capacity, unit), (wish["slo"], wish["latency"])
    return {
        name: plan(requests, grid.resource, numbers, memory, *how, policy=policy, **common)
        for name, policy in under.items()
    }


def finite(data: Any) -> Any:
    """Return plain data with null in the place of what is infinite, such as a utilisation of no time at all."""
    if isinstance(data, dict):
        return {name: finite(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [finite(value) for value in data]
    return None if isinstance(data, float) and not isfinite(data) else data


def write_found(
    page: str, trace_file: str, said: list[str], found: list[Advised], block_size: int, seed: int
) -> None:
    """Write a page with each advice and its plans."""
    trace, idle = Path(trace_file), found[0].advice.serving is None
    source = [(trace.name, f"SHA-256 {digest(trace)}")] if trace.is_file() else []
    made = facts([*versions(), ("Seed of the draws", str(seed)), *source])
    sections = [section for i, one in enumerate(found, start=1) for section in one.sections(i, block_size)]
    method = [*map(plain_text, said), *(METHOD if idle else METHOD_IN_QUEUE)]
    sections += [Section("method", "How it was found", bullets(method)), Section("provenance", "Provenance", made)]
    title = f"T-LRU {'' if idle else 'in a queue '}on {trace.name}"
    cards = [advice_card(one.advice) for one in found]
    write_text(page, render(Page(title, LEAD if idle else LEAD_IN_QUEUE, cards, "", sections)))

"""`teltheory curve`: a trace under policies at every capacity, and hindsight by tangents and chords."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.progress import Progress
from rich.table import Table

from teltheory.cli.asked.options import (
    grid_options,
    policy_option,
    prefix_options,
    q_hat_option,
    rules_option,
    trace_options,
)
from teltheory.cli.asked.pictures import Picture, picture_options
from teltheory.cli.asked.prefixes import Prefixes
from teltheory.cli.asked.question import Asked, Thresholds
from teltheory.cli.asked.tiers import Tiered, tier_options
from teltheory.cli.asked.traces import Reading
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import progress_bar
from teltheory.cli.printed.tables import SLOW_LEGEND, TTFTS, WORK_LEGEND, plain_table, work_cells
from teltheory.cli.printed.written import Written, written_options
from teltheory.cli.replay.command import about
from teltheory.cli.replay.served_runs import question_in_tiers, run_served
from teltheory.cli.replay.served_tables import cells_as_data as served_as_data
from teltheory.cli.replay.served_tables import served_tables
from teltheory.cost.metrics import share_closed, tail_excess_latency, ttft_quantiles, ttft_violations
from teltheory.errors import ArgumentError
from teltheory.model.display import percent
from teltheory.model.numbers import exact_sum
from teltheory.optimal.curve import HindsightCurve, hindsight_curve
from teltheory.plots.curves import caption_of_curves, draw_curves
from teltheory.policies.online import LRU
from teltheory.policies.own_files import is_in_file, parted
from teltheory.policies.policy import Policy
from teltheory.policies.spec import NAMED, OPTIMA, Spec, others, parse_policies, policy_texts, unknown, usual
from teltheory.problem import Problem
from teltheory.replay.curve import CapacityCurve
from teltheory.replay.engine_rules import Rules
from teltheory.sweep import QUANTILES, ServedCell
from teltheory.sweep.jobs import measure

HINDSIGHT = "hindsight"
DEFAULT_POLICIES = ("lru", "threshold-lru", "tlru:trim=least-recent", HINDSIGHT)
DECADES = 3
TOLERANCE = 0.001
PERCENTILES = tuple(f"p{round(100 * q)}" for q in QUANTILES)
MEASURES = (*TTFTS, "hit", "prefill", "written", "slow", "TEL")
DISTANCE = ("regret", "closed")
"""Columns that stand in the place of `CHANGE` if hindsight is asked for."""
CHANGE = ("vs no cache",)


@command(None, "curve trace.jsonl --policy lru,tlru --slo 200ms --figure curve.svg")
@click.argument("trace_file", metavar="TRACE")
@policy_option
@q_hat_option
@picture_options("It shows the curves")
@option(
    "--points",
    type=click.IntRange(2),
    default=200,
    show_default=True,
    help="Number of capacities at which a curve is drawn.",
)
@tier_options
@trace_options()
@prefix_options(rules_option)
@grid_options
@written_options
def curve(
    trace_file: str,
    policies: tuple[str, ...],
    picture: Picture,
    points: int,
    tiered: Tiered,
    reading: Reading,
    prefixes: Prefixes,
    written: Written,
    **asked: Any,
) -> int:
    """Show TRACE under policies as a function of the capacity.

    Caching is optional.

    With --tier the sizes of the tiers are the capacities, also of figure and JSON, and the figure is drawn along
    the first tier that lists several: --tier 100k,300k,1M --tier 1M:pcie4.

    The table has the capacities given; figure and JSON also have as many as --points says, evenly spaced on a
    logarithmic scale up to where everything fits. Besides policies there is hindsight, the least TEL of any
    policy; with it the table has the distance to it. Without --policy: LRU, Threshold-LRU, T-LRU with
    least-recent trim, and hindsight.
    """
    written.check(picture.files)
    picture.check()
    named = policy_texts(policies) or DEFAULT_POLICIES
    specs = [_spec(text) for text in named if text.lower() not in OPTIMA]
    question, tiers = question_in_tiers(specs, tiered, prefixes=prefixes, **asked)
    trace = reading.read(trace_file)
    found, hindsight = question.on(trace), len(specs) < len(named)
    name, labels = Path(trace_file).name, _labels(found)
    if tiers:
        with about(trace_file):
            cells = run_served(found, tiers, bounded=hindsight)
        written.report(served_tables(found, cells), served_as_data(found, cells))
        drawn, axis = [*rows_of_tiers(found, cells)], axis_of_tiers(cells)
        picture.draw(lambda: draw_curves(drawn, labels, name, axis), caption_of_curves(drawn, labels, name))
        return 0
    spaced = _spaced(found, points) if picture.figure or written.target else []
    with about(trace_file), progress_bar() as bar:
        rows = Curves(found, spaced, hindsight).rows(bar)
    written.report(_shown(found, rows, hindsight), curves_as_data(found, rows))
    picture.draw(lambda: draw_curves(rows.drawn, labels, name), caption_of_curves(rows.drawn, labels, name))
    return 0


def _labels(asked: Asked) -> dict[int, str]:
    return {xi: asked.thresholds.label(xi) for xi in asked.thresholds.xis}


def rows_of_tiers(asked: Asked, cells: Sequence[ServedCell]) -> Iterator[dict[str, Any]]:
    """Yield what is drawn of cells: along the sizes of the first tier that has several, a line for all others."""
    sizes, along = _sizes_of_tiers(cells)
    others = [i for i, some in enumerate(sizes) if len(some) > 1 and i != along]
    unit = asked.requests.scale
    uncached = {xi: exact_sum(np.maximum(asked.requests.total - xi // unit, 0)) for xi in asked.thresholds.xis}
    for cell in cells:
        beside = "".join(f", tier {i}: {cell.tiers.capacities[i]:,}" for i in others)
        place = {"capacity": cell.tiers.capacities[along], "xi": cell.xi, "policy": f"{cell.policy}{beside}"}
        yield place | {"tel": cell.tel, "uncached_tel": uncached[cell.xi], "hit_rate": cell.hit_rate}


def axis_of_tiers(cells: Sequence[ServedCell]) -> str:
    """Return what the figure is drawn along, and the sizes of tiers that stay the same."""
    sizes, along = _sizes_of_tiers(cells)
    same = (f"tier {i}: {some[0]:,}" for i, some in enumerate(sizes) if len(some) == 1 and i != along)
    return "; ".join((f"capacity of tier {along} (tokens)", *same))


def _sizes_of_tiers(cells: Sequence[ServedCell]) -> tuple[list[list[int]], int]:
    """Return the sizes of each tier, and the first tier that has several."""
    columns = zip(*(cell.tiers.capacities for cell in cells), strict=True)
    sizes = [list(dict.fromkeys(column)) for column in columns]
    return sizes, next((i for i, some in enumerate(sizes) if len(some) > 1), 0)


def _spaced(asked: Asked, points: int) -> list[int]:
    """Return capacities up to the peak, where nothing is evicted any more, from what requests need all along."""
    requests, grid = asked.requests, asked.grid
    most, least = max(requests.peak * requests.scale, 1), 0
    if requests.shared and any(grid.rules_of(spec).references for spec in grid.policies):
        least = int(requests.past.max(initial=0)) * requests.block_size
    spaced = {int(most * 10 ** (-DECADES * (1 - i / (points - 1)))) for i in range(points)}
    return sorted({max(capacity, least) for capacity in spaced})


def _spec(text: str) -> Any:
    """Read a policy's short form, or those of tiers; the error names hindsight among the choices."""
    known, name = (*NAMED, *others()), usual(parted(text)[0])
    if name not in known and not is_in_file(name):
        raise unknown(text, (*known, HINDSIGHT))
    return parse_policies(text)


@dataclass
class CurveRows:
    """Rows by threshold, then policy, then capacity.

    Of the table, and of the figure; `tangents` has the curve that the drawn optima of a threshold are read from.
    """

    table: list[dict[str, Any]] = field(default_factory=list)
    drawn: list[dict[str, Any]] = field(default_factory=list)
    tangents: dict[int, HindsightCurve] = field(default_factory=dict)


@dataclass(frozen=True)
class Curves:
    """What is asked of the curves; `spaced` has the capacities that are drawn."""

    asked: Asked
    spaced: Sequence[int]
    hindsight: bool

    def rows(self, bar: Progress) -> CurveRows:
        """Return all rows, with progress."""
        rows, grid = CurveRows(), self.asked.grid
        known: dict[tuple[Policy, Rules], CapacityCurve] = {}
        unit, of_policy = self.asked.requests.scale, self._of_policy
        if self.asked.shared:
            of_policy = self._of_forest
        columns: list[Spec | None] = [*grid.policies, *([None] if self.hindsight else [])]
        pairs = [(xi, spec) for xi in grid.thresholds for spec in columns]
        for xi, spec in bar.track(pairs, description="Drawing curves"):
            if spec is None:
                self._add_optima(rows, xi)
                continue
            replayed = grid.build(spec, xi, int, unit), grid.rules_of(spec)
            if replayed not in known:
                known[replayed] = self._curve(*replayed)
            rows.table += of_policy(known[replayed], spec, xi, grid.capacities, percentiles=True)
            rows.drawn += of_policy(known[replayed], spec, xi, self.spaced, percentiles=False)
        if self.hindsight:
            lru = known.get((LRU(), grid.rules)) or self._curve(LRU(), grid.rules)
            rows.table = list(self._with_distances(rows.table, lru))
        return rows

    def _curve(self, policy: Policy, rules: Rules) -> CapacityCurve:
        """Return a policy's curve; one of blocks that running requests hold is not known."""
        if rules.nodes is None and (rules.references or rules.tail):
            raise ArgumentError("rules", str(rules), "strict, holes or sglang, as a curve has optional caching")
        return Problem(self.asked.requests, cache=rules.cache).curve(rules.policy(policy))

    def _of_policy(
        self, found: CapacityCurve, spec: Spec, xi: int, capacities: Sequence[int], percentiles: bool
    ) -> Iterator[dict[str, Any]]:
        tels = found.tail_excess_latency([*capacities, 0], xi).tolist()
        work = found.tail_excess_latency(capacities, 0).tolist()
        slow, every = self._violations(found, xi, capacities), exact_sum(self.asked.trace.total)
        pasts = exact_sum(self.asked.trace.past)
        for i, capacity in enumerate(capacities):
            row = {"capacity": capacity, "xi": xi, "policy": spec.text, "tel": tels[i], "uncached_tel": tels[-1]}
            row |= {"hit_rate": float(1 - Fraction(work[i], every)) if every else 0.0, "prefilled": work[i]}
            row |= {"reused": every - work[i], "written": pasts - (every - work[i])}
            yield {**row, "violations": slow[i], **(self._percentiles(found, capacity) if percentiles else {})}

    def _of_forest(
        self, found: CapacityCurve, spec: Spec, xi: int, capacities: Sequence[int], percentiles: bool
    ) -> Iterator[dict[str, Any]]:
        forest, latency = found.trace, self.asked.thresholds.latency
        uncached = exact_sum(np.maximum(forest.total - xi // forest.scale, 0))
        for capacity in capacities:
            outcome = found.outcome(capacity // forest.scale)
            (worth,) = measure(outcome, forest, (xi,), latency, self._slos(xi))
            row = {"capacity": capacity, "xi": xi, "policy": spec.text, "uncached_tel": uncached, **asdict(worth)}
            yield {name: value for name, value in row.items() if percentiles or name not in PERCENTILES}

    def _slos(self, xi: int) -> dict[int, Fraction]:
        """Return the SLO of a threshold if it is not the same as that."""
        slos, latency = self.asked.thresholds.seconds, self.asked.thresholds.latency
        return {} if latency.cached_is_free or xi not in slos else {xi: slos[xi]}

    def _violations(self, found: CapacityCurve, xi: int, capacities: Sequence[int]) -> list[int]:
        latency, slo = self.asked.thresholds.latency, self._slos(xi).get(xi)
        if slo is None:
            counts: list[int] = found.slo_violations(capacities, xi).tolist()
            return counts
        return [ttft_violations(found.outcome(capacity), latency, slo) for capacity in capacities]

    def _percentiles(self, found: CapacityCurve, capacity: int) -> dict[str, float | None]:
        if not len(self.asked.trace):
            return dict.fromkeys(PERCENTILES)
        values = ttft_quantiles(found.outcome(capacity), QUANTILES, self.asked.thresholds.latency).tolist()
        return dict(zip(PERCENTILES, values, strict=True))

    def _add_optima(self, rows: CurveRows, xi: int) -> None:
        """Add the least TEL: exact in the table, and between tangents and chords where it is drawn."""
        unknown = dict.fromkeys(("violations", "hit_rate", "prefilled", "reused", "written"))
        requests, unit = self.asked.requests, self.asked.requests.scale
        uncached = exact_sum(np.maximum(requests.total - xi // unit, 0))
        row = {"xi": xi, "policy": HINDSIGHT, "uncached_tel": uncached, **unknown}
        for capacity in self.asked.grid.capacities:
            tel = self._least_tel(capacity, xi)
            rows.table.append({"capacity": capacity, **row, "tel": tel, **dict.fromkeys(PERCENTILES)})
        if self.spaced:
            sides = self.spaced[0] // unit, self.spaced[-1] // unit
            found = hindsight_curve(requests, xi // unit, *sides, TOLERANCE, self._forced)
            rows.tangents[xi] = found
            for capacity in self.spaced:  # an optimal TEL is a whole number within its bounds
                below, above = found.bounds(capacity // unit)
                rows.drawn.append(
                    {"capacity": capacity, **row, "tel": int(above // 1), "lower": -int(-below // 1)}
                )

    @property
    def _forced(self) -> bool:
        """Whether the optimum has forced caching: if every cache of shared prefixes has."""
        return self.asked.shared and self.asked.grid.pins

    def _least_tel(self, capacity: int, xi: int) -> int:
        cache = "holes" if self.asked.shared else "strict"
        asked = self.asked.at(capacity, xi, forced=self._forced, cache=cache, running=1)
        return int(asked.optimum().lower)

    def _with_distances(self, table: Sequence[dict[str, Any]], lru: CapacityCurve) -> Iterator[dict[str, Any]]:
        """Yield rows with LRU's TEL and the least, and the distances of their own."""
        unit = self.asked.requests.scale
        places = {(row["capacity"], row["xi"]): row["tel"] for row in table if row["policy"] == HINDSIGHT}
        for row in table:
            place = capacity, xi = row["capacity"], row["xi"]
            least, tel = places[place], row["tel"]
            base = tail_excess_latency(lru.outcome(capacity // unit), xi // unit)
            closed = share_closed(base, tel, least)
            share = None if closed is None else float(closed)
            yield row | {"lru": base, "optimum": least, "regret": tel - least, "share_closed": share}


def _shown(asked: Asked, rows: CurveRows, hindsight: bool) -> Iterator[str | Table]:
    """Yield what is assumed, what hindsight is, and a table for each threshold: the policies at each capacity."""
    yield from asked.lines()
    yield f"{WORK_LEGEND} {SLOW_LEGEND} {asked.caching}"
    thresholds = asked.thresholds
    if hindsight:
        yield f"{HINDSIGHT}: the least TEL of any policy; nothing else of it, as other plans may reach it too."
        yield asked.distance
    if rows.tangents:
        counts = (f"{k} at {thresholds.slos.get(xi) or f'{xi:,} tokens'}" for xi, k in _solves(rows))
        known = f"known to {100 * TOLERANCE:g} %, by tangents below and chords above: {', '.join(counts)}"
        yield f"In figure and JSON it is {known}."
    measures = (*MEASURES, *(DISTANCE if hindsight else CHANGE))
    columns = ("capacity", "policy", *map(thresholds.heading, measures))
    for xi in thresholds.xis:
        section = sorted((row for row in rows.table if row["xi"] == xi), key=lambda row: row["capacity"])
        lines = (
            ("" if i else f"{capacity:,}", *_line(row, thresholds))
            for capacity, at_capacity in groupby(section, key=lambda row: row["capacity"])
            for i, row in enumerate(at_capacity)
        )
        yield plain_table(f"Threshold {thresholds.label(xi)}", columns, lines, ("policy",))


def _line(row: dict[str, Any], thresholds: Thresholds) -> list[str]:
    p50, *work = work_cells(row, thresholds)
    percentiles = [p50, *(thresholds.shown(row[name]) for name in ("p90", "p95", "p99"))]
    slow = "" if row["violations"] is None else f"{row['violations']:,}"
    return [row["policy"], *percentiles, *work, slow, f"{row['tel']:,}", *_compared(row)]


def _compared(row: dict[str, Any]) -> list[str]:
    """Return the regret and the share closed; without hindsight the change against no cache."""
    if "regret" in row:
        return [f"{row['regret']:,}", percent(row["share_closed"])]
    least = row["uncached_tel"]
    return [percent(Fraction(row["tel"] - least, least) if least else None)]


def curves_as_data(asked: Asked, rows: CurveRows) -> dict[str, Any]:
    """Return what was assumed, the rows of the table and those of the figure as plain data."""
    solved = {"tolerance": TOLERANCE, "tangents": {str(xi): k for xi, k in _solves(rows)}}
    return {**asked.as_data(), HINDSIGHT: solved, "rows": rows.table, "curve": rows.drawn}


def _solves(rows: CurveRows) -> Iterator[tuple[int, int]]:
    """Yield each threshold, and how many solves its curve of hindsight took."""
    yield from ((xi, len(found.tangents)) for xi, found in rows.tangents.items())

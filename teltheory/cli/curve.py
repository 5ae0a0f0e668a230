"""`teltheory curve`: a trace under policies at every capacity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from teltheory.cli.curve_rows import HINDSIGHT, TOLERANCE, Curves, Rows
from teltheory.cli.options import Thresholds, curve_options, read_question
from teltheory.cli.output import check_target, progress_bar, report
from teltheory.cli.replay import about, assumptions, caching, trace_as_data
from teltheory.cli.tables import SLOW_LEGEND, WORK_LEGEND, curve_tables
from teltheory.cli.traces import Reading, trace_options
from teltheory.errors import ArgumentError
from teltheory.figures import draw_curves, write_figure
from teltheory.model.trace import Trace
from teltheory.policies.spec import NAMED, Spec, default_estimate, others, parse_policy, policy_texts
from teltheory.sweep import Grid

DEFAULT_POLICIES = ("lru", "threshold-lru", "tlru:trim=least-recent", HINDSIGHT)
FIGURES = (".png", ".svg", ".pdf")
DECADES = 3


@click.command()
@click.argument("trace_file", metavar="TRACE")
@click.option(
    "--policy", "policies", multiple=True, metavar="POLICY", help="lru,tlru:trim=eager,hindsight; a comma lists."
)
@click.option("--q-hat", "q_hat", type=click.IntRange(0), help="Prompt estimate for policies without their own.")
@click.option("--figure", metavar="FILE", help="Also draw the curves: a .png, .svg or .pdf file.")
@click.option("--points", type=click.IntRange(2), default=200, show_default=True, help="Capacities of a curve.")
@trace_options()
@curve_options
def curve(
    trace_file: str,
    policies: tuple[str, ...],
    q_hat: int | None,
    figure: str | None,
    points: int,
    reading: Reading,
    target: str | None,
    **asked: Any,
) -> int:
    """Show TRACE under policies as a function of the capacity; optional caching.

    The table has the capacities given; figure and JSON also have as many as --points says, evenly spaced on a
    logarithmic scale up to where everything fits. Besides policies there is hindsight, the least TEL of any
    policy. Without --policy: LRU, Threshold-LRU, T-LRU with least-recent trim, and hindsight.
    """
    check_target(target)
    check_figure(figure)
    named = policy_texts(policies) or DEFAULT_POLICIES
    specs = [_spec(text) for text in named if text.lower() != HINDSIGHT]
    hindsight = len(specs) < len(named)
    question = read_question(**asked, specs=specs)
    trace = reading.read(trace_file)
    thresholds, sizes = question.on(trace)
    estimate = default_estimate(trace) if q_hat is None else q_hat
    grid = Grid(specs, sizes, thresholds.xis, estimate, **thresholds.for_grid)
    spaced = _spaced(trace, points) if figure or target else []
    with about(trace_file), progress_bar() as bar:
        rows = Curves(trace, grid, thresholds, spaced, hindsight).rows(bar)
    parts = [
        *assumptions(trace, grid, thresholds, q_hat is not None),
        f"{WORK_LEGEND} {SLOW_LEGEND} {caching(grid.forced)}",
        *(optima_lines(rows, thresholds) if hindsight else ()),
        *curve_tables(rows.table, thresholds),
    ]
    solved = {"tolerance": TOLERANCE, "tangents": {str(xi): k for xi, k in rows.tangents.items()}}
    data = {**trace_as_data(trace, grid, thresholds), HINDSIGHT: solved, "rows": rows.table, "curve": rows.drawn}
    report(target, parts, data)
    if figure is not None:
        labels = {xi: thresholds.label(xi) for xi in thresholds.xis}
        write_figure(figure, draw_curves(rows.drawn, labels, Path(trace_file).name))
    return 0


def _spec(text: str) -> Spec:
    """Read a policy's short form; the error names hindsight among the choices."""
    known = (*NAMED, *others())
    if text.partition(":")[0].lower() not in [name.lower() for name in known]:
        raise ArgumentError("policy", text, "one of " + ", ".join((*known, HINDSIGHT)))
    return parse_policy(text)


def check_figure(figure: str | None) -> None:
    """Check, before long work, that the figure can be written and has a known ending."""
    check_target(figure)
    if figure is not None and Path(figure).suffix not in FIGURES:
        raise ArgumentError("figure", figure, "a file that ends in " + ", ".join(FIGURES))


def _spaced(trace: Trace, points: int) -> list[int]:
    """Return capacities up to the peak, where nothing is evicted any more."""
    most = max(trace.peak, 1)
    return sorted({int(most * 10 ** (-DECADES * (1 - i / (points - 1)))) for i in range(points)})


def optima_lines(rows: Rows, thresholds: Thresholds) -> list[str]:
    """Return what hindsight is, and how well it is known where it is drawn."""
    lines = [f"{HINDSIGHT}: the least TEL of any policy; nothing else of it, as other plans may reach it too."]
    if rows.tangents:
        counts = ", ".join(
            f"{k} at {thresholds.slos.get(xi) or f'{xi:,} tokens'}" for xi, k in rows.tangents.items()
        )
        share = f"{100 * TOLERANCE:g} %"
        lines.append(f"In figure and JSON it is known to {share}, by tangents below and chords above: {counts}.")
    return lines

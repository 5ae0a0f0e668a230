"""`teltheory optimum`: the least TEL of any policy."""

from __future__ import annotations

import click

from teltheory.cli.certificate import Certified, certificates_as_data
from teltheory.cli.options import grid_options, read_capacities, read_thresholds
from teltheory.cli.output import check_target, console, progress_bar, write_json
from teltheory.cli.replay import about
from teltheory.cli.tables import optima_table
from teltheory.errors import ArgumentError
from teltheory.metrics import tail_excess_latency
from teltheory.optimal import Method, hindsight_optimum
from teltheory.policies.online import LRU
from teltheory.replay import replay as replay_trace
from teltheory.workloads import read_trace


@click.command()
@click.argument("trace_file", metavar="TRACE")
@click.option(
    "--method",
    type=click.Choice(["auto", "greedy", "lp", "milp", "pyomo"]),
    default="auto",
    show_default=True,
    help="How the optimum is found.",
)
@click.option("--time-limit", type=click.FloatRange(0), metavar="SECONDS", help="For the solver, each solve.")
@click.option("--certificate", "proof", metavar="FILE", help="Also write proofs, for check-certificate.")
@grid_options
def optimum(
    trace_file: str,
    method: Method,
    time_limit: float | None,
    proof: str | None,
    capacities: tuple[str, ...],
    xis: tuple[str, ...],
    slos: tuple[str, ...],
    forced: bool,
    format: str,
    target: str | None,
) -> int:
    """Print the least TEL that any policy reaches on TRACE, known in advance.

    Ends with 1 where the solver does not prove an optimum.
    """
    check_target(target)
    check_target(proof)
    if proof is not None and method not in ("auto", "greedy", "lp"):
        raise ArgumentError("certificate", proof, "a method that proves its optima, such as greedy")
    thresholds, sizes = read_thresholds(xis, slos), read_capacities(capacities)
    trace = read_trace(trace_file, format)
    rows, certified = [], []
    with about(trace_file), progress_bar() as bar:
        task = bar.add_task("Optimising", total=len(sizes) * len(thresholds.xis))
        for capacity in sizes:
            lru = replay_trace(trace, LRU(), capacity, forced)
            for xi in thresholds.xis:
                best = hindsight_optimum(trace, capacity, xi, forced, method=method, time_limit=time_limit)
                row = {
                    "capacity": capacity,
                    "xi": xi,
                    "optimum": best.objective,
                    "lru": tail_excess_latency(lru, xi),
                }
                rows.append({**row, "method": best.method, "bound": best.bound})
                if best.certificate is not None:
                    certified.append(Certified(capacity, xi, forced, best.certificate))
                bar.advance(task)
    if target != "-":
        console().print(optima_table(rows, thresholds))
    if target is not None:
        write_json(target, {"forced": forced, "latency": thresholds.latency.name, "rows": rows})
    if proof is not None:
        write_json(proof, certificates_as_data(certified), indent=None)
    return 0

"""`teltheory convert`: a trace of any format into the toolkit's own, once."""

from __future__ import annotations

import click

from teltheory.cli.output import check_target, console, show
from teltheory.cli.traces import Reading, about_turns, trace_options
from teltheory.formats import write_trace


@click.command()
@click.argument("trace_file", metavar="TRACE")
@click.argument("target", metavar="OUT")
@trace_options()
def convert(trace_file: str, target: str, reading: Reading) -> int:
    """Write TRACE to OUT in the toolkit's own format: a .csv, .jsonl or .parquet file.

    TRACE is a file of any format, or a folder of shards. OUT is written whole or not at all, and holds lengths and
    times alone. What was assumed is printed, and is no part of OUT.
    """
    check_target(target)
    trace = reading.read(trace_file)
    write_trace(trace, target)
    show(console(), *about_turns(trace))
    return 0

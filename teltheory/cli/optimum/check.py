"""`teltheory check-certificate`, which needs no solver."""

import click

from teltheory.cli.asked.options import trace_options
from teltheory.cli.asked.prefixes import reading_line, without_lines
from teltheory.cli.asked.traces import Reading, report_lines
from teltheory.cli.optimum.certificate import checked, read_certificates
from teltheory.cli.parts import command
from teltheory.cli.printed.output import console, show


@command("check-certificate", "check-certificate p.json trace.jsonl")
@click.argument("file", metavar="FILE")
@click.argument("trace_file", metavar="TRACE")
@click.option("--verified", is_flag=True, help="Also by a program that Coq extracts from its proof.")
@trace_options()
def check_certificate(file: str, trace_file: str, verified: bool, reading: Reading) -> int:
    """Check proofs of an optimum against TRACE.

    FILE is what `teltheory optimum --certificate` wrote, and says how TRACE is read. The check is in exact whole
    numbers and without a solver. Ends with 2 if one proves nothing.

    With `--verified` Coq compiles the proof of the bound, and a program extracted from it finds the bound again:
    for TEL of private conversations. That needs the Debian packages coq and gcc.
    """
    entries = read_certificates(file)
    trace = reading.read(trace_file)
    out = console()
    show(out, *(report_lines(trace) if reading.assumes else ()))
    shown, good = None, []
    for entry, requests in checked(file, entries, trace):
        if requests is not shown and trace.blocks is not None:
            show(out, reading_line(trace, requests), *without_lines(trace, requests, entry.prefixes))
        show(out, str(entry))
        shown = requests
        good.append((entry, requests))
    if verified:
        from teltheory.cli.optimum.verified import verify

        show(out, verify(file, good))
    return 0

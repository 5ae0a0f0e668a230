"""What a trace is like: `teltheory trace describe`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from teltheory.cli.asked.options import served_options, table_options, trace_options
from teltheory.cli.asked.served import ServedModel
from teltheory.cli.asked.traces import Reading, about_turns, hint_lines, turns_as_data
from teltheory.cli.parts import command
from teltheory.cli.printed.output import check_target, report
from teltheory.cli.printed.tables import plain_table
from teltheory.cost.kv_cache import KVSize
from teltheory.formats.datasets import DataFile, known, placed
from teltheory.formats.reading import ReadingReport
from teltheory.model.description import Description, Readers, Spread
from teltheory.model.description import describe as described
from teltheory.model.display import percent, tokens_in_short
from teltheory.model.hint_tables import as_data as hints_as_data
from teltheory.model.numbers import exact_sum
from teltheory.model.trace import Trace

if TYPE_CHECKING:
    from rich.table import Table

POINTS = ("mean", "P50", "P90", "P95", "P99", "most")
PARTS = ("read by", "blocks", "of the input")


@command(None, "trace describe trace.jsonl --format mooncake")
@click.argument("trace_file", metavar="TRACE")
@trace_options()
@served_options
@table_options
def describe(trace_file: str, reading: Reading, served: ServedModel, target: str | None) -> int:
    """Show lengths, turns and reuse in TRACE, and what it shares.

    TRACE is a file of any format, or a folder of shards. What is shared is known where the file has hashes of
    blocks. With --model (or --config, --kv-bytes) the footprint is in bytes too.
    """
    check_target(target)
    shape = served.shape if served != ServedModel() else None
    trace = reading.read(trace_file)
    found = described(trace)
    listed = None if trace_file == "-" else known(placed(trace_file))
    data: dict[str, Any] = {"trace": turns_as_data(trace), "description": found.as_dict()}
    data["data_set"] = listed and listed.name
    if shape is not None:
        data["footprint_bytes"] = shape.bytes(found.footprint)
    data["hints"] = None if trace.hints is None else hints_as_data(trace.hints)
    report(
        target,
        [*about_turns(trace), *hint_lines(trace), *_listed(listed), *_shown(found, shape), *_told(trace)],
        data,
    )
    return 0


def _shown(found: Description, shape: KVSize | None) -> "Iterator[str | Table]":
    named = {
        "input, tokens": found.inputs,
        "output, tokens": found.outputs,
        "turns per conversation": found.turns,
        "reuse gap, requests": found.gaps,
        "reuse gap, seconds": found.waits,
    }
    rows = [[name, *_cells(spread)] for name, spread in named.items() if spread is not None]
    yield plain_table("Lengths and gaps", ("", *POINTS), rows, left=("",))
    if found.block_size is not None:
        yield plain_table(f"Blocks of {found.block_size} tokens", PARTS, _parts(found), left=PARTS[:1])
    size = "" if shape is None else f", {shape.bytes(found.footprint) / 2**30:,.1f} GiB of {shape.name}"
    yield f"Footprint: {tokens_in_short(found.footprint)} tokens{size}, all that a cache without end holds."
    chains = "" if found.block_size is None else f"; {percent(found.chain_ceiling)} as private conversations"
    yield f"Ceiling: such a cache hits {percent(found.ceiling)} of the input{chains}."


def _listed(one: DataFile | None) -> Iterator[str]:
    """Yield which public trace it is, if that is known."""
    if one is not None:
        yield f"By its digest it is {one.name}; licence: {one.licence}, {one.page}."


def _told(trace: Trace) -> list[str]:
    """Return what the file says of the inputs, in a sentence, if it says something."""
    told = trace.report.told if isinstance(trace.report, ReadingReport) else ()
    inputs = max(exact_sum(trace.total), 1)
    shares = ", ".join(f"{what} {percent(tokens / inputs)}" for what, tokens in told)
    return [f"Of the input, as the file says: {shares}."] if shares else []


def _cells(spread: Spread) -> list[str]:
    return [
        f"{value:,.1f}" if value < 100 and value != int(value) else f"{value:,.0f}"
        for value in vars(spread).values()
    ]


def _parts(found: Description) -> Iterator[list[str]]:
    """Yield rows of blocks: the system prompt, which other rows have too, and the input by its readers."""
    if found.system_prompt is not None and found.system_prompt.blocks:
        yield _part("90 % of requests or more: a system prompt", found.system_prompt)
    for part in found.shared:
        if part.blocks:
            yield _part(_who(part), part)
    yield ["in no full block", "", percent(found.rest)]


def _part(who: str, part: Readers) -> list[str]:
    return [who, f"{part.blocks:,}", percent(part.share)]


def _who(part: Readers) -> str:
    if part.most is None:
        return f"{part.least} conversations or more"
    several = part.least if part.least == part.most else f"{part.least} to {part.most}"
    return f"{several} conversation{'' if part.most == 1 else 's'}"

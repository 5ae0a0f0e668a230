"""The toolkit's own format: the columns conversation, prompt, response and, optional, arrival and history.

What requests share by the hashes of their blocks has columns too (`teltheory.formats.walks`).

No other column is allowed, so that a misspelt one is not lost unnoticed.
"""

from teltheory.errors import FileError, TraceError
from teltheory.formats.format import Format, Source
from teltheory.formats.records import kind_of
from teltheory.formats.rows import OWN_COLUMNS, csv_rows, json_rows, parquet_rows
from teltheory.formats.walks import blocks_in
from teltheory.input_files import check_file, reported
from teltheory.model.trace import COLUMNS, Trace

READERS = {"csv": csv_rows, "jsonl": json_rows, "parquet": parquet_rows}


def read(source: Source) -> Trace:
    """Make a trace of the columns of a single file, all of it in memory."""
    check_file(source.path, "a single file for this format")
    read_rows = READERS.get(kind_of(source.path) or "")
    if read_rows is None:
        expected = "one that ends in .csv, .jsonl, .ndjson or .parquet for this format"
        raise FileError(f"{source.path}: found a name that ends in {source.path.suffix!r}, expected {expected}")
    with reported(source.path, "a trace"):
        rows = read_rows(source.path)
    for field in rows.columns:
        if field not in OWN_COLUMNS:
            rows.fail(None, "columns", field, "only " + ", ".join(OWN_COLUMNS))
    conversation, prompt, response = (rows.column(field) for field in COLUMNS[:3])
    arrival, history = (rows.column(field) if field in rows.columns else None for field in COLUMNS[3:])
    try:
        trace = source.check(Trace.from_turns(conversation, prompt, response, arrival, history))
        return trace.with_blocks(blocks_in(rows, trace))
    except TraceError as error:
        field = {"ask": "asked", "total": "computed"}.get(error.field, error.field)
        rows.fail(error.turn, field, error.found, error.expected)


OWN = Format(
    name="teltheory",
    fields=("prompt", "conversation", "response", "arrival", "history"),
    tells=lambda fields, kind: not set(COLUMNS).isdisjoint(fields),
    read=read,
    data="what `teltheory trace convert` and `tt.write_trace` write",
    dated=True,
)

"""The toolkit's own format: the columns conversation, prompt, response and, optional, arrival and history.

What requests share by the hashes of their blocks has columns too (`teltheory.formats.walks`), and so have hints
(`teltheory.model.hint_columns`).

A file of these columns alone, in the order of its arrivals, which are numbers, is read as arrays. One that has
other columns, other names for them, dates, or rows in another order is a log (`teltheory.formats.mapped`).
"""

from itertools import pairwise
from typing import Any

import numpy as np

from teltheory.base.input_files import check_file, reported
from teltheory.errors import TraceError
from teltheory.formats.format import TABLE, Format, Source
from teltheory.formats.mapped import Names
from teltheory.formats.mapped import read as read_log
from teltheory.formats.rows import (
    OWN_COLUMNS,
    WALK_COLUMNS,
    Rows,
    csv_rows,
    json_rows,
    parquet_rows,
    table_rows,
)
from teltheory.formats.said import SaidColumns
from teltheory.formats.walks import blocks_in
from teltheory.model.clocks import date_of
from teltheory.model.hint_columns import EVENTS, NEEDED_TIMES, SAID, TIMED
from teltheory.model.hint_tables import hinted
from teltheory.model.trace import COLUMNS, Trace

READERS = {"csv": csv_rows, "jsonl": json_rows, "parquet": parquet_rows}
NAMES = Names("teltheory", {name: (name,) for name in (*COLUMNS, *SAID[:-1])})


def read(source: Source) -> Trace:
    """Make a trace of the columns of a single file, all of it in memory, or of a log."""
    if source.columns or source.times is not None:
        return read_log(source, NAMES)
    if source.table is None:
        check_file(source.path, "a single file for this format")
    kind = source.files()[0][1]
    if kind not in (*READERS, TABLE) or _is_log(set(source.fields())):
        return read_log(source, NAMES)
    with reported(source.path, "a trace"):
        rows = READERS[kind](source.path) if source.table is None else table_rows(source.path, source.table)
    if _is_log(set(rows.columns)) or (_unsorted(rows) and set(rows.columns).isdisjoint((*WALK_COLUMNS, EVENTS))):
        return read_log(source, NAMES)
    return _of_rows(source, rows)


def _is_log(fields: set[str]) -> bool:
    return not fields <= set(OWN_COLUMNS) and fields.isdisjoint(WALK_COLUMNS)


def _unsorted(rows: Rows) -> bool:
    """Whether arrivals are dates, or go back."""
    arrival = rows.columns.get("arrival", ())
    if len(arrival) and all(date_of(one) is not None for one in arrival):
        return True
    if isinstance(arrival, np.ndarray):
        return bool((np.diff(arrival) < 0).any())
    if not all(isinstance(one, int | float) for one in arrival):
        return any(arrival) and not any(isinstance(one, int | float) for one in arrival)
    return any(later < earlier for earlier, later in pairwise(arrival))


def _of_rows(source: Source, rows: Rows) -> Trace:
    for field in rows.columns:
        if field not in OWN_COLUMNS:
            rows.fail(None, "columns", field, "only " + ", ".join(OWN_COLUMNS))
    conversation, prompt, response = (rows.column(field) for field in COLUMNS[:3])
    arrival, history = (rows.column(field) if field in rows.columns else None for field in COLUMNS[3:])
    try:
        trace = source.check(Trace.from_turns(conversation, prompt, response, arrival, history))
        return hinted(trace, _said(rows, trace)).with_blocks(blocks_in(rows, trace))
    except TraceError as error:
        field = {"ask": "asked", "total": "computed"}.get(error.field, error.field)
        rows.fail(error.turn, field, error.found, error.expected)


def _said(rows: Rows, trace: Trace) -> dict[str, Any]:
    """Return the columns of hints; in a CSV file, where all agents are texts, they are numbers if all look so."""
    said = SaidColumns({name: list(rows.columns[name]) for name in SAID if name in rows.columns})
    for name in (*TIMED, EVENTS) if trace.arrival is None else ():
        for row, value in enumerate(said.columns.get(name, ())):
            if value not in (None, "[]"):
                rows.fail(row, name, value, NEEDED_TIMES)
    if rows.texts:
        said.numbered()
    return said.columns


OWN = Format(
    name="teltheory",
    fields=("prompt", "conversation", "response", "arrival", "history"),
    tells=lambda fields, kind: not set(COLUMNS).isdisjoint(fields),
    read=read,
    columns=True,
)

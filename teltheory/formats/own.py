"""The toolkit's own format: the columns conversation, prompt, response and, optional, arrival and history.

No other column is allowed, so that a misspelt one is not lost unnoticed.
"""

from teltheory.formats.format import Format, Source
from teltheory.model.trace import COLUMNS, Trace


def read(source: Source) -> Trace:
    """Make a trace of the columns."""
    rows = source.rows()
    for field in rows.columns:
        if field not in COLUMNS:
            rows.fail(None, "columns", field, "only " + ", ".join(COLUMNS))
    conversation, prompt, response = (rows.column(field) for field in COLUMNS[:3])
    arrival, history = (rows.column(field) if field in rows.columns else None for field in COLUMNS[3:])
    with source.located(rows):
        return source.check(Trace.from_turns(conversation, prompt, response, arrival, history))


OWN = Format(
    name="teltheory",
    fields=("prompt", "conversation", "response", "arrival", "history"),
    tells=lambda fields, kind: not set(COLUMNS).isdisjoint(fields),
    read=read,
    data="what `teltheory convert` and `tt.write_trace` write",
    dated=True,
)

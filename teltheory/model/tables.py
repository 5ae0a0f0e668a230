"""Tables in and out: columns by name, whatever library holds them.

In comes a mapping of columns, such as a dict or a DataFrame of pandas, or anything with Arrow's PyCapsule
interface ``__arrow_c_stream__``: polars, PyArrow, DuckDB. Out goes the same interface.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from teltheory.base.extras import needed
from teltheory.errors import ArgumentError, TraceError, listed
from teltheory.model.columns import column_of, seconds_since, times_of
from teltheory.model.hint_columns import TIMED

EXTRA = "dataframes"
"""The extra with pandas and polars."""

TURNS = ("conversation", "prompt", "response", "arrival", "history", "total")
"""Our columns of turns, one after another or with whole inputs."""

ROW = "row"
OWN_ROW = ("conversation", ROW)
"""Where no column has this name, each row is a conversation of its own."""

DATED = {*TIMED} - {"priority"}
"""Columns that may have dates where arrivals are dates."""

Made = TypeVar("Made")


class Tabular(ABC):
    """A value that is a table too, of a row a turn."""

    @abstractmethod
    def _table(self) -> dict[str, Any]:
        """Return the columns by name."""

    def to_arrow(self) -> Any:
        """Return the columns as a ``pyarrow.Table``."""
        import pyarrow as pa

        return pa.table(self._table())

    def to_pandas(self) -> Any:
        """Return the columns as a ``pandas.DataFrame``; pandas has to be installed."""
        needed("pandas", EXTRA)
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return the columns as a ``polars.DataFrame``; polars has to be installed."""
        return needed("polars", EXTRA).from_arrow(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the columns as a stream of Arrow, for any library that reads its PyCapsule interface."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def made_of(
    make: Callable[..., Made],
    table: Any,
    columns: Mapping[str, str] | None,
    required: Sequence[str],
    optional: Sequence[str],
) -> Made:
    """Make a value of a table's columns, its rows in order of arrival; those of one time stay in their order.

    Parameters
    ----------
    make : callable
        Takes our columns by name.
    table : mapping of columns, or a table with ``__arrow_c_stream__``
        May have other columns too.
    columns : mapping or None
        The table's names of our columns, where they differ.
    required, optional : sequence of str
        Our columns.

    Raises
    ------
    ArgumentError
        If a column is not there.
    TraceError
        Of `make`, at the table's row (counted from 0) and column.
    """
    names, there = _names(columns, (*required, *optional)), columns_in(table)
    if names.get(OWN_ROW[0]) == ROW and ROW not in there:
        there = {**there, ROW: range(len(there[names[required[-1]]]))} if names[required[-1]] in there else there
    held = _held(there, names, {*required, *(columns or ())})
    order: NDArray[Any] | None = None
    try:
        found = {name: column_of(name, values) for name, values in held.items()}
        if "arrival" in found:
            found["arrival"] = times = times_of(found["arrival"])
            for name in found.keys() & DATED if times.dtype.kind == "M" and len(times) else ():
                found[name] = seconds_since(times.min(), name, found[name])
            if (times[1:] < times[:-1]).any():
                order = np.argsort(times, kind="stable")
                found = {name: v[order] if len(v) == len(order) else v for name, v in found.items()}
        return make(**found)
    except TraceError as error:
        row = error.turn if error.turn is None or order is None else int(order[error.turn])
        raise TraceError(names.get(error.field, error.field), row, error.found, error.expected, "row") from None


def _names(columns: Mapping[str, str] | None, ours: Sequence[str]) -> dict[str, str]:
    """Return the table's name of each of our columns."""
    for name, theirs in (columns or {}).items():
        if name not in ours:
            turned = f"; perhaps {{{theirs!r}: {name!r}}}, our name first" if theirs in ours else ""
            raise ArgumentError("columns", name, f"one of {', '.join(ours)}, and the table's name of it{turned}")
    return {name: (columns or {}).get(name, name) for name in ours}


def _held(held: Mapping[str, Any], names: Mapping[str, str], wanted: set[str]) -> dict[str, Any]:
    """Return those of our columns that the table has; one that is wanted and missing is an error."""
    for name, theirs in names.items():
        if name in wanted and theirs not in held:
            expected = f"a column {theirs!r}; columns={{{name!r}: ...}} takes one of another name"
            raise ArgumentError("table", f"columns {listed([*map(str, held.keys())])}", expected)
        if name != theirs in TURNS and names.get(theirs, theirs) == theirs and name in held:
            expected = f"our name first: the table's {name!r} is not read, its {theirs!r} would be {name!r}"
            raise ArgumentError("columns", f"{{{name!r}: {theirs!r}}}", expected)
    return {name: held[theirs] for name, theirs in names.items() if theirs in held}


def columns_in(table: Any) -> Mapping[str, Any]:
    """Return the columns of a table by name; where it is no mapping, as PyArrow reads its stream."""
    if hasattr(table, "keys") and hasattr(table, "__getitem__"):
        return table  # type: ignore[no-any-return]
    if not hasattr(table, "__arrow_c_stream__"):
        expected = "a mapping of columns, or a table of pandas, polars, PyArrow or DuckDB"
        raise ArgumentError("table", type(table).__name__, expected)
    import pyarrow as pa

    arrow = pa.table(table)
    return dict(zip(arrow.column_names, arrow.columns, strict=True))


def arrow_of(table: Any) -> Any:
    """Return a table as PyArrow's, whose rows are Python's own values; what is missing is None."""
    import pyarrow as pa

    try:
        if hasattr(table, "__arrow_c_stream__"):
            return pa.table(table)
        held = columns_in(table)
        return pa.table({str(name): pa.array(held[name], from_pandas=True) for name in held})
    except pa.ArrowException as error:
        raise ArgumentError("table", type(table).__name__, f"columns of one type each ({error})") from None


def of_lists(make: Callable[..., Made], paths: NDArray[Any], **columns: Any) -> Made:
    """Make a value of a column of lists, or of arrays, and of other columns."""
    for k, path in enumerate(paths):
        if isinstance(path, str) or not hasattr(path, "__iter__"):
            raise TraceError("paths", k, path, "a list of block ids")
    return make([p.tolist() if isinstance(p, np.ndarray) else p for p in paths], **columns)

"""What a format of traces is: one value, in a file of its own, and what its reader is given.

A custom format is such a value too. Its `read` goes through `Source.records`, adds each request to a
`teltheory.formats.requests.RequestColumns`, and ends in `whole_inputs` or `new_inputs`; `read_trace(path,
format=VALUE)` takes it, and an entry in `teltheory.formats.FORMATS` lets "auto" and the command line tell it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from teltheory.errors import ArgumentError, FileError
from teltheory.formats.opened import told_by_content
from teltheory.formats.records import KINDS, Record, fields_of, kind_of, records_of, rows_of, shards
from teltheory.model.initial import Initial
from teltheory.model.instance import Instance
from teltheory.model.numbers import INT64_MAX
from teltheory.model.trace import Trace
from teltheory.workloads.times import Times

__all__ = ["has"]

TABLE = "table"
NO_BLOCKS = "none, as {} has no blocks that requests share"


@dataclass(frozen=True)
class Source:
    """What a reader is given; `path` is a file or a folder, `named` says that the user named the format.

    `blocks` is the number of tokens per block that the user gave, `system` a prompt before every conversation,
    `columns` the names of fields (`teltheory.formats.mapped`), `table` a PyArrow table in the place of a file.
    """

    path: Path
    tokenizer: object = None
    times: Times | None = None
    initial: Initial = ()
    named: bool = True
    blocks: int | None = None
    system: str = ""
    columns: Mapping[str, str] | None = None
    table: Any = None

    def files(self) -> list[tuple[Path, str]]:
        """Return the files with their kinds: "csv", "jsonl", "json" or "parquet", or "table"."""
        return [(self.path, TABLE)] if self.table is not None else [(f, _kind(f)) for f in shards(self.path)]

    def fields(self) -> Mapping[str, Any]:
        """Return the fields of the first record, or what a header names."""
        if self.table is not None:
            return next((record.fields for record in self.records()), dict.fromkeys(self.table.column_names))
        return fields_of(*self.files()[0])

    def records(self, wanted: frozenset[str] = frozenset()) -> Iterator[Record]:
        """Yield the records of all files; of Parquet the fields that are wanted, or all."""
        if self.table is not None:
            yield from rows_of(self.path, self.table)
            return
        for file, kind in self.files():
            yield from records_of(file, kind, wanted)

    def check(self, trace: Trace) -> Trace:
        """Check a trace against the initial cache, and return it."""
        Instance.of(trace, INT64_MAX, initial=self.initial)
        return trace


def _kind(file: Path) -> str:
    kind = kind_of(file)
    if kind is None:
        raise FileError(f"{file}: found a name that ends in {file.suffix!r}, expected {', '.join(KINDS)}")
    return KINDS[told_by_content(file, otherwise=".log")] if kind == "log" and file.is_file() else kind


@dataclass(frozen=True)
class Format:
    """A format of traces.

    Attributes
    ----------
    name : str
        What `--format` calls it.
    fields : tuple of str
        Fields that it is told by, for people.
    tells : callable
        Whether the fields of a first record, in a file of a kind ("csv", "jsonl", "json", "parquet"), are its own.
    read : callable
        Makes a trace of a `Source`.
    text : bool
        Whether it holds text, so that it needs a tokenizer.
    dated : bool
        Whether each turn has its time, or the format has no use for assumed times.
    delays : bool
        Whether it has delays, so that times may be assumed without a law of gaps.
    blocks : bool
        Whether its requests have blocks: hashes of them, or text that can be cut into them.
    columns : bool
        Whether the user may name its fields.
    """

    name: str
    fields: tuple[str, ...]
    tells: Callable[[Mapping[str, Any], str], bool]
    read: Callable[[Source], Trace]
    text: bool = False
    dated: bool = False
    delays: bool = False
    blocks: bool = False
    columns: bool = False

    def check_used(
        self,
        tokenizer: object,
        times: Times | None,
        blocks: int | None = None,
        system: str = "",
        columns: Mapping[str, str] | None = None,
    ) -> None:
        """Raise an `ArgumentError` if an argument would be ignored in silence."""
        if tokenizer is not None and not self.text:
            raise ArgumentError("tokenizer", tokenizer, f"none, as {self.name} has token counts")
        if times is not None and self.dated:
            raise ArgumentError("times", times, f"none, as {self.name} has its own")
        if times is not None and times.gaps is None and not self.delays:
            raise ArgumentError("times", times, f"a law of gaps, as {self.name} has no delays")
        if blocks is not None and not self.blocks and "hashes" not in (columns or ()):
            raise ArgumentError("blocks", blocks, NO_BLOCKS.format(self.name))
        if columns and not self.columns:
            raise ArgumentError("columns", dict(columns), f"none, as {self.name} has its own fields")
        if system and not self.text:
            raise ArgumentError("system", system, f"none, as {self.name} has token counts")


def has(*names: str) -> Callable[[Mapping[str, Any], str], bool]:
    """Return what tells a format by fields that a first record must all have."""
    return lambda fields, kind: set(names) <= set(fields)


def has_list(fields: Mapping[str, Any], name: str) -> bool:
    """Whether a field is a list."""
    return isinstance(fields.get(name), list)

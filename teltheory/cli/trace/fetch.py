"""Public traces by name: `teltheory trace fetch`."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from teltheory.cli.asked.completion import traces
from teltheory.cli.asked.options import table_options
from teltheory.cli.parts import command
from teltheory.cli.printed.output import check_target, report
from teltheory.cli.printed.tables import plain_table
from teltheory.errors import ArgumentError, FileError
from teltheory.formats.datasets import DataFile, datasets
from teltheory.formats.fetching import fetch

if TYPE_CHECKING:
    pass

COLUMNS = ("trace", "format", "licence", "bytes", "digest", "here")


@command(None, "trace fetch", "trace fetch mooncake-conversation")
@click.argument("name", metavar="[NAME]", required=False, shell_complete=traces)
@table_options
def fetch_command(name: str | None, target: str | None) -> int:
    """Bring the public trace NAME into the data folder.

    Without NAME all are listed. The folder is TELTHEORY_DATA, or ../shared/data. A file comes over HTTPS, whole or
    not at all. Its digest is that of the list, or of the first fetch.
    """
    check_target(target)
    if name is None:
        rows = [_row(parts) for parts in datasets().values()]
        report(
            target,
            [plain_table("Public traces", COLUMNS, rows, left=(*COLUMNS[:3], *COLUMNS[4:]))],
            _data(*datasets()),
        )
        return 0
    if name not in datasets():
        raise ArgumentError("NAME", name, "a name that `teltheory trace fetch` lists")
    parts = datasets()[name]
    if not all(part.address for part in parts):
        raise FileError(
            f"{name}: found no single file, expected you to put it at {parts[0].path}; see {parts[0].page}"
        )
    lines = [_brought(part, fetch(part, progress=True)) for part in parts]
    report(target, [*lines, *_about(parts[0])], _data(name))
    return 0


def _row(parts: tuple[DataFile, ...]) -> list[str]:
    one = parts[0]
    size = f"{sum(part.bytes or 0 for part in parts):,}" if one.bytes else ""
    checked = "checked" if one.sha256 else "not checked" if one.address else "by hand"
    return [one.name, one.format, one.licence, size, checked, "yes" if all(p.path.exists() for p in parts) else ""]


def _brought(part: DataFile, came: bool) -> str:
    digest = (
        "as listed" if part.sha256 else "not checked" if part.digest is None else "kept, as nobody had checked it"
    )
    return f"{part.path}: {'fetched' if came else 'there already'}; its digest is {digest}."


def _about(one: DataFile) -> Iterator[str]:
    yield f"Licence: {one.licence}, {one.page}."
    yield f"Assumed where it is read as {one.format}: {one.assumed}."


def _data(*names: str) -> dict[str, Any]:
    return {name: [asdict(part) | {"here": part.path.exists()} for part in datasets()[name]] for name in names}

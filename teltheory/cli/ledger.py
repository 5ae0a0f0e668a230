"""`teltheory ledger`: documents made of a ledger."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from teltheory.claims.registry import all_errata
from teltheory.cli.output import check_target, write_text
from teltheory.errors import ArgumentError, FileError
from teltheory.input_files import read_bytes
from teltheory.report.errata import errata_markdown
from teltheory.report.ledger import Row, read_ledger
from teltheory.report.markdown import ledger_markdown
from teltheory.report.words import check_words


@click.command()
@click.argument("ledger_file", metavar="LEDGER")
@click.option("--markdown", metavar="FILE", help="The ledger as a page; - for standard output.")
@click.option("--errata", metavar="FILE", help="What is refuted, with its repair; - for standard output.")
def ledger(ledger_file: str, markdown: str | None, errata: str | None) -> int:
    """Make documents of LEDGER, the file that `teltheory verify --json` wrote (- for standard input).

    Nothing is decided again. The errata need the whole ledger: every refuted statement of the paper must have one.
    """
    wanted = (
        (markdown, ledger_markdown),
        (errata, lambda rows: errata_markdown(rows, all_errata())),
    )
    documents = [(target, make) for target, make in wanted if target is not None]
    _check_targets([target for target, _ in documents])
    rows = ledger_rows(ledger_file)
    made = [(target, make(rows)) for target, make in documents]
    for target, text in made:
        write_text(target, text)
    return 0


def _check_targets(targets: Sequence[str]) -> None:
    if not targets:
        raise ArgumentError("documents", "none", "--markdown or --errata")
    if len(set(targets)) < len(targets):
        raise ArgumentError("documents", ", ".join(targets), "a file of its own for each")
    for target in targets:
        check_target(target)


def ledger_rows(file: str) -> list[Row]:
    """Return the rows of a ledger in a file, or on standard input for ``-``; each can be put into words."""
    text = _standard_input() if file == "-" else read_bytes(Path(file), "a ledger")
    rows = read_ledger(text, file)
    check_words(rows, file)
    return rows


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise FileError("standard input: found it closed, expected a ledger")
    return sys.stdin.buffer.read()

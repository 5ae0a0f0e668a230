"""`teltheory ledger`: documents made of a ledger."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from teltheory.cli.output import check_target, write_text
from teltheory.errors import ArgumentError, FileError
from teltheory.report.errata import errata_markdown
from teltheory.report.latex import ledger_latex
from teltheory.report.ledger import Row, read_ledger
from teltheory.report.markdown import ledger_markdown


@click.command()
@click.argument("ledger_file", metavar="LEDGER")
@click.option("--markdown", metavar="FILE", help="The ledger as a page; - for standard output.")
@click.option("--latex", metavar="FILE", help="The ledger as a table for papers; - for standard output.")
@click.option("--errata", metavar="FILE", help="What is refuted, with its repair; - for standard output.")
def ledger(ledger_file: str, markdown: str | None, latex: str | None, errata: str | None) -> int:
    """Make documents of LEDGER, the file that `teltheory verify --json` wrote (- for standard input).

    Nothing is decided again. The errata need the whole ledger: every refuted statement of the paper must have one.
    """
    wanted = ((markdown, ledger_markdown), (latex, ledger_latex), (errata, _errata))
    documents = [(target, make) for target, make in wanted if target is not None]
    _check_targets([target for target, _ in documents])
    rows = read_ledger(_text(ledger_file), ledger_file)
    made = [(target, make(rows)) for target, make in documents]
    for target, text in made:
        write_text(target, text)
    return 0


def _check_targets(targets: Sequence[str]) -> None:
    if not targets:
        raise ArgumentError("documents", "none", "--markdown, --latex or --errata")
    if len(set(targets)) < len(targets):
        raise ArgumentError("documents", ", ".join(targets), "a file of its own for each")
    for target in targets:
        check_target(target)


def _text(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        found = getattr(error, "strerror", None) or "no UTF-8"
        raise FileError(f"{file}: {found}, expected a ledger") from None


def _errata(rows: Sequence[Row]) -> str:
    from proofs_checks.errata import ERRATA

    return errata_markdown(rows, ERRATA)

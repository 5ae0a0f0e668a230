"""`teltheory verify` decides the claims, and makes documents of what is decided."""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import click
from rich.table import Table
from rich.text import Text

from teltheory.base.input_files import read_bytes
from teltheory.base.processes import cores, on_processes
from teltheory.claims.claim import EFFORTS, Claim, Effort
from teltheory.claims.registry import (
    all_claims,
    all_errata,
    check_identifiers,
    claim_named,
    claims_in,
    claims_of_file,
    claims_of_section,
    claims_where_named,
    sections,
    slow_claims,
)
from teltheory.claims.search import decide_named
from teltheory.claims.verdict import is_expected
from teltheory.cli.asked.options import EFFORT, alone, json_option, workers_option
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_targets, progress_bar, report, write_text
from teltheory.cli.verify.campaigns import CampaignOptions, campaign, campaign_options, with_campaign
from teltheory.errors import ArgumentError, FileError, listed
from teltheory.report.errata import errata_markdown
from teltheory.report.ledger import Row, origin_text, read_ledger
from teltheory.report.ledger_pages import TONES, ledger_markdown
from teltheory.report.words import LEDGER_TITLE, check_words, evidence_text, strength

STYLES = {"good": "green", "warn": "yellow", "bad": "red"}


@command(
    None,
    "verify --section 'Theorem 3.1'",
    "verify my_claims.py",
    "verify --json ledger.json",
    "verify --from ledger.json --markdown ledger.md",
)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@option("--effort", type=click.Choice(EFFORTS), default="quick", show_default=True, help=EFFORT)
@option("--claim", "only", multiple=True, metavar="ID", help="Only this claim, or 'theorem-31*'; repeatable.")
@option(
    "--section",
    metavar="NAME",
    help="Only the claims of one section, or of a place in a paper: 'Theorem 3.1'.",
)
@option("--list", "listing", is_flag=True, help="Decide nothing: list the claims and their sources.")
@option(
    "--from", "ledger_file", metavar="FILE", help="Decide nothing: read the ledger that --json wrote; - for stdin."
)
@option("--markdown", metavar="FILE", help="Write the ledger as a page and print no table; - for stdout.")
@option("--errata", metavar="FILE", help="Write what is refuted, with its repair, as a page; - for stdout.")
@workers_option
@campaign_options
@json_option
def verify(
    files: tuple[str, ...],
    effort: Effort,
    only: tuple[str, ...],
    section: str | None,
    listing: bool,
    ledger_file: str | None,
    markdown: str | None,
    errata: str | None,
    workers: int | None,
    target: str | None,
    **given: Any,
) -> int:
    """Decide every claim of the paper and print the ledger.

    Of each FILE, a Python file of claims, its claims are decided instead, registered or not.

    Ends with 0 whatever the paper's own statements turn out to be, and with 1 if a row of ours or a repaired claim
    is refuted or not reproduced, or a row stays undecided or ends in an error.

    --budget or --batches runs a campaign of random traces first, and adds what it tried to the scopes.

    --markdown and --errata write documents instead of the printed ledger, of what is decided now or, with --from,
    of a file that --json wrote earlier. The errata need the whole ledger.
    """
    documents = {"--markdown": markdown, "--errata": errata, "--json": target}
    check_targets({**documents, "--store": given["store"]})
    if ledger_file is not None:
        alone("--from", "ledger_file", "markdown", "errata", "target")
        _refuse("--from", ledger_file, "no FILE", *files)
        write_ledger(ledger_rows(ledger_file), documents)
        return 0
    if errata is not None:
        _refuse("--errata", errata, "the whole ledger, so no FILE, --claim, --section or --list", *files, *only)
        _refuse("--errata", errata, "the whole ledger, so no --section or --list", section, listing)
    options = CampaignOptions(**given)
    options.check(workers)
    chosen = _chosen(files, only, section, options.asked_for)
    if listing:
        return list_claims(chosen, target)
    return _decided(chosen, effort, workers, options, documents)


def _refuse(option: str, found: str, expected: str, *beside: object) -> None:
    if any(beside):
        raise ArgumentError(option, found, expected)


Chosen: TypeAlias = Mapping[str | None, list[str]]
"""Identifiers of claims by the file that has them, None for the ledger's."""


def _chosen(files: Sequence[str], only: Sequence[str], section: str | None, in_campaign: bool) -> Chosen:
    """Return the claims to decide."""
    if not files:
        return {None: chosen_claims(only, section)}
    _refuse("FILE", files[0], "no --section and no campaign with it", section, in_campaign)
    _refuse("FILE", files[-1], "one FILE with --claim", only and files[1:])
    check_identifiers([claim for file in files for claim in claims_of_file(file)])
    return {file: chosen_claims(only, None, file) for file in files}


def list_claims(chosen: Chosen, target: str | None) -> int:
    """Print claims and where they are stated, and write them as data."""
    claims = [claim_named(name, file) for file, ids in chosen.items() for name in ids]
    table = Table("claim", "source", box=None, padding=(0, 2, 0, 0))
    for claim in claims:
        table.add_row(Text(claim.id), Text(claim.source))
    report(target, [table, f"{len(claims):,} claims"], {"claims": [claim.as_dict() for claim in claims]})
    return 0


def _decided(
    chosen: Chosen,
    effort: Effort,
    workers: int | None,
    options: CampaignOptions,
    documents: Mapping[str, str | None],
) -> int:
    """Decide claims, after a campaign if one was asked for; return the exit code."""
    found = campaign(chosen[None], options, workers) if options.asked_for else {}
    decided = [decide_all(ids, effort, workers, file) for file, ids in chosen.items()]
    rows = [with_campaign(row, found.get(row["id"])) for rows, _ in decided for row in rows]
    files = ", ".join(file for file in chosen if file is not None)
    write_ledger(rows, documents, f"The claims of {files}" if files else LEDGER_TITLE)
    tried = [row for row in rows if row["id"] in found]
    sound = all(fine for _, fine in decided)
    return 0 if sound and all(is_expected(row["verdict"], claim_named(row["id"])) for row in tried) else 1


def chosen_claims(only: Sequence[str], section: str | None, file: str | None = None) -> list[str]:
    """Return the identifiers of the claims to decide, in the ledger's order."""
    if only and file is section is None:
        known = [claim.id for claim in claims_where_named(only)]
        if set(only) <= set(known):
            return [name for name in known if name in only]
    claims = claims_in(file) if section is None else _of_section(section)
    if file is not None:
        check_identifiers(claims)
    known = [claim.id for claim in claims]
    for name in only:
        if not any(fnmatchcase(one, name) for one in known):
            raise ArgumentError("claim", name, f"one of {_nearest(name, known)}")
    return [one for one in known if not only or any(fnmatchcase(one, name) for name in only)]


def _of_section(section: str) -> tuple[Claim[Any], ...]:
    found = claims_of_section(section)
    if not found:
        places = dict.fromkeys(claim.source.partition(",")[0] for claim in all_claims())
        raise ArgumentError("section", section, f"one of {_nearest(section, [*sections(), *places])}")
    return found


def _nearest(name: str, known: Sequence[str]) -> str:
    """List names, those that the name is a part of first, then by likeness."""
    parts = [one for one in known if name.strip("*") in one]
    nearest = listed(list(dict.fromkeys((*parts, *get_close_matches(name, known, len(known), 0)))))
    return f"{nearest}: teltheory verify prints all" if " others" in nearest else nearest


def decide_all(
    ids: Sequence[str], effort: Effort, workers: int | None, file: str | None = None
) -> tuple[list[dict[str, Any]], bool]:
    """Decide claims on several processes; return their rows in the order of `ids`, and whether all are sound."""
    decided: dict[str, tuple[dict[str, Any], bool]] = {}
    handed = _handed_out([claim_named(name, file) for name in ids], slow_claims())
    deciding = on_processes(partial(decide_named, effort=effort, file=file), handed, workers or cores(), _named)
    with progress_bar() as bar, closing(deciding):
        task = bar.add_task("Deciding claims", total=len(ids))
        for i, answers in deciding:
            decided.update(zip(handed[i], answers, strict=True))
            bar.advance(task, len(answers))
    return [decided[name][0] for name in ids], all(sound for _, sound in decided.values())


def _handed_out(claims: Sequence[Claim[Any]], seconds: Mapping[str, float]) -> list[tuple[str, ...]]:
    """Return what one process decides at a time, one claim or those that share work: the longest work first.

    `seconds` are those of slow claims, in a ledger of before; what it does not know comes after, as it came.
    """
    shared: dict[str, list[str]] = {}
    for claim in claims:
        shared.setdefault(claim.together or f"alone: {claim.id}", []).append(claim.id)
    return sorted(map(tuple, shared.values()), key=lambda ids: -sum(seconds.get(one, 0) for one in ids))


def _named(ids: tuple[str, ...]) -> str:
    return ("claim " if len(ids) == 1 else "claims ") + ", ".join(ids)


def ledger_table(rows: Sequence[dict[str, Any]], title: str = LEDGER_TITLE) -> Table:
    """Return the ledger: beside each verdict the claim, its statement, what decides it and what that rests on."""
    counts = Counter(row["verdict"] for row in rows)
    total = ", ".join(f"{verdict} {n:,}" for verdict, n in counts.items()) if len(rows) > 1 else None
    table = Table(title=title, caption=total, box=None, show_header=False, padding=(0, 2, 1, 0))
    table.title_justify = table.caption_justify = "left"
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        style = STYLES.get(TONES.get(row["verdict"], ""), "dim")
        evidence, label = evidence_text(row), "counterexample" if row["counterexample"] is not None else "counts"
        told = (row["statement"], *([f"{label}: {evidence}"] if evidence else []), *strength(row))
        claim = Text.assemble((row["id"], "bold"), f" ({origin_text(row)})", *("\n" + line for line in told))
        table.add_row(Text(row["verdict"], style), claim)
    return table


def write_ledger(rows: list[Row], documents: Mapping[str, str | None], title: str = LEDGER_TITLE) -> None:
    """Write the documents that were asked for; without --markdown and --errata print the ledger."""
    makers: dict[str, Callable[[list[Row]], str]] = {
        "--markdown": ledger_markdown,
        "--errata": lambda found: errata_markdown(found, all_errata()),
    }
    made = [(target, make(rows)) for name, make in makers.items() if (target := documents[name]) is not None]
    report(documents["--json"], [] if made else [ledger_table(rows, title)], {"claims": rows})
    for target, text in made:
        write_text(target, text)


def ledger_rows(file: str) -> list[Row]:
    """Return the rows of a ledger in a file, or on standard input for ``-``; each can be put into words."""
    if file == "-" and sys.stdin is None:
        raise FileError("standard input: found it closed, expected a ledger")
    text = sys.stdin.buffer.read() if file == "-" else read_bytes(Path(file), "a ledger")
    rows = read_ledger(text, file)
    check_words(rows, file)
    return rows

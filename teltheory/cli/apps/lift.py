"""`teltheory apps lift`: applications lifted from a plain log of requests."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import click

from teltheory.cli.apps.files import log_in
from teltheory.cli.apps.options import tokens_of, tokens_option
from teltheory.cli.asked.options import table_options, whole
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_targets, report
from teltheory.cli.printed.tables import plain_table
from teltheory.errors import printable
from teltheory.formats.applications import write_application_trace
from teltheory.model.display import counted, percent
from teltheory.systems.apps.lift import LEAST, Lifted, as_applications, as_trace, lift
from teltheory.systems.apps.records import write_applications as write_records

COLUMNS = ("application", "requests", "joined", "held", "several", "continued")
LEGEND = (
    "joined: earlier outputs that prompts hold. held: their share of the prompts' characters. several: outputs "
    "that two or more earlier requests had. continued: prompts that begin with an earlier prompt and its output."
)
MOST = 20


@command("lift", "apps lift log.jsonl --apps apps.json --trace-out apps.jsonl")
@click.argument("log", metavar="LOG")
@option("--apps", "records", metavar="FILE.json", help="Write the applications to FILE, for explain and run.")
@option(
    "--trace-out",
    "trace",
    metavar="FILE.jsonl",
    help="Write their trace to FILE, for replay and optimum.",
)
@whole("--least", LEAST, "Least number of characters of an output that a prompt must hold.")
@tokens_option
@table_options
def lift_command(
    log: str, records: str | None, trace: str | None, least: int, tokenizer: str, target: str | None
) -> int:
    """Find the applications in LOG, a log of requests.

    LOG is JSON lines with prompts, or OpenAI's messages, and responses; a prompt that holds an earlier output
    depends on it.
    """
    check_targets({"--apps": records, "--trace-out": trace, "--json": target})
    tokens = tokens_of(tokenizer)
    lifted = lift(log_in(log), least)
    if records is not None:
        write_records(as_applications(lifted, tokens.count), Path(records))
    if trace is not None:
        write_application_trace(as_trace(lifted, tokens.count), Path(trace))
    rows = [
        _Row.of(lifted, name, members) for name, members in zip(lifted.names, lifted.applications, strict=True)
    ]
    short = sum(len(one.response.strip()) < least for one in lifted.log)
    said = f"{short:,} of {counted(len(lifted.log), 'output')} shorter than {least:,} characters: not looked for."
    more = [f"... and {len(rows) - MOST:,} more."] if len(rows) > MOST else []
    title = f"{counted(len(rows), 'application')} of {counted(len(lifted.log), 'request')}"
    table = plain_table(title, COLUMNS, [row.cells() for row in rows[:MOST]], left=COLUMNS[:1])
    report(
        target,
        [LEGEND, said, table, *more],
        {"least": least, "short": short, "applications": list(map(asdict, rows))},
    )
    return 0


@dataclass(frozen=True)
class _Row:
    """What was found of an application; lengths in characters."""

    application: str
    requests: tuple[str, ...]
    joined: int
    held: int
    characters: int
    several: int
    continued: int

    @classmethod
    def of(cls, lifted: Lifted, name: str, members: tuple[int, ...]) -> _Row:
        log = [lifted.log[k] for k in members]
        reuses = [reuse for k in members for reuse in lifted.reuses[k]]
        return cls(
            name,
            tuple(one.name for one in log),
            len(reuses),
            sum(reuse.length for reuse in reuses),
            sum(len(one.prompt) for one in log),
            sum(bool(reuse.others) for reuse in reuses),
            sum(lifted.continues[k] is not None for k in members),
        )

    def cells(self) -> list[str]:
        held = percent(self.held / self.characters if self.characters else None)
        counts = (f"{count:,}" for count in (self.several, self.continued))
        return [printable(self.application), f"{len(self.requests):,}", f"{self.joined:,}", held, *counts]

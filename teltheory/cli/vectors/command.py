"""`teltheory vectors` writes small traces with the exact answer of every policy, or checks such a file."""

from __future__ import annotations

import json
from pathlib import Path

import click
from msgspec import json as coded
from msgspec import to_builtins

from teltheory.base.input_files import read_json
from teltheory.base.plain_data import read_as
from teltheory.cli.parts import command
from teltheory.cli.printed.output import check_targets, console, show, write_text
from teltheory.cli.vectors.cases import cases
from teltheory.cli.vectors.suite import Vectors, agreements


@command(None, "vectors vectors.json", "vectors mine.json --check")
@click.argument("file", metavar="FILE")
@click.option("--check", is_flag=True, help="Compare the answers in FILE with those of our engines.")
def vectors(file: str, check: bool) -> int:
    """Write small traces with exact answers to FILE.

    Other simulators can check themselves by the answers of every policy. A JSON schema is written beside FILE, as
    *.schema.json.

    With `--check` FILE has answers of yours, in the same form, for these traces or others: it is read, and each
    answer that is not ours is shown where it first differs. Then the command ends with 1.
    """
    if check:
        return _checked(file)
    beside = str(Path(file).with_suffix(".schema.json"))
    check_targets({"FILE": file, "the schema": beside})
    found = to_builtins(Vectors(1, cases()))
    write_text(file, json.dumps(found, separators=(",", ":")) + "\n")
    write_text(beside, json.dumps(coded.schema(Vectors), indent=1) + "\n")
    runs = sum(len(case["runs"]) for case in found["cases"])
    show(console(), f"{len(found['cases'])} traces, {runs} runs: {file}, {beside}")
    return 0


def _checked(file: str) -> int:
    found, out = agreements(read_as(file, read_json(Path(file), "a file of vectors"), Vectors).cases), console()
    for one in found:
        if one.first:
            show(out, f"{one.what}: {one.same} of {one.answers} are the same; first {one.first}")
    same = sum(one.same for one in found)
    show(out, f"{same:,} of {sum(one.answers for one in found):,} answers are those of our engines")
    return int(any(one.first for one in found))

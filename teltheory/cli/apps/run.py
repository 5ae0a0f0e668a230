"""`teltheory apps run`: applications run on tiny engines, or at an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import click

from teltheory.cli.apps.engines import Engines, engine_options
from teltheory.cli.apps.files import applications_in
from teltheory.cli.asked.options import duration, table_options
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, report
from teltheory.cli.printed.tables import plain_table
from teltheory.errors import ArgumentError, printable
from teltheory.model.display import counted
from teltheory.systems.apps.answering import Answered, answer, prompt_tokens
from teltheory.systems.apps.engines.remote import RemoteEngine
from teltheory.systems.apps.engines.tiny import TinyEngine
from teltheory.systems.apps.records import Application, located
from teltheory.systems.apps.sessions import Manager

COLUMNS = ("engine", "filled", "generated", "most held")
LEGEND = (
    "filled: tokens of prompts that were computed; the others were in contexts that an earlier prompt had made. "
    "most held: tokens of contexts at one time."
)


@command(None, "apps run apps.json --engine http://localhost:8000 --served-model M")
@click.argument("file", metavar="FILE")
@engine_options
@option("--set", "sets", multiple=True, metavar="NAME=TEXT", help="Give a variable of FILE a value; repeatable.")
@option(
    "--timeout",
    callback=duration,
    default="600s",
    show_default=True,
    metavar="TIME",
    help="Longest wait for an answer. It bounds each get.",
)
@table_options
def run(file: str, engines: Engines, sets: tuple[str, ...], timeout: float, target: str | None) -> int:
    """Run the applications of FILE and show the answers.

    The answers are what a client gets; the exit code is 1 if a get fails. FILE has applications, or is a log of
    requests, which they are lifted from.
    """
    check_target(target)
    if not timeout > 0:
        raise ArgumentError("--timeout", timeout, "a time above 0")
    made = engines.made()
    applications = _with(applications_in(file, lambda text: len(made[0].encode(text))), sets)
    with located(file):
        found = asyncio.run(_found(applications, made, timeout))
    pairs = list(zip(applications, found, strict=True))
    flat = sum(prompt_tokens(*pair, made[0].encode) for pair in pairs)
    title = f"{counted(len(pairs), 'application')}, {flat:,} tokens of prompts"
    table = plain_table(title, COLUMNS, map(_cells, made), left=COLUMNS[:1])
    texts = [line for pair in pairs for line in _texts(*pair, len(pairs) > 1)]
    data = {"prompts": flat, "engines": [_counts(engine) for engine in made]}
    report(
        target, [LEGEND, table, *_usage(made), *texts], data | {"applications": [_data(*pair) for pair in pairs]}
    )
    return int(any(not answered.failures.keys().isdisjoint(one.gets) for one, answered in pairs))


def _with(applications: Sequence[Application], sets: Sequence[str]) -> list[Application]:
    """Return applications with values for those of their variables that nobody produces."""
    given = {}
    for text in sets:
        name, equals, value = text.partition("=")
        takers = [one for one in applications if name in one.graph.consumers and name not in one.graph.producers]
        if not (equals and takers):
            raise ArgumentError(
                "--set", text, "NAME=TEXT, of a variable that a request consumes and none produces"
            )
        given[name] = value
    return [
        replace(one, values={**one.values, **{name: given[name] for name in one.graph.consumers if name in given}})
        for one in applications
    ]


async def _found(
    applications: Sequence[Application], engines: Sequence[TinyEngine | RemoteEngine], timeout: float
) -> list[Answered]:
    try:
        async with Manager(engines) as manager:
            return await answer(applications, manager, timeout)
    finally:
        for engine in engines:
            if isinstance(engine, RemoteEngine):
                await engine.close()


def _counts(engine: TinyEngine | RemoteEngine) -> dict[str, Any]:
    held = engine.contexts
    counts = {"engine": engine.name, "filled": held.filled, "generated": held.generated, "most held": held.peak}
    return counts if isinstance(engine, TinyEngine) else {**counts, "usage": asdict(engine.usage)}


def _cells(engine: TinyEngine | RemoteEngine) -> list[str]:
    counts = _counts(engine)
    return [printable(engine.name), *(f"{counts[column]:,}" for column in COLUMNS[1:])]


def _usage(engines: Sequence[TinyEngine | RemoteEngine]) -> Iterator[str]:
    for engine in engines:
        if isinstance(engine, RemoteEngine):
            said = engine.usage
            cached = (
                "says nothing of cached ones" if said.cached is None else f"had {said.cached:,} of them cached"
            )
            yield f"The server counted {said.prompt:,} tokens in {counted(said.calls, 'prompt')} and {cached}."


def _texts(one: Application, answered: Answered, named: bool) -> Iterator[str]:
    """Yield what a client gets."""
    for variable in one.gets:
        place = printable(f"{one.name}: {variable}" if named else variable)
        failure = answered.failures.get(variable)
        if failure is None:
            yield f"{place}: " + "\n".join(map(printable, answered.values[variable].split("\n")))
        else:
            yield f"{place} failed: {failure}"


def _data(one: Application, answered: Answered) -> dict[str, Any]:
    failures = {name: {"code": fault.code, "message": str(fault)} for name, fault in answered.failures.items()}
    return {"application": one.name, "values": dict(answered.values), "failures": failures}

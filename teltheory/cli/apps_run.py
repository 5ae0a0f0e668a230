"""`teltheory apps run`: applications run on tiny engines, or at an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import click
import numpy as np

from teltheory.apps.answering import Answered, answer, prompt_tokens
from teltheory.apps.engines.remote import RemoteEngine
from teltheory.apps.engines.tiny import TinyEngine
from teltheory.apps.records import Application, located, read_applications
from teltheory.apps.sessions import Manager
from teltheory.cli.options import Option, bundled, json_option, whole
from teltheory.cli.output import check_target, report
from teltheory.cli.tables import plain_table
from teltheory.errors import ArgumentError, printable
from teltheory.report.words import counted

TINY = "tiny"
COLUMNS = ("engine", "filled", "generated", "most held")
LEGEND = (
    "filled: tokens of prompts that were computed; the others were in contexts that an earlier prompt had made. "
    "most held: tokens of contexts at one time."
)


@dataclass(frozen=True)
class Engines:
    """What --engine and the options beside it say."""

    engine: str
    engines: int
    model: str | None
    chat: bool
    api_key_env: str | None
    seed: int

    def made(self) -> list[TinyEngine] | list[RemoteEngine]:
        """Return the engines."""
        if self.engine == TINY:
            return [TinyEngine(np.random.default_rng(self.seed), f"{TINY}-{k}") for k in range(self.engines)]
        if self.model is None:
            raise ArgumentError("--model", None, "the name that the server gives its model")
        if self.engines != 1:
            raise ArgumentError("--engines", self.engines, "1 with the address of a server")
        key = None if self.api_key_env is None else os.environ.get(self.api_key_env, "")
        return [RemoteEngine(self.engine, self.model, key=key, chat=self.chat)]


_engines: Option = bundled(
    "engines",
    Engines,
    click.option("--engine", default=TINY, show_default=True, metavar="tiny|URL", help="What runs requests."),
    whole("--engines", 1, "Tiny engines, all alike."),
    click.option("--model", metavar="NAME", help="Of the server."),
    click.option("--chat", is_flag=True, help="Ask the server for chat completions."),
    click.option("--api-key-env", metavar="NAME", help="Environment variable with the server's API key."),
    whole("--seed", 0, "Of the tiny model and of what it draws.", least=0),
)


@click.command()
@click.argument("file", metavar="FILE")
@_engines
@click.option("--set", "sets", multiple=True, metavar="NAME=TEXT", help="A value for a variable of the file.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=600.0, show_default=True, help="In s.")
@json_option
def run(file: str, engines: Engines, sets: tuple[str, ...], timeout: float, target: str | None) -> int:
    """Run the applications of FILE and show what a client gets; the exit code is 1 if a get fails."""
    check_target(target)
    applications = _with(read_applications(file), sets)
    made = engines.made()
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

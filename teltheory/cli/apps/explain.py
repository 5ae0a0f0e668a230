"""`teltheory apps explain`: the graph of an application, and what the scheduler deduces of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from teltheory.cli.apps.files import applications_in
from teltheory.cli.apps.options import tokens_of, tokens_option
from teltheory.cli.asked.options import table_options
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, report
from teltheory.cli.printed.tables import plain_table
from teltheory.errors import listed, printable
from teltheory.model.display import counted
from teltheory.systems.apps.deduction import READINGS, RULES
from teltheory.systems.apps.explain import Explained, Prefix, drawing, explain, known_tokens, shared_prefixes
from teltheory.systems.apps.records import Application, located

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = ("request", "from", "gives", "label", "stage", "group", "tokens")
PREFIXES = ("tokens", "besides", "prompts", "requests", "ends with")
LEGEND = (
    "Lines lead from a request down to those that follow it. stage: most steps to the end. tokens: of the prompt, "
    "as far as they are known before it runs."
)
SHARED = "besides: variables in the prefix whose values are not known yet."
WIDEST, MOST = 40, 6


@command("explain", "apps explain apps.json")
@click.argument("file", metavar="FILE")
@option(
    "--rule",
    type=click.Choice(RULES),
    default="join",
    show_default=True,
    help="How several gets that meet are counted.",
)
@option(
    "--reading", type=click.Choice(READINGS), default="stage", show_default=True, help="How task groups are read."
)
@tokens_option
@table_options
def explain_command(file: str, rule: str, reading: str, tokenizer: str, target: str | None) -> int:
    """Show the graph of applications, and what they share.

    For each request of FILE: its label, stage and task group. After that the prefixes that prompts share. FILE has
    applications, or is a log of requests, which they are lifted from.
    """
    check_target(target)
    tokens = tokens_of(tokenizer)
    applications = applications_in(file, tokens.count)
    with located(file):
        found = [explain(one, rule, reading) for one in applications]
        counts = [{k: known_tokens(one, k, tokens.encode) for k in one.graph.order} for one in applications]
        prefixes = shared_prefixes(applications, tokens.encode)
    parts: list[str | Table] = [f"Tokens: {tokens.name}. {LEGEND}"]
    for one, deduced, count in zip(applications, found, counts, strict=True):
        parts += [_table(one, deduced, count), *_said(one)]
    parts += _shared(applications, prefixes)
    data = [_data(*one) for one in zip(applications, found, counts, strict=True)]
    shared = [_prefix_as_data(applications, prefix) for prefix in prefixes]
    settings = {"rule": rule, "reading": reading, "tokenizer": tokens.name}
    report(target, parts, settings | {"applications": data, "prefixes": shared})
    return 0


def _name(one: Application, k: int) -> str:
    return printable(one.graph.requests[k].name) or str(k)


def _table(one: Application, deduced: Explained, counts: Mapping[int, int]) -> Table:
    graph = one.graph
    rows = []
    for row, k in zip(drawing(graph), graph.order, strict=True):
        request, group = graph.requests[k], deduced.group(k)
        known = f"{counts[k]:,}{' +' if any(v not in one.values for v in request.inputs) else ''}"
        variables = [_few(tuple(dict.fromkeys(names))) for names in (request.inputs, request.outputs)]
        numbers = [str(deduced.stages[k]), "" if group is None else str(group), known]
        rows.append([row, _name(one, k), *variables, deduced.labels[k], *numbers])
    title = f"{one.name}: {counted(len(graph.order), 'request')}, {counted(len(deduced.groups), 'task group')}"
    left = ("", "request", "from", "gives", "label")
    return plain_table(printable(title), ("", *COLUMNS), rows, left=left)


def _few(names: Sequence[str]) -> str:
    """Return names as a table lists them: the first few."""
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return printable(", ".join(name[:WIDEST] for name in names[:MOST]) + more)


def _said(one: Application) -> Iterable[str]:
    gets = [f"{variable} ({criterion})" for variable, criterion in one.gets.items()]
    yield printable(f"Gets: {listed(gets) or 'none, so everything is for throughput'}.")
    if one.values:
        yield printable(f"Sets: {listed(list(one.values))}.")
    if one.missing:
        yield printable(f"Nobody sets or produces: {listed(one.missing)}.")


def _shared(applications: Sequence[Application], prefixes: Sequence[Prefix]) -> list[str | Table]:
    if not prefixes:
        return ["No two prompts share a prefix."]
    rows = []
    for prefix in prefixes:
        who = [_who(applications, place) for place in prefix.requests]
        end = printable(prefix.text if len(prefix.text) <= WIDEST else f"...{prefix.text[-WIDEST:]}")
        rows.append([f"{prefix.tokens:,}", _few(prefix.variables), str(len(who)), _few(who), end])
    return [plain_table("Shared prefixes", PREFIXES, rows, left=("besides", "requests", "ends with")), SHARED]


def _who(applications: Sequence[Application], place: tuple[int, int]) -> str:
    one = applications[place[0]]
    return _name(one, place[1]) if len(applications) == 1 else f"{one.name}: {_name(one, place[1])}"


def _data(one: Application, deduced: Explained, counts: Mapping[int, int]) -> dict[str, Any]:
    graph = one.graph
    requests = [
        {
            "request": _name(one, k),
            "after": [_name(one, j) for j in graph.before[k]],
            "from": list(graph.requests[k].inputs),
            "gives": list(graph.requests[k].outputs),
            "label": deduced.labels[k],
            "stage": deduced.stages[k],
            "group": deduced.group(k),
            "tokens": counts[k],
        }
        for k in graph.order
    ]
    return {"application": one.name, "gets": dict(one.gets), "missing": list(one.missing), "requests": requests}


def _prefix_as_data(applications: Sequence[Application], prefix: Prefix) -> dict[str, Any]:
    requests = [[applications[app].name, _name(applications[app], k)] for app, k in prefix.requests]
    return {
        "tokens": prefix.tokens,
        "variables": list(prefix.variables),
        "requests": requests,
        "text": prefix.text,
    }

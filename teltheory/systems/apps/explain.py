"""What an application's graph says: labels, stages, groups, prefixes that prompts share, and a drawing.

1. Requests stand in the order of the graph. A drawing has a row for each, and a column for each whose output is
   still needed: a request takes the first column that is free, and a line joins it to those that it follows.
2. A prompt is read part by part. What is known is tokens; a variable without a value is itself, in its
   application and with its transforms: two prompts that hold the same there share it, whatever it will be.
3. A prefix ends at a border of parts and is shared if two or more prompts have it. Of those that the same prompts
   share the longest is told (Parrot, Sections 4.2 and 5.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from teltheory.systems.apps.deduction import groups, labels
from teltheory.systems.apps.graph import Graph
from teltheory.systems.apps.prefixes import prefix_hashes
from teltheory.systems.apps.records import Application
from teltheory.systems.apps.requests import Part, Port, Request
from teltheory.systems.apps.transforms import apply

Encode = Callable[[str], Sequence[int]]
Place = tuple[int, int]
"""An application and a request of it, by number."""


@dataclass(frozen=True)
class Explained:
    """What is deduced of an application.

    Attributes
    ----------
    labels : mapping of int to str
        Label of each request.
    stages : mapping of int to int
        Stage of each request, 0: nothing follows it.
    groups : tuple of tuple of int
        Task groups.
    """

    labels: Mapping[int, str]
    stages: Mapping[int, int]
    groups: tuple[tuple[int, ...], ...]

    def group(self, request: int) -> int | None:
        """Return the number of a request's group; None if it is in none."""
        return next((k for k, members in enumerate(self.groups) if request in members), None)


def explain(application: Application, rule: str = "join", reading: str = "stage") -> Explained:
    """Deduce labels, stages and groups; `rule` and `reading` are those of `teltheory.systems.apps.deduction`."""
    graph = application.graph
    gets = {variable: criterion for variable, criterion in application.gets.items() if variable in graph.producers}
    found = labels(graph, gets, rule)
    return Explained(found, graph.stages(), tuple(groups(graph, found, reading)))


def known_tokens(application: Application, request: int, encode: Encode) -> int:
    """Return the tokens of a prompt's texts and of values that are known."""
    made = application.graph.requests[request]
    known = (_known(application, made, part) for part in made.parts)
    return sum(len(encode(text)) for text in known if text is not None)


@dataclass(frozen=True)
class Prefix:
    """What prompts begin with.

    Attributes
    ----------
    requests : tuple of (int, int)
        Applications and requests, by number.
    tokens : int
        Tokens of its texts and of values that are known.
    variables : tuple of str
        Variables in it whose values are not known.
    text : str
        The text, with the names of such variables in braces.
    """

    requests: tuple[Place, ...]
    tokens: int
    variables: tuple[str, ...]
    text: str


def shared_prefixes(applications: Sequence[Application], encode: Encode) -> list[Prefix]:
    """Return what prompts of some applications share, in order of the first that has it, the shortest first."""
    keys: dict[object, int] = {}
    sharers: dict[int, dict[Place, None]] = {}
    ends: dict[int, tuple[int, int]] = {}
    for number, application in enumerate(applications):
        for k in application.graph.order:
            borders = _borders(application, number, application.graph.requests[k], encode, keys)
            for at, (key, tokens) in enumerate(borders, 1):
                sharers.setdefault(key, {})[number, k] = None
                ends[key] = (at, tokens)
    longest = {tuple(members): key for key, members in sharers.items() if len(members) > 1}
    told = (_prefix(applications, members, *ends[key]) for members, key in longest.items())
    return [prefix for prefix in told if prefix.text]


def _prefix(applications: Sequence[Application], members: tuple[Place, ...], at: int, tokens: int) -> Prefix:
    """Return what requests share, of which the last one has it in its first `at` parts."""
    number, k = members[-1]
    request = applications[number].graph.requests[k]
    text, variables = "", []
    for part in request.parts[:at]:
        known = _known(applications[number], request, part)
        if known is None and isinstance(part, Port):
            variables.append(part.variable)
            known = f"{{{part.variable}}}"
        text += known or ""
    return Prefix(members, tokens, tuple(variables), text)


def _borders(
    application: Application, number: int, request: Request, encode: Encode, keys: dict[object, int]
) -> Iterator[tuple[int, int]]:
    """Yield for each border of a prompt its key, which others have that begin alike, and its known tokens.

    `keys` numbers what is known after what: tokens by their hash, however they are divided, and unknown variables.
    """
    above, tokens = -1, 0
    run: list[tuple[int, ...]] = []
    for part in (*request.parts, None):
        known = None if part is None else _known(application, request, part)
        if known is not None:
            run.append(tuple(encode(known)))
            continue
        hashes = prefix_hashes(run)
        for hash, length in hashes:
            yield keys.setdefault((above, hash), len(keys)), tokens + length
        if isinstance(part, Port):
            below = (above, hashes[-1:], _unknown(number, request, part))
            above, run, tokens = keys.setdefault(below, len(keys)), [], tokens + sum(map(len, run))
            yield above, tokens


def _known(application: Application, request: Request, part: Part) -> str | None:
    """Return a text, or what is filled in at a port, if the client set it; None: it is not known yet."""
    if isinstance(part, str):
        return part
    value = None if part.output else application.values.get(part.variable)
    place = f"{request.place}, variable {part.variable!r}"
    return None if value is None else apply(part.transforms, value, place=place)


def _unknown(number: int, request: Request, port: Port) -> object:
    """Return what stands for a value that is not known: two that are equal here will be equal."""
    if port.output and port.transforms:
        return number, request.id, port.name
    return number, port.variable, port.transforms


def drawing(graph: Graph) -> list[str]:
    """Return a row for each request in order: its mark, and lines from those that it follows."""
    rank = {k: place for place, k in enumerate(graph.order)}
    needed = {k: max((rank[j] for j in graph.after[k]), default=-1) for k in graph.order}
    columns: list[int | None] = []
    rows = []
    for place, k in enumerate(graph.order):
        at = columns.index(None) if None in columns else len(columns)
        columns[at : at + 1] = [None]
        stays = [j is not None and needed[j] > place for j in columns]
        rows.append("".join(_cells(columns, at, graph.before[k], stays)).rstrip())
        columns = [j if stay else None for j, stay in zip(columns, stays, strict=True)]
        columns[at] = k if needed[k] > place else None
        while columns and columns[-1] is None:
            columns.pop()
    return rows


def _cells(columns: Sequence[int | None], at: int, before: Sequence[int], stays: Sequence[bool]) -> Iterator[str]:
    """Yield two characters for each column of a row."""
    joined = [at, *(x for x, j in enumerate(columns) if j is not None and j in before)]
    first, last = min(joined), max(joined)
    for x, j in enumerate(columns):
        left, right = first < x <= last, first <= x < last
        if x == at:
            mark = "●"
        elif j is None:
            mark = "─" if left and right else " "
        else:
            mark = JOINTS[stays[x], left, right] if x in joined else "│"
        yield mark + ("─" if right else " ")


JOINTS = {
    (True, False, True): "├",
    (True, True, False): "┤",
    (True, True, True): "┼",
    (False, False, True): "└",
    (False, True, False): "┘",
    (False, True, True): "┴",
}
"""A column that is joined to a request: whether it goes on, and whether the line goes on to its left and right."""

"""Files of applications: what a client submits, sets and gets, written down in JSON.

    {"name": "snake",
     "requests": [{"name": "code", "prompt": "Write {{input:task}}. {{output:code}}", "model": null,
                   "sampling": {"max_tokens": 64, "temperature": 0, "stop": []},
                   "placeholders": [{"name": "code", "semantic_var_id": "code", "transforms": "strip"}]}],
     "set": {"task": "a snake game"},
     "get": [{"semantic_var_id": "code", "criteria": "latency"}]}

1. Fields are those of the two HTTP bodies (Parrot, Section 7). A file holds an application or a list of them.
2. A placeholder needs an entry only where its variable has another name, it has transforms, or the prompt does not
   say if it is an output; `in_out` true says that it is one. A variable is one of its application.
3. `set` gives variables that no request produces their values; `get` asks for variables, each by a criterion,
   "latency" if it says none. Other fields are errors, and so is what a session would refuse.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from teltheory.base.input_files import read_json
from teltheory.base.plain_data import MisfitError, fitted
from teltheory.base.whole_files import write_whole
from teltheory.errors import shown
from teltheory.systems.apps.deduction import LABELS
from teltheory.systems.apps.faults import CONFLICT, MALFORMED, UNKNOWN, AppError
from teltheory.systems.apps.graph import Graph
from teltheory.systems.apps.requests import Port, Request, Sampling
from teltheory.systems.apps.template import Placeholder, parse
from teltheory.systems.apps.transforms import check

MOST_BYTES = 2**28


@dataclass(frozen=True)
class Application:
    """Requests, and what a client sets and gets.

    Attributes
    ----------
    name : str
        What messages call it.
    graph : Graph
        Its requests.
    values : mapping of str to str
        What the client sets, by variable.
    gets : mapping of str to str
        The criterion of each variable that the client gets, in order.
    """

    name: str
    graph: Graph
    values: Mapping[str, str] = field(default_factory=dict)
    gets: Mapping[str, str] = field(default_factory=dict)

    @property
    def missing(self) -> tuple[str, ...]:
        """Variables that requests consume, and that nobody produces or sets."""
        return tuple(v for v in self.graph.consumers if v not in self.graph.producers and v not in self.values)


def read_applications(path: str | Path) -> tuple[Application, ...]:
    """Read a file of applications.

    Raises
    ------
    FileError
        No file, or no JSON.
    AppError
        400, 404, 409: what is wrong, where, and what was expected; the place begins with the file.
    """
    data = read_json(Path(path), "applications as JSON", MOST_BYTES)
    several = isinstance(data, list)
    with located(path):
        found = tuple(_application(one, k, several) for k, one in enumerate(data if several else [data]))
        _check_names([one.name for one in found], "application")
    return found


@contextmanager
def located(path: str | Path) -> Iterator[None]:
    """Add the file to the place of an `AppError`."""
    try:
        yield
    except AppError as error:
        raise AppError(error.code, f"{path}, {error.place}", error.found, error.expected) from None


def write_applications(applications: tuple[Application, ...], path: str | Path) -> None:
    """Write applications to a file that `read_applications` reads as the same."""
    data = [as_data(one) for one in applications]
    text = json.dumps(data[0] if len(data) == 1 else data, indent=2, ensure_ascii=False) + "\n"
    write_whole(Path(path), lambda beside: beside.write_text(text, encoding="utf-8", errors="surrogatepass"))


def as_data(application: Application) -> dict[str, Any]:
    """Return an application as the object that stands in a file."""
    requests = [_request_as_data(request) for request in application.graph.requests.values()]
    gets = [{"semantic_var_id": name, "criteria": criteria} for name, criteria in application.gets.items()]
    return {"name": application.name, "requests": requests, "set": dict(application.values), "get": gets}


class _Known(Struct, forbid_unknown_fields=True):
    """An object of a file; a field that is null is left out."""


class _Entry(_Known):
    name: str
    in_out: bool | None = None
    semantic_var_id: str | None = None
    transforms: str | None = None


class _Sampling(_Known):
    max_tokens: Annotated[int, Meta(ge=1)] | None = None
    temperature: Annotated[float, Meta(ge=0, lt=1e6)] | None = None
    stop: Any = None


class _Call(_Known):
    prompt: str
    name: str | None = None
    placeholders: list[_Entry] | None = None
    model: str | None = None
    sampling: _Sampling | None = None


class _Get(_Known):
    semantic_var_id: str
    criteria: str | None = None


class _Application(_Known):
    requests: list[_Call]
    name: str | None = None
    set: dict[str, Any] | None = None
    get: list[_Get] | None = None


def _fitted(data: Any, place: str) -> _Application:
    """Return the object of an application; what lies deeper than its fields is named without it."""
    try:
        return fitted(data, _Application)
    except MisfitError as error:
        where = f"{place}{error.place()}" if len(error.path) < 2 else error.place().removeprefix(", ")
        raise AppError(MALFORMED, where, error.found, error.expected) from None


def _application(data: Any, number: int, several: bool) -> Application:
    given = _fitted(data, f"application {number}" if several else "application")
    requests = [_request(call, k) for k, call in enumerate(given.requests)]
    _check_names([request.name or str(request.id) for request in requests], "request")
    graph = Graph.of(requests)
    values = _values(given.set or {}, graph)
    name = str(number) if given.name is None else given.name
    return Application(name, graph, values, _gets(given.get or [], graph, values))


def _check_names(names: list[str], what: str) -> None:
    seen = set[str]()
    for name in names:
        if name in seen:
            raise AppError(CONFLICT, f"{what} {shown(name, 60)}", f"two {what}s of that name", "one")
        seen.add(name)


def _request(call: _Call, number: int) -> Request:
    ports = list(_ports(call, f"requests[{number}]", f"request {call.name or number}"))
    sampling = _sampling(call.sampling or _Sampling(), f"requests[{number}], sampling")
    return Request.of(number, call.prompt, ports, call.model, sampling, call.name or "")


def _ports(call: _Call, place: str, request: str) -> Iterator[Port]:
    """Yield the ports that entries name, and those of placeholders that need none."""
    said = {piece.name: piece.output for piece in parse(call.prompt, request) if isinstance(piece, Placeholder)}
    named = set[str]()
    for k, entry in enumerate(call.placeholders or []):
        named.add(entry.name)
        output = said.get(entry.name) if entry.in_out is None else entry.in_out
        if output is None:
            raise AppError(MALFORMED, f"{place}, placeholders[{k}], in_out", "nothing", "true or false")
        spec = entry.transforms or ""
        check(spec, place=f"{request}, placeholder {entry.name!r}")
        variable = entry.name if entry.semantic_var_id is None else entry.semantic_var_id
        yield Port(entry.name, output, variable, spec)
    for name, output in said.items():
        if name not in named and output is not None:
            yield Port(name, output, name)


def _sampling(given: _Sampling, place: str) -> Sampling:
    most = Sampling.max_tokens if given.max_tokens is None else given.max_tokens
    temperature = Sampling.temperature if given.temperature is None else given.temperature
    stop = [given.stop] if isinstance(given.stop, str) else [] if given.stop is None else given.stop
    if not isinstance(stop, list) or not all(isinstance(text, str) and text for text in stop):
        expected = "a text that is not empty, or a list of such"
        raise AppError(MALFORMED, f"{place}, stop", shown(given.stop, 60), expected)
    return Sampling(most, temperature, tuple(stop))


def _values(data: Mapping[str, Any], graph: Graph) -> dict[str, str]:
    for name, value in data.items():
        place = f"set of {shown(name, 60)}"
        if not isinstance(value, str):
            raise AppError(MALFORMED, place, shown(value, 60), "a text")
        if name in graph.producers:
            producer = graph.requests[graph.producers[name]].place
            raise AppError(CONFLICT, place, f"a value for what {producer} produces", "none")
        if name not in graph.consumers:
            raise AppError(UNKNOWN, place, "no request that uses it", "a variable of the application")
    return dict(data)


def _gets(asked: list[_Get], graph: Graph, values: Mapping[str, str]) -> dict[str, str]:
    gets: dict[str, str] = {}
    for one in asked:
        name, criterion = one.semantic_var_id, "latency" if one.criteria is None else one.criteria
        place = f"get of {shown(name, 60)}"
        if criterion not in LABELS:
            raise AppError(MALFORMED, place, f"criterion {shown(criterion, 60)}", f"one of {', '.join(LABELS)}")
        if name not in graph.producers and name not in values:
            raise AppError(UNKNOWN, place, "no request that produces it, and no value", "one of them")
        if gets.setdefault(name, criterion) != criterion:
            raise AppError(CONFLICT, place, f"criterion {criterion!r} after {gets[name]!r}", "one")
    return gets


def _request_as_data(request: Request) -> dict[str, Any]:
    sampling = request.sampling
    row: dict[str, Any] = {"name": request.name} if request.name else {}
    row["prompt"] = prompt_of(request)
    entries = [_entry(port) for port in request.ports if port.transforms or port.variable != port.name]
    row |= {"placeholders": entries} if entries else {}
    row |= {"model": request.model} if request.model is not None else {}
    if sampling != Sampling():
        stop = {"stop": list(sampling.stop)} if sampling.stop else {}
        row["sampling"] = {"max_tokens": sampling.max_tokens, "temperature": sampling.temperature, **stop}
    return row


def prompt_of(request: Request) -> str:
    """Return the prompt of a request as `Request.of` takes it."""
    return "".join(map(_written, request.parts))


def _written(part: str | Port) -> str:
    """Return a part as it stands in a prompt."""
    if isinstance(part, str):
        return part.replace("{{", "{{{{")
    return f"{{{{{'output' if part.output else 'input'}:{part.name}}}}}"


def _entry(port: Port) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": port.name, "semantic_var_id": port.variable}
    return entry | ({"transforms": port.transforms} if port.transforms else {})

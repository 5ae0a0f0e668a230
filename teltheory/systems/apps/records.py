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
from typing import Any

from teltheory.base.input_files import read_json
from teltheory.base.whole_files import write_whole
from teltheory.errors import shown
from teltheory.systems.apps.deduction import LABELS
from teltheory.systems.apps.faults import CONFLICT, MALFORMED, UNKNOWN, AppError
from teltheory.systems.apps.graph import Graph
from teltheory.systems.apps.requests import Port, Request, Sampling
from teltheory.systems.apps.template import Placeholder, parse
from teltheory.systems.apps.transforms import check

APPLICATION = ("name", "requests", "set", "get")
REQUEST = ("name", "prompt", "placeholders", "model", "sampling")
ENTRY = ("name", "in_out", "semantic_var_id", "transforms")
GET = ("semantic_var_id", "criteria")
MOST_BYTES = 2**28
KINDS = {str: "a text", list: "a list", dict: "an object", bool: "true or false", int: "a whole number"}


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


@dataclass(frozen=True)
class _Fields:
    """An object of a file, whose fields are checked as they are read."""

    place: str
    data: Mapping[str, Any]

    @classmethod
    def of(cls, data: Any, place: str, known: tuple[str, ...]) -> _Fields:
        if not isinstance(data, dict):
            raise AppError(MALFORMED, place, shown(data, 60), "an object")
        for name in data:
            if name not in known:
                raise AppError(MALFORMED, place, f"field {shown(name, 60)}", f"only {', '.join(known)}")
        return cls(place, data)

    def get(self, name: str, kind: type, default: Any) -> Any:
        """Return a field, or what stands for one that is left out or null; a `default` of ``...`` is none."""
        value = self.data.get(name)
        if value is None and default is not ...:
            return default
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            found = "nothing" if name not in self.data else shown(value, 60)
            raise AppError(MALFORMED, f"{self.place}, {name}", found, KINDS[kind])
        return value


def _application(data: Any, number: int, several: bool) -> Application:
    fields = _Fields.of(data, f"application {number}" if several else "application", APPLICATION)
    name = fields.get("name", str, str(number))
    rows = fields.get("requests", list, ...)
    requests = [_request(row, k, f"requests[{k}]") for k, row in enumerate(rows)]
    _check_names([request.name or str(request.id) for request in requests], "request")
    graph = Graph.of(requests)
    values = _values(fields.get("set", dict, {}), graph)
    return Application(name, graph, values, _gets(fields.get("get", list, []), graph, values))


def _check_names(names: list[str], what: str) -> None:
    seen = set[str]()
    for name in names:
        if name in seen:
            raise AppError(CONFLICT, f"{what} {shown(name, 60)}", f"two {what}s of that name", "one")
        seen.add(name)


def _request(data: Any, number: int, place: str) -> Request:
    fields = _Fields.of(data, place, REQUEST)
    name = fields.get("name", str, "")
    prompt = fields.get("prompt", str, ...)
    rows = fields.get("placeholders", list, [])
    entries = [_Fields.of(row, f"{place}, placeholders[{k}]", ENTRY) for k, row in enumerate(rows)]
    ports = list(_ports(prompt, entries, f"request {name or number}"))
    model = fields.get("model", str, None)
    return Request.of(number, prompt, ports, model, _sampling(fields), name)


def _ports(prompt: str, entries: list[_Fields], place: str) -> Iterator[Port]:
    """Yield the ports that entries name, and those of placeholders that need none."""
    said = {piece.name: piece.output for piece in parse(prompt, place) if isinstance(piece, Placeholder)}
    named = set[str]()
    for entry in entries:
        name = entry.get("name", str, ...)
        named.add(name)
        output = entry.get("in_out", bool, ... if said.get(name) is None else said[name])
        spec = entry.get("transforms", str, "")
        check(spec, place=f"{place}, placeholder {name!r}")
        yield Port(name, output, entry.get("semantic_var_id", str, name), spec)
    for name, output in said.items():
        if name not in named and output is not None:
            yield Port(name, output, name)


def _sampling(fields: _Fields) -> Sampling:
    place = f"{fields.place}, sampling"
    own = _Fields.of(fields.get("sampling", dict, {}), place, ("max_tokens", "temperature", "stop"))
    most = own.get("max_tokens", int, Sampling.max_tokens)
    if most < 1:
        raise AppError(MALFORMED, f"{place}, max_tokens", str(most), "1 or more")
    said = own.data.get("temperature")
    temperature = Sampling.temperature if said is None else said
    if isinstance(temperature, bool) or not isinstance(temperature, (int, float)) or not 0 <= temperature < 1e6:
        raise AppError(MALFORMED, f"{place}, temperature", shown(temperature, 60), "a number, 0 or more")
    said = own.data.get("stop")
    stop = [said] if isinstance(said, str) else [] if said is None else said
    if not isinstance(stop, list) or not all(isinstance(text, str) and text for text in stop):
        raise AppError(MALFORMED, f"{place}, stop", shown(said, 60), "a text that is not empty, or a list of such")
    return Sampling(most, float(temperature), tuple(stop))


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


def _gets(rows: list[Any], graph: Graph, values: Mapping[str, str]) -> dict[str, str]:
    gets: dict[str, str] = {}
    for k, row in enumerate(rows):
        fields = _Fields.of(row, f"get[{k}]", GET)
        name, criterion = fields.get("semantic_var_id", str, ...), fields.get("criteria", str, "latency")
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

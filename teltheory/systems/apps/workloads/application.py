"""An application as a workload has it: requests, inputs, what is got, and when it comes.

Texts of workloads are made up: what counts is how long they are and which are the same. A token of the simulated
engine is a character, so a text of n tokens has n characters; its first ones name it, so that no two texts with
different names begin alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from teltheory.errors import ArgumentError
from teltheory.systems.apps.graph import Graph
from teltheory.systems.apps.requests import Port, Request, Sampling

Piece = str | tuple[str, str]
"""A text, or ("input", the name of a variable)."""


@dataclass(frozen=True, eq=False)
class ClientApp:
    """An application that a client runs once.

    Attributes
    ----------
    requests : tuple of Request
        Joined by their variables; an output has as many tokens as its sampling allows.
    gets : mapping of str to str
        What the client gets in the end, with its criterion.
    values : mapping of str to str
        Variables that the client sets.
    arrival : float
        Seconds.
    kind : str
        What tables call its sort.
    """

    requests: tuple[Request, ...]
    gets: Mapping[str, str]
    values: Mapping[str, str] = field(default_factory=dict)
    arrival: float = 0.0
    kind: str = "application"

    @cached_property
    def graph(self) -> Graph:
        """Its requests, joined."""
        return Graph.of(self.requests)

    @cached_property
    def sizes(self) -> dict[int, tuple[int, int]]:
        """Tokens of each request's prompt and of its outputs, which have as many as they may."""
        size = {name: len(value) for name, value in self.values.items()}
        found: dict[int, tuple[int, int]] = {}
        for k in self.graph.order:
            request, prompt = self.graph.requests[k], 0
            size.update(dict.fromkeys(request.outputs, request.sampling.max_tokens))
            for part in request.parts:
                prompt += len(part) if isinstance(part, str) else 0 if part.output else size[part.variable]
            found[k] = prompt, request.sampling.max_tokens * len(request.outputs)
        return found

    def at(self, arrival: float) -> ClientApp:
        """Return the same application at another time."""
        return replace(self, arrival=arrival)


def text(name: str, tokens: int) -> str:
    """Return a text of so many tokens that begins with its name, as far as that fits."""
    if tokens < 0:
        raise ArgumentError("tokens", tokens, "0 or more")
    return f"[{name}]".ljust(tokens, ".")[:tokens]


def call(number: int, parts: Iterable[Piece], output: str, tokens: int) -> Request:
    """Return a request: texts, and variables as ("input", name), then its output of so many tokens."""
    names: dict[str, Port] = {}
    prompt = ""
    for part in parts:
        if isinstance(part, str):
            prompt += part
        else:
            name = f"i{len(names)}"
            names[name] = Port(name, False, part[1])
            prompt += f"{{{{input:{name}}}}}"
    ports = [*names.values(), Port("o", True, output)]
    return Request.of(number, prompt + "{{output:o}}", ports, sampling=Sampling(tokens), name=output)

"""A request: pieces of text and ports, each the place of a variable in the prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from teltheory.systems.apps.faults import MALFORMED, AppError
from teltheory.systems.apps.template import Placeholder, parse


@dataclass(frozen=True)
class Sampling:
    """How an output is generated: at most `max_tokens`, greedily at temperature 0, up to a `stop` text."""

    max_tokens: int = 256
    temperature: float = 0.0
    stop: tuple[str, ...] = ()


@dataclass(frozen=True)
class Port:
    """The place of a variable in a prompt.

    Attributes
    ----------
    name : str
        Name of the placeholder.
    output : bool
        True if the request generates the variable there, False if its value is filled in.
    variable : str
        The semantic variable, which may have another name.
    transforms : str
        What is done to a value before it is filled in, or after it was generated
        (`teltheory.systems.apps.transforms`).
    """

    name: str
    output: bool
    variable: str
    transforms: str = ""


Part = str | Port


@dataclass(frozen=True)
class Request:
    """A call of a model with its variables. Make one with `Request.of`.

    Attributes
    ----------
    id : int
        Its number in its session, in order of submission from 0.
    parts : tuple of str and Port
        The prompt.
    model : str or None
        The model that it needs; None: any.
    sampling : Sampling
        How its outputs are generated.
    name : str
        What messages call it.
    """

    id: int
    parts: tuple[Part, ...]
    model: str | None = None
    sampling: Sampling = field(default_factory=Sampling)
    name: str = ""

    @classmethod
    def of(
        cls,
        id: int,
        prompt: str,
        ports: Iterable[Port],
        model: str | None = None,
        sampling: Sampling | None = None,
        name: str = "",
    ) -> Request:
        """Make a request of a prompt and an entry for each of its placeholders.

        Raises
        ------
        AppError
            400: a placeholder without an entry or with two, an entry without a placeholder or of the other way, a
            prompt without an output.
        """
        place = f"request {name or id}"
        by_name = _by_name(ports, place)
        pieces = parse(prompt, place)
        parts = tuple(_port(p, by_name, place) if isinstance(p, Placeholder) else p for p in pieces)
        used = {part.name for part in parts if isinstance(part, Port)}
        for port in by_name.values():
            if port.name not in used:
                raise AppError(MALFORMED, place, f"an entry {port.name!r} that the prompt has no place for", "one")
        if not any(port.output for port in by_name.values()):
            raise AppError(MALFORMED, place, "a prompt without an output", "{{output:NAME}} somewhere")
        return cls(id, parts, model, sampling or Sampling(), name)

    def check(self) -> None:
        """Raise an `AppError` (400) for a prompt that begins with its output, or a sampling that is none."""
        sampling, first = self.sampling, self.parts[0]
        if isinstance(first, Port) and first.output:
            raise AppError(MALFORMED, self.place, "nothing before its first output", "a text or an input there")
        if sampling.max_tokens < 1:
            raise AppError(MALFORMED, self.place, f"max_tokens {sampling.max_tokens}", "1 or more")
        if not 0 <= sampling.temperature < float("inf"):
            raise AppError(MALFORMED, self.place, f"temperature {sampling.temperature}", "0 or more")

    @property
    def ports(self) -> tuple[Port, ...]:
        """Its ports, in the order of the prompt."""
        return tuple(part for part in self.parts if isinstance(part, Port))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Variables that it needs."""
        return tuple(port.variable for port in self.ports if not port.output)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Variables that it produces."""
        return tuple(port.variable for port in self.ports if port.output)

    @property
    def place(self) -> str:
        """What messages call it."""
        return f"request {self.name or self.id}"


def _by_name(ports: Iterable[Port], place: str) -> dict[str, Port]:
    found: dict[str, Port] = {}
    for port in ports:
        if port.name in found:
            raise AppError(MALFORMED, place, f"two entries for placeholder {port.name!r}", "one")
        found[port.name] = port
    return found


def _port(piece: Placeholder, ports: Mapping[str, Port], place: str) -> Port:
    port = ports.get(piece.name)
    if port is None:
        raise AppError(MALFORMED, place, f"placeholder {piece.name!r} without an entry", "an entry for each")
    if piece.output is not None and piece.output != port.output:
        own, entry = ("input", "output") if port.output else ("output", "input")
        found = f"{own} placeholder {piece.name!r} with an entry for an {entry}"
        raise AppError(MALFORMED, place, found, f"an entry for an {own}")
    return port

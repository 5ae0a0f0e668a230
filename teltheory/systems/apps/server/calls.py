"""What the bodies of the toolkit's own paths say (Parrot, Section 7): submit, get, set.

1. Submit has ``prompt``, ``placeholders`` and ``session_id``; a placeholder has ``name``, ``in_out`` (true: an
   output), ``semantic_var_id`` and ``transforms``. Without an id the placeholder has a new variable.
2. Get has ``semantic_var_id``, ``criteria`` and ``session_id``; set has ``value`` in place of ``criteria``.
3. Optional and not in the paper: of submit ``model``, ``sampling`` and ``name``, of get ``timeout`` in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from teltheory.systems.apps.faults import MALFORMED, AppError
from teltheory.systems.apps.requests import Port, Sampling
from teltheory.systems.apps.server.bodies import Fields
from teltheory.systems.apps.sessions import Session

CRITERIA = "latency"


@dataclass(frozen=True)
class Submit:
    """A request; a port without a variable has an empty id."""

    session: str
    prompt: str
    ports: tuple[Port, ...]
    model: str | None
    sampling: Sampling
    name: str

    @classmethod
    def of(cls, body: Fields) -> Submit:
        """Read a body; `AppError` 400 for what it must not have."""
        ports = tuple(map(_port, body.objects("placeholders")))
        sampling = body.object("sampling")
        found = cls(
            body.name("session_id"),
            body.text("prompt"),
            ports,
            body.maybe_name("model"),
            sampling_of(sampling),
            body.maybe_name("name") or "",
        )
        sampling.done()
        body.done()
        return found

    def to(self, session: Session) -> dict[str, object]:
        """Submit it and return the answer: the request's number, and the variable of each placeholder."""
        ports = [replace(port, variable=port.variable or session.fresh(port.name)) for port in self.ports]
        request = session.submit(self.prompt, ports, self.model, self.sampling, self.name)
        return {"request_id": request.id, "semantic_var_ids": {port.name: port.variable for port in request.ports}}


@dataclass(frozen=True)
class Get:
    """A question for a variable."""

    session: str
    variable: str
    criteria: str
    timeout: float | None

    @classmethod
    def of(cls, body: Fields) -> Get:
        """Read a body; `AppError` 400 for what it must not have."""
        criteria = body.maybe_text("criteria")
        timeout = body.number("timeout")
        found = cls(
            body.name("session_id"),
            body.name("semantic_var_id"),
            CRITERIA if criteria is None else criteria,
            timeout,
        )
        body.done()
        if timeout is not None and timeout < 0:
            raise AppError(MALFORMED, "body, timeout", f"{timeout:g}", "0 or more")
        return found


@dataclass(frozen=True)
class Set:
    """A value for a variable."""

    session: str
    variable: str
    value: str

    @classmethod
    def of(cls, body: Fields) -> Set:
        """Read a body; `AppError` 400 for what it must not have."""
        found = cls(body.name("session_id"), body.name("semantic_var_id"), body.text("value"))
        body.done()
        return found


def session_of(body: Fields) -> str:
    """Read the body that names a session and nothing else."""
    found = body.name("session_id")
    body.done()
    return found


def sampling_of(fields: Fields, *most: str) -> Sampling:
    """Read how outputs are generated; `most` are other names of ``max_tokens``, the first that is there counts."""
    default = Sampling()
    given = [fields.whole(name) for name in ("max_tokens", *most)]
    tokens = next((found for found in given if found is not None), default.max_tokens)
    temperature = fields.number("temperature")
    stop = fields.texts("stop")
    return Sampling(tokens, default.temperature if temperature is None else temperature, stop)


def _port(fields: Fields) -> Port:
    found = Port(
        fields.name("name"),
        fields.flag("in_out"),
        fields.maybe_name("semantic_var_id") or "",
        fields.maybe_text("transforms") or "",
    )
    fields.done()
    return found

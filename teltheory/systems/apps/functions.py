"""Semantic functions: a prompt with the signature of a Python function (Parrot, Section 4.1, Figure 7).

1. The prompt is an argument of the decorator, or else the docstring of the function. The body is never run.
2. A parameter is the placeholder of its name. ``{{input:NAME}}`` and ``{{output:NAME}}`` say the way; for
   ``{{NAME}}`` the annotation does: `Output`, or else `Input`. ``Annotated[str, Output("json:code")]`` gives a
   variable its transforms. An output need not be a parameter.
3. A call submits the request to a session and returns its outputs, which are not there yet. An argument is a text,
   for which a variable is made, or a variable of that session.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import Any, Protocol, TypeVar, get_args, overload

from teltheory.errors import shown
from teltheory.systems.apps.faults import MALFORMED, UNKNOWN, AppError
from teltheory.systems.apps.requests import Port, Request, Sampling
from teltheory.systems.apps.template import Placeholder, parse
from teltheory.systems.apps.values import Face, Variable

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True)
class Input:
    """A parameter that is filled in, after its transforms."""

    transforms: str = ""


@dataclass(frozen=True)
class Output:
    """A parameter that is generated; its value is what its transforms make of that."""

    transforms: str = ""


Way = Input | Output


class Submitting(Face[R_co], Protocol[R_co]):
    """What a call needs of a session: `Session` and `BlockingSession` have it."""

    def variable(self, value: str | None = None, name: str = "variable") -> Variable[R_co]:
        """Return a new variable."""

    def submit(
        self, prompt: str, ports: list[Port], model: str | None, sampling: Sampling | None, name: str
    ) -> Request:
        """Put a request into the graph."""


@dataclass(frozen=True)
class SemanticFunction:
    """A function that a model runs. Make one with `semantic_function` or `SemanticFunction.of`.

    Attributes
    ----------
    name : str
        What messages call it.
    prompt : str
        With its placeholders.
    ways : mapping of str to Input or Output
        Of each placeholder, in the order of the prompt.
    signature : inspect.Signature
        How it is called, after the session.
    model, sampling
        As of a request.
    """

    name: str
    prompt: str
    ways: Mapping[str, Way]
    signature: Signature
    model: str | None = None
    sampling: Sampling | None = None

    @classmethod
    def of(
        cls,
        prompt: str,
        name: str,
        annotated: Mapping[str, Way] | None = None,
        signature: Signature | None = None,
        model: str | None = None,
        sampling: Sampling | None = None,
    ) -> SemanticFunction:
        """Make one of a prompt, see the top of the file.

        Parameters
        ----------
        prompt, name, model, sampling
            As above.
        annotated : mapping of str to Input or Output, optional
            What the prompt does not say: ways and transforms by placeholder.
        signature : inspect.Signature, optional
            Left out, the inputs in the order of the prompt.

        Raises
        ------
        AppError
            400: a malformed prompt, one without an output, parameters that are not its placeholders, an input
            that no parameter can be named after.
        """
        place = f"semantic function {name}"
        known = annotated or {}
        pieces = [piece for piece in parse(prompt, place) if isinstance(piece, Placeholder)]
        ways = {piece.name: _way(piece, known.get(piece.name), place) for piece in pieces}
        Request.of(0, prompt, [_port(at, way, at) for at, way in ways.items()], name=name)
        inputs = [at for at, way in ways.items() if isinstance(way, Input)]
        found = signature or Signature([_parameter(at, place) for at in inputs])
        _check_parameters(set(found.parameters), set(inputs), set(ways), place)
        return cls(name, prompt, ways, found, model, sampling)

    def __call__(self, session: Submitting[R], /, *values: str | Variable[R], **named: str | Variable[R]) -> Any:
        """Submit a request.

        Parameters
        ----------
        session : Session or BlockingSession
            Where.
        values, named
            Texts or variables of that session by parameter; an output that is left out is a new variable.

        Returns
        -------
        Variable or tuple of Variable
            Its output; its outputs in the order of the prompt if there are several.

        Raises
        ------
        AppError
            400: an argument that is missing or too many; 404: a variable of another session; else as `submit`.
        """
        given = self._bound(values, named)
        used = {at: self._variable(session, at, given.get(at)) for at in self.ways}
        ports = [_port(at, way, used[at].id) for at, way in self.ways.items()]
        session.submit(self.prompt, ports, self.model, self.sampling, self.name)
        outputs = tuple(used[at] for at, way in self.ways.items() if isinstance(way, Output))
        return outputs[0] if len(outputs) == 1 else outputs

    def _bound(self, values: tuple[Any, ...], named: Mapping[str, Any]) -> Mapping[str, Any]:
        optional = [
            parameter.replace(default=None) if isinstance(self.ways[at], Output) else parameter
            for at, parameter in self.signature.parameters.items()
        ]
        try:
            keyword = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in optional]
            names = list(self.signature.parameters)
            if len(values) > len(names):
                raise TypeError("too many arguments")
            twice = [at for at in names[: len(values)] if at in named]
            if twice:
                raise TypeError(f"two values for {twice[0]!r}")
            bound = Signature(keyword).bind(**dict(zip(names, values, strict=False)), **named)
        except TypeError as error:
            raise AppError(MALFORMED, f"call of {self.name}", str(error), f"{self.name}{self.signature}") from None
        return bound.arguments

    def _variable(self, session: Submitting[R], at: str, given: object) -> Variable[R]:
        place = f"call of {self.name}, argument {at!r}"
        if isinstance(given, Variable):
            if given.session is not session:
                raise AppError(UNKNOWN, place, "a variable of another session", "one of this session")
            return given
        if given is None and isinstance(self.ways[at], Output):
            return session.variable(name=at)
        if isinstance(given, str) and isinstance(self.ways[at], Input):
            return session.variable(given, at)
        expected = "a text or a variable" if isinstance(self.ways[at], Input) else "a variable"
        raise AppError(MALFORMED, place, f"a {type(given).__name__}", expected)


@overload
def semantic_function(prompt: Callable[..., object]) -> SemanticFunction: ...
@overload
def semantic_function(
    prompt: str | None = None, *, model: str | None = None, sampling: Sampling | None = None
) -> Callable[[Callable[..., object]], SemanticFunction]: ...
def semantic_function(
    prompt: str | Callable[..., object] | None = None,
    *,
    model: str | None = None,
    sampling: Sampling | None = None,
) -> SemanticFunction | Callable[[Callable[..., object]], SemanticFunction]:
    """Make a semantic function of a Python function, whose body is never run.

    Parameters
    ----------
    prompt : str, optional
        Left out, the function's docstring, without its indentation.
    model : str, optional
        The model that it needs.
    sampling : Sampling, optional
        How its outputs are generated.

    Raises
    ------
    AppError
        400, see `SemanticFunction.of`.
    """

    def made(function: Callable[..., object]) -> SemanticFunction:
        text = prompt if isinstance(prompt, str) else inspect.getdoc(function) or ""
        found = inspect.signature(function, eval_str=True)
        annotated = {at: way for at, part in found.parameters.items() if (way := _annotated(part.annotation))}
        bare = [part.replace(annotation=Parameter.empty) for part in found.parameters.values()]
        name = getattr(function, "__name__", "function")
        return SemanticFunction.of(text, name, annotated, Signature(bare), model, sampling)

    return made(prompt) if callable(prompt) else made


def _annotated(annotation: object) -> Way | None:
    """Return what an annotation says: the class, an instance, or one of them in an `Annotated`."""
    for part in (annotation, *get_args(annotation)):
        if part is Input or part is Output:
            return Input() if part is Input else Output()
        if isinstance(part, Input | Output):
            return part
    return None


def _way(piece: Placeholder, annotated: Way | None, place: str) -> Way:
    """Return which way a placeholder goes by prompt and annotation, which must not contradict each other."""
    if piece.output is None:
        return annotated or Input()
    own = Output() if piece.output else Input()
    if annotated is not None and type(annotated) is not type(own):
        found = f"{type(annotated).__name__} for {type(own).__name__.lower()} placeholder {piece.name!r}"
        raise AppError(MALFORMED, place, found, "the same in prompt and signature")
    return annotated or own


def _port(name: str, way: Way, variable: str) -> Port:
    return Port(name, isinstance(way, Output), variable, way.transforms)


def _parameter(name: str, place: str) -> Parameter:
    if not name.isidentifier() or iskeyword(name):
        raise AppError(MALFORMED, place, f"input {shown(name, 60)}", "a name that a parameter can have in Python")
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD)


def _check_parameters(found: set[str], inputs: set[str], known: set[str], place: str) -> None:
    missing, extra = sorted(inputs - found), sorted(found - known)
    if missing:
        raise AppError(MALFORMED, place, f"no parameter for placeholder {missing[0]!r}", "one for each input")
    if extra:
        raise AppError(MALFORMED, place, f"parameter {extra[0]!r} without a placeholder", "one for each")

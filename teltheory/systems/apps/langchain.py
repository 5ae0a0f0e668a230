"""Templates in LangChain's form as semantic functions, without LangChain (Parrot, Section 6).

A template is an object with LangChain's attributes, or a mapping as LangChain writes it to a file: `template` has
``{name}`` for inputs, and `partial_variables` has what is known already: texts, or functions of no argument,
which are called once, here. The output stands at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any

from teltheory.errors import shown
from teltheory.systems.apps.faults import MALFORMED, AppError
from teltheory.systems.apps.functions import Output, SemanticFunction
from teltheory.systems.apps.requests import Sampling


def from_langchain(
    template: Any,
    name: str,
    output: Output | None = None,
    model: str | None = None,
    sampling: Sampling | None = None,
) -> SemanticFunction:
    """Return a semantic function with the inputs of a template, and an output named "output" after its text.

    Parameters
    ----------
    template : mapping or object
        `template` and, optionally, `partial_variables` and `template_format` ("f-string").
    name : str
        What messages call it.
    output : Output, optional
        Its transforms, in the place of an output parser.
    model : str, optional
        As of `semantic_function`.
    sampling : Sampling, optional
        As of `semantic_function`.

    Raises
    ------
    AppError
        400: another format, a placeholder that is more than a name.
    """
    fields = template if isinstance(template, Mapping) else getattr(template, "__dict__", {})
    kind, partial = fields.get("template_format", "f-string"), fields.get("partial_variables") or {}
    if kind != "f-string":
        raise AppError(MALFORMED, f"template {name}", f"format {shown(kind, 60)}", "'f-string'")
    prompt = _written(fields.get("template"), partial, f"template {name}")
    return SemanticFunction.of(
        prompt + "{{output:output}}", name, {"output": output or Output()}, None, model, sampling
    )


def _written(template: object, partial: Mapping[str, Any], place: str) -> str:
    """Return a template in this project's form."""
    if not isinstance(template, str):
        raise AppError(MALFORMED, place, f"template {shown(template, 60)}", "a text")
    try:
        pieces = list(Formatter().parse(template))
    except ValueError as error:
        raise AppError(MALFORMED, place, str(error), "{name} for each input") from None
    done, text = "", ""
    for before, field, form, conversion in pieces:
        text += before
        if field is not None and field in partial:
            text += str(partial[field]() if callable(partial[field]) else partial[field])
        elif field is not None:
            if form or conversion or not field.isidentifier():
                raise AppError(MALFORMED, place, f"placeholder {shown(field, 60)}", "a name alone")
            done, text = f"{done}{text.replace('{{', '{{{{')}{{{{input:{field}}}}}", ""
    return done + text.replace("{{", "{{{{")

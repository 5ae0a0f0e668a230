"""Prompts with semantic variables: text, ``{{input:NAME}}`` and ``{{output:NAME}}`` (Parrot, Section 4.1).

1. What stands between two braces is a placeholder; a name is letters, digits, ``_``, ``-`` and ``.``.
2. Four opening braces are two of the text. Values are put in as they are: nothing in them is a placeholder.
3. Each name is used once; a prompt has one output or more. What follows an output is filled in after it was
   generated, so that the next output sees it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from teltheory.errors import shown
from teltheory.systems.apps.faults import MALFORMED, AppError

_PARTS = re.compile(r"\{\{\{\{|\{\{(?!\{)(?:(?P<inside>.*?)\}\})?", re.DOTALL)
_PLACEHOLDER = re.compile(r"(?:(?P<way>input|output)\s*:\s*)?(?P<name>[A-Za-z0-9_.-]+)")


@dataclass(frozen=True)
class Placeholder:
    """A place for a variable; `output` is None where the text does not say (``{{NAME}}``)."""

    name: str
    output: bool | None


Piece = str | Placeholder


def parse(prompt: str, place: str = "prompt") -> tuple[Piece, ...]:
    """Return the pieces of a prompt, texts and placeholders in turn; no text is empty.

    Raises
    ------
    AppError
        400: a placeholder that is none, one that does not end, a name used twice.
    """
    pieces: list[Piece] = []
    text, at = "", 0
    for match in _PARTS.finditer(prompt):
        text, at = text + prompt[at : match.start()], match.end()
        if match[0] == "{{{{":
            text += "{{"
            continue
        if text:
            pieces.append(text)
        text = ""
        pieces.append(_placeholder(match, place))
    text += prompt[at:]
    _check_names(pieces, place)
    return (*pieces, text) if text else tuple(pieces)


def _placeholder(match: re.Match[str], place: str) -> Placeholder:
    inside = match["inside"]
    found = None if inside is None else _PLACEHOLDER.fullmatch(inside.strip())
    if found is None:
        what = shown(match[0], 60) if inside is not None else "two opening braces that nothing closes"
        expected = "{{input:NAME}} or {{output:NAME}}; four braces stand for two of the text"
        raise AppError(MALFORMED, place, what, expected)
    return Placeholder(found["name"], None if found["way"] is None else found["way"] == "output")


def _check_names(pieces: list[Piece], place: str) -> None:
    seen = set[str]()
    for piece in pieces:
        if isinstance(piece, Placeholder):
            if piece.name in seen:
                raise AppError(MALFORMED, place, f"placeholder {piece.name!r} twice", "each name once")
            seen.add(piece.name)

"""Bodies of HTTP requests: bytes to fields, within limits, and nothing taken for what it is not.

1. A body says that it is JSON, is in UTF-8 and not compressed, and has at most so many bytes, said or sent.
2. It is one object. A name that comes twice, a number that is none, half of a character, more levels or values
   than the limits allow: errors.
3. Fields are read by name and kind. A field that is null is left out; one that nobody reads is an error.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

from teltheory.errors import shown
from teltheory.systems.apps.faults import LATE, MALFORMED, TOO_LARGE, AppError
from teltheory.systems.apps.server.limits import Limits

if TYPE_CHECKING:
    from starlette.requests import Request as Call

T = TypeVar("T")
SHOWN = 60


async def data_of(call: Call, limits: Limits) -> bytes:
    """Return the bytes of a body.

    Raises
    ------
    AppError
        400: it does not say that it is JSON; 413: more than the limits allow; 504: not there in time.
    """
    _check_headers(call.headers)
    try:
        async with asyncio.timeout(limits.reading):
            return await _read(call, limits)
    except TimeoutError:
        raise AppError(LATE, "body", f"no end after {limits.reading:g} s", "all of it by then") from None


def read(data: bytes, limits: Limits) -> Fields:
    """Return the object that a body is; `AppError` 400 or 413 if it is none."""
    try:
        found = json.loads(data.decode(), object_pairs_hook=_once, parse_constant=_constant)
    except AppError:
        raise
    except RecursionError:
        raise _too_large("more levels than anybody reads", f"{limits.depth}") from None
    except ValueError as error:
        why = f" ({shown(str(error), SHOWN)})"
        raise AppError(MALFORMED, "body", f"what is no JSON{why}", "a JSON object in UTF-8") from None
    _check_values(found, limits)
    if not isinstance(found, dict):
        raise AppError(MALFORMED, "body", _kind(found), "an object")
    return Fields(found, "body", limits)


class Fields:
    """An object of a body, read field by field.

    Parameters
    ----------
    values : mapping of str to object
        Its fields.
    place : str
        What messages call it.
    limits : Limits
        How long names are.
    """

    def __init__(self, values: Mapping[str, Any], place: str, limits: Limits) -> None:
        self.place, self._values, self._limits, self._known = place, values, limits, list[str]()

    def text(self, name: str) -> str:
        """Return a text, which must be there."""
        return self._needed(name, self.maybe_text(name), "a text")

    def maybe_text(self, name: str) -> str | None:
        """Return a text, or None if it is left out."""
        found: str | None = self._of_kind(name, str, "a text")
        return found

    def name(self, name: str) -> str:
        """Return a short text that is not empty, which must be there."""
        return self._needed(name, self.maybe_name(name), "a name")

    def maybe_name(self, name: str) -> str | None:
        """Return a short text that is not empty, or None if it is left out."""
        found = self.maybe_text(name)
        if found is None or 0 < len(found) <= self._limits.name:
            return found
        expected = f"1 to {self._limits.name} characters"
        raise AppError(MALFORMED, f"{self.place}, {name}", f"{len(found):,} characters", expected)

    def flag(self, name: str) -> bool:
        """Return true or false, which must be there."""
        found: bool = self._needed(name, self._of_kind(name, bool, "true or false"), "true or false")
        return found

    def maybe_flag(self, name: str) -> bool:
        """Return whether a field is there and true."""
        return bool(self._of_kind(name, bool, "true or false"))

    def whole(self, name: str) -> int | None:
        """Return a whole number, or None if it is left out."""
        found: int | None = self._of_kind(name, int, "a whole number")
        return found

    def number(self, name: str) -> float | None:
        """Return a number, or None if it is left out."""
        found = self._of_kind(name, (int, float), "a number")
        try:
            return None if found is None else float(found)
        except OverflowError:
            raise AppError(MALFORMED, f"{self.place}, {name}", shown(found, SHOWN), "a smaller number") from None

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a text or a list of texts as a tuple, empty if it is left out."""
        found = self._of_kind(name, (str, list), "a text or a list of texts")
        texts = [found] if isinstance(found, str) else found or []
        for text in texts:
            if not isinstance(text, str):
                raise AppError(MALFORMED, f"{self.place}, {name}", _kind(text), "a text")
        return tuple(texts)

    def objects(self, name: str) -> Iterator[Fields]:
        """Give the objects of a list, which must be there."""
        for k, found in enumerate(self._needed(name, self._of_kind(name, list, "a list"), "a list")):
            if not isinstance(found, dict):
                raise AppError(MALFORMED, f"{self.place}, {name} {k}", _kind(found), "an object")
            yield Fields(found, f"{name} {k}", self._limits)

    def object(self, name: str) -> Fields:
        """Return an object; one without fields if it is left out."""
        return Fields(self._of_kind(name, dict, "an object") or {}, name, self._limits)

    def any(self, name: str) -> Any:
        """Return whatever a field is, None if it is left out."""
        self._known.append(name)
        return self._values.get(name)

    def rest(self) -> Sequence[str]:
        """Return the names of the fields that nobody has read and that are not null."""
        return [name for name, found in self._values.items() if name not in self._known and found is not None]

    def done(self) -> None:
        """Raise an `AppError` if there is a field that nobody has read."""
        rest = self.rest()
        if rest:
            raise AppError(MALFORMED, self.place, f"field {shown(rest[0], SHOWN)}", ", ".join(self._known))

    def _of_kind(self, name: str, kind: Any, expected: str) -> Any:
        found = self.any(name)
        if found is None or (isinstance(found, kind) and (kind is bool or not isinstance(found, bool))):
            return found
        raise AppError(MALFORMED, f"{self.place}, {name}", _kind(found), expected)

    def _needed(self, name: str, found: T | None, expected: str) -> T:
        if found is None:
            raise AppError(MALFORMED, self.place, f"no {name}", f"{name}, {expected}")
        return found


def _check_headers(headers: Mapping[str, str]) -> None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise AppError(MALFORMED, "content-type", shown(kind, SHOWN), "application/json")
    if headers.get("content-encoding", "identity").lower() != "identity":
        found = shown(headers["content-encoding"], SHOWN)
        raise AppError(MALFORMED, "content-encoding", found, "a body that is not compressed")


async def _read(call: Call, limits: Limits) -> bytes:
    """Return a body; one that is too large is read to its end first, so that who sends it hears the answer."""
    from starlette.requests import ClientDisconnect

    said = call.headers.get("content-length", "0")
    large = said.isdecimal() and (len(said) > 18 or int(said) > limits.body)
    data, whole = bytearray(), True
    try:
        async for chunk in call.stream():
            large = large or len(data) + len(chunk) > limits.body
            data += b"" if large else chunk
    except ClientDisconnect:
        whole = False
    if large:
        raise _too_large(f"more than {limits.body:,} bytes", f"{limits.body:,} bytes")
    if not whole:
        raise AppError(MALFORMED, "body", "an end of the connection before its own", "all of it")
    return bytes(data)


def _check_values(found: object, limits: Limits) -> None:
    """Check levels, number of values, texts and numbers."""
    level, count, depth = [found], 0, 0
    while level:
        count, depth = count + len(level), depth + 1
        if count > limits.values:
            raise _too_large(f"more than {limits.values:,} values", f"{limits.values:,}")
        if depth > limits.depth:
            raise _too_large(f"more than {limits.depth} levels", f"{limits.depth}")
        for value in level:
            _check_value(value)
        level = [inner for value in level for inner in _inner(value)]


def _inner(value: object) -> list[object]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []


def _check_value(value: object) -> None:
    if isinstance(value, float) and not isfinite(value):
        raise AppError(MALFORMED, "body", "a number that is too large", "finite numbers")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            found = f"half of a character in {shown(value, SHOWN)}"
            raise AppError(MALFORMED, "body", found, "whole characters") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise AppError(MALFORMED, "body", f"field {shown(twice, SHOWN)} twice", "each once")
    return found


def _constant(name: str) -> None:
    raise AppError(MALFORMED, "body", name, "finite numbers")


def _too_large(found: str, most: str) -> AppError:
    return AppError(TOO_LARGE, "body", found, f"at most {most}")


def _kind(found: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(found), "a number")

"""Plain data, such as what JSON has, as values of declared types; what does not fit has a place.

A type is what msgspec takes: a dataclass, a `shape`, lists and tuples of such; mappings of ``Any``. Nothing is
converted on the way: true is no number, and "1" is none. ``Meta(description=...)`` says what is expected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from teltheory.errors import ArgumentError, FileError, TelTheoryError, shown

if TYPE_CHECKING:
    from msgspec import ValidationError

T = TypeVar("T")
Path: TypeAlias = tuple[str | int, ...]
WORDS = {
    "BoolType": "true or false",
    "CustomType": "one",
    "DictType": "an object",
    "FloatType": "a number",
    "IntType": "a whole number",
    "ListType": "a list",
    "NoneType": "null",
    "StrType": "a text",
    "VarTupleType": "a list",
}
"""What a person calls the types of `msgspec.inspect`."""
_PLACE = re.compile(r"(.*?)(?: - at `\$([\w.\[\]]*)`)?", re.DOTALL)
_STEP = re.compile(r"(\w+)(\])?")
_FIELD = re.compile(r"Object (contains unknown|missing required) field `(.*)`", re.DOTALL)


class MisfitError(TelTheoryError):
    """Plain data that does not fit a type.

    Attributes
    ----------
    path : tuple of (str or int)
        Fields and indices that lead to the place.
    found, expected : str
        What stands there and what would fit, as errors say it.
    """

    def __init__(self, path: Path, found: str, expected: str) -> None:
        self.path, self.found, self.expected = path, found, expected
        super().__init__(f"{self.place()}: found {found}, expected {expected}")

    def place(self, between: str = ", ") -> str:
        """Return the path as a text that goes on from the data's name, such as ``, cuts[0], step``."""
        return "".join(f"[{step}]" if isinstance(step, int) else f"{between}{step}" for step in self.path)


def shape(name: str, /, **fields: Any) -> type[Any]:
    """Return a type of objects that have some fields and no other: each of a type, or of a type with a default."""
    from msgspec import defstruct

    of = [(field, *kind) if isinstance(kind, tuple) else (field, kind) for field, kind in fields.items()]
    return defstruct(name, of, forbid_unknown_fields=True)


def fitted(data: object, kind: type[T], hooks: Mapping[Any, Callable[[Any], Any]] | None = None) -> T:
    """Return plain data as a value of a type.

    Parameters
    ----------
    data : object
        Such as what `json.loads` returns.
    kind : type
        What it should be.
    hooks : mapping of type to callable, optional
        What makes values of types that msgspec does not know; it raises ``ValueError(expected)``.

    Raises
    ------
    MisfitError
        The first place that does not fit.
    """
    from msgspec import ValidationError, convert

    made = hooks or {}
    try:
        return convert(data, kind, dec_hook=lambda asked, found: made[asked](found))
    except ValidationError as error:
        raise _misfit(error, data, kind) from None
    except UnicodeEncodeError:
        raise MisfitError((), "a field's name with half of a character", "whole characters") from None


def read_as(place: str, data: object, kind: type[T], hooks: Mapping[Any, Callable[[Any], Any]] | None = None) -> T:
    """Return what stands at a place of a file as `fitted` does; a `FileError` says what does not fit."""
    try:
        return fitted(data, kind, hooks)
    except MisfitError as error:
        raise FileError(f"{place}{error}") from None


def check_known(place: str, data: Mapping[Any, object], kind: type[Any], *more: str) -> None:
    """Raise a `FileError` for a field that neither a dataclass has nor `more` names."""
    for name, value in data.items():
        if name not in (*more, *kind.__dataclass_fields__):
            raise FileError(f"{place}, {str(name)[:60]}: found {shown(value, 60)}, expected no such field")


def _misfit(error: ValidationError, data: Any, kind: Any) -> MisfitError:
    """Return where an error of msgspec is, as its last words say, what stands there, and what should."""
    cause, said = error.__cause__, str(error)
    about, where = _PLACE.fullmatch(said[len(str(cause)) :] if cause else said).groups()  # type: ignore[union-attr]
    path = tuple(int(step) if index else step for step, index in _STEP.findall(where or ""))
    if isinstance(cause, MisfitError):
        return MisfitError(path + cause.path, cause.found, cause.expected)
    if isinstance(cause, ArgumentError):
        return MisfitError((*path, cause.argument), shown(cause.found), cause.expected)
    try:
        found = shown(reduce(getitem, path, data))
    except (LookupError, TypeError):
        path, found = (), "a field whose name looks like a place"
    if field := _FIELD.fullmatch(about):
        missing = field[1] == "missing required"
        path, found = ((*path, field[2]), "nothing") if missing else (path, f"field {shown(field[2], 60)}")
    return MisfitError(path, found, str(cause) if cause else _expected(kind, path))


def _expected(kind: Any, path: Path) -> str:
    """Return in words what a type has at a place; not null where that is as if it were left out."""
    from msgspec.inspect import type_info

    at, needed = type_info(kind), True
    for step in path:
        for one in _options(at):
            if isinstance(step, int) and hasattr(one, "item_type"):
                at, needed = one.item_type, True
            elif isinstance(step, str) and hasattr(one, "fields"):
                at, needed = next((field.type, field.required) for field in one.fields if field.name == step)
    said = _words(at)
    return said if needed else said.removesuffix(" or null")


def _options(at: Any) -> tuple[Any, ...]:
    inner = getattr(at, "type", at)
    return getattr(inner, "types", (inner,))


def _words(at: Any) -> str:
    if described := (getattr(at, "extra_json_schema", None) or {}).get("description"):
        return str(described)
    if hasattr(at, "types"):
        return " or ".join(map(_words, at.types))
    if hasattr(at, "values"):
        return " or ".join(map(str, at.values))
    if hasattr(at, "fields"):
        return "an object with " + ", ".join(field.name for field in at.fields)
    return WORDS[type(at).__name__]

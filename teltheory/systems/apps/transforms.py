"""What is done to a value on its way through a variable: ``strip|json:code`` (Parrot, Section 5.1).

1. A spec is a list of steps, joined by ``|`` and done from left to right; an empty spec does nothing. A step is a
   name, or a name and an argument after a colon. In an argument, ``||`` stands for one ``|``.
2. Steps are those of `STEPS`, and functions of your own, which are passed in by name: value and argument ("" if
   there is none) to a text.
3. A spec is checked when it is submitted (400). A value that a step cannot be done to is a fault later (422), and
   the step is named.
4. Whoever writes a pattern need not be trusted: a search runs in a process of its own, which `SECONDS` end, and
   what a server is sent is compiled in one first (`check_quick`).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from teltheory.errors import listed, shown
from teltheory.systems.apps.faults import MALFORMED, TRANSFORM, AppError

__all__ = ["apply"]

Own = Callable[[str, str], str]
"""A step of your own: value and argument to a text."""

T = TypeVar("T")
SECONDS = 1.0
COMPILED_IN = 0.1
"""Seconds in which all patterns of a request must be compiled."""
LONGEST_PATTERN = 1000
NOTHING_OWN: Mapping[str, Own] = MappingProxyType({})

_SEARCH = """
import json, re, sys
pattern, value = json.load(sys.stdin)
found = re.search(pattern, value)
json.dump(None if found is None else found[1] if found.re.groups else found[0], sys.stdout)
"""
_COMPILE = """
import json, re, sys, time
began = time.process_time()
for pattern in json.load(sys.stdin):
    try:
        re.compile(pattern)
    except Exception:
        pass
json.dump(time.process_time() - began, sys.stdout)
"""
_MARKER = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_FENCE = re.compile(r"^[ \t]*```([^\n`]*)\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)


class _UnfitError(Exception):
    """A value that a step cannot be done to: what was found, what was expected."""

    def __init__(self, found: str, expected: str) -> None:
        self.found, self.expected = found, expected
        super().__init__(found, expected)


@dataclass(frozen=True)
class Step:
    """A step that is there: what it does, and whether its argument may or must be there (None: it has none)."""

    does: Own
    argument: str | None = None


def check(spec: str, own: Mapping[str, Own] = NOTHING_OWN, place: str = "transforms") -> None:
    """Raise an `AppError` (400) unless every step is known and has an argument that it can use."""
    for name, argument in _steps(spec, place):
        step = STEPS.get(name)
        if step is None and name not in own:
            expected = f"one of {', '.join([*STEPS, *sorted(own)])}; || stands for one | of an argument"
            raise AppError(MALFORMED, place, f"transform {shown(name, 60)}", expected)
        if step is not None:
            _check_argument(name, argument, step, place)


def apply(spec: str, value: str, own: Mapping[str, Own] = NOTHING_OWN, place: str = "transforms") -> str:
    """Return a value after all steps of a spec.

    Raises
    ------
    AppError
        400: no such step. 422: a value that a step cannot be done to; place, step and value are named.
    """
    check(spec, own, place)
    for name, argument in _steps(spec, place):
        value = _done(name, argument, value, own, f"{place}, transform {_shown(name, argument)}")
    return value


def takes_time(spec: str) -> bool:
    """Whether a spec waits for a process, so that it should not be applied where others wait."""
    return any(name == "regex" for name, _ in _steps(spec, "transforms"))


def check_quick(specs: Iterable[str], place: str = "transforms") -> None:
    """Raise an `AppError` (400) if all patterns of the specs take long to compile; waits for a process."""
    steps = [step for spec in specs for step in _steps(spec, place)]
    patterns = [argument[:LONGEST_PATTERN] for name, argument in steps if name == "regex"]
    try:
        slow = bool(patterns) and _in_process(_COMPILE, patterns) > COMPILED_IN
    except (subprocess.SubprocessError, OSError):
        slow = True
    if slow:
        found = f"patterns that are not compiled within {COMPILED_IN:g} s, the first {shown(patterns[0], 60)}"
        raise AppError(MALFORMED, place, found, "simpler ones")


def _in_process(script: str, given: object) -> Any:
    """Return what a script says of what it is given, in a process that `SECONDS` end."""
    command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", script]
    ended = subprocess.run(
        command, input=json.dumps(given).encode(), capture_output=True, timeout=SECONDS, check=True
    )
    return json.loads(ended.stdout)


def _steps(spec: str, place: str) -> list[tuple[str, str]]:
    if "\0" in spec:
        raise AppError(MALFORMED, place, "transforms with a character of code 0", "none")
    parts = spec.replace("||", "\0").split("|") if spec.strip() else []
    named = [part.replace("\0", "|").partition(":") for part in parts]
    return [(name.strip(), argument) for name, _, argument in named]


def _check_argument(name: str, argument: str, step: Step, place: str) -> None:
    if step.argument is None and argument:
        raise AppError(MALFORMED, place, f"transform {_shown(name, argument)}", f"{name} without an argument")
    if step.argument == "must" and not argument:
        raise AppError(MALFORMED, place, f"transform {name} without an argument", f"{name}:ARGUMENT")
    if name == "regex":
        _check_pattern(argument, place)
    if name in {"lines", "list"} and argument and not re.fullmatch(r"-?\d{1,9}", argument):
        raise AppError(MALFORMED, place, f"transform {_shown(name, argument)}", "the number of an item, from 0")


def _check_pattern(pattern: str, place: str) -> None:
    try:
        if len(pattern) > LONGEST_PATTERN:
            raise ValueError(f"{len(pattern):,} characters, expected {LONGEST_PATTERN:,} at most")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (ValueError, OverflowError, RecursionError, re.error) as error:
        found = f"transform {_shown('regex', pattern)} ({error})"
        raise AppError(MALFORMED, place, found, "a regular expression of Python") from None


def _done(name: str, argument: str, value: str, own: Mapping[str, Own], place: str) -> str:
    does = STEPS[name].does if name in STEPS else own[name]
    try:
        result = does(value, argument)
    except _UnfitError as unfit:
        raise AppError(TRANSFORM, place, unfit.found, unfit.expected) from None
    except Exception as error:
        found = f"{type(error).__name__}: {shown(str(error), 80)}"
        raise AppError(TRANSFORM, place, found, "a function that returns a text") from error
    if not isinstance(result, str):
        raise AppError(TRANSFORM, place, f"a result of type {type(result).__name__}", "a text")
    return result


def _shown(name: str, argument: str) -> str:
    return shown(f"{name}:{argument}" if argument else name, 80)


def _json(value: str, path: str) -> str:
    try:
        found = json.loads(value, parse_constant=_no_constant)
        for field in path.split(".") if path else []:
            found = _inside(found, field)
        return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError):
        raise _UnfitError(shown(value, 80), "JSON") from None


def _no_constant(name: str) -> object:
    raise ValueError(name)


def _inside(found: object, field: str) -> object:
    if isinstance(found, dict):
        if field in found:
            return found[field]
        raise _UnfitError(f"fields {listed([shown(name, 60) for name in found]) or 'none'}", f"field {field!r}")
    if isinstance(found, list):
        if not re.fullmatch(r"-?\d{1,9}", field):
            raise _UnfitError("a list", f"field {field!r}, or the number of an item")
        return _item(found, int(field))
    raise _UnfitError(shown(found, 80), f"an object with field {field!r}")


def _item(items: list[T], number: int) -> T:
    if not -len(items) <= number < len(items):
        raise _UnfitError(f"{len(items)} items", f"item {number}, from 0")
    return items[number]


def _regex(value: str, pattern: str) -> str:
    try:
        found: str | None = _in_process(_SEARCH, [pattern, value])
    except subprocess.TimeoutExpired:
        raise _UnfitError(f"a search that takes over {SECONDS:g} s", "a pattern that is quick") from None
    except (subprocess.CalledProcessError, OSError) as error:
        raise _UnfitError(f"a search that ended early ({type(error).__name__})", "a match or none") from None
    if found is None:
        raise _UnfitError(shown(value, 80), "a match, and of its first group if there is one")
    return found


def _picked(items: list[str], number: str) -> str:
    kept = [item for item in items if item]
    return _item(kept, int(number)) if number else "\n".join(kept)


def _lines(value: str, number: str) -> str:
    return _picked([_unmarked(line).strip() for line in value.splitlines()], number)


def _unmarked(line: str) -> str:
    found = _MARKER.match(line)
    return line[found.end() :] if found else line


def _list(value: str, number: str) -> str:
    return _picked([item.strip() for item in value.split(",")], number)


def _choice(value: str, argument: str) -> str:
    choices = [choice.strip() for choice in argument.split(",")]
    if value.strip() not in choices:
        raise _UnfitError(shown(value, 80), f"one of {listed(choices)}")
    return value.strip()


def _fence(value: str, language: str) -> str:
    for found, inside in _FENCE.findall(value):
        if not language or found.strip() == language:
            return str(inside)
    raise _UnfitError(shown(value, 80), "a fenced block" + (f" of {language}" if language else ""))


def _tag(value: str, name: str) -> str:
    _, begin, rest = value.partition(f"<{name}>")
    inside, end, _ = rest.partition(f"</{name}>")
    if not (begin and end):
        raise _UnfitError(shown(value, 80), f"<{name}> and </{name}>")
    return inside


STEPS: Mapping[str, Step] = MappingProxyType(
    {
        "strip": Step(lambda value, _: value.strip()),
        "lower": Step(lambda value, _: value.lower()),
        "upper": Step(lambda value, _: value.upper()),
        "json": Step(_json, "may"),
        "regex": Step(_regex, "must"),
        "lines": Step(_lines, "may"),
        "list": Step(_list, "may"),
        "choice": Step(_choice, "must"),
        "fence": Step(_fence, "may"),
        "tag": Step(_tag, "must"),
    }
)
"""The steps by name."""

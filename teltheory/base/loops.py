"""The loops in C: one library of the package's `.c` files, called by ctypes.

1. A function of a `.c` file that is not static is a loop, and its prototype is all that Python knows of it:

       int64_t replay_lru(int64_t n, const int64_t history[n], int64_t *log /* [2 * n] */)

   Numbers are `int64_t` or `double`. An array has its length in brackets, in words of the numbers before it. One
   written as a pointer, with its length in a comment, may be None. What is not `const` is written.
2. `call` checks kind, length and order in memory of every array before the loop begins, so that a wrong call is
   an error in Python and not a broken process. A tuple of arguments stands for its members. The library has an
   entry of each loop that checks in C (``arrays.h``, and `entries`, which writes them): short loops take no longer
   themselves. Where one does not hold, `Argument` looks again, and refuses what is wrong.
3. The library has the digest of the sources that it was made of, and is refused beside others.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from operator import index
from types import CodeType
from typing import Any

import numpy as np

from teltheory.base.c_sources import ENTRY, KINDS, LIBRARY, PACKAGE, READ, WRITTEN, digest_of, prototypes, words_of
from teltheory.base.extras import installed_from
from teltheory.errors import MachineCodeError

IN_A_CLONE = "release/loops.py"
BY_PIP = "python -m pip install --force-reinstall --no-deps --no-binary teltheory teltheory"
_IN_PYTHON = np.int64, np.int32, np.int8, np.uint8, np.uint32, np.uint64, np.float64, np.float32, np.bool_
_KINDS: dict[str, Any] = dict(zip(KINDS, _IN_PYTHON, strict=True))
_NUMBERS: dict[Any, Any] = {np.int64: ctypes.c_int64, np.float64: ctypes.c_double}
_RESULTS: dict[str, Any] = {"void": None, "int64_t": ctypes.c_int64}
_HEAD = tuple.__basicsize__ // 8
_KNOWN = [None, np.ndarray, *map(np.dtype, _IN_PYTHON)]
_OBJECTS = (ctypes.c_void_p * (1 + len(_KNOWN)))(_HEAD, *map(id, _KNOWN))
"""What entries know arrays by, as ``arrays.h`` says."""
_REFUSED = -(2**63)
"""What an entry says where an array is not as asked; no loop's result is as low."""


def _lie_as_said(probe: np.ndarray[Any, Any]) -> bool:
    """Whether arrays and tuples lie in memory as ``arrays.h`` says."""
    if sys.implementation.name != "cpython":
        return False
    _, kind, numbers, axes, shape, *_, dtype, flags = _words_at(id(probe), 9)
    found = kind, numbers, axes & 0xFFFFFFFF, dtype, flags & 0xFFFFFFFF
    expected = id(np.ndarray), probe.ctypes.data, probe.ndim, id(probe.dtype), probe.flags.num
    in_tuple = _words_at(id(pair := (probe, None)), _HEAD + 2)[_HEAD:] == [*map(id, pair)]
    return in_tuple and found == expected and _words_at(shape, 1) == [probe.size]


def _words_at(address: int, count: int) -> list[int]:
    return list((ctypes.c_int64 * count).from_address(address))


_LIE_AS_SAID = _lie_as_said(np.zeros(3))


@dataclass(frozen=True)
class Argument:
    """What a prototype says of one argument: a number if `length` is None."""

    name: str
    kind: type[np.generic]
    written: bool
    optional: bool
    length: CodeType | None

    @classmethod
    def of(cls, text: str) -> Argument:
        """Read a parameter as it stands in C."""
        words = words_of(text)
        facts = _KINDS[words["kind"]], not words["const"], bool(words["pointer"])
        return cls(words["name"], *facts, _length(words["length"]) if words["length"] else None)

    @property
    def whole(self) -> bool:
        """Whether it is a number of 64 bits."""
        return self.length is None and self.kind is np.int64

    def passed(self, given: Any, numbers: dict[str, int]) -> Any:
        """Return an argument as C takes it, or refuse it; numbers are kept for the lengths that follow."""
        if self.length is None:
            if self.whole:
                given = numbers[self.name] = self._whole(given)
            return given
        if given is None and self.optional:
            return None
        least = eval(self.length, {"__builtins__": {}}, numbers)  # noqa: S307 (of our own sources)
        if self._fits(given, least):
            return given.ctypes.data
        raise TypeError(f"{self.name}: found {_shown(given)}, expected {least} of {self.kind.__name__} in a row")

    def _whole(self, given: Any) -> int:
        number = index(given)
        if not -(2**63) <= number < 2**63:
            raise TypeError(f"{self.name}: found {number}, expected a whole number of 64 bits")
        return number

    def _fits(self, given: Any, least: int) -> bool:
        return (
            isinstance(given, np.ndarray)
            and given.dtype == self.kind
            and given.size >= least
            and given.flags.num & (flags := WRITTEN if self.written else READ) == flags
        )


@cache
def _length(words: str) -> CodeType:
    return compile(words.replace("/", "//"), "length", "eval")


def _shown(given: Any) -> str:
    if not isinstance(given, np.ndarray):
        return type(given).__name__
    closed = "" if given.flags.writeable else ", closed for writing"
    return f"{given.dtype} of shape {given.shape}, strides {given.strides}{closed}"


@dataclass(frozen=True)
class Loop:
    """A function of the library, its entry, and what its prototype says."""

    function: Any
    entry: Any
    parameters: tuple[Argument, ...]

    @cached_property
    def quick(self) -> tuple[int, Callable[..., Any]]:
        """How many arguments it takes, and what passes them to the entry, if numbers are whole ones of 64 bits."""
        names = {f"{parameter.name}_": parameter for parameter in self.parameters}
        arrays = "".join(f"{name}, " for name, one in names.items() if one.length)
        numbers = "".join(f", {name}" for name, one in names.items() if not one.length)
        fits = f"isinstance({{0}}, int) and {_REFUSED} <= {{0}} < {-_REFUSED}"
        whole = [fits.format(name) for name, one in names.items() if one.whole]
        asked = " and ".join([*whole, f"(found := entry(known, ({arrays}){numbers})) != {_REFUSED}"])
        passed = ", ".join(names)
        words = {"entry": self.entry, "known": ctypes.addressof(_OBJECTS), "bound": self.bound}
        made = eval(f"lambda {passed}: found if {asked} else bound({passed})()", words)  # noqa: S307 (of our own sources)
        return len(self.parameters), made

    def bound(self, *given: Any, then: int = 0) -> Callable[..., Any]:
        """Check all arguments but the last few, numbers of 64 bits, which each call of what is returned gives.

        So a loop that Python calls for every few turns is not checked every time. The caller keeps the arrays.
        """
        arguments = _members(given)
        if len(arguments) != (count := len(self.parameters) - then):
            raise TypeError(f"found {len(arguments)} arguments, expected {count}")
        numbers: dict[str, int] = {}
        pairs = zip(self.parameters, arguments, strict=False)
        return partial(self.function, *[parameter.passed(argument, numbers) for parameter, argument in pairs])


def _members(given: tuple[Any, ...]) -> list[Any]:
    found: list[Any] = []
    for one in given:
        if isinstance(one, tuple):
            found += _members(one)
        else:
            found.append(one)
    return found


def call(name: str, *given: Any) -> Any:
    """Call a loop by its name in C."""
    count, quick = (called := loop(name)).quick
    if len(given) != count and len(given := tuple(_members(given))) != count:
        called.bound(*given)  # which says so
    return quick(*given)


@cache
def loop(name: str) -> Loop:
    """Return a loop by its name in C; `MachineCodeError` if there is no library."""
    result, asked = prototypes()[name]
    parameters = tuple(map(Argument.of, asked))
    function = getattr(_library(), name)
    function.restype = _RESULTS[result]
    numbers = [_NUMBERS[one.kind] for one in parameters if one.length is None]
    function.argtypes = [ctypes.c_void_p if one.length else _NUMBERS[one.kind] for one in parameters]
    entry = getattr(_library(), f"{ENTRY}{name}")
    entry.restype, entry.argtypes = ctypes.c_int64, [ctypes.c_void_p, ctypes.py_object, *numbers]
    return Loop(function, entry if _LIE_AS_SAID else lambda *_: _REFUSED, parameters)


def has_machine_code() -> bool:
    """Whether there is a library of the sources that there are."""
    try:
        _library()
    except MachineCodeError:
        return False
    return True


@cache
def _library() -> ctypes.CDLL:
    file = PACKAGE / LIBRARY
    if not file.exists():
        raise _lacking("none for this machine")
    try:
        library = ctypes.CDLL(str(file))
    except OSError as error:
        raise _lacking("that of another machine") from error
    if _digest_in(library) != digest_of():
        raise _lacking("that of other sources")
    return library


def _lacking(found: str) -> MachineCodeError:
    """Return the error that says how the library is made; pip fetches a compiler if there is none."""
    command = f"python {IN_A_CLONE}" if (PACKAGE.parent / IN_A_CLONE).is_file() else BY_PIP
    if command == BY_PIP and "dir_info" in installed_from():
        command = f"{BY_PIP.partition(' --no-binary')[0]} . (in the clone)"
    return MachineCodeError(f"machine code: found {found}; {command} makes it")


def _digest_in(library: ctypes.CDLL) -> str:
    function = getattr(library, "teltheory_sources", None)
    if function is None:
        return ""
    function.restype = ctypes.c_char_p
    return str(function().decode())

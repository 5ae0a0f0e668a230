"""The loops in C: one library of the package's `.c` files, called by ctypes.

1. A function of a `.c` file that is not static is a loop, and its prototype is all that Python knows of it:

       int64_t replay_lru(int64_t n, const int64_t history[n], int64_t *log /* [2 * n] */)

   Numbers are `int64_t` or `double`. An array has its length in brackets, in words of the numbers before it. One
   written as a pointer, with its length in a comment, may be None. What is not `const` is written.
2. `call` checks kind, length and order in memory of every array before the loop begins, so that a wrong call is
   an error in Python and not a broken process. A tuple of arguments stands for its members. A prototype's checks
   are written out as one expression of Python, half a microsecond an array: short loops take no longer themselves.
   Where it does not hold, `Argument` looks again, and refuses what is wrong.
3. The library has the digest of the sources that it was made of, and is refused beside others.
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from operator import index
from types import CodeType
from typing import Any

import numpy as np

from teltheory.base.c_sources import LIBRARY, PACKAGE, digest_of, sources
from teltheory.base.extras import installed_from
from teltheory.errors import MachineCodeError

IN_A_CLONE = "release/loops.py"
BY_PIP = "python -m pip install --force-reinstall --no-deps --no-binary teltheory teltheory"
_FUNCTION = re.compile(r"^(void|int64_t|double) (\w+)\(([^{;]*?)\)\s*\{", re.MULTILINE)
_ARGUMENT = re.compile(
    r"(?P<const>const )?(?P<kind>\w+) (?P<pointer>\*?)(?P<name>\w+)"
    r"(?: /\* (?=\[))?(?:\[(?P<length>[^\]]*)\])?(?: \*/)?"
)
_KINDS: dict[str, Any] = {
    "int64_t": np.int64, "int32_t": np.int32, "int8_t": np.int8, "uint8_t": np.uint8, "uint32_t": np.uint32,
    "uint64_t": np.uint64, "double": np.float64, "float": np.float32, "bool": np.bool_,
}  # fmt: skip
_RESULTS: dict[str, Any] = {"void": None, "int64_t": ctypes.c_int64, "double": ctypes.c_double}


@dataclass(frozen=True)
class Argument:
    """What a prototype says of one argument: a number if `length` is None."""

    name: str
    kind: type[np.generic]
    written: bool
    optional: bool
    length: CodeType | None
    words: str = ""

    @classmethod
    def of(cls, text: str) -> Argument:
        """Read a parameter as it stands in C."""
        found = _ARGUMENT.fullmatch(" ".join(text.split()))
        is_number = found is not None and found["length"] is None
        if found is None or (is_number and (found["pointer"] or found["kind"] not in ("int64_t", "double"))):
            raise SyntaxError(f"{text}: expected int64_t, double, or an array with its length")
        length = None if found["length"] is None else _length(found["length"])
        facts = _KINDS[found["kind"]], not found["const"], bool(found["pointer"]), length
        return cls(found["name"], *facts, _in_python(found["length"] or ""))

    def quickly(self) -> tuple[str, str]:
        """Return in Python what lets the argument pass, and how it is passed; names are those of `_in_python`."""
        name = _in_python(self.name)
        if self.length is None:
            whole = f"type({name}) is int and {-(2**63)} <= {name} < {2**63}"
            return (whole if self.kind is np.int64 else "True"), name
        flags = _WRITTEN if self.written else _READ
        known = f"type({name}) is ndarray and {name}.dtype is {self.kind.__name__}"
        fits = f"{known} and {name}.size >= {self.words} and {name}.flags.num & {flags} == {flags}"
        if not self.optional:
            return fits, _ADDRESS.format(name)
        return f"({name} is None or {fits})", f"None if {name} is None else {_ADDRESS.format(name)}"

    def passed(self, given: Any, numbers: dict[str, int]) -> Any:
        """Return an argument as C takes it, or refuse it; numbers are kept for the lengths that follow."""
        if self.length is None:
            if self.kind is np.int64:
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
            and given.flags.c_contiguous
            and given.flags.aligned
            and (given.flags.writeable or not self.written)
        )


_READ, _WRITTEN = 0x101, 0x501
"""What numpy says in `flags.num` of an array in a row, aligned, and of one that may be written too."""
_PROBE, _AT = np.zeros(1), ctypes.c_void_p.from_address
_BY_HEAD, _BY_NUMPY = f"at(id({{0}}) + {object.__basicsize__}).value", "{0}.ctypes.data"
_AT_HEAD = sys.implementation.name == "cpython" and eval(  # noqa: S307 (of the lines above)
    f"{_BY_HEAD} == {_BY_NUMPY}".format("_PROBE"), {"at": _AT, "_PROBE": _PROBE}
)
_ADDRESS = _BY_HEAD if _AT_HEAD else _BY_NUMPY
"""Where an array's numbers are: every version of numpy's binary interface has that behind an object's head.

Asking numpy takes as long as ten checks.
"""


@cache
def _length(words: str) -> CodeType:
    return compile(words.replace("/", "//"), "length", "eval")


def _in_python(words: str) -> str:
    """Return an expression of C with names that are no words of Python."""
    return re.sub(r"[A-Za-z_]\w*", r"\g<0>_", words.replace("/", "//"))


def _shown(given: Any) -> str:
    if not isinstance(given, np.ndarray):
        return type(given).__name__
    closed = "" if given.flags.writeable else ", closed for writing"
    return f"{given.dtype} of shape {given.shape}, strides {given.strides}{closed}"


@dataclass(frozen=True)
class Loop:
    """A function of the library, with what its prototype says."""

    function: Any
    parameters: tuple[Argument, ...]

    def __call__(self, *given: Any) -> Any:
        """Call it."""
        arguments = _members(given)
        if len(arguments) != len(self.parameters):
            return self.bound(*given)
        return self.quick(*arguments)

    @cached_property
    def quick(self) -> Callable[..., Any]:
        """What checks and passes its arguments, each of them, in one expression."""
        names = ", ".join(_in_python(parameter.name) for parameter in self.parameters)
        fits, passed = zip(*(parameter.quickly() for parameter in self.parameters), strict=True)
        text = f"lambda {names}: function({', '.join(passed)}) if {' and '.join(fits)} else bound({names})()"
        kinds = {kind.__name__: np.dtype(kind) for kind in _KINDS.values()}
        known = {"function": self.function, "bound": self.bound, "at": _AT, "ndarray": np.ndarray}
        return eval(text, {**kinds, **known})  # type: ignore[no-any-return]  # noqa: S307 (of our own sources)

    def bound(self, *given: Any, then: int = 0) -> Callable[..., Any]:
        """Check all arguments but the last few, numbers of 64 bits, which each call of what is returned gives.

        So a loop that Python calls for every few turns is not checked every time. The caller keeps the arrays.
        """
        arguments = _members(given)
        if len(arguments) + then != len(self.parameters):
            raise TypeError(f"found {len(arguments)} arguments, expected {len(self.parameters) - then}")
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
    return loop(name)(*given)


@cache
def loop(name: str) -> Loop:
    """Return a loop by its name in C; `MachineCodeError` if there is no library."""
    result, asked = prototypes()[name]
    parameters = tuple(map(Argument.of, asked))
    function = getattr(_library(), name)
    function.restype = _RESULTS[result]
    function.argtypes = [_argument(parameter) for parameter in parameters]
    return Loop(function, parameters)


def _argument(parameter: Argument) -> Any:
    if parameter.length is not None:
        return ctypes.c_void_p
    return ctypes.c_double if parameter.kind is np.float64 else ctypes.c_int64


@cache
def prototypes() -> dict[str, tuple[str, list[str]]]:
    """Return what the sources say of each loop: its result, and its parameters as they stand there."""
    found = (function for file in sources() for function in _FUNCTION.findall(file.read_text(encoding="utf-8")))
    return {name: (result, asked.split(",")) for result, name, asked in found}


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

"""Errors that the toolkit raises, each with a message that a person can act on."""

from collections.abc import Sequence
from typing import Any

NOT_WHOLE = "optimal, but not in whole numbers"
"""The status of a `SolverError` where a solver says "optimal" and its answer fails the exact check."""

LONGEST = 200
MOST_LISTED, LONGEST_LISTED = 8, 60


def _rebuild(kind: type[BaseException], arguments: tuple[Any, ...], facts: dict[str, Any]) -> BaseException:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(facts)
    return error


class _PortableError(Exception):
    """An error that can go from one process to another, although its message is made of other arguments."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)


def shown(found: object, most: int = LONGEST) -> str:
    """Return what was found as an error shows it: its repr, cut off after `most` characters."""
    try:
        text = repr(found)
    except RecursionError:
        return "a deeply nested value"
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= most else text[:most] + "..."


def printable(text: str) -> str:
    r"""Return a text on one line, with escapes such as ``\x1b`` for what no terminal should be sent."""
    line = " ".join(text.split()) if "\n" in text else text
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def listed(names: Sequence[str]) -> str:
    """Return names as an error lists them: the first few, each cut short, and how many others there are."""
    first = [
        name if len(name) <= LONGEST_LISTED else f"{name[:LONGEST_LISTED]}..." for name in names[:MOST_LISTED]
    ]
    others = len(names) - len(first)
    return ", ".join(first) + (f" and {others:,} others" if others else "")


class TelTheoryError(_PortableError, ValueError):
    """Base of every error about an argument; whatever its message quotes, it is one line that can be printed."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class ArgumentError(TelTheoryError):
    """An argument has a wrong value.

    Parameters
    ----------
    argument : str
        Name of the argument.
    found : object
        The value that was given.
    expected : str
        What would have been right.
    """

    def __init__(self, argument: str, found: object, expected: str) -> None:
        self.argument, self.found, self.expected = argument, found, expected
        super().__init__(f"{argument}: found {shown(found)}, expected {expected}")


class TraceError(TelTheoryError):
    """A turn of a trace is malformed.

    Parameters
    ----------
    field : str
        Column of the trace.
    turn : int or None
        Turn, counted from 0; None if the whole column is meant.
    found : object
        The value that was given.
    expected : str
        What would have been right.
    unit : str
        What is counted: a turn of the trace or a row of a table.
    """

    def __init__(self, field: str, turn: int | None, found: object, expected: str, unit: str = "turn") -> None:
        self.field, self.turn, self.found, self.expected = field, turn, found, expected
        place = field if turn is None else f"{unit} {turn}, {field}"
        super().__init__(f"{place}: found {shown(found)}, expected {expected}")


class FileError(TelTheoryError):
    """A file can't be read as what it should be; the message names file, line and field."""


class ForcedCachingError(TelTheoryError):
    """Forced caching is infeasible: a past that must be cached whole is longer than the capacity.

    Parameters
    ----------
    turn : int or None
        First offending turn, counted from 0; None in a model, where turns have no number.
    length : int
        Past after that turn.
    capacity : int
        Capacity of the cache.
    """

    def __init__(self, turn: int | None, length: int, capacity: int) -> None:
        self.turn, self.length, self.capacity = turn, length, capacity
        place = "" if turn is None else f"turn {turn}: "
        super().__init__(
            f"{place}forced caching must keep a past of length {length}, expected at most the capacity {capacity}"
        )


class MachineCodeError(TelTheoryError):
    """There is no machine code for this machine, or that of other sources; the message says how to get it."""


class CertificateError(TelTheoryError):
    """A certificate that proves nothing; the message says what fails, and where."""


class SolverError(_PortableError, RuntimeError):
    """A solver stopped without proving an optimum.

    Parameters
    ----------
    status : str
        The solver's own word for how it stopped.
    incumbent : float or None
        Objective of the best feasible point, if there is one.
    bound : float or None
        Lower bound on the optimum, if there is one.
    """

    def __init__(self, status: str, incumbent: float | None = None, bound: float | None = None) -> None:
        self.status, self.incumbent, self.bound = status, incumbent, bound
        super().__init__(f"no optimum was proved: solver status {status!r}, incumbent {incumbent}, bound {bound}")

    @property
    def gap(self) -> float | None:
        """Incumbent - bound, where both are there."""
        return None if self.incumbent is None or self.bound is None else self.incumbent - self.bound


class WorkerError(_PortableError, RuntimeError):
    """The processes that ran a piece of work gave no result."""

    def __init__(self, work: str, found: str) -> None:
        self.work, self.found = work, found
        super().__init__(f"{work}: found {found}, expected a result")


class ProbeError(TelTheoryError):
    """A server that can't be measured: what it did, what to do about it, and the status of an HTTP error."""

    def __init__(self, message: str, status: int | None = None) -> None:
        self.status = status
        super().__init__(message)

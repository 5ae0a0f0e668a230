"""Semantic variables: the queue of each in a session, and its handle (Parrot, Sections 4.1, 5.1).

1. A variable is empty, then it has a text or a failure, for ever. Everybody who waits for it gets the same.
2. A handle is a future: `get` waits for the text and says what is asked of it, `set` gives it.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

from teltheory.systems.apps.faults import AppError

R_co = TypeVar("R_co", covariant=True)


class Value:
    """The queue of a variable: who waits for it is told once it is settled."""

    def __init__(self) -> None:
        self._there = asyncio.Event()
        self.text = ""
        self.failure: AppError | None = None

    @property
    def settled(self) -> bool:
        """Whether there is a text or a failure."""
        return self._there.is_set()

    def put(self, text: str) -> None:
        """Give it its text."""
        self.text = text
        self._there.set()

    def fail(self, failure: AppError) -> None:
        """Give it its failure."""
        self.failure = failure
        self._there.set()

    async def wait(self) -> str:
        """Return the text once it is there, or raise the failure."""
        await self._there.wait()
        if self.failure is not None:
            fault = self.failure
            raise AppError(fault.code, fault.place, fault.found, fault.expected)
        return self.text


class Face(Protocol[R_co]):
    """What a handle needs of a session: `R_co` is a text, or what is awaited for one."""

    def get(self, variable: str, criteria: str = "latency", timeout: float | None = None) -> R_co:
        """Return the value of a variable."""

    def set(self, variable: str, value: str) -> None:
        """Give a variable its value."""


@dataclass(frozen=True)
class Variable(Generic[R_co]):
    """A semantic variable of a session.

    Attributes
    ----------
    session : Session or BlockingSession
        Whose it is.
    id : str
        Its name there.
    """

    session: Face[R_co]
    id: str

    def get(self, criteria: str = "latency", timeout: float | None = None) -> R_co:
        """Return its value, awaited or not as the session's; see `Session.get`."""
        return self.session.get(self.id, criteria, timeout)

    def set(self, value: str) -> None:
        """Give it its value, see `Session.set`."""
        self.session.set(self.id, value)


class Closing(ABC):
    """What the end of a ``with`` closes."""

    @abstractmethod
    def close(self) -> None:
        """Give up what it holds."""

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()


class PlainSession(Closing):
    """What sessions whose get waits have in common, in this program and on a server."""

    @abstractmethod
    def fresh(self, name: str = "variable") -> str:
        """Return the id of a new variable, which begins with a name."""

    @abstractmethod
    def get(self, variable: str, criteria: str = "latency", timeout: float | None = None) -> str:
        """Return the value of a variable once it is there, see `Session.get`."""

    @abstractmethod
    def set(self, variable: str, value: str) -> None:
        """Give a variable its value, see `Session.set`."""

    def variable(self, value: str | None = None, name: str = "variable") -> Variable[str]:
        """Return a new variable, with a value if one is given."""
        fresh = Variable(self, self.fresh(name))
        if value is not None:
            fresh.set(value)
        return fresh

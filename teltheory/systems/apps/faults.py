"""Errors of applications, each with the code that an HTTP answer has for it."""

from __future__ import annotations

from teltheory.errors import TelTheoryError

MALFORMED, UNKNOWN, CONFLICT, CLOSED, TOO_LARGE, TRANSFORM = 400, 404, 409, 410, 413, 422
FORBIDDEN, MISDIRECTED, BUSY, ENGINE, LATE = 401, 421, 429, 502, 504
KINDS = {
    MALFORMED: "malformed",
    FORBIDDEN: "forbidden",
    UNKNOWN: "unknown",
    CONFLICT: "conflict",
    CLOSED: "closed",
    TOO_LARGE: "too-large",
    TRANSFORM: "transform",
    MISDIRECTED: "misdirected",
    BUSY: "busy",
    ENGINE: "engine",
    LATE: "late",
}


class AppError(TelTheoryError):
    """Something about an application is wrong.

    Parameters
    ----------
    code : int
        One of `KINDS`; what an HTTP server answers with.
    place : str
        What it is about: a request, a placeholder, a variable, a session.
    found, expected : str
        What was there, and what would have been right.
    """

    def __init__(self, code: int, place: str, found: str, expected: str) -> None:
        self.code, self.place, self.found, self.expected = code, place, found, expected
        super().__init__(f"{place}: found {found}, expected {expected}")

    @property
    def kind(self) -> str:
        """The code in a word."""
        return KINDS[self.code]

    def body(self) -> dict[str, object]:
        """Return what an HTTP server answers with, as plain data."""
        return error_body(self.code, self.kind, str(self))


def error_body(code: int, kind: str, message: str) -> dict[str, object]:
    """Return an error as plain data: code, kind, and a message of one line."""
    return {"error": {"code": code, "kind": kind, "message": message}}

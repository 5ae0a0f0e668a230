"""What is refused, and the line that says so: one call of `refused`, or one table a file."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from teltheory.errors import ArgumentError, FileError, TraceError

Kinds = type[Exception] | tuple[type[Exception], ...]


def refused(kind: Kinds, said: str, call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Assert that a call ends in an error whose line has a text, or fits a pattern; return the error.

    What was expected stands in each line on arguments and files, so that a table needs no more than a fragment.
    """
    with pytest.raises(kind) as raised:
        call(*arguments, **named)
    line = str(raised.value)
    assert said in line or re.search(said, line), line
    assert "expected " in line or not isinstance(raised.value, ArgumentError | FileError | TraceError), line
    return raised.value


def refusals(kind: Kinds, *rows: tuple[str, Callable[[], Any]]) -> Callable[..., None]:
    """Return a test of a table, each row of which has what is said and the call that is refused so."""

    @pytest.mark.parametrize(("said", "call"), rows, ids=[said for said, _ in rows])
    def test(said: str, call: Callable[[], Any]) -> None:
        refused(kind, said, call)

    return test

"""Plain logs of requests."""

import json
from pathlib import Path
from typing import Any

import pytest
from refusals import refused

from teltheory.errors import FileError
from teltheory.formats.request_logs import Logged, read_log


def written(tmp_path: Path, *rows: Any) -> Path:
    """Write a log."""
    file = tmp_path / "log.jsonl"
    file.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return file


def test_requests_come_in_order_of_arrival(tmp_path: Path) -> None:
    """Of one time in the order of the file; other fields are passed over; a line without an id has its number."""
    rows = [
        {"id": "late", "time": 3, "end": 4.5, "prompt": "p", "response": "r", "user": "ann", "model": "m"},
        {"time": 1, "prompt": "q", "response": ""},
        {"time": 1, "prompt": "s", "response": "t"},
    ]
    assert read_log(written(tmp_path, *rows)) == [
        Logged("2", "q", "", "", 1.0),
        Logged("3", "s", "t", "", 1.0),
        Logged("late", "p", "r", "ann", 3.0, 4.5),
    ]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["{"], "line 1, row"),
        (["[1]"], "line 1, row: found"),
        ([{"response": "r"}], "line 1, prompt: found nothing"),
        ([{"prompt": "p", "response": None}], "line 1, response: found nothing"),
        ([{"prompt": 3, "response": "r"}], "line 1, prompt: found 3"),
        ([{"prompt": "p", "response": "r", "user": 3}], "line 1, user: found 3"),
        ([{"prompt": "p", "response": "r", "time": -1}], "line 1, time: found -1"),
        ([{"prompt": "p", "response": "r", "time": True}], "line 1, time: found True"),
        ([{"prompt": "p", "response": "r", "time": "now"}], "line 1, time: found 'now'"),
        ([{"prompt": "p", "response": "r", "time": 2, "end": 1}], "line 1, end: found 1.0"),
        ([{"prompt": "p", "response": "r", "end": 1}], "line 1, end: found 1.0"),
        (
            [{"prompt": "p", "response": "r", "time": 2}, {"prompt": "p", "response": "r"}],
            "line 2, time: found nothing",
        ),
        ([{"prompt": "p", "response": "r", "id": "a"}] * 2, "line 2, id: found 'a'"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, rows: list[Any], said: str) -> None:
    """File, line and field."""
    raised = refused(FileError, said, lambda: read_log(written(tmp_path, *rows)))
    assert ", expected " in str(raised)

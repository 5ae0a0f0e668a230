"""Plain logs of requests."""

from pathlib import Path

from formats.files import lines, wrong_files

from teltheory.formats.request_logs import Logged, read_log


def test_requests_come_in_order_of_arrival(tmp_path: Path) -> None:
    """Of one time in the order of the file; other fields are passed over; a line without an id has its number."""
    rows = [
        {"id": "late", "time": 3, "end": 4.5, "prompt": "p", "response": "r", "user": "ann", "model": "m"},
        {"time": 1, "prompt": "q", "response": ""},
        {"time": 1, "prompt": "s", "response": "t"},
    ]
    assert read_log(lines(tmp_path / "log.jsonl", rows)) == [
        Logged("2", "q", "", "", 1.0),
        Logged("3", "s", "t", "", 1.0),
        Logged("late", "p", "r", "ann", 3.0, 4.5),
    ]


GOOD = {"prompt": "p", "response": "r"}
test_what_is_wrong_is_said_with_its_line = wrong_files(
    "log.jsonl",
    ("{", "line 1, row"),
    ("[1]", "line 1, row: found"),
    ([{"response": "r"}], "line 1, prompt: found nothing"),
    ([GOOD | {"prompt": 3}], "line 1, prompt: found 3"),
    ([GOOD | {"user": 3}], "line 1, user: found 3"),
    ([GOOD | {"time": -1}], "line 1, time: found -1"),
    ([GOOD | {"time": True}], "line 1, time: found True"),
    ([GOOD | {"time": 2, "end": 1}], "line 1, end: found 1.0"),
    ([GOOD | {"end": 1}], "line 1, end: found 1.0"),
    ([GOOD | {"time": 2}, GOOD], "line 2, time: found nothing"),
    ([GOOD | {"id": "a"}] * 2, "line 2, id: found 'a'"),
    read=read_log,
)

"""A file that is no trace is refused in one line, which says what was tried and why nothing fits."""

from __future__ import annotations

import pytest

import teltheory as tt
from teltheory.errors import ArgumentError, FileError
from teltheory.formats import FORMATS

UNKNOWN = {
    "README.md": (b"# A text\n", "found a name that ends in '.md'"),
    "text.txt": (b"hello, world\n", "found a name that ends in '.txt'"),
    "text.jsonl": (b"hello, world\n", "line 1, row: Expecting value"),
    "text.json": (b"hello, world\n", "line 1: found 'h', expected a JSON array"),
    "object.json": (b'{"a": 1}\n', "line 1: found '{', expected a JSON array"),
    "none.json": (b"[]", "found no record"),
    "fields.jsonl": (b'{"a": 1, "b": 2}\n', "found the fields 'a', 'b'"),
    "table.csv": (b"x,y\n1,2\n", "found the fields 'x', 'y'"),
    "binary.csv": (b"\x9f\x00\xff", "found byte b'\\x9f'"),
    "binary.parquet": (b"PAR1" + bytes(range(200)), "Parquet"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_was_tried_is_said(tmp_path, name):
    content, found = UNKNOWN[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError) as error:
        tt.read_trace(tmp_path / name)
    message = str(error.value)
    assert message.startswith(str(tmp_path / name))
    assert found in message
    assert "\n" not in message
    assert [format for format in FORMATS if format not in message] == []


@pytest.mark.parametrize(
    ("record", "format", "field"),
    [
        ('{"messages": [{"role": "user", "content": "hi"}]}', "lmsys", "messages"),
        ('{"conversations": [{"from": "human", "value": "hi"}]}', "sharegpt", "conversations"),
    ],
)
def test_what_is_missing_is_said_with_the_format_that_needs_it(tmp_path, record, format, field):
    (tmp_path / "chats.jsonl").write_text(record + "\n")
    with pytest.raises(ArgumentError, match=rf"chats\.jsonl is taken for {format} by its field '{field}'"):
        tt.read_trace(tmp_path / "chats.jsonl")


def test_a_missing_file_is_only_missing(tmp_path):
    with pytest.raises(FileError, match=r"found no such file, expected a trace$"):
        tt.read_trace(tmp_path / "none.jsonl")

"""Tables are read as they were written, and whatever is wrong with one is said in one line."""

import math
from contextlib import suppress
from dataclasses import astuple, dataclass
from typing import Annotated, ClassVar

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from refusals import refused

from teltheory.errors import FileError
from teltheory.paper.tidy import Finite, Flag, TableRow, one_of, read_rows, write_rows


@dataclass(frozen=True)
class Measured(TableRow):
    WITHIN: ClassVar = ("trace",)
    AXES: ClassVar = ("capacity", ("policy", "xi"))

    trace: str
    capacity: int
    policy: Annotated[str, one_of("lru", "tlru")]
    xi: int
    tel: float
    share: Finite | None
    chosen: Flag


@dataclass(frozen=True)
class Curve(TableRow):
    ONCE: ClassVar = ("series", "x")
    SERIES: ClassVar = ("series",)

    series: str
    points: int
    x: int


ROWS = [
    Measured(trace, capacity, policy, xi, 1.5 * capacity, 0.25 if xi else None, xi % 2)
    for trace, capacities in (("a", (10, 20)), ("b, or c", (30,)))
    for capacity in capacities
    for policy, xi in (("lru", 0), ("tlru", 1), ("tlru", 2))
]
CURVES = [Curve("p", 2, 1), Curve("p", 2, 2), Curve("q", 1, 1)]
NASTY = ("", "nan", "-inf", "x", "1e999", "1e308", "-1", "1_000", "٣", '"', "a,b", "\0", "9" * 5000)


@pytest.fixture
def table(tmp_path):
    write_rows(ROWS, tmp_path / "table.csv", Measured)
    return tmp_path / "table.csv"


def error(table, content, row=Measured):
    table.write_bytes(content)
    with pytest.raises(FileError) as raised:
        read_rows(table, row)
    said = str(raised.value)
    assert said.startswith(str(table))
    assert "\n" not in said
    assert "expected" in said
    return said


def test_a_table_is_read_as_it_was_written(table, tmp_path):
    assert read_rows(table, Measured) == ROWS
    table.write_bytes(b"\xef\xbb\xbf" + table.read_bytes().replace(b"\r\n", b"\n"))
    assert read_rows(table, Measured) == ROWS
    write_rows(CURVES, table, Curve)
    assert read_rows(table, Curve) == CURVES


@given(number=st.floats(-1e100, 1e100) | st.sampled_from([math.nan, math.inf, -math.inf]))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(number=5e-324)
def test_a_number_is_read_as_it_was_written(number, tmp_path):
    write_rows([Measured("a", 1, "lru", 0, number, None, 1)], tmp_path / "t.csv", Measured)
    (row,) = read_rows(tmp_path / "t.csv", Measured)
    assert row.tel == number or (math.isnan(row.tel) and math.isnan(number))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("trace,", "trail,", "line 1: found 'trail,capacity,"),
        ("chosen", "chosen,more", "line 1: found 'trace,capacity,"),
        ("a,10,lru", "a,IO,lru", "line 2, capacity: found 'IO', expected a whole number, 0 or more"),
        ("a,10,lru", "a,-1,lru", "line 2, capacity: found '-1', expected a whole number, 0 or more"),
        ("a,10,lru", "a,10,fifo", "line 2, policy: found 'fifo', expected one of lru, tlru"),
        ("a,10,lru", "\x07,10,lru", "line 2, trace: found '\\x07', expected a text that can be shown"),
        (",15.0,", ",1e999,", "line 2, tel: found '1e999', expected a number"),
        (",0.25,", ",nan,", "line 3, share: found 'nan', expected a finite number, or nothing"),
        ("0.25,1", "0.25,2", "line 3, chosen: found '2', expected 0 or 1"),
        ("a,10,lru,", "a,10,", "line 2: found 6 fields, expected 7"),
        ("b, or c", 'b"x, or c', "line 8: found no CSV"),
        ("a,10,tlru,1", "a,10,tlru,2", "line 4, trace, capacity, policy, xi: found ('a', 10, 'tlru', 2) as in"),
        ("a,20,tlru,2,30.0,0.25,0\r\n", "", "found no row of ('a', 20, ('tlru', 2)) (trace, capacity, policy,"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(table, old, new, said):
    text = table.read_bytes().decode()
    assert old in text
    assert said in error(table, text.replace(old, new, 1).encode())


def test_what_is_no_table_is_said(table):
    whole = table.read_bytes()
    heading = whole.splitlines(keepends=True)[0]
    assert "line 1: found an empty file" in error(table, b"")
    assert "line 10: found no end of the line" in error(table, whole[:-5])
    assert "line 2: found the end of the file" in error(table, heading)
    assert "found byte" in error(table, heading + "café".encode("latin-1") + b"\n")
    assert "found no CSV" in error(table, whole.replace(b"\r\na,", b'\r\n"a,', 1))
    error(table, whole.decode().encode("utf-16"))
    table.unlink()
    refused(FileError, "found no such file", read_rows, table, Measured)
    table.mkdir()
    refused(FileError, "found a folder", read_rows, table, Measured)


def test_a_series_that_is_cut_off_is_found(tmp_path):
    table = tmp_path / "curves.csv"
    for gone in (0, 1):
        write_rows(CURVES[:gone] + CURVES[gone + 1 :], table, Curve)
        said = error(table, table.read_bytes(), Curve)
        assert "line 2, points: found 2, expected 1, the rows of p: is the table cut off?" in said


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_a_field_is_a_value_or_an_error(data, table):
    write_rows(ROWS, table, Measured)
    rows = [line.split(",") for line in table.read_text().splitlines()]
    row = data.draw(st.integers(0, len(rows) - 1))
    at = data.draw(st.integers(0, len(rows[row]) - 1))
    rows[row][at] = data.draw(st.sampled_from(NASTY) | st.text(max_size=4))
    content = "".join(",".join(row) + "\n" for row in rows).encode("utf-8", "surrogatepass")
    table.write_bytes(content)
    with suppress(FileError):
        pairs = zip(map(astuple, read_rows(table, Measured)), map(astuple, ROWS), strict=True)
        assert sum(a != b for one, other in pairs for a, b in zip(one, other, strict=True)) <= 1
        return
    error(table, content)

"""Latency models in files: what is written is read back, and nothing else is read as a model."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.cost.latency import Provenance

NUMBERS = st.fractions(0, 10, max_denominator=10**9)
TEXT = st.text(max_size=8)
ORIGINS = st.none() | st.builds(Provenance, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT)
FORMULAS = st.builds(tt.LatencyModel, NUMBERS, NUMBERS, NUMBERS.map(lambda x: x - 5), NUMBERS, TEXT, ORIGINS)
TABLES = st.builds(
    tt.TableLatency.monotone,
    st.just((1, 20)),
    st.just((Fraction(0), Fraction(1, 3))),
    st.lists(st.lists(NUMBERS, min_size=2, max_size=2), min_size=2, max_size=2),
    TEXT,
    ORIGINS,
)
FORMULA = {"teltheory_latency": 1, "form": "formula", "per_token": "0.0000717"}
TABLE = {
    "teltheory_latency": 1,
    "form": "table",
    "totals": [1, 2],
    "cached_shares": ["0", "1/2"],
    "seconds": [["1", "1/2"], ["2", "1"]],
}


@settings(max_examples=20)
@given(FORMULAS | TABLES)
def test_a_model_comes_back_from_json_as_it_was(model: object) -> None:
    assert tt.latency_from_json(json.loads(json.dumps(tt.latency_to_json(model)))) == model


def test_a_file_written_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(FORMULA))
    assert tt.read_latency(file) == tt.LatencyModel(Fraction(717, 10_000_000))
    assert tt.latency_from_json(TABLE).seconds[0] == (1, Fraction(1, 2))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"teltheory_latency": 2}, "teltheory_latency: found 2, expected 1"),
        ({"form": ["formula"]}, r"form: found \['formula'\]"),
        ({"per_token": 7.17e-05}, "per_token: found 7.17e-05, expected a string such as"),
        ({"per_token": "nan"}, "per_token: found 'nan'"),
        ({"per_token": "1/0"}, "per_token: found '1/0'"),
        ({"per_token": "-1"}, "per_token: found '-1', expected a fraction, 0 or more"),
        ({"name": 3}, "name: found 3, expected a text"),
        ({"provenance": {"date": 2026}}, "provenance.date: found 2026, expected a text"),
    ],
)
def test_what_is_no_formula_is_one_line_that_names_the_field(change: dict[str, object], message: str) -> None:
    caught = refused(tt.FileError, f"here, {message}", tt.latency_from_json, {**FORMULA, **change}, "here")
    assert len(str(caught)) < 250


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"totals": [1, True]}, r"totals\[1\]: found True, expected a whole number"),
        ({"totals": [1, 10**30]}, r"totals\[1\]: found 1000000"),
        ({"seconds": [["1", "1/2"], ["2", 1]]}, r"seconds\[1\]\[1\]: found 1, expected a string"),
        ({"seconds": [["1", "2"], ["2", "2"]]}, r"seconds\[0\]\[0\]: found '1', expected 2 or more"),
    ],
)
def test_what_is_no_table_is_one_line_that_names_the_field(change: dict[str, object], message: str) -> None:
    refused(tt.FileError, f"here, {message}", tt.latency_from_json, {**TABLE, **change}, "here")


def test_a_field_that_is_left_out_is_named() -> None:
    for data, field in ((FORMULA, "per_token"), (TABLE, "totals"), (TABLE, "cached_shares"), (TABLE, "seconds")):
        rest = {key: value for key, value in data.items() if key != field}
        refused(tt.FileError, f"here, {field}: found nothing, expected ", tt.latency_from_json, rest, "here")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\xfe",
        b"3",
        b'{"teltheory_latency": 1, "form": "formula", "per_token": "1", "per_token": "2"}',
        b'{"teltheory_latency": 1, "form": "formula", "per_token": ' + b"9" * 5000 + b"}",
    ],
)
def test_a_file_that_holds_no_model_is_one_line_that_names_the_file(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(text)
    refused(tt.FileError, r"bad\.json.*expected a latency model", tt.read_latency, file)


@settings(max_examples=50)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*TABLE, *FORMULA]), inner),
    ),
    st.sampled_from([FORMULA, TABLE]),
    st.data(),
)
def test_anything_else_in_a_field_is_a_file_error(
    value: object, base: dict[str, object], data: st.DataObject
) -> None:
    field = data.draw(st.sampled_from([*base, "name", "provenance", "floor"]))
    if field in ("name", "floor", "provenance") and isinstance(value, (str, dict, type(None))):
        return
    if {**base, field: value} == base:
        return
    refused(tt.FileError, "here", tt.latency_from_json, {**base, field: value}, "here")


def test_only_the_two_forms_are_written() -> None:
    refused(tt.ArgumentError, "model: found 3, expected a LatencyModel or a TableLatency", tt.latency_to_json, 3)

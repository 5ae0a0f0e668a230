"""A format that is not the toolkit's own is one small file; a value of `Format`."""

import csv
from pathlib import Path

import pytest
from formats import azure_2023
from formats.azure_2023 import AZURE
from refusals import refused

import teltheory as tt
from teltheory.formats import FORMATS
from teltheory.formats.datasets import datasets

ROOT = Path(__file__).parents[2]
HEADER = "TIMESTAMP,ContextTokens,GeneratedTokens\n"
ROWS = HEADER + "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n"


def test_a_custom_format_takes_25_lines_and_is_read_by_its_value_or_told_by_its_fields(tmp_path, monkeypatch):
    assert len(Path(azure_2023.__file__).read_text().splitlines()) <= 25
    (tmp_path / "a.csv").write_text(ROWS)
    trace = tt.read_trace(tmp_path / "a.csv", AZURE)
    assert (trace.prompt.tolist(), trace.response.tolist(), trace.conversations) == ([374, 396], [44, 109], 2)
    refused(tt.FileError, "expected a trace; --arrivals a.csv gives", lambda: tt.read_trace(tmp_path / "a.csv"))
    monkeypatch.setitem(FORMATS, AZURE.name, AZURE)
    assert tt.read_trace(tmp_path / "a.csv") == tt.read_trace(tmp_path / "a.csv", "azure-2023") == trace
    (tmp_path / "a.csv").write_text(ROWS + "2023-11-16 18:16:00,-4,1\n")
    refused(tt.FileError, "a.csv, line 4, ContextTokens: found '-4'", lambda: tt.read_trace(tmp_path / "a.csv"))


def test_the_real_azure_trace(shared):
    real = shared("azure_llm_inference_conv_2023.csv")
    with real.open(newline="") as file:
        rows = list(csv.DictReader(file))
    trace = tt.read_trace(real, AZURE)
    assert len(trace) == trace.conversations == len(rows)
    assert sorted(trace.total.tolist()) == sorted(int(row["ContextTokens"]) for row in rows)
    assert int(trace.response.sum()) == sum(int(row["GeneratedTokens"]) for row in rows)


@pytest.mark.repository
def test_the_tables_of_the_documents_have_every_format_and_every_name_of_a_public_trace():
    pages = [(ROOT / "docs" / name).read_text() for name in ("formats.md", "logs.md")]
    rows = [line for line in "\n".join(pages).splitlines() if line.startswith("| `")]
    for format in FORMATS.values():
        assert any(f"`{format.name}`" in row.split("|")[1] for row in rows), format.name
    names = {name: parts[0].format for name, parts in datasets().items() if parts[0].format in FORMATS}
    assert [
        name for name in names if not any(f"| `{names[name]}`" in row and f"`{name}`" in row for row in rows)
    ] == []

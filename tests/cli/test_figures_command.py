import json
from dataclasses import astuple
from fractions import Fraction

import pytest

from teltheory.cli.reproduce import figures
from teltheory.paper.grid import WORKLOADS
from teltheory.paper.printed import V1_TABLES
from teltheory.paper.rows import RunRow
from teltheory.paper.tables import RunTable, compare
from teltheory.paper.tidy import read_rows

SMALL = ("--seeds", "2", "--turns", "40", "--workers", "1")


@pytest.fixture
def undrawn(monkeypatch):
    monkeypatch.setattr("teltheory.paper.drawing.draw_all", lambda *_, **__: iter(["figure_5: pdf, svg, png"]))
    monkeypatch.setattr("teltheory.paper.all.LONG_TURNS", 100)
    monkeypatch.setattr("teltheory.paper.grid.FINE_XI_MS", {"wildchat": (100, 200), "sharegpt": (100, 200)})
    monkeypatch.setattr("teltheory.paper.grid.CURVE_POINTS", 3)
    for name in ("adaptive", "front"):
        monkeypatch.setattr(f"teltheory.paper.{name}.RATIOS", (Fraction(0), Fraction(1, 2)))
    for settings in ("SHARES", "WINDOWS"):
        monkeypatch.setattr(f"teltheory.paper.adaptive.{settings}", ())


@pytest.mark.long
def test_tables_are_made_once_and_printed_beside_the_papers(output, tmp_path, undrawn, monkeypatch):
    monkeypatch.setenv("TELTHEORY_DATA", str(tmp_path / "none"))
    said = output("figures", tmp_path / "out", *SMALL)
    assert "runs_wildchat.csv: made\n" in said
    assert "the tables of the Mooncake trace are left out" in said
    assert "figure_5: pdf, svg, png" in said
    for number, cells in enumerate((66, 60, 66, 60, 60, 60), 1):
        edition = " under arXiv v1's headings" if number in (1, 3) else ""
        assert f"Table {number}{edition}, printed and ours" in said
        assert f"of {cells} signs" in said
    assert (
        "TTFT, ours: 71.7 us per uncached token (A100, Llama-2-7B shape); composed of operators' timings" in said
    )
    assert "No measured TTFT is in either." in said.replace("\n", " ")
    cells, second = figures.both_compared(tmp_path / "out")
    assert len(cells) == len(second) == 372
    assert sum(one.ours != two.ours for one, two in zip(cells, second, strict=True)) > 186
    runs = {
        name: RunTable(read_rows(tmp_path / "out" / "tables" / f"runs_{name}.csv", RunRow)) for name in WORKLOADS
    }
    again = [cell for table in V1_TABLES for cell in compare(table, runs[table.workload])]
    assert [str(astuple(cell)) for cell in cells] == [str(astuple(cell)) for cell in again]
    first = next(line for line in said.splitlines() if " paper " in line)
    assert first.split()[2:5] == ["4.0", "0.0", "4.5"]
    ours = said.splitlines()[said.splitlines().index(first) + 1]
    assert (
        ours.split()[1]
        == f"{cells[0].ours:.1f}" + {"inside": "=", "same sign": "~", "off": "x"}[cells[0].agreement]
    )
    assert "runs_wildchat.csv: there already" in output("figures", tmp_path / "out", *SMALL)


def test_the_grid_of_a_trace():
    assert figures.ranges((), ()) == {}
    wanted = {"capacities": (2000, 1_000_000), "xi_ms": [500, 2000, 1000], "slo_ms": 1000}
    assert figures.ranges(("2k", "1M"), ("500ms,2s", "1s")) == wanted


@pytest.mark.long
def test_reproduce_makes_them_too(refused, output, tmp_path, undrawn, monkeypatch, trace_file):
    def small(folder, trace, workers, again, **grid):
        return make_all(folder, trace, workers, again, seeds=1, turns=20, **grid)

    from teltheory.paper.all import make_all

    monkeypatch.setattr("teltheory.paper.all.make_all", small)
    monkeypatch.setattr("teltheory.cli.reproduce.command.chosen_claims", lambda *_: ["figure-2"])
    options = ("--workers", 1, "--trace", trace_file, "--out", tmp_path / "out", "--json", tmp_path / "all.json")
    said = output("reproduce", *options)
    assert "Table 6, printed and ours" in said
    cells = json.loads((tmp_path / "all.json").read_text())["paper"]
    assert len(cells) == 372
    assert cells[0]["printed"] == 4
    assert cells[0]["mean_low"] is None
    second = json.loads((tmp_path / "all.json").read_text())["paper_with_attention"]
    assert [cell["printed"] for cell in second] == [cell["printed"] for cell in cells]
    assert second != cells
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Table 6, printed and ours" in page
    assert page.count(trace_file.name) > 3
    assert str(tmp_path) not in page
    assert "convert" in refused("reproduce", *options, "--tokenizer", "characters/4")

"""Figures are found through entry points, so that another package's are made like the paper's."""

import pytest
from paper import silences
from sweep.noting import as_sent

from teltheory.paper import all as everything
from teltheory.paper import drawing, script


@pytest.fixture
def plugged_in(monkeypatch, tmp_path):
    """A made-up distribution with an entry point for the figure of `silences`."""
    about = tmp_path / "site" / "made_up-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: made-up\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[teltheory.figures]\nsilences = paper.silences:FIGURES\n")
    monkeypatch.syspath_prepend(tmp_path / "site")


def test_the_papers_figures_are_found_without_their_names():
    found = {figure.table for figure in drawing.figures()}
    assert {"figure_3", "figure_4", "means_*", "cells_*"} <= found
    assert "silences" not in found


def test_a_figure_of_another_package_is_made_with_its_table(plugged_in, tmp_path, monkeypatch):
    tables, out = tmp_path / "tables", tmp_path / "out"
    assert silences.FIGURES[0] in drawing.figures()
    todo = everything.of_others()
    assert list(everything.make(todo, tables)) == ["silences.csv: made"]
    assert list(everything.make(todo, tables)) == ["silences.csv: there already"]
    assert list(drawing.draw_all(tables, out)) == ["silences: pdf, svg, png"]
    assert {file.name for file in out.iterdir()} == {f"silences.{ending}" for ending in drawing.FORMATS}
    assert (out / "silences.pdf").read_bytes().startswith(b"%PDF")
    monkeypatch.setattr(script, "on_processes", lambda *work, **_: as_sent(*work[:3]))
    assert list(drawing.draw_all(tables, tmp_path / "sent", workers=2)) == ["silences: pdf, svg, png"]
    assert [(tmp_path / "sent" / file.name).read_bytes() == file.read_bytes() for file in out.iterdir()] == [
        True
    ] * 3


def test_results_come_in_order_whichever_is_done_first(monkeypatch):
    monkeypatch.setattr(script, "on_processes", lambda work, items, *_: [(i, work(items[i])) for i in (2, 0, 1)])
    assert list(script.in_order(str, [5, 3, 4], 2)) == ["5", "3", "4"]

"""Figures are found through entry points, so that another package's are made like the paper's."""

import pytest
from paper import silences

from teltheory.paper import all as everything
from teltheory.paper import drawing


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


def test_a_figure_of_another_package_is_made_with_its_table(plugged_in, tmp_path):
    tables, out = tmp_path / "tables", tmp_path / "out"
    assert silences.FIGURES[0] in drawing.figures()
    todo = everything.of_others()
    assert list(everything.make(todo, tables)) == ["silences.csv: made"]
    assert list(everything.make(todo, tables)) == ["silences.csv: there already"]
    assert list(drawing.draw_all(tables, out)) == ["silences: pdf, svg, png"]
    assert {file.name for file in out.iterdir()} == {f"silences.{ending}" for ending in drawing.FORMATS}
    assert (out / "silences.pdf").read_bytes().startswith(b"%PDF")

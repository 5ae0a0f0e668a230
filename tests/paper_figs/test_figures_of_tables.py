import json
from functools import cache, partial
from hashlib import sha256
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
import tidy_tables as small
from figure_texts import check_texts
from matplotlib.image import imread
from refusals import refused

from paper_figs import (
    adaptive_threshold,
    belief_decisions,
    belief_horizons,
    belief_rates,
    capacity_curves,
    figure_3,
    figure_4,
    figures_5_6,
    pareto_front,
    rag_gains,
    sensitivity,
    style,
    who_comes_back,
)
from paper_figs import all as everything
from paper_figs.averages import Averages
from teltheory.errors import FileError
from teltheory.paper import drawing, script
from teltheory.paper.drawing import FORMATS, draw_all
from teltheory.plots.alike import alike

FIGURES = {
    "figure_3": (figure_3.draw, small.timed),
    "figure_4": (figure_4.draw, small.shares),
    "means_wildchat": (figures_5_6.draw, small.means),
    "curves_wildchat": (capacity_curves.draw, small.curves),
    "sensitivity_wildchat": (sensitivity.draw, small.sensitivity),
    "adaptive_threshold": (adaptive_threshold.draw, small.adaptive),
    "pareto_front": (pareto_front.draw, small.front),
    "belief_horizons": (belief_horizons.draw, small.horizons),
    "belief_rates": (belief_rates.draw, small.rates),
    "belief_decisions": (belief_decisions.draw, small.decisions),
    "who_comes_back": (who_comes_back.draw, small.returning),
    "rag_gains": (rag_gains.draw, small.served_documents),
}

MADE_UP_ALIKE = {"figure_4", "sensitivity_wildchat", "rag_gains"}
"""Figures that draw what they are given, of tables whose made-up lines are near to each other."""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Where the tables of figures are that several tests look at."""
    return tmp_path_factory.mktemp("drawn")


@cache
def drawn(name, folder):
    draw, table = FIGURES[name]
    with style.paper():
        return draw(table(folder / f"{name}.csv"))


def lines(panel):
    """Curves by label; helping lines have none."""
    return {line.get_label(): line.get_xydata().tolist() for line in panel.lines if line.get_label()[0] != "_"}


@pytest.fixture
def folder(tmp_path):
    tables = tmp_path / "tables"
    tables.mkdir()
    small.curves(tables / "curves_wildchat.csv")
    small.cells(tables / "cells_wildchat.csv")
    small.improvements(tables / "improvements_mooncake.csv")
    return tables


def test_every_product_is_made_readable_and_by_the_command_the_same_bytes_again(folder, tmp_path, capsys):
    made = list(draw_all(folder, tmp_path / "one"))
    (folder / "improvements_mooncake.csv").unlink()
    script.run(everything.main, everything.__doc__, [str(folder), str(tmp_path / "two")])
    said = capsys.readouterr().out.splitlines()
    assert said == ["table_2: tex", "table_3: tex", "capacity_curves_wildchat: pdf, svg, png, tex"]
    assert set(said) <= set(made)
    files = {file.name: file.read_bytes() for file in (tmp_path / "one").iterdir()}
    again = {file.name: file.read_bytes() for file in (tmp_path / "two").iterdir()}
    assert len(again) == len(FORMATS) + 3
    assert again == {name: files[name] for name in again}
    name = "capacity_curves_wildchat"
    tables = ("table_2", "table_3", "table_mooncake_lru", "table_mooncake_above", "table_mooncake_threshold")
    pictures = {f"{name}.{ending}" for ending in FORMATS}
    assert set(files) == pictures | {f"{table}.tex" for table in (*tables, name)}
    pdf = files[f"{name}.pdf"]
    assert pdf.startswith(b"%PDF")
    assert pdf.rstrip().endswith(b"%%EOF")
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    assert b"CreationDate" not in pdf
    assert ElementTree.fromstring(files[f"{name}.svg"]).tag.endswith("svg")
    assert b"<dc:date>" not in files[f"{name}.svg"]
    image = imread(tmp_path / "one" / f"{name}.png")
    assert image.shape[1] in (round(200 * style.COLUMN), round(200 * 6.75))
    assert len({tuple(pixel) for pixel in image[::7, ::7].reshape(-1, image.shape[2])}) > 5


def test_latencies_are_those_of_the_table(place):
    figure = drawn("means_wildchat", place)
    found = Averages(place / "means_wildchat.csv")
    panels = iter(np.reshape(figure.axes, (-1, 4))[::2].flat)
    for xi_ms in (100, 200, 300):
        for measure in ("p50", "p90", "p95", "p99"):
            assert lines(next(panels)) == {
                style.POLICIES[policy].name: [
                    [capacity, found.mean(capacity, xi_ms, policy, measure)] for capacity in (1000, 4000)
                ]
                for policy in small.POLICIES
            }
    assert next(panels, None) is None


def test_curves_are_those_of_the_table_with_their_bands(place):
    panels = drawn("curves_wildchat", place).axes[::2]
    found = Averages(place / "curves_wildchat.csv")
    for panel, measure in zip(panels, ("tel", "p95", "regret"), strict=True):
        policies = [p for p in found.policies if measure != "regret" or p != "tail-optimized-belady"]
        assert lines(panel) == {
            style.POLICIES[policy].name: [[c, found.mean(c, 200, policy, measure)] for c in found.capacities]
            for policy in policies
        }
        for policy, band in zip(policies, panel.collections, strict=True):
            rows = [found.at(c, 200, policy, measure) for c in found.capacities]
            corners = {(x, y) for x, y in band.get_paths()[0].vertices.tolist()}
            assert {(r.capacity, getattr(r, side)) for r in rows for side in ("low", "high")} <= corners


def test_a_single_trace_has_no_bands(tmp_path):
    with style.paper():
        figure = capacity_curves.draw(small.curves(tmp_path / "curves.csv", alone=True))
    assert not any(panel.collections for panel in figure.axes)


def test_sensitivity_marks_the_percentile_under_lru(place):
    panels = drawn("sensitivity_wildchat", place).axes
    found = Averages(place / "sensitivity_wildchat.csv")
    for panel, capacity in zip(panels, (1000, 10_000), strict=True):
        assert lines(panel) == {
            name.upper(): [[xi, found.mean(capacity, xi, "tlru", f"improvement-{name}")] for xi in (100, 150, 200)]
            for name in ("p90", "p95", "p99")
        }
        upright = {
            line.get_xdata()[0]: line.get_color()
            for line in panel.lines
            if line.get_xdata()[0] == line.get_xdata()[1]
        }
        own = {name: found.mean(capacity, 100, "lru", name) for name in ("p90", "p95", "p99")}
        inside = {value: style.PERCENTILES[name].colour for name, value in own.items() if 100 <= value <= 200}
        assert upright == inside
        assert inside


def test_figure_3_shows_points_line_and_residuals(place):
    figure = drawn("figure_3", place)
    assert [panel.get_title() for panel in figure.axes[:2]] == ["a server", "another \\$x^\\$"]
    above, below = figure.axes[0], figure.axes[2]
    assert lines(above) == {"best line": [[10, 100.0], [20, 200.0], [30, 300.0]]}
    assert above.collections[0].get_offsets().tolist() == [[10, 101.0], [20, 202.0], [30, 300.0]]
    assert below.collections[0].get_offsets().tolist() == [[10, 1.0], [20, 2.0], [30, 0.0]]
    assert above.collections[0].get_array().tolist() == [10, 20, 30]
    assert above.texts[0].get_text() == "$R^2$ = 0.9876"


def test_figure_4_shows_every_workload(place):
    panels = drawn("figure_4", place).axes
    shares = [[1, 1.0], [10, 0.5], [1000, 0.01]]
    for i, panel in enumerate(panels):
        expected = {"WildChat-like": shares, "ShareGPT-like": [[x, y / 2] for x, y in shares], "Mooncake": shares}
        assert lines(panel) == {**({} if i else {"WildChat, published": [[2, 0.421]]}), **expected}


def test_gains_are_of_the_table_at_the_middle_of_the_other_axes(place):
    """Row i has a TTFT of 64 / i, a P95 of 128 / i and a rate of 2 i; systems of one place follow each other."""
    by_skew, by_load, by_host = (lines(panel) for panel in drawn("rag_gains", place).axes)
    lasts = [[0.5, 12], [1.5, 24]], [[0.25, 21], [0.75, 24]], [[1, 18], [4, 24]]
    for panel, places in zip((by_skew, by_load, by_host), lasts, strict=True):
        assert len(panel) == 6
        for name in ("mean TTFT", "P95 TTFT", "throughput"):
            for against, before in (("no reuse", 2), ("GPU alone", 1)):
                expected = [[place, i / (i - before)] for place, i in places]
                assert panel[f"{name}, {against}"] == [pytest.approx(point) for point in expected]


@pytest.mark.parametrize("name", FIGURES)
def test_no_label_is_small_cut_off_or_on_another_and_no_line_like_another(name, place):
    figure = drawn(name, place)
    with style.paper():
        check_texts(figure, 10)
    assert name in MADE_UP_ALIKE or not alike(figure.axes)


def test_the_style_does_not_leak(tmp_path):
    with mpl.rc_context():
        mpl.rcdefaults()
        before = dict(mpl.rcParams)
        words = [str(small.timed(tmp_path / "figure_3.csv")), str(tmp_path / "figure.png")]
        style.run(figure_3.draw, None, words)
        assert (tmp_path / "figure.png").exists()
        assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("name", sorted(set(FIGURES) - {"means_wildchat"}))
def test_a_table_that_lacks_a_row_is_one_line(name, tmp_path):
    draw, table = FIGURES[name]
    file = table(tmp_path / "table.csv")
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]))
    raised = refused(FileError, "is the table cut off", draw, file)
    assert str(raised).startswith(str(file))


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("adaptive_threshold", "best-fixed", "adaptive", "found no improvement-blocks of best-fixed of wildchat"),
        ("capacity_curves", "tel", "lag", "found no row of (500, 200, 'lru', 'tel')"),
    ],
)
def test_a_table_without_what_is_drawn_is_one_line(name, old, new, said, tmp_path):
    draw, table = FIGURES[{"capacity_curves": "curves_wildchat"}.get(name, name)]
    file = table(tmp_path / "table.csv")
    file.write_bytes(file.read_bytes().replace(old.encode(), new.encode()))
    raised = refused(FileError, str(file), draw, file)
    assert said in str(raised)


def test_a_table_that_is_not_as_it_was_made_is_an_error(folder):
    table = folder / "curves_wildchat.csv"
    notes = {table.name: ["of", sha256(table.read_bytes()).hexdigest()]}
    (folder / drawing.NOTES).write_text(json.dumps(notes))
    drawing.check_whole(folder)
    table.write_bytes(table.read_bytes().replace(b"101.0", b"102.0"))
    refused(FileError, "curves_wildchat.csv: found another content", lambda: next(draw_all(folder, folder)))
    table.unlink()
    refused(FileError, "found no such file", lambda: next(draw_all(folder, folder)))
    (folder / drawing.NOTES).write_text("{")
    refused(FileError, "made.json, line 1: found no JSON", drawing.check_whole, folder)


def test_a_command_that_makes_nothing_ends_with_one_line(folder, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    all_of = partial(script.run, everything.main, everything.__doc__)
    figure_3_of = partial(style.run, figure_3.draw, figure_3.__doc__)
    for main, arguments, said in (
        (all_of, [str(tmp_path / "empty"), str(tmp_path)], "found no tidy table"),
        (all_of, [], "usage: python -m paper_figs.all TABLES_FOLDER OUT_FOLDER"),
        (figure_3_of, [], "usage: python -m paper_figs.figure_3 "),
        (figure_3_of, [str(folder / "cells_wildchat.csv"), str(tmp_path / "figure")], "line 1: found 'table,"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert said in line
    assert not list(tmp_path.glob("figure*"))

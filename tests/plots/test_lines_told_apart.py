"""Lines that can't be told apart are found, and their differences drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from teltheory.plots.alike import alike, draw_apart, merge
from teltheory.plots.panels import tell_apart, with_strips

X = np.linspace(0, 10, 11)
HEIGHTS = st.lists(st.floats(-1, 1), min_size=11, max_size=11).map(np.array)


def panel_with(lines, scale="linear"):
    panel, below = Figure().subplots(2)
    for name, y in lines.items():
        panel.plot(X + 1, y, label=name)
    panel.set_xscale(scale)
    return panel, below


@pytest.mark.parametrize("scale", ["linear", "log"])
@given(HEIGHTS)
def test_a_line_is_like_itself_moved_a_little_and_unlike_itself_moved_far(scale, y):
    panel, _ = panel_with({"low": y, "same": y + 0.002, "_helping": y, "high": y + 5}, scale)
    assert alike([panel]) == [("", "same", "low")]


def test_what_is_below_and_above_is_what_was_drawn():
    lines = {"LRU": X, "Threshold-LRU": X + 0.01 * np.sin(X), "End-Aware T-LRU": X, "T-LRU": 10 - X}
    panel, below = panel_with(lines)
    assert draw_apart(panel, below)
    assert [line.get_label() for line in panel.lines] == ["LRU", "T-LRU"]
    (left, zero) = below.lines
    assert left.get_ydata() == pytest.approx(0.01 * np.sin(X), abs=1e-12)
    assert zero.get_ydata() == [0, 0]
    assert below.get_title(loc="left") == "Threshold-LRU − LRU\nEnd-Aware = LRU"
    assert not alike([panel, below])


def test_rows_without_differences_take_no_place():
    figure, above, below = with_strips(3, 2, 2, 1)
    for panel, moved in zip(above[:, 0], (0.01, 4), strict=True):
        for name, y in (("a", X), ("b", X + moved * (X > 5))):
            panel.plot(X, y, label=name)
    before = figure.get_figheight()
    tell_apart(figure, above, below, "ms")
    assert figure.get_figheight() < before
    assert [strip.axison for strip in below[:, 0]] == [True, False]


def test_paths_that_are_alike_are_named_once():
    panel, _ = panel_with({"one": X, "other": X, "third": X + 0.001, "far": -X})
    assert list(merge(panel)) == ["other, third as one"]
    assert [line.get_label() for line in panel.lines] == ["one", "far"]

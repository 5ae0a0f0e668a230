"""One look: the same policy everywhere, told apart without colour, in the widths of the venues."""

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from teltheory.errors import ArgumentError
from teltheory.plots.panels import add_title, panels
from teltheory.plots.style import POLICIES, VENUES, looks, paper, text_width
from teltheory.policies.spec import NAMED

OKABE_ITO = {"#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7"}


def test_every_policy_has_a_look_that_black_and_white_tells_from_others():
    assert set(NAMED) < set(POLICIES)
    assert len({line.marker for line in POLICIES.values()}) == len(POLICIES)
    assert {line.colour for line in POLICIES.values()} <= OKABE_ITO | {"#666666"}


def test_a_policy_looks_alike_beside_any_others_and_parameters_change_it():
    texts = ["mine:k=2", "tlru:xi=2", "lru", "tlru:xi=3", "of-another-package", "hindsight"]
    found = looks(texts)
    assert list(found) == texts
    assert len({line.marker for line in found.values()}) == len(texts)
    for text, name in (("tlru:xi=2", "tlru"), ("lru", "lru"), ("hindsight", "hindsight")):
        assert found[text].keywords | {"label": ""} == POLICIES[name].keywords | {"label": ""}
    assert [found[text].name for text in texts[:3]] == ["mine:k=2", "T-LRU: xi=2", "LRU"]


@pytest.mark.parametrize(("venue", "width"), [("neurips", 5.5), ("icml", 6.75), ("mlsys", 6.75), ("acm", 7.0056)])
def test_a_venue_has_its_width_and_a_font_that_is_there(venue, width):
    before = dict(mpl.rcParams)
    with paper(venue):
        assert text_width() == pytest.approx(width, abs=1e-4)
        assert mpl.rcParams["font.family"][0] in mpl.font_manager.get_font_names()
        assert mpl.rcParams["pdf.fonttype"] == 42
        assert not mpl.rcParams["text.usetex"]
    assert dict(mpl.rcParams) == before


def test_a_long_title_is_not_broken_within_a_word():
    figure, name = Figure((3, 2)), "round-robin"
    add_title(figure, " ".join([name] * 20))
    lines = figure.get_suptitle().splitlines()
    assert len(lines) > 1
    assert {word for line in lines for word in line.split()} == {name}


def test_a_venue_that_is_not_known_is_named():
    with pytest.raises(ArgumentError, match="expected one of neurips, icml, mlsys, acm"), paper("nature"):
        pass
    assert len(VENUES) == 4


def test_a_figure_in_a_venue_s_style_has_no_title():
    for venue, title in (("icml", ""), (None, "mine")):
        with paper(venue):
            figure, _ = panels(3, 2)
            add_title(figure, "mine")
        assert figure.get_suptitle() == title

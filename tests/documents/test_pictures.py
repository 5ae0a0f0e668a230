"""The pictures of the pages are those that the library's own replays and graphs draw today."""

import re

import pytest

from documents.pictures import ASSETS, PICTURES

pytestmark = pytest.mark.repository
PAGES = "\n".join(page.read_text() for page in ASSETS.parent.glob("*.md"))


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_is_drawn_today(name):
    assert (ASSETS / f"{name}.svg").read_text() == PICTURES[name]()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_on_a_page_with_words_for_those_who_do_not_see_it(name):
    assert re.search(rf"!\[[^\]]{{40,}}\]\(assets/{name}\.svg\)", PAGES)


@pytest.mark.parametrize("file", sorted(ASSETS.glob("*.svg")), ids=lambda file: file.stem)
def test_no_text_is_tiny_where_a_picture_is_as_wide_as_a_phone(file):
    """A page of 390 pixels leaves 358; text is of 10 or more, in Matplotlib's outlines of letters too."""
    svg = file.read_text()
    outlined = [100 * float(scale) for scale in re.findall(r"scale\((0\.\d+) -\1\)", svg)]
    sizes = [*outlined, *(float(size) for size in re.findall(r'font-size="([\d.]+)"', svg))]
    assert min(sizes) * 358 / float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1]) >= 10


def test_the_words_have_the_numbers_of_the_pictures():
    """Alternative text is written by hand: what it says is computed stands in the picture too."""
    figure, cut = (PICTURES[name]() for name in ("figure-2", "tlru-cut"))
    assert "LRU computes 100, 100, 200; T-LRU computes 100, 100, 150" in figure
    assert "LRU keeps [0, 20, 100]; T-LRU keeps [0, 40, 80]" in cut

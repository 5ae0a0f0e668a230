"""The pictures of the pages are those that are drawn today, and each guide has one."""

import re
from functools import cache

import pytest

from documents.drawing import DOCS
from documents.pictures import ASSETS, PICTURES
from teltheory.workloads import data_folder

pytestmark = pytest.mark.repository
PAGES = {page.name: page.read_text() for page in DOCS.glob("*.md")}
NAVIGATION = (DOCS.parent / "mkdocs.yml").read_text().partition("- Guides:")[2].partition("- Theory:")[0]
SHOWN = re.compile(r"!\[[^\]]{40,}\]\(assets/([\w-]+)\.svg\)")
"""A picture with words for those who do not see it."""


@cache
def drawn(name):
    if name == "fit" and not (data_folder() / "vllm_cpu_ttft.csv").exists():
        pytest.skip("the data folder has no vllm_cpu_ttft.csv")
    return PICTURES[name]()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_is_drawn_today_and_stands_on_a_page(name):
    assert (ASSETS / f"{name}.svg").read_text() == drawn(name)
    assert name in SHOWN.findall("\n".join(PAGES.values()))


@pytest.mark.parametrize("page", re.findall(r"[\w-]+\.md", NAVIGATION))
def test_a_guide_has_a_picture_with_words(page):
    shown = SHOWN.findall(PAGES[page])
    assert shown
    assert all((ASSETS / f"{name}.svg").exists() for name in shown)


@pytest.mark.parametrize("file", sorted(ASSETS.glob("*.svg")), ids=lambda file: file.stem)
def test_no_text_is_tiny_where_a_picture_is_as_wide_as_a_phone(file):
    """A page of 390 pixels leaves 358; text is of 10 or more, in Matplotlib's outlines of letters too."""
    svg = file.read_text()
    outlined = [100 * float(scale) for scale in re.findall(r"scale\((0\.\d+) -\1\)", svg)]
    sizes = [*outlined, *(float(size) for size in re.findall(r'font-size="([\d.]+)"', svg))]
    assert min(sizes) * 358 / float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1]) >= 10


def test_the_words_have_the_numbers_of_the_pictures():
    """Alternative text is written by hand: what it says is computed stands in the picture too."""
    for name, told in (
        ("figure-2", "LRU computes 100, 100, 200; T-LRU computes 100, 100, 150"),
        ("tlru-cut", "LRU keeps [0, 20, 100]; T-LRU keeps [0, 40, 80]"),
        ("refuted", "C = 1, ξ = 2: LRU computes 0, 1, 2; T-LRU computes 0, 1, 3"),
        ("contexts", "Held: 6 tokens"),
    ):
        assert told in drawn(name)

"""The page of a board in Chromium: silent, sorted by a click, sifted by words, and no wider than a phone."""

import pytest
from report.chromium import opened
from sweep.test_compare import FOREST, chats

import teltheory as tt
from teltheory.sweep.board_text import row_cells

HOSTILE = "<b>&|mine"


@pytest.fixture(scope="module")
def board():
    asked = (["lru", "belady", "2q"], [9, 20])
    rows = [*tt.compare({HOSTILE: FOREST}, *asked, xi=[2]).rows, *tt.compare(chats(), *asked, xi=[2]).rows]
    return type(tt.compare(chats(), ["lru"], [9], xi=[2]))(tuple(rows))


@pytest.fixture(scope="module")
def file(board, tmp_path_factory):
    board.to_html(path := tmp_path_factory.mktemp("board") / "board.html")
    return path


def shown(page, column):
    return page.locator(f"table >> nth=0 >> tbody tr:not([hidden]) td:nth-child({column})").all_text_contents()


def test_a_click_on_a_heading_sorts_up_and_down_by_number_and_by_word(chromium, board, file):
    tels = sorted(row.tel for row in board.rows[:6])
    with opened(chromium, file) as page:
        assert page.locator("h2 >> nth=0").text_content() == f"{HOSTILE}: strict"
        head = page.locator("table >> nth=0 >> th", has_text="TEL")
        column = 1 + page.locator("table >> nth=0 >> th").all_text_contents().index("TEL")
        for ordered in (tels, tels[::-1]):
            head.locator("button").click()
            assert shown(page, column) == [f"{tel:,}" for tel in ordered]
        page.locator("table >> nth=0 >> th >> nth=0 >> button").click()
        assert shown(page, 1) == sorted(row.policy for row in board.rows[:6])


def test_words_sift_the_rows(chromium, board, file):
    with opened(chromium, file) as page:
        for words in ("lady", "CLAIR 320", "2q online", "nobody"):
            page.locator("input").fill(words)
            texts = [
                (row, f"{row.policy} {row.group} {row.capacity} {' '.join(row_cells(row, board.rows[:6], 's'))}")
                for row in board.rows[:6]
            ]
            found = [row for row, text in texts if all(word in text for word in words.lower().split())]
            assert shown(page, 1) == [row.policy for row in found]
            assert len(found) < 6


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.long), 390])
def test_every_number_of_the_rows_stands_on_a_page_that_is_not_too_wide(chromium, board, file, width):
    with opened(chromium, file, viewport={"width": width, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        cells = [page.locator("table tbody tr").nth(at).locator("td").all_text_contents() for at in range(12)]
    assert [[one[0], *one[4:]] for one in cells] == [row_cells(row, board.rows, "s") for row in board.rows]

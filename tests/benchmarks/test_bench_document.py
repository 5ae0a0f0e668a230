from pathlib import Path

import pytest

from benchmarks.document import BEGIN, END, with_output

SPEED = Path(__file__).parents[2] / "docs" / "speed.md"

pytestmark = pytest.mark.repository


def test_what_was_printed_replaces_what_stood_between_the_marks():
    document = f"above\n{BEGIN}\nold\n{END}\nbelow\n"
    found = with_output(document, "one  \n\n two\n")
    assert found == f"above\n{BEGIN}\n\n```\none\n two\n```\n\n{END}\nbelow\n"
    assert with_output(found, "one  \n\n two\n") == found


def test_a_document_without_marks_is_an_error():
    with pytest.raises(ValueError, match="expected both"):
        with_output(f"{END} {BEGIN}", "new")


def test_the_page_on_speed_has_the_marks_and_a_run_of_all_peers_between_them():
    shown = SPEED.read_text().partition(BEGIN)[2].partition(END)[0]
    assert with_output(SPEED.read_text(), shown.replace("```", "")) == SPEED.read_text()
    assert "10,000,000 turns" in shown
    assert "libcachesim LRU, hash power 1" in shown
    assert "Not installed" not in shown

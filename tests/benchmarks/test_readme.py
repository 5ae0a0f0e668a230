from pathlib import Path

import pytest

from benchmarks.readme import BEGIN, END, with_output

README = Path(__file__).parents[2] / "README.md"

pytestmark = pytest.mark.repository


def test_what_was_printed_replaces_what_stood_between_the_marks():
    document = f"above\n{BEGIN}\nold\n{END}\nbelow\n"
    found = with_output(document, "one  \n\n two\n")
    assert found == f"above\n{BEGIN}\n\n```\none\n two\n```\n\n{END}\nbelow\n"
    assert with_output(found, "one  \n\n two\n") == found


def test_a_document_without_marks_is_an_error():
    with pytest.raises(ValueError, match="expected both"):
        with_output(f"{END} {BEGIN}", "new")


def test_the_readme_has_the_marks_and_a_run_of_all_peers_between_them():
    shown = README.read_text().partition(BEGIN)[2].partition(END)[0]
    assert with_output(README.read_text(), shown.replace("```", "")) == README.read_text()
    assert "10,000,000 turns" in shown
    assert "libcachesim LRU, hash power 1" in shown
    assert "Not installed" not in shown

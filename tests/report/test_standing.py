"""Rows are counted for or against whoever states them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from report.documents import row

from teltheory.report.standing import WHOSE, origin_text, outcome, paper_sentence, standing

ROWS = st.lists(
    st.builds(
        row,
        verdict=st.sampled_from(["holds", "refuted", "reproduced", "not reproduced", "not decidable here"]),
        origin=st.sampled_from(sorted(WHOSE)),
        row_kind=st.sampled_from(["statement", "misprint", "by construction"]),
    )
)


@given(ROWS)
def test_every_row_is_counted_once_and_on_its_own_line(rows):
    _, lines = standing(rows)
    counted = [sum(int(cell or 0) for cell in line[1:]) for line in lines]
    assert counted == [sum(one["origin"] == whose for one in rows) for whose in WHOSE]


@given(ROWS)
def test_only_the_papers_rows_are_in_its_sentence(rows):
    papers = [one for one in rows if one["origin"] == "paper"]
    assert paper_sentence(rows) == paper_sentence(papers)
    assert paper_sentence(rows).startswith(f"Of {len(papers)} statements of the paper")


def test_a_misprint_counts_as_one_only_where_it_is_wrong():
    assert outcome(row(verdict="refuted", row_kind="misprint")) == "misprint"
    assert outcome(row(verdict="not reproduced", row_kind="misprint")) == "misprint"
    assert outcome(row(verdict="holds", row_kind="misprint")) == "holds"


def test_what_is_true_by_construction_is_not_reproduced():
    rows = [row(verdict="reproduced", row_kind="by construction"), row(verdict="reproduced")]
    assert paper_sentence(rows) == (
        "Of 2 statements of the paper 1 tables and figures are reproduced, 1 are true by construction."
    )


def test_whose_a_row_is_stands_in_words():
    assert origin_text(row()) == "the paper, PMLR text"
    assert origin_text(row(row_kind="misprint")) == "the paper, PMLR text, a misprint"
    assert origin_text({**row(origin="ours"), "repairs": "figure-1"}) == "ours, in the place of `figure-1`"
    assert origin_text({**row(origin="reading"), "note": "strictly"}) == "our reading: strictly"
    assert origin_text({**row(origin="sharpness"), "note": "whole xi"}) == "sharpness, without: whole xi"

"""The errata and the ledger fit each other: nothing refuted is forgotten, and nothing else is called refuted."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from refusals import refused
from report.ledger_rows import EXAMPLE, parts, row

from proofs_checks import all_claims
from proofs_checks.errata import ERRATA
from teltheory.claims.erratum import Erratum, check_errata
from teltheory.claims.state_tables import traced
from teltheory.errors import ArgumentError
from teltheory.policies import LRU
from teltheory.report.errata import errata_markdown

ROOT = Path(__file__).parents[2]
ONE = Erratum(
    title="The mean",
    place="Section 4.2",
    printed="It <b>dominates</b>.",
    fact="It does not.",
    repair="Take the largest.",
    shows={"theorem-31.mean-estimate": traced({"LRU": lambda case: LRU()})},
    repaired_by=("theorem-31",),
    scripts={"theorem-31.mean-estimate": "proofs_checks/counterexamples/mean.py"},
)
ROWS = [row("theorem-31"), row("theorem-31.mean-estimate", "refuted"), row("stack.lru", "refuted", origin="ours")]


def by_name(rows):
    return {one["id"]: one for one in rows}


def test_the_page_has_place_repair_states_and_replay():
    page = errata_markdown(ROWS, (ONE,))
    told = parts(page)
    assert set(told) == {"", "theorem-31.mean-estimate"}
    for words in (
        "**Place.** PMLR text: Section 4.2.",
        "**Fact.** It does not.",
        "**Repair.** Take the largest. Decided by [`theorem-31`](ledger.md#theorem-31): holds (exhaustive).",
    ):
        assert words in told[""]
    one = told["theorem-31.mean-estimate"]
    assert "| 1 | A | 0 | 1 | 1 | 0 | 1 | 1 | A:1/1 |" in one
    assert "TEL 1 with C = 1, ξ = 0." in one
    assert "Replay: `teltheory verify --claim theorem-31.mean-estimate`." in one
    assert "Confirmed by `python proofs_checks/counterexamples/mean.py`." in one


LONGER = {**EXAMPLE, "turns": [[0, 3, 1]], "xi": 1, "values": {"LRU": 2}}


def test_the_states_are_those_of_the_natural_counterexample_where_there_is_one():
    natural = {"counterexample": LONGER, "instances": 4, "bounds": {}}
    told = parts(errata_markdown([ROWS[0], {**ROWS[1], "natural": natural}], (ONE,)))["theorem-31.mean-estimate"]
    assert "*Counterexample:* A(1+0); C=1 xi=0 Q=0: LRU 1. *Natural:* A(3+1); C=1 xi=1 Q=0: LRU 2." in told
    assert "| 1 | A | 0 | 3 | 3 | 0 | 3 | 2 |" in told
    assert "| 1 | A | 0 | 1 | 1 | 0 | 1 | 1 |" not in told


@pytest.mark.parametrize("wrong", ["smallest", "natural"])
def test_either_counterexample_must_replay(wrong):
    smallest, natural = [
        {**example, "values": {"LRU": 9}} if name == wrong else example
        for name, example in (("smallest", EXAMPLE), ("natural", LONGER))
    ]
    found = {"counterexample": natural, "instances": 4, "bounds": {}}
    rows = [ROWS[0], {**ROWS[1], "counterexample": smallest, "natural": found}]
    refused(ArgumentError, "expected the ledger's 9", errata_markdown, rows, (ONE,))


def test_the_contents_have_edition_place_what_is_wrong_and_the_repair_in_a_line():
    page = errata_markdown(ROWS, (ONE,))
    line = "| 1 | [The mean](#theorem-31.mean-estimate) | PMLR text | Section 4.2 | Take the largest. |"
    assert page.count(line) == 1


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.title)
def test_what_the_contents_say_of_an_erratum_is_short(erratum):
    assert max(len(erratum.title), len(erratum.repair), len(erratum.place.partition(", “")[0])) <= 130


def test_a_row_whose_data_are_missing_is_said_to_be_so():
    missing = {**row("theorem-31.mean-estimate", "not decidable here"), "problem": "needs the file x.csv"}
    page = errata_markdown([ROWS[0], missing], (ONE,))
    assert "Not decided where this page was made: needs the file x.csv" in page


@pytest.mark.parametrize(
    ("rows", "errata", "words"),
    [
        (ROWS, (), "found 'none on theorem-31.mean-estimate', expected one for every refuted statement"),
        (ROWS[:1], (ONE,), "found 'theorem-31.mean-estimate', expected a row of the ledger"),
        (ROWS[1:], (ONE,), "found 'theorem-31', expected a row of the ledger"),
        ([ROWS[0], row("theorem-31.mean-estimate")], (ONE,), "theorem-31.mean-estimate: holds"),
        ([ROWS[0], row("theorem-31.mean-estimate", "undecided")], (ONE,), "theorem-31.mean-estimate: undecided"),
        ([row("theorem-31", "undecided"), ROWS[1]], (ONE,), "theorem-31: undecided"),
        ([row("theorem-31", "refuted", "ours"), ROWS[1]], (ONE,), "theorem-31: refuted"),
        (ROWS, (ONE, replace(ONE, title="Again")), "one erratum for each row, not two"),
    ],
    ids=["forgotten", "no row", "no repair", "not refuted", "undecided", "open", "repair refuted", "twice"],
)
def test_errata_that_do_not_fit_the_ledger_are_errors(rows, errata, words):
    refused(ArgumentError, words, lambda: check_errata(by_name(rows), errata))


def test_errata_that_fit_pass():
    check_errata(by_name(ROWS), (ONE,))


def test_a_ledger_with_other_numbers_than_the_replay_is_an_error():
    wrong = {**ROWS[1], "counterexample": {**ROWS[1]["counterexample"], "values": {"LRU": 2}}}
    refused(ArgumentError, "LRU: found 1", lambda: errata_markdown([ROWS[0], wrong], (ONE,)))


@pytest.mark.repository
def test_errata_name_claims_and_scripts_that_exist():
    claims = {claim.id: claim for claim in all_claims()}
    for erratum in ERRATA:
        assert erratum.shows
        assert erratum.repaired_by
        assert {*erratum.shows, *erratum.repaired_by} <= set(claims)
        assert all(claims[name].origin.whose == "paper" for name in erratum.shows)
        assert set(erratum.scripts) <= set(erratum.shows)
        for name, script in erratum.scripts.items():
            assert (ROOT / script.split()[0]).is_file(), name


@pytest.mark.repository
def test_every_script_is_named_after_a_row():
    rows = {claim.id.replace("-", "_").replace(".", "_") for claim in all_claims()}
    found = (ROOT / "proofs_checks" / "counterexamples").glob("*.py")
    assert {path.stem for path in found} <= rows | {"next_turns"}


@pytest.mark.ledger
@pytest.mark.repository
def test_links_within_the_documents_have_their_anchors(ledger_and_errata):
    pages = dict(zip(("ledger.md", "errata.md"), ledger_and_errata, strict=True))
    anchors = {name: set(parts(page)) for name, page in pages.items()}
    for name, page in pages.items():
        links = re.findall(r"\]\(((?:ledger|errata)\.md)?#([^)]+)\)", page)
        assert len(links) > 20
        assert [link for link in links if link[1] not in anchors[link[0] or name]] == []

"""The ledger as Markdown: every row, how strong it is, for or against whom, and no mark-up of a text's own."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.ledger_rows import EXAMPLE, row

from proofs_checks import all_claims
from teltheory.errors import FileError
from teltheory.plots.latex import escaped
from teltheory.report.ledger import (
    OTHERS,
    WHOSE,
    origin_text,
    outcome,
    paper_sentence,
    read_ledger,
    sections,
    standing,
    whose,
)
from teltheory.report.ledger_pages import ledger_markdown, ledger_text
from teltheory.report.markdown import plain_text, table
from teltheory.report.repairs import repairs
from teltheory.report.words import counterexample_text, counterexamples, strength, verdict_text

PROOF = {"by": "z3 4.13", "covers": "any number of turns; move-to-front by hand", "obligations": 7}
DRAWN = {"instances": 2000, "generator": "numpy PCG64", "seed": 1429354347}
WORLDS = {"tokens_by_turns": {"1": 5, "2": 5, "3": 4, "4": 2}, "conversations": 4, "initial_conversations": 0}
ROWS = [
    row("hindsight.integral", kind="certified", cases="all of them"),
    row("theorem-31", kind="proved", proof=PROOF, **WORLDS, sampled=DRAWN),
    row("theorem-31.mean-estimate", "refuted", **WORLDS, stopped_at={"turns": 3, "tokens": 5}),
    row("trim.eager", kind="sampled", **WORLDS, sampled=DRAWN),
    row("kv-size", origin="ours"),
    {**row("table-1", "not decidable here"), "problem": "needs the A100"},
    row("something.new", origin="ours"),
]


def told(**kind_and_bounds):
    return " ".join(strength(row(**kind_and_bounds)))


def test_a_proof_says_by_what_and_for_what():
    text = told(kind="proved", proof=PROOF, **WORLDS)
    assert text.startswith("Proved by z3 4.13 (7 obligations): any number of turns; move-to-front by hand.")
    assert "1,234 instances, every one within the bounds" in text


def test_a_proof_with_open_obligations_is_none():
    text = told(kind="exhaustive", proof={**PROOF, "unproved": ["consecution", "implication"]}, **WORLDS)
    assert text.startswith("No proof: z3 4.13 proved 7 obligations, and these are open: consecution, implication.")
    missing = told(kind="exhaustive", proof={"missing": "z3 is not installed"}, **WORLDS)
    assert missing.startswith("Not proved here: z3 is not installed.")


def test_a_theorem_in_coq_stands_first_beside_what_else_there_is():
    theorem = {"theorem": "a_theorem", "file": "A.v", "sha256": "abc", "beside": "certified"}
    text = told(kind="machine-checked", **{"machine-checked": theorem}, **WORLDS)
    assert text.startswith(
        "Machine-checked: a_theorem in A.v, which Coq and coqchk accepted without an axiom (sources"
    )
    assert "1,234 instances, each with its certificate" in text
    assert told(**{"machine-checked": {"missing": "A.v is new"}}).startswith("Not machine-checked: A.v is new.")


def test_bounds_are_said():
    assert told(**WORLDS) == (
        "1,234 instances, every one within the bounds: up to 5 tokens in 1 or 2 turns, up to 4 in 3, up to 2 in "
        "4; up to 4 conversations."
    )
    assert told(tokens_by_turns={"2": 3}).endswith("up to 3 tokens in 2 turns.")
    assert told(tokens_by_turns={"1": 3, "2": 2}).endswith("up to 3 tokens in 1 turn, up to 2 in 2.")
    assert told(models=6, what="two rates", turns=[[2, 1], [2, 2]], gaps=["1/2 with 1", "a, b"]).endswith(
        "6 models; two rates; turns so far + to come 2+1, 2+2; exp(-gap) 1/2 with 1 / a, b."
    )
    assert told(kind="certified").startswith("1,234 instances, each with its certificate")


def test_a_bound_of_a_kind_not_seen_before_stands_under_its_name():
    assert told(most_words=[1, None], other={"by_hand": True}).endswith(
        "most words 1, null; other (by hand true)."
    )


def test_where_a_search_stopped_is_said():
    text = strength(row(verdict="refuted", **WORLDS, stopped_at={"turns": 3, "death_rate": 1}))
    assert text == [
        "1,234 instances tried, smallest first, up to the size of the counterexample (turns 3, death rate 1)."
    ]


def test_a_campaign_is_sampling():
    facts = {"instances": 10**6, "batches": 9, "generators": {"small": {"first_seed": 1, "last_seed": 9}}}
    (exhaustive, campaign) = strength(row(**WORLDS, campaign=facts))
    assert exhaustive.startswith("1,234 instances, every one")
    assert campaign == (
        "A campaign of samples, which proves nothing: 1,000,000 random instances, batches 9, generators (small "
        "(first seed 1, last seed 9))."
    )
    assert strength(row(kind="sampled", **WORLDS, campaign=facts)) == [campaign]


@given(
    kind=st.sampled_from(["exhaustive", "sampled", "certified"]),
    drawn=st.booleans(),
    proof=st.sampled_from([None, {"missing": "z3"}, {**PROOF, "unproved": ["one"]}]),
)
def test_nothing_but_a_proof_is_called_proved(kind, drawn, proof):
    found = {"sampled": DRAWN} if drawn or kind == "sampled" else {}
    one = row(kind=kind, **WORLDS, **found, **({} if proof is None else {"proof": proof}))
    for text in (verdict_text(one), *strength(one)):
        assert not text.startswith("Proved")
        assert "(proved" not in text
    assert verdict_text(one) != "holds"
    assert ("no proof" in verdict_text(one)) == (kind == "sampled")
    assert any("which proves nothing" in text for text in strength(one)) == bool(found)
    if kind == "sampled":
        assert not any("every one within" in text for text in strength(one))


def test_an_undecided_row_says_why():
    assert strength(ROWS[5]) == ["needs the A100"]
    assert verdict_text(ROWS[5]) == "not decidable here"
    assert strength(row(verdict="undecided")) == ["No case satisfied the hypotheses."]


def test_the_page_has_every_row_in_its_section():
    page = ledger_markdown(ROWS)
    titles = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert titles == list(sections(ROWS))
    assert titles[-1] == OTHERS
    for one in ROWS:
        assert page.count(f'<a id="{one["id"]}"></a>') == 1
        assert page.count(f"(#{one['id']})") == 1
        assert page.count(f"- Replay: `teltheory verify --claim {one['id']}`") == 1
    assert "| holds (sampled, no proof) | 1 |" in page
    assert "Erratum](errata.md#theorem-31.mean-estimate)" in page
    assert page.count("Smallest counterexample: A(1+0); C=1 xi=0 Q=0: LRU 1") == 1


def test_a_natural_counterexample_stands_beside_the_smallest_or_what_was_searched_for_one():
    searched = {"counterexample": None, "instances": 1_050, "bounds": {"tokens_by_turns": {"1": 4, "2": 6}}}
    without = {**ROWS[2], "natural": searched}
    found = {**without, "natural": {**searched, "counterexample": {**EXAMPLE, "xi": 7}}}
    smallest = "Smallest counterexample: A(1+0); C=1 xi=0 Q=0: LRU 1"
    assert list(counterexamples(ROWS[2])) == [smallest]
    assert list(counterexamples(found)) == [smallest, "Natural counterexample: A(1+0); C=1 xi=7 Q=0: LRU 1"]
    assert list(counterexamples(without)) == [
        smallest,
        "No natural counterexample (every prompt, response and C at least 1, and xi and Q where the row has "
        "them): 1,050 instances, every one within the bounds: up to 4 tokens in 1 turn, up to 6 in 2.",
    ]
    for one in (found, without):
        for document in (ledger_markdown([one]), ledger_text([one])):
            assert list(counterexamples(one))[1] in document


def test_where_nothing_is_put_in_the_place_of_a_refuted_row_that_is_said():
    for origin, why in (("reading", "None is claimed: it is one of"), ("sharpness", "None is claimed: it shows")):
        assert f"**Repair.** {why}" in ledger_text([row("new.row", "refuted", origin=origin)])
    assert "Repair." not in ledger_text([row("new.row", origin="reading")])


def test_every_row_of_today_has_a_section():
    assert OTHERS not in sections([row(claim.id) for claim in all_claims()])


def test_figures_stand_where_the_paper_has_them():
    found = sections(
        [row(name) for name in ("figure-1.budget-exists", "figure-2", "figure-3.vllm-cpu", "table-6")]
    )
    assert [[one["id"] for one in members] for members in found.values()] == [
        ["figure-1.budget-exists", "figure-2"],
        ["figure-3.vllm-cpu", "table-6"],
    ]


def test_a_table_keeps_its_columns():
    lines = table(("a", "b"), [("x | y", "z\nw"), ("1", "2")]).splitlines()
    assert lines == ["| a | b |", "| --- | --- |", "| x \\| y | z w |", "| 1 | 2 |"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a * b", r"a \* b"),
        ("X_i <= 2 and <b>", r"X_i <= 2 and \<b>"),
        ("_so_ [1, 2] [a](b)", r"\_so\_ [1, 2] [a\](b)"),
        ("`while` form", "`while` form"),
        ("two\nlines \\", r"two lines \\"),
    ],
)
def test_text_has_no_mark_up_of_its_own(text, expected):
    assert plain_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bélády", "Belady"),
        ("集", "[U+96C6]"),
        ("a -- b", "a -{}- b"),
        ("100 % of $5 & {x}", r"100 \% of \$5 \& \{x\}"),
        ("x^2 ~ y_1 \\n", r"x\textasciicircum{}2 \textasciitilde{} y\_1 \textbackslash{}n"),
        ("x <= ξ⁺", r"x \textless{}= $\xi$[U+207A]"),
    ],
)
def test_latex_escapes(text, expected):
    assert escaped(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["line 1", "no JSON"]),
        ('{"claims":\n x}', ["line 2"]),
        ("[]", ["no claims", "verify --json"]),
        ('{"claims": []}', ["no claims"]),
        ('{"claims": [3]}', ["claim 1", "found 3", "an object"]),
        ('{"claims": [{"id": "a"}]}', ["claim 1", "origin"]),
        ('{"claims": [{"id": 7, "origin": "paper"}]}', ["claim 1, id", "found 7", "A-Za-z"]),
    ],
)
def test_what_is_no_ledger_is_an_error_that_says_where(text, words):
    with pytest.raises(FileError, match=r"^l\.json") as error:
        read_ledger(text, "l.json")
    assert all(word in str(error.value) for word in words)


def test_a_wrong_scope_is_named():

    wrong = {**row(), "scope": {"kind": "proved", "instances": "many", "bounds": {}}}
    with pytest.raises(FileError, match="claim 1, scope, instances: found 'many', expected a whole number"):
        read_ledger(json.dumps({"claims": [wrong]}), "l.json")
    assert counterexample_text(None) == ""


def test_fractions_of_a_counterexample_have_no_quotes():
    example = {
        "rates": ["1", "2/3"],
        "prompts": [{"0": "1/2", "1": "1/2"}],
        "xi": "1/3",
        "values": {"best": [3, 4]},
    }
    assert counterexample_text(example) == "rates [1, 2/3], prompts [{0: 1/2, 1: 1/2}], xi 1/3: best [3, 4]"


EVERY_ROW = st.lists(
    st.builds(
        row,
        verdict=st.sampled_from(["holds", "refuted", "reproduced", "not reproduced", "not decidable here"]),
        origin=st.sampled_from(["paper", "reading", "sharpness", "another paper", "ours"]),
        row_kind=st.sampled_from(["statement", "misprint", "by construction", "arithmetic"]),
    )
)


@given(EVERY_ROW)
def test_every_row_is_counted_once_and_on_its_own_line(rows):
    _, lines = standing(rows)
    counted = [sum(int(cell or 0) for cell in line[1:]) for line in lines]
    theirs = [whose(one, {row["id"]: row for row in rows}) for one in rows]
    assert counted == [theirs.count(one) for one in WHOSE if one in theirs]


@given(EVERY_ROW)
def test_only_the_papers_rows_are_in_its_sentence(rows):
    papers = [one for one in rows if one["origin"] == "paper"]
    assert paper_sentence(rows) == paper_sentence(papers)
    stated = [one for one in papers if not outcome(one).startswith("arithmetic")]
    assert paper_sentence(rows).startswith(f"Of {len(stated)} statements of the paper")


def test_only_a_condition_of_the_papers_own_rows_stands_near_the_paper():
    rows = [
        row("theorem-31"),
        row("a", origin="reading"),
        row("b", origin="ours"),
        row("c", origin="another paper"),
    ]
    left_out = [{**row("z", origin="sharpness"), "of": of} for of in ("theorem-31", "a", "b", "c", "elsewhere")]
    by_name = {one["id"]: one for one in rows}
    assert [whose(one, by_name) for one in left_out] == [
        "sharpness", *["sharpness of another"] * 3, "sharpness of a row that is not here",
    ]  # fmt: skip
    readings = [row(name, origin="reading") for name in ("trim.eager", "ragcache.clock", "parrot.ties.pack")]
    assert [whose(one, by_name) for one in readings] == ["reading", "reading of another", "reading of another"]
    _, lines = standing([*rows, *left_out, *readings])
    assert [line[0] for line in lines] == [
        WHOSE[one] for one in WHOSE if one in {whose(row, by_name) for row in [*rows, *left_out, *readings]}
    ]


def test_arithmetic_on_printed_numbers_is_counted_apart():
    verdicts = {
        "statement": ("holds", "holds", "refuted"),
        "arithmetic": ("holds", "refuted", "not decidable here"),
    }
    rows = [row(verdict=verdict, row_kind=kind) for kind, found in verdicts.items() for verdict in found]
    assert paper_sentence(rows) == (
        "Of 4 statements of the paper 2 hold, 1 is refuted as printed, 1 can't be decided here. 2 more are "
        "arithmetic on printed numbers, of which 1 holds, 1 is refuted as printed; with these 3 hold, 2 are "
        "refuted as printed."
    )


def test_a_misprint_counts_as_one_only_where_it_is_wrong():
    assert outcome(row(verdict="refuted", row_kind="misprint")) == "misprint"
    assert outcome(row(verdict="not reproduced", row_kind="misprint")) == "misprint"
    assert outcome(row(verdict="holds", row_kind="misprint")) == "holds"


def test_what_is_true_by_construction_is_not_reproduced():
    rows = [row(verdict="reproduced", row_kind="by construction"), row(verdict="reproduced")]
    assert paper_sentence(rows) == (
        "Of 2 statements of the paper 1 tables and figures are reproduced, 1 is true by construction."
    )


def test_whose_a_row_is_stands_in_words():
    assert origin_text(row()) == "the paper, PMLR text"
    assert origin_text(row(row_kind="misprint")) == "the paper, PMLR text, a misprint"
    assert origin_text({**row(origin="ours"), "repairs": "figure-1"}) == "ours, in the place of `figure-1`"
    assert origin_text({**row(origin="reading"), "note": "strictly"}) == "our reading: strictly"
    assert origin_text(row(row_kind="arithmetic")) == "the paper, PMLR text, arithmetic on printed numbers"
    sharp = {**row(origin="sharpness"), "note": "whole xi", "of": "lemma-d3"}
    assert origin_text(sharp) == "sharpness of `lemma-d3`, without: whole xi"
    assert origin_text({**row(origin="another paper"), "note": "RAGCache"}) == "RAGCache"


def test_a_repair_is_the_row_that_names_what_it_repairs_or_the_nearest_that_holds():
    rows = [row(name, "refuted") for name in ("a", "a.b", "s.t", "z")]
    rows += [row("s"), {**row("x", origin="ours"), "repairs": "z"}]
    told = {name: " ".join(sentences) for name, sentences in repairs(rows, []).items()}
    assert told.keys() == {"a", "a.b", "s.t", "z"}
    assert told["a"] == told["a.b"] == "None is claimed."
    assert told["s.t"].startswith("What holds: [`s`](#s)")
    assert told["z"].startswith("In its place: [`x`](#x)")

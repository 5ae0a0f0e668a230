"""The ledger on a terminal: whole words and names, whatever its width."""

from typing import get_args

import pytest
from report.documents import row
from rich.console import Console

from teltheory.claims.verdict import VerdictWord
from teltheory.cli.output import WIDTH
from teltheory.cli.tables import STYLES, ledger_table, scope_text
from teltheory.report.words import LEDGER_TITLE

LONG = "theorem-d2.bayes-next-event.heterogeneous.by-conversation"
STATEMENT = "T-LRU with an upper bound on [every] prompt is never worse than LRU " * 3
UNDECIDED = {**row("table-1", "not decidable here"), "problem": "no file [x] in the data folder"}
ROWS = [{**row(LONG, "refuted"), "statement": STATEMENT}, row(), row("stack.lru"), UNDECIDED]


def printed(rows, width):
    target = Console(width=width)
    with target.capture() as said:
        target.print(ledger_table(rows))
    return said.get()


@pytest.mark.parametrize("width", [80, WIDTH])
def test_words_and_names_are_whole_and_nothing_is_left_out(width):
    text = printed(ROWS, width)
    assert max(map(len, text.splitlines())) <= width
    assert LONG in text
    words = " ".join(text.split())
    assert STATEMENT.strip() in words
    assert f"refuted {LONG}" in words
    assert "counterexample: A(1+0); C=1 xi=0 Q=0: LRU 1 " in words
    assert "no file [x] in the data folder" in words
    assert words.endswith(" refuted 1, holds 2, not decidable here 1")


def test_one_claim_is_not_counted():
    assert printed([row()], 80).split() == [
        *LEDGER_TITLE.split(),
        "holds",
        "theorem-31",
        "(the",
        "paper,",
        "PMLR",
        "text)",
        "T-LRU",
        "is",
        "no",
        "worse.",
        "one",
    ]


@pytest.mark.parametrize(
    ("scope", "told"),
    [
        ({"instances": 1, "bounds": {"stopped_at": {"turns": 1}}}, "exhaustive, 1 instance up to this size"),
        ({"instances": 2, "bounds": {"what": "some models"}}, "exhaustive, 2 instances: some models"),
        ({"instances": 3, "bounds": {"cases": "three of them"}}, "three of them"),
        (
            {"instances": 4000, "bounds": {"tokens_by_turns": {"1": 9, "4": 2}, "sampled": {"instances": 1000}}},
            "exhaustive, 4,000 instances of up to 4 turns; 1,000 sampled",
        ),
        ({"kind": "sampled", "instances": 7, "bounds": {}}, "sampled, 7 instances, then shrunk"),
        (
            {"instances": 5, "bounds": {"cases": "five", "campaign": {"instances": 6000}}},
            "five; 6,000 in a campaign",
        ),
        (
            {"kind": "proved", "instances": 5, "bounds": {"cases": "five", "proof": {"covers": "all"}}},
            "proved: all; five",
        ),
    ],
)
def test_a_scope_in_a_few_words(scope, told):
    assert scope_text({"kind": "exhaustive", **scope}) == told


def test_every_verdict_has_a_style():
    assert set(STYLES) == set(get_args(VerdictWord))

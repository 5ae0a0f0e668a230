"""The ledger on a terminal: whole words and names, whatever its width."""

import pytest
from report.documents import row
from rich.console import Console

from teltheory.cli.output import WIDTH
from teltheory.cli.verify import ledger_table
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
    said = " ".join(printed([row()], 80).split())
    assert said.startswith(f"{LEDGER_TITLE} holds theorem-31 (the paper, PMLR text) T-LRU is no worse. ")
    assert said.endswith("every one within the bounds: one.")

"""The documents that `teltheory verify` makes, and the ledger on a terminal: whole words, whatever its width."""

import io
import json
from types import SimpleNamespace

import pytest
from report.ledger_rows import row
from rich.console import Console

from teltheory.cli.printed.output import WIDTH
from teltheory.cli.verify.command import _handed_out, chosen_claims, ledger_table
from teltheory.errors import ArgumentError
from teltheory.report.words import LEDGER_TITLE

CLAIMS = {"claims": [row("theorem-31"), row("something.else", "refuted", origin="ours")]}


@pytest.fixture
def ledger_file(tmp_path):
    file = tmp_path / "l.json"
    file.write_text(json.dumps(CLAIMS))
    return file


def test_documents_are_written_whole(run, ledger_file, tmp_path, capsys):
    markdown = tmp_path / "l.md"
    assert run("verify", "--from", ledger_file, "--markdown", markdown) == 0
    assert markdown.read_text().startswith("# The ledger\n")
    assert capsys.readouterr().out == ""
    assert sorted(tmp_path.iterdir()) == [ledger_file, markdown]


def test_from_standard_input_to_standard_output(output, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(CLAIMS).encode())))
    assert output("verify", "--from", "-", "--markdown", "-").startswith("# The ledger\n")


def test_without_a_document_the_ledger_of_a_file_is_printed(output, ledger_file):
    assert "holds 1, refuted 1" in output("verify", "--from", ledger_file)


def test_what_verify_writes_can_be_read(output, run, decided_here, tmp_path, capsys):
    file, page = tmp_path / "l.json", tmp_path / "l.md"
    claims = "--claim", "figure-2", "--claim", "kv-size.gb"
    assert run("verify", *claims, "--workers", 1, "--json", file, "--markdown", page) == 0
    capsys.readouterr()
    told = output("verify", "--from", file, "--markdown", "-")
    assert "`teltheory verify --claim kv-size.gb`" in told
    assert told == page.read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--markdown", "no/such/folder/l.md"], ["no/such/folder"]),
        (["--errata", "."], ["found a folder"]),
        (["--markdown", "l.md", "--errata", "l.md"], ["--errata: found 'l.md'", "a file of its own"]),
        (["--markdown", "l.md", "--errata", "e.md"], ["errata", "the whole ledger"]),
    ],
)
def test_bad_targets_leave_nothing_behind(refused, ledger_file, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    told = refused("verify", "--from", ledger_file, *options)
    assert all(word in told for word in words)
    assert list(tmp_path.iterdir()) == [ledger_file]


@pytest.mark.parametrize(
    ("content", "words"), [(None, "no such file"), (b"\xff", "no UTF-8"), (b"{}", "no claims")]
)
def test_bad_ledgers_are_one_line(refused, tmp_path, content, words):
    file = tmp_path / "bad.json"
    if content is not None:
        file.write_bytes(content)
    told = refused("verify", "--from", file, "--markdown", "-")
    assert str(file) in told
    assert words in told


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


def test_a_pattern_names_all_claims_that_it_fits():
    every = chosen_claims((), None)
    assert chosen_claims(["theorem-31.*", "theorem-31"], None) == [name for name in every if "theorem-31" in name]
    assert chosen_claims(["theorem-31"], None) == ["theorem-31"]
    with pytest.raises(ArgumentError, match=r"theorem-99\*"):
        chosen_claims(["theorem-31", "theorem-99*"], None)


def test_one_claim_is_not_counted():
    said = " ".join(printed([row()], 80).split())
    assert said.startswith(f"{LEDGER_TITLE} holds theorem-31 (the paper, PMLR text) T-LRU is no worse. ")
    assert said.endswith("every one within the bounds: one.")


def test_the_longest_work_is_handed_out_first_and_what_nobody_timed_last():
    together = {"b": "replays", "e": "replays"}
    claims = [SimpleNamespace(id=name, together=together.get(name)) for name in "abcdef"]
    seconds = {"e": 4, "b": 3, "d": 6, "gone": 99}
    assert _handed_out(claims, seconds) == [("b", "e"), ("d",), ("a",), ("c",), ("f",)]
    assert _handed_out(claims, {}) == [("a",), ("b", "e"), ("c",), ("d",), ("f",)]

import io
import json

import pytest
from report.documents import row

ROWS = {"claims": [row("theorem-31"), row("something.else", "refuted", origin="ours")]}


@pytest.fixture
def ledger_file(tmp_path):
    file = tmp_path / "l.json"
    file.write_text(json.dumps(ROWS))
    return file


def test_documents_are_written_whole(run, ledger_file, tmp_path, capsys):
    markdown = tmp_path / "l.md"
    assert run("ledger", ledger_file, "--markdown", markdown) == 0
    assert markdown.read_text().startswith("# The ledger\n")
    assert capsys.readouterr().out == ""
    assert sorted(tmp_path.iterdir()) == [ledger_file, markdown]


def test_from_standard_input_to_standard_output(run, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(ROWS).encode())))
    assert run("ledger", "-", "--markdown", "-") == 0
    assert capsys.readouterr().out.startswith("# The ledger\n")


def test_what_verify_writes_can_be_read(run, tmp_path, capsys):
    file = tmp_path / "l.json"
    assert run("verify", "--claim", "figure-2", "--claim", "kv-size.gb", "--workers", 1, "--json", file) == 0
    capsys.readouterr()
    assert run("ledger", file, "--markdown", "-") == 0
    assert "`teltheory verify --claim kv-size.gb`" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], ["--markdown or --errata"]),
        (["--markdown", "no/such/folder/l.md"], ["no/such/folder"]),
        (["--errata", "."], ["found a folder"]),
        (["--markdown", "l.md", "--errata", "l.md"], ["l.md, l.md", "a file of its own"]),
        (["--markdown", "l.md", "--errata", "e.md"], ["errata", "the whole ledger"]),
    ],
)
def test_bad_targets_leave_nothing_behind(run, ledger_file, tmp_path, capsys, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    assert run("ledger", ledger_file, *options) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert all(word in captured.err for word in words)
    assert list(tmp_path.iterdir()) == [ledger_file]


@pytest.mark.parametrize(
    ("content", "words"), [(None, "no such file"), (b"\xff", "no UTF-8"), (b"{}", "no claims")]
)
def test_bad_ledgers_are_one_line(run, tmp_path, capsys, content, words):
    file = tmp_path / "bad.json"
    if content is not None:
        file.write_bytes(content)
    assert run("ledger", file, "--markdown", "-") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"{file}" in error
    assert words in error


def test_bad_targets_are_refused_before_the_ledger_is_read(run, tmp_path, capsys):
    assert run("ledger", tmp_path / "none.json", "--markdown", tmp_path / "no" / "l.md") == 2
    assert "found no folder" in capsys.readouterr().err

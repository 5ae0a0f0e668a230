"""`report.html` as `teltheory reproduce --out` writes it, of its own samples and without the data folder."""

import base64
import gzip
import re

import pytest
from report.ledger_rows import row

from teltheory.cli.reproduce import figures


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """No data, no tables and figures of the paper, a short trace and one claim that is decided already."""
    monkeypatch.setenv("TELTHEORY_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr("teltheory.cli.reproduce.command.decide_all", lambda *_: ([row("figure-2")], True))
    monkeypatch.setattr("teltheory.report.page._vega", lambda: "")
    monkeypatch.setattr("teltheory.cli.reproduce.command.BUILT_IN_TURNS", 40)
    monkeypatch.setattr("teltheory.report.explorer.STEPS", (4, 4))
    monkeypatch.setattr(figures, "make", lambda out, folder, *_: folder.mkdir(exist_ok=True))
    monkeypatch.setattr(figures, "both_compared", lambda _: ([], []))
    monkeypatch.setattr("teltheory.cli.reproduce.page._beliefs", lambda _: iter(()))
    return tmp_path / "out"


def made(run, folder, *options):
    assert run("reproduce", "--workers", 1, "--out", folder, *options) == 0
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_it_is_the_same_when_it_is_made_again(alone, run, capsys):
    first = made(run, alone)
    assert "report.html" in capsys.readouterr().out
    assert made(run, alone) == first
    assert str(alone.parent) not in first
    assert list(alone.iterdir()) == [alone / "report.html"]


def test_it_says_what_it_was_made_with(alone, run, capsys):
    other = made(run, alone, "--seed", 3, "--effort", "quick")
    printed = " ".join(capsys.readouterr().out.split())
    for text in (printed, other.replace("&#39;", "'").replace("’", "'")):
        assert "No measured TTFT is in these seconds: composed of operators' timings" in text
    assert "The Mooncake trace is left out: the data folder has no mooncake_conversation.jsonl" in other
    for fact in ("seed 3, 40 turns", "seeds 0 to 39, 2,000 turns each", "Built-in trace, seed 3"):
        assert fact in other


def test_a_page_that_cannot_be_written_is_one_line(alone, run, capsys):
    (alone / "report.html").mkdir(parents=True)
    assert run("reproduce", "--workers", 1, "--out", alone) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_trace_with_block_hashes_is_there_with_what_its_requests_share(alone, run, shared_file, capsys):
    page = made(run, alone, "--trace", shared_file)
    printed = capsys.readouterr().out
    assert "Shared prefixes: 8 requests, 10 different blocks of 512 tokens." in printed
    for part in ("Shared prefixes: 8 requests", "TEL blocks", "regret", "no cache has less"):
        assert part in page
    (chart,) = re.findall('class="chart" id="charts-1" data-gzip="(.*?)"', page)
    drawn = gzip.decompress(base64.b64decode(chart)).decode()
    assert "Hindsight optimum" in drawn
    assert "written tokens" in drawn


def test_tiers_have_tables_of_their_own(alone, run, shared_file):
    page = made(run, alone, "--trace", shared_file, "--tier", "1k", "--tier", "4k:0.3")
    assert "Tiers of 1,000 + 4,000 tokens" in page
    for column in ("hit 1", "to 1", "from 1"):
        assert f">{column}<" in page

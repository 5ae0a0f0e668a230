"""What is printed fits its terminal, and no word of it is split."""

import re

import numpy as np
import pytest
from cli.narrow import printed
from click import unstyle
from rich.cells import cell_len

import teltheory as tt
from teltheory.cli.fitting import plain_table
from teltheory.cli.output import FEWEST, WIDTH, console
from teltheory.workloads import ConversationModel

UNLIMITED = 5000
RULE_OR_TIME = re.compile(r"─+|\d+\.\d")


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    """Commands with tables, on a trace whose numbers are as long as real ones."""
    file = tmp_path_factory.mktemp("traces") / "sampled.csv"
    model = ConversationModel(mean_prompt=40_000, mean_response=20_000)
    tt.write_trace(tt.sample_conversations(model, 300, np.random.default_rng(1)), file)
    sizes = ("--capacity", "1M", "--capacity", "3M")
    asked = (*sizes, "--slo", "2s", "--slo", "1s")
    return [
        ("replay", file, *asked),
        ("replay", file, *asked, "--policy", "tlru:xi=30000,q_hat=40000,trim=least-recent", "--policy", "lru"),
        ("curve", file, *asked),
        ("optimum", file, *asked),
        ("optimum", file, *asked, "--method", "milp"),
        ("optimum", file, *asked, "--goal", "slo", "--time-limit", "0s"),
        ("optimum", file, *sizes, "--goal", "p95", "--time-limit", "0s"),
        ("verify", "--claim", "figure-2", "--workers", 1),
        ("never-worse", "tlru", "--turns", 2, "--tokens", 2),
    ]


@pytest.fixture(scope="module")
def words(commands):
    return set(printed(UNLIMITED, commands).split())


@pytest.mark.parametrize("columns", [80, 60])
def test_no_line_is_longer_than_the_terminal_and_no_word_is_split(commands, words, columns):
    text = printed(columns, commands)
    lines = text.splitlines()
    assert len(lines) > 100
    assert [line for line in lines if cell_len(line) > columns] == []
    assert {word for word in text.split() if not RULE_OR_TIME.fullmatch(word)} <= words


@pytest.mark.parametrize(
    ("terminal", "columns", "width"),
    [(True, 80, 80), (True, 30, FEWEST), (True, 200, 200), (False, 80, WIDTH), (False, 200, WIDTH)],
)
def test_a_console_is_as_wide_as_its_terminal(terminal, columns, width, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    monkeypatch.setenv("COLUMNS", str(columns))
    assert console().width == width


def table(cells, heads=1):
    made = plain_table("A title", heads)
    for i in range(len(cells)):
        made.add_column(f"c{i}", no_wrap=True)
    made.add_row(*cells)
    made.caption = "A caption"
    return made


def shown(made, columns, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    console().print(made)
    return [line.strip() for line in unstyle(capsys.readouterr().out).splitlines() if line.strip(" ─")]


def test_a_table_that_does_not_fit_comes_closer_and_then_in_parts(monkeypatch, capsys):
    cells = ["head", "a" * 20, "b" * 20]
    wide = shown(table(cells), 50, monkeypatch, capsys)
    assert wide[2] == "  ".join(cells)
    assert shown(table(cells), 48, monkeypatch, capsys)[2] == " ".join(cells)
    parts = shown(table(cells), 47, monkeypatch, capsys)
    assert [line.split() for line in parts] == [
        ["A", "title"], ["c0", "c1"], cells[:2], ["c0", "c2"], ["head", cells[2]], ["A", "caption"]
    ]  # fmt: skip


def test_heads_are_wrapped_where_one_column_beside_them_is_too_wide(monkeypatch, capsys):
    lines = shown(table(["first second", "third", "a" * 30], heads=2), 45, monkeypatch, capsys)
    assert lines[2].split() == ["first", "third", "a" * 30]
    assert lines[3] == "second"

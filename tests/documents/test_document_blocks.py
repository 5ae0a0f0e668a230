"""A block that is not what its command prints is told, and so is a command that fails."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from documents.blocks import MARK, PROGRESS, ROOT, Shown, agrees, difference, is_printed, split

pytestmark = pytest.mark.repository

OUTPUT = "head\n1\n2\n3\n"


@pytest.mark.parametrize("text", ["head\n1\n2\n3", "1\n2", "1  \n\n2", "3"])
def test_what_is_printed_one_below_the_other_is_up_to_date(text):
    assert difference(text, OUTPUT) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1\n3", "another order"),
        ("2\n1", "another order"),
        ("3\n4", "shows '4', which is not printed"),
        ("4", "shows '4', which is not printed"),
        (" 1", "shows ' 1', which is not printed"),
        ("\n", "shows nothing"),
    ],
)
def test_what_is_not_is_stale(text, why):
    assert why in difference(text, OUTPUT)


@pytest.mark.parametrize(
    ("line", "left_out"),
    [
        ("teltheory: 3 of 8 jobs, 2 s", True),
        ("teltheory: loading scikit-learn, which takes more than a second", True),
        ("teltheory: model: found 'loading', expected a model", False),
    ],
)
def test_lines_of_progress_are_not_compared(line, left_out):
    assert PROGRESS.sub("", line) == ("" if left_out else line)


def test_every_command_of_a_page_is_a_whole_line_of_a_shell():
    """Those that take minutes are seldom run: a quote too many in one is seen here."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    commands = {mark[1] for page in pages for mark in MARK.finditer(page.read_text("utf-8"))}
    assert [one for one in commands if subprocess.run(["bash", "-n", "-c", one], check=False).returncode] == []


@pytest.mark.parametrize(
    ("step", "command", "shown"),
    [
        ("$ a\n1\n2\n", "a", "1\n2\n"),
        ("$ a \\\n    b\n1\n", "a \\\n    b", "1\n"),
        ("$ a \\\n b \\\n c\n", "a \\\n b \\\n c", ""),
        ("$ a\n1 \\\n2\n", "a", "1 \\\n2\n"),
    ],
)
def test_a_command_goes_on_below_a_backslash(step, command, shown):
    assert split(step) == (command, shown)


def test_a_table_may_have_a_heading_of_its_own():
    table = "| a |\n|---|\n| 1 |\n"
    assert difference(table, "| 1 |\n", table=True) is None
    assert difference(table, table, table=True) is None
    assert difference(table, "| 2 |\n", table=True)
    assert difference("| a |\n|---|\n", "| 1 |\n", table=True)


def test_a_table_may_show_some_rows_of_a_longer_one():
    printed = "| a |\n|---|\n| 1 |\n| 2 |\n| 3 |\n"
    assert difference("| a |\n|---|\n| 2 |\n| 3 |\n", printed, table=True) is None
    assert difference("| a |\n|---|\n| 1 |\n| 3 |\n", printed, table=True)


def test_a_command_that_fails_is_stale_although_it_prints_the_block(tmp_path):
    example = SimpleNamespace(parsed=Shown("echo 1; exit 3", "1\n", False, False), path=tmp_path / "page.md")
    assert "ended with 3" in is_printed(example)
    example.parsed = Shown("echo 1", "1\n", False, False)
    assert is_printed(example) is None
    assert not Path(example.path).exists()


@pytest.mark.parametrize(
    ("shown", "said", "same"),
    [
        ("a\nb", "a\nb", True),
        ("a", "a\nb", False),
        ("a\nb", "a", False),
        ("TEL 41", "TEL 40", False),
        ("P95 0.293", "P95 0.294", False),
        ("a\n[...]\nz", "a\nb\nc\nz", True),
        ("a\n[...]\nz", "a\nb\nc", False),
        ("3 passed in 0.12s", "3 passed in 1.5s", True),
        ("3 passed in 0.12s", "4 passed in 0.12s", False),
        ("numpy 2.4.6", "numpy 2.5.0", True),
    ],
)
def test_numbers_are_compared_and_times_and_versions_are_not(shown, said, same):
    assert agrees(shown, said) is same

"""Progress where standard error is no terminal: a line now and then, and nothing else changes."""

from __future__ import annotations

import re
from threading import active_count
from time import sleep

import pytest

from teltheory.cli import output


def test_long_work_writes_lines_and_ends_with_them(monkeypatch, capsys):
    monkeypatch.setattr(output, "SECONDS_A_LINE", 0.01)
    threads = active_count()
    with output.progress_bar() as bar:
        task = bar.add_task("Deciding\x1b[31m", total=3)
        bar.advance(task)
        bar.add_task("Measuring", total=None)
        lines = ""
        while lines.count("\n") < 4:
            sleep(0.01)
            lines += capsys.readouterr().err
    assert re.search(r"^teltheory: Deciding\\x1b\[31m, 1 of 3, \d+ s$", lines, re.MULTILINE)
    assert re.search(r"^teltheory: Measuring, \d+ s$", lines, re.MULTILINE)
    assert active_count() == threads


def test_short_work_and_standard_output_are_as_they_were(run, trace_file, capsys, monkeypatch):
    asked = ("replay", trace_file, "--capacity", 100, "--xi", 160)
    printed = []
    for pace in (15.0, 1e-6):
        monkeypatch.setattr(output, "SECONDS_A_LINE", pace)
        assert run(*asked) == 0
        printed.append(capsys.readouterr())
    assert printed[0].out == printed[1].out
    assert printed[0].err == ""


def test_an_error_ends_the_lines(monkeypatch):
    monkeypatch.setattr(output, "SECONDS_A_LINE", 0.01)
    threads = active_count()
    with pytest.raises(KeyboardInterrupt), output.progress_bar():
        raise KeyboardInterrupt
    assert active_count() == threads

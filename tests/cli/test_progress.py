"""Progress where standard error is no terminal: a line now and then, and nothing else changes."""

from __future__ import annotations

import re
from threading import active_count
from time import sleep

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

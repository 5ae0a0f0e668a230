"""Completion in the shells that click knows."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COMMANDS = ("replay", "reproduce")


def completed(shell, instruction, **asked):
    variables = {**os.environ, "_TELTHEORY_COMPLETE": f"{shell}_{instruction}", **asked}
    command = [sys.executable, "-c", "from teltheory.cli import main; main()"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete_and_gets_words(shell, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    code, script = completed(shell, "source")
    assert code == 0
    assert "_TELTHEORY_COMPLETE" in script
    assert "teltheory" in script
    place = "re" if shell == "fish" else "1"
    code, words = completed(shell, "complete", COMP_WORDS="teltheory re", COMP_CWORD=place)
    assert code == 0
    assert all(command in words for command in COMMANDS)
    place = "--cap" if shell == "fish" else "2"
    code, words = completed(shell, "complete", COMP_WORDS="teltheory replay --cap", COMP_CWORD=place)
    assert code == 0
    assert "--capacity" in words

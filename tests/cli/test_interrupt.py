import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from teltheory import interrupts

CHILDREN = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")


def children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


@pytest.mark.skipif(not CHILDREN.exists(), reason="this system does not list a process's children")
def test_an_interrupted_verify_ends_at_once_and_in_order(tmp_path):
    command = [sys.executable, "-m", "teltheory", "verify", "--workers", "2", "--json", str(tmp_path / "out.json")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    for _ in range(600):
        if len(children(process.pid)) >= 3:
            break
        time.sleep(0.1)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGINT)
    _, printed = process.communicate(timeout=60)
    assert process.returncode == 130
    assert printed.strip() == "teltheory: interrupted"
    assert list(tmp_path.iterdir()) == []


AT_AN_EVENT = """
import os, signal, sys

def at(event, given):
    wanted, start = os.environ["INTERRUPTED_AT"].split(" ", 1)
    if event == wanted and str(given[0]).startswith(start):
        os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(at)
"""
STARTS = {
    "script": [str(Path(sys.executable).with_name("teltheory"))],
    "module": [sys.executable, "-m", "teltheory"],
}
IMPORTS = (
    *("teltheory.cost.attention", "numpy", "click"),
    *("teltheory.cli.loading", "teltheory.sweep", "rich.console"),
)


def interrupted(command, event, folder, how=signal.SIG_DFL):
    """Run a command that interrupts itself at an event of Python's audit, named with the start of its argument."""
    (folder / "sitecustomize.py").write_text(AT_AN_EVENT)
    environment = os.environ | {"PYTHONPATH": str(folder), "INTERRUPTED_AT": event}
    return subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, how),
    )


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("module", IMPORTS)
def test_an_interrupt_while_modules_are_loaded_is_one_line(start, module, tmp_path, trace_file):
    ended = interrupted([*STARTS[start], "replay", str(trace_file), "--json", "-"], f"import {module}", tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr.strip()) == (130, "", "teltheory: interrupted")


def test_an_interrupted_command_undoes_what_it_began(tmp_path, trace_file):
    target = tmp_path / "out" / "made.csv"
    target.parent.mkdir()
    command = [*STARTS["module"], "convert", str(trace_file), str(target)]
    ended = interrupted(command, f"os.rename {target.parent}", tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr.strip()) == (130, "", "teltheory: interrupted")
    assert list(target.parent.iterdir()) == []


def test_a_command_in_the_background_ignores_interrupts_as_it_was_told(tmp_path):
    ended = interrupted([*STARTS["module"], "--version"], "import numpy", tmp_path, signal.SIG_IGN)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("given", [[], ["teltheory"], ["a", "b", "c"]])
def test_a_program_that_imports_the_package_keeps_its_handler(given, tmp_path):
    code = "try:\n    import teltheory\nexcept KeyboardInterrupt:\n    print('raised')"
    ended = interrupted([sys.executable, "-c", code, *given], "import teltheory.cost.attention", tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "raised\n", "")


def test_interrupts_are_raised_in_a_command_and_end_the_process_around_it():
    before = signal.signal(signal.SIGINT, interrupts.end)
    try:
        with interrupts.raised():
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.getsignal(signal.SIGINT) is interrupts.end
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with interrupts.raised():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("words", "given", "command"),
    [
        (["python", "-m", "teltheory", "replay", "t.csv"], ["-m", "replay", "t.csv"], True),
        (["python", "venv/bin/teltheory"], ["venv/bin/teltheory"], True),
        (["python", "serve.py", "teltheory"], ["serve.py", "teltheory"], False),
        ([], ["an embedded Python"], False),
        ([], [], False),
    ],
)
def test_a_command_is_told_by_how_the_process_was_started(monkeypatch, words, given, command):
    monkeypatch.setattr(sys, "orig_argv", words)
    monkeypatch.setattr(sys, "argv", given)
    assert interrupts._is_command() is command

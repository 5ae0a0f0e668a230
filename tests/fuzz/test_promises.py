"""What docs/files-and-releases.md promises of the edges of the system, sentence by sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from teltheory.base import peers
from teltheory.cli import main
from teltheory.cli.reproduce import figures
from teltheory.cli.verify import campaigns
from teltheory.cost import kv_config, latency_files
from teltheory.errors import FileError
from teltheory.formats import opened, rows
from teltheory.server import grid
from teltheory.systems.apps import records, transforms
from teltheory.systems.rag import stage_times

FULL = Path("/dev/full")
TRACE = "conversation,prompt,response\nA,100,0\nB,100,0\nA,100,0\n"
DYING = """
import os, signal, sys
from pathlib import Path
from teltheory.base.whole_files import write_whole

def die(beside):
    beside.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)

write_whole(Path(sys.argv[1]), die)
"""


@pytest.fixture
def trace(tmp_path):
    file = tmp_path / "trace.csv"
    file.write_text(TRACE)
    return file


def described(trace, **streams):
    command = [sys.executable, "-m", "teltheory", "trace", "describe", str(trace)]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **streams)


@pytest.mark.skipif(not FULL.is_char_device(), reason="this system has no device that is always full")
def test_a_full_disk_is_one_line(trace):
    """Not by --json: a fault in how files are written would replace the device of a root user."""
    with FULL.open("w") as full:
        ended = described(trace, stdout=full)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert ended.stderr.startswith("teltheory: standard output: No space left on device")


def test_what_is_no_file_is_written_to(trace, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(SystemExit) as stop:
        main(["trace", "describe", str(trace), "--json", str(pipe)])
    assert stop.value.code == 0
    assert os.read(reader, 9).startswith(b"{")
    os.close(reader)
    assert pipe.is_fifo()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["pipe", "trace.csv"]


def test_a_kill_leaves_a_hidden_file_beside_its_target(tmp_path):
    target = tmp_path / "out.json"
    target.write_text("before")
    killed = subprocess.Popen([sys.executable, "-c", DYING, str(target)])
    assert killed.wait(60) < 0
    assert sorted(file.name for file in tmp_path.iterdir()) == [f".out.json.{killed.pid}", "out.json"]
    assert target.read_text() == "before"


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (KeyboardInterrupt(), 130, "teltheory: interrupted"),
        (MemoryError("8 TiB"), 2, "teltheory: out of memory (8 TiB), expected a smaller task or a larger machine"),
    ],
)
def test_what_ends_a_command_is_one_line(error, code, line, trace, monkeypatch, capsys):
    def ended(*_):
        raise error

    monkeypatch.setattr("teltheory.cli.trace.describe.described", ended)
    with pytest.raises(SystemExit) as stop:
        main(["trace", "describe", str(trace)])
    assert stop.value.code == code
    assert capsys.readouterr().err.split("\n") == [*([""] if code == 130 else []), line, ""]


BOUNDS = {
    "a line of text": [opened.LONGEST_LINE],
    "a latency model, stage times": [latency_files.MOST_BYTES, stage_times.MOST_BYTES, kv_config.MOST_BYTES],
    "batches of a campaign": [campaigns.MOST_BATCHES],
    "samples for the paper's tables": [figures.MOST_SEEDS],
    "a prompt of a probe": [grid.LONGEST_PROMPT],
    "a file of applications": [records.MOST_BYTES],
    "an answer of an HTTP server": [peers.MOST],
}


@pytest.mark.repository
def test_the_bounds_of_the_page_are_those_of_the_code():
    page = (Path(__file__).parents[2] / "docs" / "files-and-releases.md").read_text(encoding="utf-8")
    cells = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    for what, bounds in BOUNDS.items():
        (said,) = [bound for name, bound in cells if name.startswith(what)]
        assert all(said.startswith(f"{bound:,} ") or said.split(";")[0] == f"{bound:,}" for bound in bounds), said
    assert transforms.LONGEST_PATTERN == 1000
    assert grid.MOST_MEASUREMENTS == 1_000_000
    assert rows.LONGEST == 2**62


def test_a_sample_has_a_bound(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["trace", "sample", "wildchat-like", str(tmp_path / "a.csv"), "--turns", "1000000001"])
    assert stop.value.code == 2
    assert "1000000001 is not in the range" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("read", "most"),
    [
        (latency_files.read_latency, latency_files.MOST_BYTES),
        (stage_times.read_stage_times, stage_times.MOST_BYTES),
        (kv_config.read_architecture, kv_config.MOST_BYTES),
    ],
)
def test_a_file_of_settings_is_read_up_to_its_bound(read, most, tmp_path):
    file = tmp_path / "much.json"
    file.write_bytes(b"{" + b" " * (most - 1) + b"}")
    with pytest.raises(FileError, match=r"much\.json: found .*bytes"):
        read(file)

import os
import signal
import socket
import subprocess
import sys
from importlib.abc import MetaPathFinder

import numpy as np
import pytest
from stored import rows
from sweep.noting import as_sent
from waiting import wait_for

from teltheory import write_trace
from teltheory.cli import main
from teltheory.sweep import sweep
from teltheory.workloads import ConversationModel, sample_conversations


@pytest.fixture
def trace_file(tmp_path):
    write_trace(sample_conversations(ConversationModel(), 150, np.random.default_rng(1)), tmp_path / "trace.csv")
    return tmp_path / "trace.csv"


def run(*arguments):
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    return stop.value.code


def replay(trace_file, *arguments):
    return run("replay", trace_file, "--capacity", "3k", "--xi", 500, "--xi", 900, *arguments)


def test_the_output_is_the_same_byte_for_byte(trace_file, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sweep.__globals__, "on_processes", as_sent)
    store = tmp_path / "out.store"
    outputs = []
    for flags in ([], ["--workers", 2, "--store", store], ["--store", store]):
        written = tmp_path / "out.json"
        assert replay(trace_file, *flags, "--json", written) == 0
        outputs.append((capsys.readouterr(), written.read_bytes()))
    assert outputs.count(outputs[0]) == len(outputs)
    assert outputs[0][0].err == ""


BAD = [
    (["--workers", "0"], ["--workers", "0"]),
    (["--workers", "many"], ["--workers", "many"]),
    (["--workers", "1", "--scheduler", "tcp://127.0.0.1:1"], ["--workers", "--scheduler"]),
    (["--scheduler", "tcp://127.0.0.1:1"], ["tcp://127.0.0.1:1", "running Dask scheduler"]),
    (["--scheduler", "nonsense"], ["nonsense", "tcp://host:8786"]),
    (["--scheduler", "foo://host:1"], ["foo://host:1", "tcp://host:8786"]),
    (["--store", "no/such/folder/out.store"], ["no/such/folder"]),
    (["--store", "."], ["found a folder"]),
    (["--store", "trace.csv"], ["trace.csv: found no store"]),
    (["--workers", "2", "--forced"], ["trace.csv", "forced caching", "at most the capacity 3000"]),
]


@pytest.mark.parametrize(("flags", "told"), BAD, ids=lambda value: " ".join(value)[:40])
def test_bad_usage_is_one_line_and_exit_code_2(flags, told, trace_file, capfd, monkeypatch):
    monkeypatch.chdir(trace_file.parent)
    monkeypatch.setattr("teltheory.base.processes.TIMEOUT", 0.3)
    before = trace_file.read_bytes()
    assert replay(trace_file, *flags) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    for words in told:
        assert words in captured.err
    assert [file.name for file in trace_file.parent.iterdir()] == ["trace.csv"]
    assert trace_file.read_bytes() == before


def test_what_listens_but_is_no_scheduler_is_told_in_time(trace_file, monkeypatch, capfd):
    monkeypatch.setattr("teltheory.base.processes.TIMEOUT", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert replay(trace_file, "--scheduler", f"tcp://127.0.0.1:{server.getsockname()[1]}") == 2
    assert capfd.readouterr().err.count("\n") == 1


class WithoutDask(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("distributed", "dask"):
            raise ModuleNotFoundError(name)


def test_without_the_extra_the_command_says_how_to_install_it(trace_file, monkeypatch, capsys):
    for name in [name for name in sys.modules if name.split(".")[0] in ("distributed", "dask")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [WithoutDask(), *sys.meta_path])
    assert replay(trace_file, "--workers", 1) == 0
    capsys.readouterr()
    assert replay(trace_file, "--scheduler", "tcp://127.0.0.1:1") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "distributed (Dask) is needed for `cluster`: pip install " in error


def test_a_bad_store_is_told_before_the_trace_is_read(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("teltheory.cli.asked.traces.read_trace", None)
    assert run("replay", "trace.csv", "--store", tmp_path) == 2
    assert "found a folder" in capsys.readouterr().err


def test_an_interrupted_replay_ends_at_once_and_quietly(tmp_path):
    file, store = tmp_path / "trace.csv", tmp_path / "out.store"
    write_trace(sample_conversations(ConversationModel(), 999, np.random.default_rng(1)), file)
    capacities = [flag for capacity in range(200) for flag in ("--capacity", str(capacity))]
    command = [sys.executable, "-m", "teltheory", "replay", str(file), "--workers", "2", "--store", str(store)]
    process = subprocess.Popen(
        [*command, *capacities], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for(lambda: store.exists() or process.poll() is not None)
    os.killpg(process.pid, signal.SIGINT)
    printed = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (printed[0], printed[1].strip().splitlines()[-1]) == ("", "teltheory: interrupted")
    assert all(about["xi"] > 0 for about, _ in rows(store))

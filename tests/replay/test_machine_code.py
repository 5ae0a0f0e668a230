"""Machine code on disk that can't be written, is broken, or is held by another process never stops a replay."""

import fcntl
import importlib
import itertools
import os
import sys
import warnings

import pytest
from numba import config

from teltheory.cli import main
from teltheory.errors import ArgumentError
from teltheory.replay import machine_code

FUNCTIONS = """
from teltheory.replay.compiled import compiled

@compiled
def answer():
    return 6 * 7
"""

NUMBERS = itertools.count()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module with one function; what it returns loads the module anew, as a process of its own would."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(config, "CACHE_DIR", "")
    machine_code._tell.cache_clear()
    name = f"loops_{next(NUMBERS)}"
    (tmp_path / f"{name}.py").write_text(FUNCTIONS)

    def loaded():
        sys.modules.pop(name, None)
        machine_code._discard_stale.cache_clear()
        return importlib.import_module(name)

    return loaded


@pytest.fixture
def told():
    """The warnings that are given."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found


def hits(function):
    return sum(function.stats.cache_hits.values())


def test_code_is_found_on_disk(module):
    assert module().answer() == 42
    again = module().answer
    assert again() == 42
    assert hits(again) == 1


def flipped(whole):
    """A file with one bit changed in its midst."""
    middle = len(whole) // 2
    return whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("broken", [lambda whole: b"", lambda whole: whole[:-3], flipped])
def test_a_broken_file_is_compiled_again_and_mended(module, tmp_path, told, suffix, broken):
    assert module().answer() == 42
    (file,) = tmp_path.rglob(f"*.{suffix}")
    file.write_bytes(broken(file.read_bytes()))
    second = module().answer
    assert second() == 42
    assert hits(second) == 0
    assert len(told) == 1
    assert "is compiled again" in str(told[0].message)
    third = module().answer
    assert third() == 42
    assert hits(third) == 1


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No folder for machine code: a file stands in place of the module's, and the home is no folder.

    A root user may write to any folder whatever its mode, so modes would show nothing.
    """
    (tmp_path / "__pycache__").touch()
    monkeypatch.setenv("HOME", os.devnull)
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)


@pytest.mark.usefixtures("nowhere")
def test_without_a_folder_the_code_is_compiled_in_memory(module, told):
    assert [module().answer(), module().answer()] == [42, 42]
    assert len(told) == 1
    assert "can't be kept" in str(told[0].message)


def test_a_folder_that_is_lost_later_is_no_error(module, tmp_path, told):
    answer = module().answer
    folder = tmp_path / "__pycache__"
    folder.rename(tmp_path / "gone")
    folder.touch()
    assert answer() == 42
    assert len(told) == 1
    assert "every process compiles in memory" in str(told[0].message)


@pytest.mark.usefixtures("nowhere")
def test_the_command_line_says_it_in_one_line(module, tmp_path, capsys):
    claims = tmp_path / "claims.py"
    claims.write_text(f"{FUNCTIONS}\nassert answer() == 42\nCLAIMS = []\n")
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        with pytest.raises(SystemExit):
            main(["verify", "--claims-file", str(claims)])
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith("teltheory: machine code can't be kept")


def test_nobody_waits_for_ever(module, tmp_path, monkeypatch, told):
    answer = module().answer
    answer()
    (lock,) = tmp_path.rglob("*.lock")
    monkeypatch.setattr(machine_code, "SAID_AFTER", 0.05)
    monkeypatch.setattr(machine_code, "PATIENCE", 0.2)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        print(os.getpid(), end="", file=held, flush=True)
        second = module().answer
        assert second() == 42
    assert hits(second) == 0
    assert [f"process {os.getpid()} " in str(one.message) for one in told] == [True]
    third = module().answer
    third()
    assert hits(third) == 1


def test_loops_without_machine_code_are_refused_in_one_line(module, monkeypatch):
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    with pytest.raises(ArgumentError, match="NUMBA_DISABLE_JIT"):
        module()

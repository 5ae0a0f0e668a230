"""A newcomer's environment: `release.wheel` makes it and names the folder of its programs in TELTHEORY_WALK."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

LOADS = ", which takes more than a second"
EXTRAS = "matplotlib altair jinja2 sklearn faiss simpy networkx httpx z3 cvc5 torch pandas polars tokenizers"
THERE = f"from importlib.util import find_spec; print(*filter(find_spec, '{EXTRAS}'.split()))"


@pytest.fixture
def walk(tmp_path, bare):
    """A call of a program in an empty folder: with the programs of the environment without extras, no terminal."""
    return caller(bare, tmp_path)


@pytest.fixture(scope="session")
def bare():
    """The folder of programs of the environment without extras, in which no package of one can be found."""
    programs = Path(os.environ["TELTHEORY_WALK"])
    found = subprocess.run([programs / "python", "-c", THERE], capture_output=True, text=True, check=True, env={})
    assert found.stdout == "\n"
    return programs


@pytest.fixture
def with_extras(tmp_path):
    """The same call in the environment that has the wheel with its extras."""
    return caller(Path(sys.executable).parent, tmp_path)


def caller(programs, folder):
    """Return what calls a program and gives what it prints; of bad input, which ends with 2, what it complains."""
    plain = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}

    def run(line, *more, code=0):
        words = [*shlex.split(line), *more]
        done = subprocess.run(
            [programs / words[0], *words[1:]], cwd=folder, env=plain, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        assert code or all(LOADS in line for line in done.stderr.splitlines())
        return done.stderr if code == 2 else done.stdout

    return run

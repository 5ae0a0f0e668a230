"""A newcomer's environment: `release.wheel` makes it and names the folder of its programs in TELTHEORY_WALK."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

LOADS = ", which takes more than a second"


@pytest.fixture
def walk(tmp_path):
    """A call of a program in an empty folder: with the programs of the environment without extras, no terminal."""
    return caller(Path(os.environ["TELTHEORY_WALK"]), tmp_path)


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

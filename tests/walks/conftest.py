"""A newcomer's environment: `release.wheel` makes it and names the folder of its programs in TELTHEORY_WALK."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def walk(tmp_path):
    """A call of a program in an empty folder: with the environment's programs alone, and no terminal."""
    programs = Path(os.environ["TELTHEORY_WALK"])
    plain = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"}

    def run(line, *more, code=0):
        words = [*shlex.split(line), *more]
        done = subprocess.run(
            [programs / words[0], *words[1:]], cwd=tmp_path, env=plain, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        assert code or not done.stderr
        return done.stderr if code else done.stdout

    return run

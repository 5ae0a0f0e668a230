"""Coq accepts each file of the proofs: what `make formal` does for all, file by file, for planted faults."""

import re
import subprocess
from shutil import copy

import pytest

from teltheory.claims import formal

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(formal.which("coqc") is None, reason="Coq is not installed: package coq"),
]

FILES = re.findall(r"^(\w+)\.v$", (formal.folder() / "_CoqProject").read_text(), re.M)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Copy the proofs to a folder where what was compiled stays."""
    copied = tmp_path_factory.mktemp("proofs")
    for file in formal.folder().glob("*.v"):
        copy(file, copied)
    return copied


@pytest.mark.parametrize("name", FILES)
def test_coq_accepts(name, folder):
    for one in formal.needed_by(name, folder):
        if not (folder / f"{one}.vo").exists():
            done = subprocess.run(
                ["coqc", "-q", f"{one}.v"], cwd=folder, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SKIPPING = """
import pytest

def test_passes():
    pass

def test_skips():
    pytest.skip("for want of a thing")

@pytest.mark.skipif(True, reason="on this system")
def test_is_marked():
    pass

@pytest.mark.xfail(strict=True)
def test_is_expected_to_fail():
    assert False
"""
IMPORTING = 'import pytest\n\npytest.importorskip("no_such_module_anywhere")\n'


@pytest.fixture
def tree(tmp_path):
    """A folder with this project's conftest."""
    shutil.copy(TESTS / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {TESTS}\naddopts = -p no:cacheprovider\n")
    return tmp_path


def run(tree, workers, value):
    """The exit status, and what a run of the folder's tests prints."""
    environment = {**os.environ, "TELTHEORY_NO_SKIPS": value}
    environment.pop("PYTEST_ADDOPTS", None)
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers)]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("workers", [0, 2])
def test_a_skip_fails_the_run_and_is_listed_with_its_reason(tree, workers):
    (tree / "test_skipping.py").write_text(SKIPPING)
    (tree / "test_importing.py").write_text(IMPORTING)
    status, printed = run(tree, workers, "1")
    assert status == 1
    listed = printed[printed.index("3 skipped, expected none") :]
    assert "test_skipping.py::test_skips: Skipped: for want of a thing" in listed
    assert "test_skipping.py::test_is_marked: Skipped: on this system" in listed
    assert "test_importing.py: Skipped: could not import 'no_such_module_anywhere'" in listed
    assert "expected_to_fail" not in listed


def test_without_the_variable_a_skip_is_no_failure(tree):
    (tree / "test_skipping.py").write_text(SKIPPING)
    status, printed = run(tree, 0, "")
    assert status == 0
    assert "expected none" not in printed


def test_what_skips_nothing_passes(tree):
    (tree / "test_passing.py").write_text("def test_passes():\n    pass\n")
    assert run(tree, 0, "1")[0] == 0

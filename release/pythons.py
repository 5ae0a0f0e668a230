"""Check the project and run the quick part of its tests on every Python that it names and this machine has.

    python -m release.pythons [3.12 ...]

Looks for python3.11, python3.12, ... on the search path and among pyenv's versions, newest release of each first.
Each gets an environment in .venv/pythons with what constraints.txt pins. Prints a line a Python: passed, FAILED,
or not here; the exit code is 1 where one failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from release.quick import QUICK, ROOT, run


def supported() -> list[str]:
    """Return the versions that the project's classifiers name, such as 3.11."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    last = [line.rpartition(" :: ")[2] for line in project["classifiers"] if "Python :: 3." in line]
    return [version for version in last if version[2:].isdigit()]


def found(version: str) -> Path | None:
    """Return an interpreter of a version, None where there is none that runs."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    releases = sorted(pyenv.glob(f"{version}.*/bin/python"), key=_release, reverse=True)
    named = shutil.which(f"python{version}")
    candidates = [*([Path(named)] if named else []), *releases]
    return next((python for python in candidates if _is(python, version)), None)


def _release(python: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in python.parents[1].name.split(".") if part.isdigit())


def _is(python: Path, version: str) -> bool:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def environment(python: Path, version: str) -> Path:
    """Return the folder of programs of an environment with the project and what its tests need."""
    folder = ROOT / ".venv" / "pythons" / version
    programs = folder / "bin"
    if not programs.is_dir() and run([python, "-m", "venv", folder]):
        sys.exit(f"no environment for Python {version}")
    pip: list[str | Path] = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if run([*pip, "--constraint", "constraints.txt", "--editable", ".[test]"]):
        sys.exit(f"what the tests need cannot be installed for Python {version}")
    return programs


def passes(programs: Path, version: str) -> bool:
    """Whether a Python passes the checks and the quick part of the tests."""
    checks: list[list[str | Path]] = [
        [programs / "ruff", "check", "."],
        [programs / "mypy", "--python-version", version, "--cache-dir", ROOT / ".mypy_cache" / version],
        [programs / "lint-imports"],
        [programs / "python", "-m", "pytest", "-q", *QUICK],
    ]
    codes = [run(command) for command in checks]
    return not any(codes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check each Python, print a line for each, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", help="those that the project names when left out")
    states = {}
    for version in parser.parse_args(arguments).versions or supported():
        python = found(version)
        if python is None:
            states[version] = "not here"
        else:
            states[version] = "passed" if passes(environment(python, version), version) else "FAILED"
    sys.stdout.writelines(f"Python {version}: {state}\n" for version, state in states.items())
    return int("FAILED" in states.values())


if __name__ == "__main__":
    sys.exit(main())

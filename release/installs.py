"""Install the sdist and the wheel into clean environments, with and without each extra, and try what they bring.

    python -m release.installs --python 3.12 [--extras rag,proofs] [--lowest] [--folder FOLDER]

FOLDER has them (`release.wheel --folder`); else they are built. uv, the program or the package, makes an
environment for each form and each extra, and installs from where it is told to look; with ``--lowest`` the lowest
versions that pyproject.toml names. In each the modules of the extra are imported and the commands of `TRIED` run;
without an extra no module of one is there. A line says how each went. The exit code is 1 where one failed, and 0,
with a line that says so, where this machine has no such Python or no uv.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from release.wheel import ROOT, build, clean
from teltheory.base.extras import OF

ABOVE = ("docs", "test")
"""Extras that bring tools of development: nothing of the package needs them."""
TRIED = (
    "demo --html demo.html",
    "trace sample wildchat-like t.csv --turns 300",
    "optimum t.csv --capacity 2k --slo 200ms --method lp",
    "advise t.csv --capacity 2k --slo 200ms",
    "verify --claim lemma-d3 --workers 1",
)
OF_AN_EXTRA = {
    "report": ("curve t.csv --capacity 2k --slo 200ms --figure c.svg", "advise t.csv --slo 200ms --html a.html"),
    "proofs": ("verify --claim parrot.groups.stage --workers 1",),
}


def uv() -> list[str] | None:
    """Return the words that call uv, None if there is none."""
    if shutil.which("uv"):
        return ["uv"]
    return [sys.executable, "-m", "uv"] if find_spec("uv") else None


def extras() -> list[str]:
    """Return the extras of pyproject.toml that the package's own code needs, and "" for none."""
    named = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    return ["", *(name for name in named if name not in ABOVE)]


def steps(python: Path, extra: str) -> Iterator[list[str | Path]]:
    """Yield what is run in an environment: the imports of an extra, or that there is none, and the commands."""
    wanted, others = ([name for name, of in OF.items() if (of == extra) is there] for there in (True, False))
    absent = [] if extra else [name for name in others if name != "markdown_it"]  # rich brings it
    there = f"[__import__(name) for name in {wanted}]"
    code = f"from importlib.util import find_spec; {there}; assert not any(map(find_spec, {absent}))"
    yield [python, "-c", code]
    for line in (*TRIED, *OF_AN_EXTRA.get(extra, ())):
        yield [python, "-m", "teltheory", *line.split()]


def tried(call: Sequence[str], version: str, file: Path, extra: str, lowest: bool) -> str:
    """Install one file with one extra, try it, and return what went wrong, if anything, in a line."""
    with TemporaryDirectory() as name:
        python = Path(name, "venv", "bin", "python")
        rule = ["--resolution", "lowest-direct"] if lowest else []
        wanted = f"teltheory{f'[{extra}]' if extra else ''} @ {file.as_uri()}"
        commands: list[list[str | Path]] = [
            [*call, "venv", "--quiet", "--no-python-downloads", "--python", version, python.parents[1]],
            [*call, "pip", "install", "--quiet", "--python", python, *rule, *found_links(), wanted],
            *steps(python, extra),
        ]
        for command in commands:
            done = subprocess.run(command, cwd=name, env=clean({}), capture_output=True, text=True, check=False)
            if done.returncode:
                said = [line for line in done.stderr.splitlines() if line.strip()] or ["nothing"]
                return f"{' '.join(map(str, command[1:]))[:100]}: {' / '.join(said[-4:])}"
    return ""


def found_links() -> list[str]:
    """Return where pip is told to look for files, as uv takes it."""
    return [word for place in os.environ.get("PIP_FIND_LINKS", "").split() for word in ("--find-links", place)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Try each form with each extra on one Python."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="with sdist and wheel; if left out they are built")
    parser.add_argument("--python", required=True, metavar="VERSION")
    parser.add_argument("--extras", help="some of them, with commas; '' for none; all if left out")
    parser.add_argument("--lowest", action="store_true", help="the lowest versions that are declared")
    given = parser.parse_args(arguments)
    call, rule = uv(), ", lowest versions" if given.lowest else ""
    if call is None or missing(given.python):
        sys.stdout.write(f"skipped: this machine has no {missing(given.python)}\n")
        return 0
    failed = False
    with TemporaryDirectory() as temporary:
        folder = (given.folder or Path(temporary)).absolute()
        if given.folder is None:
            build(folder)
        files = sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")])
        for extra in extras() if given.extras is None else given.extras.split(","):
            for file in files:
                begun = time.monotonic()
                wrong = tried(call, given.python, file, extra, given.lowest)
                failed = failed or bool(wrong)
                went = wrong or f"works, {time.monotonic() - begun:.0f} s"
                sys.stdout.write(f"Python {given.python}, {file.name}, {extra or 'no extra'}{rule}: {went}\n")
                sys.stdout.flush()
    return int(failed)


def missing(version: str) -> str:
    """Return what this machine lacks to try a Python: uv, the Python itself, or "" for nothing."""
    call = uv()
    if call is None:
        return "uv"
    command = [*call, "python", "find", "--no-python-downloads", version]
    lacks = subprocess.run(command, check=False, capture_output=True).returncode
    return f"Python {version}" if lacks else ""


if __name__ == "__main__":
    sys.exit(main())

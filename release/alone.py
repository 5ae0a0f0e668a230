"""An environment with the wheel and what it needs, and nothing else: what a newcomer has after the install line.

The packages are those of this Python, linked one by one, so that nothing is downloaded and no extra is there. pip
installs the wheel beside them, without an index, and refuses it where one is missing.
"""

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def needed_by(names: Iterable[str]) -> Iterator[Distribution]:
    """Yield the distributions that some need, without extras, themselves included, each once."""
    todo, seen = [*names], set[str]()
    while todo:
        name = canonicalize_name(Requirement(todo.pop()).name)
        if name not in seen:
            seen.add(name)
            found = distribution(name)
            yield found
            rest = ((Requirement(line).marker, line) for line in found.requires or ())
            todo += [line for marker, line in rest if marker is None or marker.evaluate({"extra": ""})]


def link(found: Distribution, packages: Path) -> None:
    """Link the files of a distribution into another environment's packages."""
    tops = {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}
    for top in tops:
        target = packages / top
        if not target.exists():
            target.symlink_to(Path(str(found.locate_file(top))).resolve())


def newcomer(wheel: Path, folder: Path, environment: dict[str, str]) -> Path:
    """Make the environment in a folder; return the folder of its programs."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, env=environment)
    [packages] = folder.glob("lib/python*/site-packages")
    core = [line for line in distribution("teltheory").requires or () if "extra ==" not in line]
    for found in needed_by(core):
        link(found, packages)
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python"]
    for words in (["install", "--quiet", "--no-index", wheel], ["check"]):
        subprocess.run([*pip, *words], check=True, env={**environment, "PIP_NO_INDEX": "1"})
    return folder / "bin"


def walk(files: Sequence[str], python: Path, programs: Path, outside: Path, environment: dict[str, str]) -> int:
    """Take newcomers' walks, which are tests, with the programs of an environment; return the exit code."""
    command: list[str | Path] = [python, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *files]
    return subprocess.run(
        command, cwd=outside, env={**environment, "TELTHEORY_WALK": str(programs)}, check=False
    ).returncode

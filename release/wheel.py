"""Build the wheel as a release would, install it outside the repository, and run the tests there.

    python -m release.wheel [--all] [--targets | --no-compiler] [--folder FOLDER]

1. The sdist is built, unpacked, and the wheel built from what it holds; twine and check-wheel-contents check both
   (W009 is left out: the wheel has three packages on purpose). With ``--targets`` there is a wheel for each of
   `release.loops.TARGETS`, compiled by ``ziglang``, and its library is checked (`release.library`); the one that
   fits this machine is tested. With ``--no-compiler`` pip builds it, in an environment of its own and with no C
   compiler on the way, and fetches what the build asks for.
2. The wheel is installed into a new virtual environment. The quick part (`QUICK`) borrows the packages
   that this Python has, and only the wheel is installed: nothing is downloaded. With ``--all`` the environment
   borrows nothing: the extra `test` is installed as constraints.txt pins it, from where pip is told to look.
3. Tests and the settings of pytest are copied into an empty folder and run against what is installed: the quick
   part, or all but those marked `long` or `ledger`. Tests marked `repository` are left out: they read documents,
   the Makefile or other files that a wheel does not have.
4. Newcomers walk (`WALKS`), from the installation to a result, in an environment with the wheel and what it needs
   alone: no extra is there, and nothing is downloaded (`release.alone`). ``--no-compiler`` leaves that out.

The exit code is 1 where a step fails.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

from release.alone import newcomer, walk
from release.library import problems
from release.loops import TARGETS
from teltheory.workloads import data_folder

ROOT = Path(__file__).parents[1]
QUICK = (
    "tests/base/test_loops.py",
    "tests/model/test_instance.py",
    "tests/cost/test_latency.py",
    "tests/cost/test_latency_files.py",
    "tests/cost/test_metrics.py",
    "tests/test_package_data.py",
    "tests/test_public_names.py",
    "tests/model/test_trace.py",
    "tests/cli/test_cli.py",
    "tests/cli/test_convert_command.py",
    "tests/cli/test_loading.py",
    "tests/cli/test_without_machine_code.py",
    "tests/replay/test_kernel.py",
    "tests/replay/test_reference.py",
    "tests/report/test_page.py",
    "tests/formats/test_mooncake.py",
)
"""Files of the quick part: reading, replaying by reference and kernel, metrics, commands, pages."""
WALKS = ("tests/walks/student.py", "tests/walks/engineer.py")
OTHER_WALKS = tuple(f"tests/walks/{who}.py" for who in ("theorist", "author", "policy_author", "other_systems"))
"""What newcomers do first, by who they are; pytest runs these files where they are named."""
NOT_COPIED = (
    *("__pycache__", "documents", "experiments", "mutants", "release"),
    *("test_bounds_of_files.py", "test_citation.py", "test_formal.py", "test_repository.py"),
    *("test_engine_vectors.py", "test_radix_nodes.py"),
)
"""Machine code; tests that read documents as they are imported, and tests that import what is not installed."""


def run(command: Sequence[str | Path], folder: Path = ROOT, **environment: str) -> int:
    """Run a command in a folder, show what it prints, and return its exit code."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=folder, env=clean(environment), check=False).returncode


def clean(added: dict[str, str]) -> dict[str, str]:
    """Return this process's environment without what would lead a Python to other packages."""
    left_out = ["PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONPYCACHEPREFIX"]
    left_out += ["TELTHEORY_TARGET", "TELTHEORY_PURE"]
    return {**{name: value for name, value in os.environ.items() if name not in left_out}, **added}


def build(folder: Path, targets: Sequence[str] = (), compiler: bool = True) -> Path:
    """Build the sdist, and from its contents a wheel, or one for each target; return that for this machine."""
    _must([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder], ROOT)
    packed = next(folder.glob("*.tar.gz"))
    with tarfile.open(packed) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    source = next((folder / "unpacked").iterdir())
    hatchling: list[str | Path] = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    if not compiler:
        alone = {"PATH": str(Path(sys.executable).parent), "CC": ""}
        _must([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, packed], ROOT, **alone)
    for target in targets or [""] * compiler:
        _must(hatchling, source, **({"TELTHEORY_TARGET": target} if target else {}))
    wheels = sorted(folder.glob("*.whl"))
    _must([sys.executable, "-m", "twine", "check", "--strict", packed, *wheels], ROOT)
    _must([sys.executable, "-m", "check_wheel_contents", "--ignore", "W009", *wheels], ROOT)
    for target in targets:
        check_library(next(folder.glob(f"*-{TARGETS[target]}.whl")), target)
    fitting = [wheel for wheel in wheels if parse_wheel_filename(wheel.name)[3] & {*sys_tags()}]
    if not fitting:
        sys.exit(f"found {', '.join(wheel.name for wheel in wheels)}, expected one for {sysconfig.get_platform()}")
    return fitting[0]


def check_library(wheel: Path, target: str) -> None:
    """End the run if a wheel's library is not for its target; else say what was found."""
    found = [*problems(wheel, target)]
    sys.stdout.write("".join(f"{wheel.name}: {line}\n" for line in found or ["the library is as asked"]))
    if found:
        sys.exit(1)


def install(wheel: Path, folder: Path, everything: bool) -> Path:
    """Install the wheel into a new virtual environment; return its Python."""
    _must([sys.executable, "-m", "venv", folder], ROOT)
    python = folder / "bin" / "python"
    pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if everything:
        _must([*pip, "--constraint", ROOT / "constraints.txt", f"{wheel}[test]"], ROOT)
        return python
    _must([*pip, "--no-deps", wheel], ROOT)
    (_packages(python) / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def copied_tests(folder: Path) -> Path:
    """Copy the tests and the settings of pytest into a folder and return it."""
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns(*NOT_COPIED))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def check_place(python: Path, outside: Path) -> None:
    """End the run unless the toolkit that a test would import is the one that was installed."""
    code = "import teltheory; print(teltheory.__file__)"
    done = subprocess.run(
        [python, "-c", code], cwd=outside, env=clean({}), capture_output=True, text=True, check=False
    )
    if not done.stdout.startswith(str(_packages(python))):
        sys.exit(f"found teltheory in {done.stdout.strip() or done.stderr}, expected it in {_packages(python)}")


def _packages(python: Path) -> Path:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip())


def _must(command: Sequence[str | Path], folder: Path, **environment: str) -> None:
    if run(command, folder, **environment):
        sys.exit(1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, install and test; return the exit code of the tests."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every test but long ones, on packages of its own")
    parser.add_argument("--targets", action="store_true", help="a wheel for each system that a release is for")
    parser.add_argument("--no-compiler", action="store_true", help="build as on a machine that has none")
    parser.add_argument("--folder", type=Path, help="empty or new, and kept; else a temporary one")
    given = parser.parse_args(arguments)
    with TemporaryDirectory() as temporary:
        folder = (given.folder or Path(temporary)).absolute()
        outside = folder / "outside"
        outside.mkdir(parents=True)
        wheel = build(folder, [*TARGETS] if given.targets else (), not given.no_compiler)
        python = install(wheel, folder / "venv", given.all)
        check_place(python, copied_tests(outside))
        chosen = ["-m", "not long and not ledger and not model and not repository", *(() if given.all else QUICK)]
        environment = {"TELTHEORY_DATA": str(data_folder().absolute())}
        code = run([python, "-m", "pytest", "-q", *chosen], outside, **environment)
        if code or given.no_compiler:
            return code
        walks = (*WALKS, *OTHER_WALKS) if given.all else WALKS
        return walk(walks, python, newcomer(wheel, folder / "newcomer", clean({})), outside, clean({}))


if __name__ == "__main__":
    sys.exit(main())

"""Check the project and run the quick part of its tests on every Python that it names and this machine has.

    nox [-s pythons-3.12]
    nox -s docs
    nox -s installs lowest
    nox -s installs -- --extras rag,proofs
    nox -s wheel
    nox -s publish -- --dry-run

All but the first run in the environment that nox is in. Each Python gets one in .nox with what constraints.txt
pins. `installs` and `lowest` install sdist and wheel with and without each extra (`release.installs`), the second
with the lowest versions that are declared; a Python that is not on this machine is named as skipped.
"""

import sys

import nox

from release.installs import missing
from release.wheel import QUICK

VERSIONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))
NEXT = "3.14"
"""A Python that is tried where it is there, and not promised yet."""
nox.options.sessions = ["pythons"]
nox.options.error_on_missing_interpreters = False
nox.options.reuse_venv = "yes"


@nox.session(python=VERSIONS)
def pythons(session: nox.Session) -> None:
    """Check and test on one Python."""
    session.install("--constraint", "constraints.txt", "--editable", ".[test]")
    session.run("ruff", "check", ".")
    session.run("mypy", "--python-version", str(session.python))
    session.run("lint-imports")
    session.run("pytest", "-q", *QUICK)


@nox.session(venv_backend="none")
@nox.parametrize("version", [*VERSIONS, NEXT])
def installs(session: nox.Session, version: str) -> None:
    """Install sdist and wheel with and without each extra on one Python."""
    install_all(session, version)


@nox.session(venv_backend="none")
def lowest(session: nox.Session) -> None:
    """Install them with the lowest versions that are declared, on the oldest Python."""
    install_all(session, VERSIONS[0], "--lowest")


def install_all(session: nox.Session, version: str, *more: str) -> None:
    """Build sdist and wheel, and try them; skip a Python that is not on this machine."""
    if lacks := missing(version):
        session.skip(f"this machine has no {lacks}")
    session.run(sys.executable, "-m", "release.installs", "--python", version, *more, *session.posargs)


@nox.session(venv_backend="none")
def docs(session: nox.Session) -> None:
    """Build the site and check what its pages print."""
    session.run("make", "docs", "docs-check")


@nox.session(venv_backend="none")
def wheel(session: nox.Session) -> None:
    """Build, check and test sdist and wheel outside the repository; `-- --all` runs every test."""
    session.run(sys.executable, "-m", "release.wheel", *session.posargs)


@nox.session(venv_backend="none")
def publish(session: nox.Session) -> None:
    """Build, check, test and upload; `-- --dry-run` stops before the upload."""
    session.run(sys.executable, "-m", "release.publish", *session.posargs)

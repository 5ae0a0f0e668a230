"""Check the project and run the quick part of its tests on every Python that it names and this machine has.

    nox [-s pythons-3.12]
    nox -s docs
    nox -s wheel
    nox -s publish -- --dry-run

The last three run in the environment that nox is in. Each Python gets one in .nox with what constraints.txt pins.
"""

import sys

import nox

from release.wheel import QUICK

VERSIONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))
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

"""Check the project and run the quick part of its tests on every Python that it names and this machine has.

    nox [-s pythons-3.12]

Each Python gets an environment in .nox with what constraints.txt pins.
"""

import nox

from release.wheel import QUICK

VERSIONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))
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

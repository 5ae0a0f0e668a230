import doctest
import re
import tomllib
from pathlib import Path

import pytest

import teltheory
from documents.reading import documents, read_blocks

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.repository


def test_the_package_example_runs():
    assert doctest.testmod(teltheory).failed == 0


DOCUMENTS = {str(file.relative_to(ROOT)): file for file in documents(ROOT)}
NOT_RUN = "not run: "
RUN_NOWHERE = 1
"""Python blocks that say in a mark why they are not run."""


def python_blocks(name):
    return [block for block in read_blocks(DOCUMENTS[name], name) if block.language == "python"]


def is_run(block):
    return not any(mark.startswith(NOT_RUN) for mark in block.marks)


@pytest.mark.parametrize("document", [name for name in DOCUMENTS if any(map(is_run, python_blocks(name)))])
def test_the_python_in_the_documents_runs_and_prints_what_it_says(document):
    names = {}
    for block in filter(is_run, python_blocks(document)):
        parsed = doctest.DocTestParser().get_doctest(block.text + "\n", names, block.place, None, None)
        assert parsed.examples
        assert doctest.DocTestRunner().run(parsed, clear_globs=False).failed == 0
        names = parsed.globs


def test_few_blocks_are_not_run_and_those_can_be_compiled():
    others = [block for name in DOCUMENTS for block in python_blocks(name) if not is_run(block)]
    assert len(others) == RUN_NOWHERE
    for block in others:
        compile(block.text, block.place, "exec")


def test_links_between_documents_resolve():
    for document in DOCUMENTS.values():
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document}: {target}"


def test_every_dependency_is_pinned_exactly_and_no_host_is_named():
    pins = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.+]*", pin) for pin in pins)
    pinned = {re.sub(r"[-_.]+", "-", pin.split("==")[0]).lower() for pin in pins}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["test"], *extras["bench"]]
    assert {re.split(r"[>=<]", name)[0].lower() for name in wanted} <= pinned


def test_files_stay_below_400_lines():
    installed = ("teltheory", "proofs_checks", "experiments", "paper_figs", "benchmarks")
    for folder in (*installed, "documents", "release", "tests"):
        for file in (ROOT / folder).rglob("*.py"):
            assert len(file.read_text().splitlines()) < 400, file

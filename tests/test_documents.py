import doctest
import re
import tomllib
from pathlib import Path

import pytest

import teltheory
from teltheory.cli import main

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.repository


def test_the_package_example_runs():
    assert doctest.testmod(teltheory).failed == 0


DOCUMENTS = (
    "README.md",
    "docs/adaptive.md",
    "docs/advise.md",
    "docs/costs.md",
    "docs/datasets.md",
    "docs/latency.md",
    "docs/beliefs.md",
    "docs/conversations.md",
    "docs/workloads.md",
    "docs/belief-mdp.md",
    "docs/report.md",
    "docs/theorem-d2.md",
    "docs/who-comes-back.md",
)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_python_in_the_documents_runs_and_prints_what_it_says(document):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
    assert blocks
    names = {}
    for block in blocks:
        parsed = doctest.DocTestParser().get_doctest(block, names, document, None, None)
        assert parsed.examples
        assert doctest.DocTestRunner().run(parsed, clear_globs=False).failed == 0
        names = parsed.globs


def test_links_between_documents_resolve():
    for document in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
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
    for folder in ("teltheory", "proofs_checks", "experiments", "paper_figs", "benchmarks", "release", "tests"):
        for file in (ROOT / folder).rglob("*.py"):
            assert len(file.read_text().splitlines()) < 400, file


@pytest.mark.parametrize(
    ("command", "options", "lines"),
    [
        ("replay", ["--capacity", "1M"], 40),
        (
            "curve",
            [
                "--slo",
                "2s",
                "--capacity",
                "1M",
                "--capacity",
                "3M",
                "--capacity",
                "10M",
                "--capacity",
                "30M",
                "--figure",
                "curves.svg",
            ],
            20,
        ),
    ],
)
def test_the_tables_in_the_readme_are_what_the_commands_print(
    mooncake, capsys, tmp_path, monkeypatch, command, options, lines
):
    file = mooncake.absolute()
    monkeypatch.chdir(tmp_path)
    readme = (ROOT / "README.md").read_text().splitlines()
    with pytest.raises(SystemExit):
        main([command, str(file), *options])
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert len(printed) > lines
    assert [line for line in printed if line not in readme] == []

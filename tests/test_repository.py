"""What holds for the repository as a whole: short files, exact pins, commands in documents that exist."""

import importlib.util
import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

from teltheory.cli import commands
from teltheory.cli.on_demand import OnDemand

pytestmark = pytest.mark.repository

ROOT = Path(__file__).parents[1]
TARGETS = re.findall(r"^([a-z][a-z.-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
LINE = re.compile(
    r"^(?:    |\$ )(?:COLUMNS=80 |\.venv/bin/)?((?:teltheory|python|make) [^#\n]*)"
    r"|`((?:teltheory|python|make) [^`]*)`",
    re.M,
)


def documents():
    return [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]


def shown():
    texts = ((page.name, page.read_text().replace("\\\n", "")) for page in documents())
    return sorted({(name, (a or b).strip()) for name, text in texts for a, b in LINE.findall(text)})


def test_every_dependency_is_pinned_exactly():
    pins = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.+]*", pin) for pin in pins)
    pinned = {re.sub(r"[-_.]+", "-", pin.split("==")[0]).lower() for pin in pins}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(name for extra in extras.values() for name in extra)]
    assert {re.split(r"[>=<\[]", name)[0].lower() for name in wanted} - {"teltheory"} <= pinned


def test_files_stay_below_400_lines():
    for file in (*ROOT.glob("*.py"), *ROOT.glob("[a-z]*/**/*.py")):
        assert "out" in file.parts or len(file.read_text().splitlines()) < 400, file


@pytest.mark.parametrize(("page", "command"), shown())
def test_commands_in_documents_name_what_is_there(page, command):
    program, *words = shlex.split(command)
    if program == "make":
        assert {word for word in words if "=" not in word} <= {*TARGETS}
    elif program == "python" and words[0] != "-c":
        module = words[1] if words[0] == "-m" else words[0].removesuffix(".py").replace("/", ".")
        assert importlib.util.find_spec(module), module
    elif program == "teltheory":
        chosen = commands
        while isinstance(chosen, click.Group) and not words[0].startswith("-"):
            chosen = chosen.commands[words.pop(0)]
        chosen = chosen.load() if isinstance(chosen, OnDemand) else chosen
        known = {name for parameter in chosen.params for name in parameter.opts} | {"--help", "--version"}
        assert {word.partition("=")[0] for word in words if word.startswith("--")} <= known

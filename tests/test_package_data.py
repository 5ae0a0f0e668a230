"""What an installed toolkit has beside its modules, wherever it is installed."""

import subprocess
import sys
from importlib.metadata import entry_points, version
from importlib.resources import files

import pytest

import teltheory
from teltheory.base.c_sources import LIBRARY
from teltheory.base.loops import has_machine_code

DATA = (
    "cost/gpus.csv",
    "cost/models.csv",
    "formats/datasets.csv",
    "plots/style.mplstyle",
    "py.typed",
    "report/templates/page.js",
    "report/templates/page.html.j2",
)


@pytest.mark.parametrize("name", DATA)
def test_data_of_the_package_are_where_it_looks_for_them(name):
    file = files("teltheory").joinpath(name)
    assert file.is_file()
    assert name == "py.typed" or file.read_text(encoding="utf-8").strip()


def test_the_machine_code_is_that_of_the_sources_beside_it():
    assert has_machine_code()


def test_every_file_of_the_package_that_is_no_module_and_not_in_c_is_named_above():
    folder = files("teltheory")
    beside = {
        str(file.relative_to(folder))
        for file in folder.rglob("*")
        if file.is_file() and file.suffix not in (".py", ".c", ".h") and "__pycache__" not in file.parts
    }
    assert beside == {*DATA, LIBRARY}


def test_the_version_is_that_of_the_distribution():
    assert version("teltheory") == teltheory.__version__


def test_the_program_is_the_command_line():
    [program] = entry_points(group="console_scripts", name="teltheory")
    from teltheory.cli import main

    assert program.load() is main


def test_the_package_runs_as_a_program():
    command = [sys.executable, "-m", "teltheory", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"teltheory, version {teltheory.__version__}\n"

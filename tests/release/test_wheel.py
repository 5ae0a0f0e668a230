"""What is in the wheel and in the sdist, by building both."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from release import wheel
from release.wheel import QUICK, ROOT, WALKS, build, check_place, clean, copied_tests
from teltheory.base.c_sources import LIBRARY
from teltheory.base.loops import BY_PIP
from teltheory.replay.asked import KERNEL_FROM, REFERENCE_TO

pytestmark = pytest.mark.repository
TARGETS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
PACKAGES = TARGETS["wheel"]["packages"]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Both, built as a release builds them, but not looked at by others: `make wheels` has twine do so."""
    folder, must = tmp_path_factory.mktemp("dist"), wheel._must
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wheel, "_must", lambda words, *at, **by: "hatchling" not in words or must(words, *at, **by))
        return build(folder), folder


def files_of(folder):
    return {
        str(file.relative_to(folder))
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


def test_the_wheel_has_every_file_of_its_packages_and_no_other(built):
    names = {name for name in zipfile.ZipFile(built[0]).namelist() if ".dist-info/" not in name}
    wanted = {f"{package}/{name}" for package in PACKAGES for name in files_of(ROOT / package)}
    assert names == wanted
    assert {"teltheory/py.typed", "teltheory/report/templates/page.html.j2"} <= names


def test_the_sdist_has_what_make_test_needs(built):
    [source] = (built[1] / "unpacked").iterdir()
    for name in ("Makefile", "constraints.txt", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"):
        assert (source / name).is_file()
    for folder in ("tests", "docs", "release"):
        assert files_of(source / folder) == files_of(ROOT / folder)
    assert not (source / ".ci").exists()


def test_the_toolkit_of_the_repository_is_not_taken_for_the_installed_one(tmp_path):
    (tmp_path / "teltheory").mkdir()
    (tmp_path / "teltheory" / "__init__.py").touch()
    with pytest.raises(SystemExit, match="expected it in"):
        check_place(Path(sys.executable), tmp_path)


def test_tests_outside_import_nothing_that_a_wheel_does_not_have(tmp_path):
    copied = copied_tests(tmp_path)
    imported = re.compile(r"^(?:from|import) (documents|release)\b", re.MULTILINE)
    assert [file.name for file in copied.rglob("*.py") if imported.search(file.read_text())] == []
    assert (copied / "tests" / "conftest.py").is_file()


def test_the_quick_part_is_of_files_that_are_there():
    assert [name for name in (*QUICK, *WALKS) if not (ROOT / name).is_file()] == []
    assert len(set(QUICK)) == len(QUICK)


def test_other_packages_on_the_way_are_left_out(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    assert "PYTHONPATH" not in clean({})
    assert clean({"PYTHONPATH": "here"})["PYTHONPATH"] == "here"


@pytest.fixture(scope="module")
def incomplete(built, tmp_path_factory):
    """The wheel unpacked, with neither its library nor the template of pages."""
    folder, unpacked = tmp_path_factory.mktemp("installed"), zipfile.ZipFile(built[0])
    names = {*unpacked.namelist()} - {f"teltheory/{LIBRARY}", "teltheory/report/templates/page.html.j2"}
    assert "teltheory/replay/chains/tlru.c" in names
    unpacked.extractall(folder, names)
    return folder


def test_a_wheel_without_its_data_does_not_pass(incomplete):
    """The fault that the tests of the package's data should catch: the page's template left out."""
    shutil.copy(ROOT / "tests" / "test_package_data.py", incomplete)
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "--rootdir", incomplete]
    options = ["-c", "/dev/null", "-k", "data_of_the_package", "test_package_data.py"]
    done = subprocess.run([*command, *options], cwd=incomplete, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.search(r"1 failed, \d+ passed", done.stdout)


def test_without_machine_code_the_reference_replays_few_turns_and_refuses_more(incomplete, tmp_path):
    apart, file = clean({"PYTHONPATH": str(incomplete)}), tmp_path / "trace.csv"
    for turns, code in ((KERNEL_FROM, 0), (REFERENCE_TO + 1, 2)):
        file.write_text("conversation,prompt,response\n" + "".join(f"{k % 3},2,1\n" for k in range(turns)))
        command = [sys.executable, "-m", "teltheory", "replay", file, "--capacity", "9", "--policy", "lru"]
        done = subprocess.run(command, cwd=tmp_path, env=apart, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (code, 1)
        assert done.stderr.startswith(f"teltheory: machine code: found none for this machine; {BY_PIP} makes it; ")

import sys

import pytest

from release import pythons

pytestmark = pytest.mark.repository


def test_the_versions_are_those_of_the_classifiers():
    assert pythons.supported() == ["3.11", "3.12", "3.13"]


def test_this_python_is_found_and_one_that_does_not_exist_is_not(monkeypatch, tmp_path):
    version = "{}.{}".format(*sys.version_info)
    (tmp_path / f"python{version}").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert pythons.found(version) == tmp_path / f"python{version}"
    assert pythons.found("3.99") is None


def test_a_python_that_says_it_is_another_is_passed_over(monkeypatch, tmp_path):
    (tmp_path / "python3.99").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert pythons.found("3.99") is None


@pytest.mark.parametrize(("passed", "code"), [(True, 0), (False, 1)])
def test_each_python_has_a_line(monkeypatch, capsys, tmp_path, passed, code):
    monkeypatch.setattr(pythons, "found", lambda version: None if version == "3.13" else tmp_path)
    monkeypatch.setattr(pythons, "environment", lambda *_: tmp_path)
    monkeypatch.setattr(pythons, "passes", lambda _, version: passed or version == "3.11")
    assert pythons.main([]) == code
    said = "passed" if passed else "FAILED"
    assert capsys.readouterr().out == f"Python 3.11: passed\nPython 3.12: {said}\nPython 3.13: not here\n"


def test_one_failing_check_is_a_failure_and_the_others_still_run(monkeypatch, tmp_path):
    ran = []
    monkeypatch.setattr(pythons, "run", lambda command: ran.append(command) or int("lint-imports" in str(command)))
    assert not pythons.passes(tmp_path, "3.12")
    assert len(ran) == 4
    monkeypatch.setattr(pythons, "run", lambda _: 0)
    assert pythons.passes(tmp_path, "3.12")

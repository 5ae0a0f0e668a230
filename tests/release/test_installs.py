"""Environments with the wheel and nothing else, and the installs with each extra."""

from importlib.metadata import distribution
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release import alone, installs
from teltheory.base.extras import OF

pytestmark = pytest.mark.repository
CORE = {"numpy", "scipy", "pyomo", "highspy", "sympy", "pyarrow", "rich", "click", "msgspec", "typing-extensions"}


def named(text):
    """Names of distributions, as one writes them."""
    return {canonicalize_name(Requirement(line).name) for line in text}


def test_what_is_needed_is_followed_without_extras(monkeypatch):
    requires = {
        "a": ["b>=1", 'c; extra == "more"', 'd; python_version < "3"'],
        "b": ["A", "e[fast]>=2"],
        "e": ['f; extra == "fast"'],
    }
    monkeypatch.setattr(alone, "distribution", lambda name: SimpleNamespace(name=name, requires=requires[name]))
    assert {found.name for found in alone.needed_by(["a"])} == {"a", "b", "e"}


def test_a_newcomer_gets_no_package_of_an_extra():
    core = [line for line in distribution("teltheory").requires if "extra ==" not in line]
    assert named(core) == CORE
    found = {canonicalize_name(one.name) for one in alone.needed_by(core)}
    assert found >= CORE
    assert not found & {"matplotlib", "jinja2", "scikit-learn", "pandas", "pytest", "httpx"}


def test_links_show_the_files_of_a_distribution_alone(tmp_path):
    alone.link(distribution("click"), tmp_path)
    assert (tmp_path / "click" / "core.py").is_file()
    assert {file.name.partition("-")[0] for file in tmp_path.iterdir()} == {"click"}


def test_each_extra_of_the_package_is_tried_and_none_too():
    assert installs.extras()[0] == ""
    assert {*installs.extras()} >= {*OF.values(), ""}
    assert not {*installs.extras()} & {*installs.ABOVE}


def test_an_environment_without_an_extra_must_lack_the_others():
    first, *commands = installs.steps("python", "")
    assert "assert not any(map(find_spec, ['matplotlib'" in first[2]
    assert [line[3] for line in commands] == [line.split()[0] for line in installs.TRIED]
    assert "__import__(name) for name in ['faiss', 'sklearn']" in next(installs.steps("python", "rag"))[2]


def test_a_python_that_is_not_there_is_named_as_skipped(capsys):
    assert installs.main(["--python", "3.99"]) == 0
    assert capsys.readouterr().out in {f"skipped: this machine has no {what}\n" for what in ("uv", "Python 3.99")}

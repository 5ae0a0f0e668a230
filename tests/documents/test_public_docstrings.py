import importlib
import inspect
import re
from pathlib import Path

import pytest

import teltheory as tt
from teltheory import belief, policies, workloads
from teltheory.systems import apps, modules, rag

API = Path(__file__).parents[2] / "docs" / "api"
DIRECTIVE = re.compile(r"^::: ([\w.]+)\.(\w+)$", re.MULTILINE)
PACKAGES = (tt, rag, modules, apps)
GROUPS = ("belief", "policies", "systems")
VALUES = {name for name in tt.__all__ if not callable(getattr(tt, name))}
LONGEST_SIGNATURE = 600
"""Characters: annotations name the union that they mean, and do not spell it out."""
ERRORS = {name for name in tt.__all__ if name.endswith("Error")}


def test_the_pages_of_the_api_have_every_public_name_once():
    shown = [
        (name, getattr(importlib.import_module(module), name))
        for page in API.glob("*.md")
        for module, name in DIRECTIVE.findall(page.read_text())
    ]
    public = [(name, getattr(one, name)) for one in PACKAGES for name in one.__all__ if name not in GROUPS]
    more = [name for name, thing in shown if not any(thing is other for _, other in public)]
    assert sorted(name for name, _ in shown) == sorted([*(name for name, _ in public), *more])
    of_groups = {name for one in (policies, belief, workloads) for name in one.__all__}
    assert {name for name, thing in shown if name in more and not inspect.isclass(thing)} <= of_groups
    for name, thing in public:
        assert any(other is thing for _, other in shown), name


def parameters_said(docstring):
    """Return the names of a numpydoc docstring's section on parameters."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}|\Z)", docstring, re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^(\S[^:\n]*) :", section[1], re.MULTILINE) if section else []
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


NAMED = [(tt, name) for name in sorted({*tt.__all__} - VALUES - ERRORS)]
NAMED += [(one, name) for one in PACKAGES[1:] for name in sorted(one.__all__) if callable(getattr(one, name))]


@pytest.mark.parametrize(("package", "name"), NAMED, ids=[f"{one.__name__}.{name}" for one, name in NAMED])
def test_docstrings_name_the_parameters_that_there_are(package, name):
    thing = getattr(package, name)
    docstring = inspect.getdoc(thing)
    assert docstring
    assert len(str(inspect.signature(thing))) < LONGEST_SIGNATURE
    taken = [parameter.lstrip("*") for parameter in inspect.signature(thing).parameters]
    said = parameters_said(docstring)
    assert [parameter for parameter in said if parameter not in taken] == []
    if inspect.isfunction(thing) and said:
        assert sorted(said) == sorted(taken)


def test_a_parameter_that_is_not_there_would_be_seen():
    text = "Parameters\n----------\na, b : int\n    Two.\n*rest : str\n    Others.\n\nReturns\n-------\nc : int\n"
    assert parameters_said(text) == ["a", "b", "rest"]

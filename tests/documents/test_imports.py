"""Documents import what is public: names of `__all__` in modules that the pages of the API list."""

import ast
import importlib
import re
from doctest import DocTestParser
from pathlib import Path

import pytest

import teltheory as tt

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LISTED = re.compile(r"^\| `(teltheory[\w.]*)` \| (.*) \|$", re.MULTILINE)
SUBMODULES = dict(LISTED.findall((ROOT / "docs" / "api" / "submodules.md").read_text()))
PACKAGES = ("teltheory.systems.rag", "teltheory.systems.modules", "teltheory.systems.apps")

pytestmark = pytest.mark.repository


def code_of(page):
    """Yield each Python block of a page, of a console session what is typed."""
    for block in FENCE.findall(page.read_text()):
        if ">>> " not in block:
            yield block
        else:
            yield from (example.source for example in DocTestParser().get_examples(block))


def names_of(page):
    """Yield the modules of ours that a page imports from, with the name; and names that it takes from `tt`."""
    for code in code_of(page):
        try:
            tree = ast.parse(code)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "teltheory":
                yield from ((node.module, alias.name) for alias in node.names)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "tt":
                yield "teltheory", node.attr


def test_documents_import_public_names_of_modules_that_are_listed():
    found = {(page.name, *name) for page in PAGES for name in names_of(page)}
    assert len(found) > 100
    for page, module, name in sorted(found):
        public = tt.__all__ if module == "teltheory" else importlib.import_module(module).__all__
        assert name in public or (module, name) == ("teltheory", "__version__"), (page, module, name)
        assert module in ("teltheory", *PACKAGES, *SUBMODULES), (page, module)


def test_the_list_of_submodules_has_every_public_name():
    for module, names in SUBMODULES.items():
        assert re.findall(r"`(\w+)`", names) == sorted(importlib.import_module(module).__all__), module

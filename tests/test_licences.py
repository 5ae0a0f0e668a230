"""README says which extras bring software under the GPL, by what the packages say of themselves."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest

pytestmark = pytest.mark.repository

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def is_gpl(package):
    try:
        said = metadata(package)
    except PackageNotFoundError:
        return False
    every = [*(said.get_all("Classifier") or ()), said.get("License-Expression") or ""]
    return any(re.search(r"(?<![AL])GPL|(?<!Lesser )General Public License", text) for text in every)


def brought():
    """The packages under the GPL that an extra asks for, by extra."""
    asked = {name: [re.split(r"[^\w.-]", one, maxsplit=1)[0] for one in whole] for name, whole in EXTRAS.items()}
    found = {name: {one for one in whole if is_gpl(one)} for name, whole in asked.items()}
    return {name: gpl for name, gpl in found.items() if gpl}


def test_readme_names_the_extras_that_bring_software_under_the_gpl():
    (sentence,) = re.findall(r"[^.]*\bGPL[^.]*\.", (ROOT / "README.md").read_text(encoding="utf-8"))
    found = brought()
    assert "bench" in found
    words = set(re.findall(r"\w+", sentence))
    for name, packages in found.items():
        assert {name, *packages} <= words
    assert words & set(EXTRAS) == set(found)

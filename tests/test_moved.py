"""An import path of an earlier version warns and gives the module of today."""

import sys
from importlib import import_module

import pytest

from teltheory.moved import MOVED


@pytest.mark.parametrize("old", MOVED)
def test_an_old_path_warns_and_gives_the_module_of_today(old, monkeypatch):
    monkeypatch.delitem(sys.modules, old, raising=False)
    with pytest.warns(DeprecationWarning, match=f"^{old} is {MOVED[old]} now$"):
        assert import_module(old) is import_module(MOVED[old])

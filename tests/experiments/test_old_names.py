import importlib
import sys

import pytest


@pytest.mark.parametrize("name", ["paper.all", "fit_chat_lengths"])
def test_the_old_name_of_a_command_works_and_warns(name, monkeypatch):
    monkeypatch.delitem(sys.modules, f"experiments.{name}", raising=False)
    new = f"teltheory.paper.{name.removeprefix('paper.')}"
    with pytest.warns(DeprecationWarning, match=f"use python -m {new}"):
        old = importlib.import_module(f"experiments.{name}")
    assert old.main is importlib.import_module(new).main

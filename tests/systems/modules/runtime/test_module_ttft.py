"""The experiment on times to the first token: a tidy table of a small model's, whatever the times are."""

import csv
import sys

import pytest
from test_models_of_folders import saved

from experiments import module_ttft

pytestmark = pytest.mark.model


def test_each_repeat_of_each_way_has_a_row(tmp_path, monkeypatch):
    (tmp_path / "small").mkdir()
    folder, out = saved("llama", tmp_path / "small"), tmp_path / "times.csv"
    asked = ["--model", str(folder), "--cells", "0+20", "150+4", "--repeats", "2"]
    monkeypatch.setattr(sys, "argv", ["module_ttft.py", str(out), *asked])
    assert module_ttft.main() == 0
    rows = list(csv.DictReader(out.open()))
    assert tuple(rows[0]) == module_ttft.COLUMNS
    keys = [(row["kept"], row["fresh"], row["way"], row["repeat"]) for row in rows]
    ways = ("full", "gaps", "cached", "cold")
    assert sorted(keys) == sorted(
        (*cell, way, repeat) for cell in (("0", "20"), ("150", "4")) for way in ways for repeat in "01"
    )
    assert all(float(row["wall_s"]) >= 0 <= float(row["cpu_s"]) for row in rows)


def test_a_prompt_longer_than_the_model_is_refused_in_one_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "small").mkdir()
    folder = saved("llama", tmp_path / "small")
    capsys.readouterr()
    monkeypatch.setattr(
        sys, "argv", ["module_ttft.py", str(tmp_path / "x"), "--model", str(folder), "--cells", "600+4"]
    )
    assert module_ttft.main() == 2
    assert (
        capsys.readouterr().err == "module_ttft: kept: found 684, expected at most 512, the positions of small\n"
    )

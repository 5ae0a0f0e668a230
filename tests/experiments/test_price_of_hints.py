"""The price of hints on the recorded sessions: the numbers of a prototype, exactly, and what the script writes."""

import csv

import pytest

from experiments import price_of_hints as script
from teltheory.workloads import data_folder

pytestmark = pytest.mark.skipif(
    not (data_folder() / script.SESSIONS).exists(), reason="the data folder has no recorded sessions"
)
FIRST_DRAW = {
    "lru": 43_568, "lru + superseded": 43_389, "lru + close": 33_969, "lru + close + superseded": 33_018,
    "tlru": 36_697, "tlru + close": 32_014, "tlru + close + superseded": 31_084,
    "tlru, never read again": 30_783, "the optimum": 29_922,
}  # fmt: skip
POOLED = {
    "tlru": "30 (3.08)", "lru + close": "72 (0.87)", "tlru + close": "84 (1.03)",
    "tlru + close, 300 s late": "70", "tlru + close, 1800 s late": "40",
    "tlru + close, after end_turn alone": "57", "tlru + close + resume": "87", "lru + retain": "0",
}  # fmt: skip
"""Of five draws together, as the prototype had them: ends at the last request of an agent."""


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(script, "CELLS", (("1M", 0.01),))
    monkeypatch.setattr(script, "MOST", 2)
    script.main([str(tmp_path / "out"), "--data", str(data_folder()), "--draws", "1"])
    return tmp_path / "out", capsys.readouterr().out


def rows(text, heading):
    """The rows of the tables below a heading, by their first cell."""
    lines = text.partition(heading)[2].partition("###")[0].splitlines()
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|"))
    return {first: rest for first, *rest in cells}


def test_the_numbers_of_the_prototype_are_those_of_the_script(said):
    folder, text = said
    drawn = rows(text, f"TEL of draws 1 to 5, ends at the last {script.REQUEST}")
    assert {name: drawn[name][0] for name in FIRST_DRAW} == {name: f"{tel:,}" for name, tel in FIRST_DRAW.items()}
    shares = rows(text, f"in per cent (prefill), ends at the last {script.REQUEST}")
    assert {name: shares[name][0][: len(share)] for name, share in POOLED.items()} == POOLED
    with (folder / "price_of_hints.csv").open(newline="") as opened:
        written = list(csv.DictReader(opened))
    at = {(row["end"], row["draw"], row["name"]): row["tel"] for row in written}
    assert at[script.REQUEST, "1", "lru + close"] == "33969.0"
    assert at[script.RESPONSE, "1", "tlru + close + superseded"] == "31084.0"
    ends = rows(text, f"TEL of draws 1 to 5, ends at the last {script.RESPONSE}")
    assert int(ends["lru + close"][0].replace(",", "")) > FIRST_DRAW["lru + close"], "an end comes later"
    assert "±" in text

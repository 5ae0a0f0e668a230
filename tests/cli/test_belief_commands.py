"""`teltheory belief`: policies beside the optimum, decisions, maps and searches that go on where they ended."""

import csv
import io
import json
from fractions import Fraction

import pytest
from belief.test_model_file import MODEL

from teltheory.belief import search

FEW = ("--discount", "0.9", "--silent", "2")


@pytest.fixture
def model_file(tmp_path):
    file = tmp_path / "model.json"
    file.write_text(json.dumps(MODEL | {"birth_rate": 1}))
    return file


@pytest.fixture
def printed(output):
    """A call of the command line that returns what it prints."""
    return lambda *arguments: output("belief", *arguments)


def test_solve_shows_all_policies_beside_the_optimum(printed, model_file):
    out = printed("solve", model_file, *FEW, "--explain")
    assert "102 states," in out
    assert "proved." in out
    names = ["optimum", "lru", "tlru", "et-lru:index=printed", "et-lru:index=belief", "et-lru:index=next"]
    lines = [line.split() for line in out.splitlines() if line.split()[:1] and line.split()[0] in names]
    assert [line[0] for line in lines] == names
    assert float(lines[3][3]) > float(lines[5][3]) >= 0
    assert "of it %: the regret in per cent of the optimum's saving." in " ".join(out.split())


def test_rows_have_proved_fractions(printed, model_file):
    data = json.loads(printed("solve", model_file, *FEW, "--policy", "et-lru:index=printed", "--json", "-"))
    best, lru = data["rows"]
    assert (best["policy"], lru["policy"]) == ("optimum", "et-lru:index=printed")
    assert Fraction(best["lower"]) <= best["saving"] <= Fraction(best["upper"])
    assert lru["regret"] == pytest.approx(best["saving"] - lru["saving"])
    assert lru["regret_upper"] == pytest.approx(float(Fraction(best["upper"]) - Fraction(lru["lower"])))
    assert best["saving"] + best["cost"] == pytest.approx(lru["saving"] + lru["cost"])
    assert lru["worst_state"][0]["cached"] == lru["worst_state"][0]["past"]


def test_decimals_on_the_command_line_are_exact_and_methods_agree(printed, model_file):
    found = {}
    for how in (("--discount", "0.9"), ("--discount", "9/10", "--method", "policy-iteration")):
        rows = json.loads(printed("solve", model_file, *how, "--silent", "2", "--policy", "lru", "--json", "-"))[
            "rows"
        ]
        found[how] = rows[0]["saving"]
        assert rows[0]["ahead"] == "discount 9/10"
    first, second = found.values()
    assert first == pytest.approx(second, abs=1e-8)


def test_turns_are_exact_and_fractions_on_request(printed, model_file):
    of = ("solve", model_file, "--turns", "1,2", "--policy", "et-lru", "--json", "-")
    rows, exact = json.loads(printed(*of))["rows"], json.loads(printed(*of, "--exact"))["rows"]
    assert [row["ahead"] for row in rows] == ["1 turn", "1 turn", "2 turns", "2 turns"]
    for row, one in zip(rows, exact, strict=True):
        assert Fraction(row["lower"]) <= Fraction(one["saving"]) <= Fraction(row["upper"])
        assert float(Fraction(row["upper"]) - Fraction(row["lower"])) < 1e-9
    assert "optimum  " in printed("solve", model_file, "--turns", "2", "--exact", "--policy", "lru")
    assert "average" in printed("solve", model_file, "--average", "--silent", "2", "--policy", "lru")


def test_decide_shows_what_each_policy_keeps_at_the_start(printed, model_file):
    out = printed("decide", model_file, *FEW)
    assert "slow 0  quick 1" in out
    rows = json.loads(printed("decide", model_file, *FEW, "--json", "-"))["rows"]
    assert [row["kept"] for row in rows] == [[2, 0], [1, 1], [0, 2]]
    assert rows[0]["loss"] == 0 < rows[1]["loss"] < rows[2]["loss"]
    assert rows[2]["policies"] == ["et-lru:index=printed", "et-lru:index=belief"]
    assert "lru" in rows[0]["policies"]


def test_a_map_is_tidy_and_goes_on_where_it_ended(printed, model_file, tmp_path, monkeypatch):
    of = ("--policy", "lru", "--policy", "et-lru:index=printed", *FEW, "--store", tmp_path / "s.db", "--csv", "-")
    short = ("map", model_file, "--vary", "kinds.quick.turn_rate=1,8", *of)
    rows = list(csv.DictReader(io.StringIO(printed(*short))))
    assert [(row["kinds.quick.turn_rate"], row["policy"]) for row in rows[:2]] == [
        ("1", "lru"),
        ("1", "et-lru:index=printed"),
    ]
    assert float(rows[0]["regret"]) == 0
    assert float(rows[3]["regret"]) > 0
    solved = json.loads(printed("solve", model_file, "--policy", "et-lru:index=printed", *FEW, "--json", "-"))
    assert float(rows[3]["regret"]) == solved["rows"][1]["regret"]
    monkeypatch.setattr("teltheory.cli.belief.vary.solutions", None)
    assert list(csv.DictReader(io.StringIO(printed(*short)))) == rows
    monkeypatch.undo()
    varied = ("--vary", "gaps=1/2,2/3", "--vary", "kinds.slow.prompts=1", "--vary", "birth_rate=0.5")
    assert "1/2" in printed("map", model_file, *varied, "--policy", "lru", *FEW)


def test_a_search_says_where_policies_lose_and_goes_on(printed, tmp_path, monkeypatch):
    of = ("search", "--models", "32", "--turns", "2", "--seed", "5", "--store", tmp_path / "s.db", "--json", "-")
    text = printed(*of)
    data = json.loads(text)
    losing = {(row["belief"], row["rates"], row["policy"]) for row in data["rows"] if row["loses"]}
    assert ("bayes", "two rates", "et-lru:index=printed") in losing
    optional = [row for row in data["rows"] if row["belief"] == "paper" and row["caching"] == "optional"]
    assert not [row for row in optional if row["policy"].startswith("et-lru") and row["loses"]]
    monkeypatch.setattr("teltheory.cli.belief.vary.found_on", None)
    assert printed(*of) == text
    monkeypatch.undo()
    one = next(one for one in data["smallest"] if one["policy"] == "et-lru:index=printed")
    file = tmp_path / "smallest.json"
    file.write_text(json.dumps(one["smallest"]))
    rows = json.loads(printed("solve", file, "--turns", "2", "--silent", str(2 + search.SEEN), "--json", "-"))[
        "rows"
    ]
    row = next(row for row in rows if row["policy"] == one["policy"])
    assert row["loses"] > 0
    assert "2 models, 1 turn ahead" in printed("search", "--models", "2", "--turns", "1")


BAD = [
    ((), "turns ahead: found 'none of them', expected one of --turns, --discount and --average"),
    (("--turns", "2", "--average"), "found '--turns and --average'"),
    (("--discount", "1", "--silent", "2"), "--discount: found '1', expected a number from 0 to below 1"),
    (("--discount", "0.9"), "--silent: found 'nothing', expected K"),
    (("--turns", "x"), "--turns: found 'x', expected a whole number of turns"),
    (
        ("--discount", "0.9", "--silent", "1"),
        "start, silent: found 1, expected fewer silent turns than silent = 1",
    ),
    (("--discount", "0.9", "--silent", "9"), "silent: found 9, expected at most 50,000,000 states, not 41,"),
    (("--turns", "2", "--method", "policy-iteration"), "turns: found 2, expected none"),
    (("--average", "--silent", "2", "--exact"), "exact: found 'the average', expected turns or a discount"),
    (("--turns", "2", "--policy", "belady"), "policy: found 'belady', expected one of lru, tlru, et-lru"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD, ids=[said[:40] for _, said in BAD])
def test_bad_usage_is_one_line(refused, model_file, arguments, said):
    assert said in refused("belief", "solve", model_file, *arguments)


def test_bad_fields_and_files_are_one_line(refused, model_file, tmp_path):
    said = refused("belief", "map", model_file, "--vary", "kinds.slw.turn_rate=1", *FEW)
    assert said.startswith("--vary: found 'kinds.slw.turn_rate', expected a field of")
    assert "--vary: found 'xi', expected FIELD=VALUE" in refused("belief", "map", model_file, "--vary", "xi", *FEW)
    assert "birth_rate: found 'x', expected a whole number or a fraction" in refused(
        "belief", "map", model_file, "--vary", "birth_rate=x", *FEW
    )
    assert "start: found 'nothing'" in refused("belief", "decide", no_start(tmp_path), *FEW)
    assert "no such file" in refused("belief", "solve", tmp_path / "none.json", *FEW)


def no_start(folder):
    file = folder / "plain.json"
    file.write_text(json.dumps({name: value for name, value in MODEL.items() if name != "start"}))
    return file

"""`teltheory apps replay` and `teltheory apps optimum` on a small trace of applications."""

import json

import pytest
from click.testing import CliRunner

from teltheory.cli.apps.optimum import optimum
from teltheory.cli.apps.replay import replay
from teltheory.errors import TelTheoryError

LINES = [
    {"request": "a0", "application": "a", "prompt": 400, "response": 100},
    {"request": "b0", "application": "b", "prompt": 300, "response": 200},
    {"request": "a1", "application": "a", "after": ["a0"], "conversation": "a/1", "prompt": 600, "response": 50},
    {"request": "b1", "application": "b", "prompt": 100, "response": 400},
    {"request": "a2", "application": "a", "conversation": "a/1", "prompt": 100, "response": 50},
    {"request": "a3", "application": "a", "after": ["a2"], "prompt": 100, "response": 20},
]


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "apps.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return str(file)


def data(command, *arguments):
    """Return the JSON that a command prints."""
    ran = CliRunner().invoke(command, [*arguments, "--json", "-"], catch_exceptions=False)
    assert ran.exit_code == 0
    return json.loads(ran.output)


def test_a_replay_counts_the_excess_of_each_policy(file):
    found = data(replay, file, "--capacity", "700,1k", "--xi", "1200", "--measure", "both", "--q-hat", "100")
    assert found["applications"] == 2
    policies = ["lru", "tlru", *(f"application-tlru, {s}" for s in ("equal", "reserve", "request")), "belady"]
    assert [row["policy"] for row in found["rows"]] == policies * 4
    by_name = {(row["capacity"], row["measure"], row["policy"]): row for row in found["rows"]}
    for (capacity, measure, _), row in by_name.items():
        lru, reserve = (by_name[capacity, measure, name] for name in ("lru", "application-tlru, reserve"))
        assert row["lru"] == lru["excess"]
        assert reserve["excess"] <= lru["excess"]
        assert row["computed"] + row["reused"] == lru["computed"] + lru["reused"]


def test_the_optimum_has_two_sides_below_lru(file):
    rows = data(optimum, file, "--capacity", "700,1k", "--xi", "1200", "--method", "milp")["rows"]
    assert [(row["lower"], row["upper"], row["method"]) for row in rows] == [
        (450, 450, "milp"),
        (150, 150, "milp"),
    ]
    assert all(row["upper"] <= row["lru"] and round(row["bound"]) == row["upper"] for row in rows)


def test_tables_are_printed(file):
    ran = CliRunner().invoke(
        replay, [file, "--capacity", "700", "--xi", "1200", "--policy", "lru", "--policy", "tlru"]
    )
    assert "2 applications: 6 turns, 3 conversations, 5 edges." in ran.output
    assert "Capacity 700, threshold 1,200, sum" in ran.output
    assert "The least excess" in CliRunner().invoke(optimum, [file, "--capacity", "700", "--xi", "1200"]).output


@pytest.mark.parametrize(("command", "arguments", "said"), [
    (replay, ["--xi", "1"], "--capacity: found None, expected tokens, such as 300k; a comma lists"),
    (optimum, ["--capacity", "1"], "--xi: found None"),
    (replay, ["--capacity", "1", "--xi", "1", "--split", "fair"], "--split: found 'fair', expected equal"),
    (replay, ["--capacity", "1", "--xi", "1", "--policy", "lfru"], "policy"),
    (replay, ["--capacity", "100", "--xi", "1", "--forced"], "turn 0: forced caching"),
])  # fmt: skip
def test_what_is_wrong_is_one_line(file, command, arguments, said):
    ran = CliRunner().invoke(command, [file, *arguments])
    assert isinstance(ran.exception, TelTheoryError)
    assert said in str(ran.exception)

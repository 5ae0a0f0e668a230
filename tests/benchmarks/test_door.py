import pytest

from benchmarks import door
from benchmarks.door import DOORS, NOTHING, lines


def test_each_door_is_timed_against_a_python_that_does_nothing(monkeypatch, capsys):
    monkeypatch.setattr(door, "DOORS", {NOTHING: ("-c", "pass"), "loop": ("-c", "sum(range(10**6))")})
    idle, busy = door.door(rounds=1)
    assert (idle["name"], busy["name"]) == (NOTHING, "loop")
    assert idle["times"]["ratio"] == 1
    assert busy["times"]["ratio"] == pytest.approx(busy["median"] / idle["median"])
    assert [line.split()[0] for line in lines([idle, busy])] == ["process", "python", "loop"]
    door.main(["--rounds", "1"])
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_the_doors_are_those_of_the_toolkit():
    assert {"import teltheory", "teltheory --help"} < set(DOORS)

import pytest

from teltheory.bench import door
from teltheory.bench.door import NOTHING


def test_each_door_is_timed_against_a_python_that_does_nothing(monkeypatch, capsys):
    monkeypatch.setattr(door, "DOORS", {NOTHING: ("-c", "pass"), "loop": ("-c", "sum(range(10**6))")})
    idle, busy = door.door(rounds=1)
    assert (idle["name"], busy["name"]) == (NOTHING, "loop")
    assert idle["times"]["ratio"] == 1
    assert busy["times"]["ratio"] == pytest.approx(busy["median"] / idle["median"])
    door.main(["--rounds", "1"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["process", "python", "loop"]

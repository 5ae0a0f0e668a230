import numpy as np
import pytest

from benchmarks import memory
from benchmarks.memory import added

MB = 1 << 20
SLACK = 2 * MB

pytestmark = pytest.mark.skipif(not memory._RESET.exists(), reason="this system does not reset a peak")


def test_a_step_is_charged_for_what_it_returns_and_for_its_peak():
    def step():
        passing = np.ones(64 * MB, np.uint8)
        kept = np.ones(48 * MB, np.uint8)
        del passing
        return kept

    found = added(step)
    assert found.kept == pytest.approx(48 * MB, abs=SLACK)
    assert found.peak == pytest.approx((64 + 48) * MB, abs=SLACK)


def test_an_earlier_peak_is_not_charged_again():
    np.ones(256 * MB, np.uint8)
    assert added(lambda: None).peak < SLACK


def test_index_outcome_and_peak_are_told_apart(monkeypatch):
    index = []

    def replay(trace, policy, capacity, engine):
        if not index:
            index.append(np.ones(40 * MB, np.uint8))
        np.ones(80 * MB, np.uint8)
        return np.ones(48 * MB, np.uint8)

    monkeypatch.setattr(memory, "replay", replay)
    row = memory._row("planted", None, range(MB))
    assert row["turns"] == MB
    assert [row[key] for key in ("index", "outcome", "peak")] == pytest.approx([40, 48, 80], abs=2)


def test_a_replay_returns_sixteen_bytes_a_turn_and_its_index_stays():
    rows = memory.memory_a_turn(100_000)
    assert [row["name"] for row in rows] == list(memory.GROWING)
    for row in rows:
        assert row["outcome"] == pytest.approx(16, abs=3)
        assert 17 <= row["index"] <= 100
        assert row["peak"] >= row["outcome"] - 1


def test_a_system_that_does_not_count_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "_RESET", tmp_path / "missing")
    assert memory.memory_a_turn(100_000) is None

import pytest

from benchmarks import footprint, memory

pytestmark = pytest.mark.skipif(not memory._RESET.exists(), reason="this system does not reset a peak")
TURNS = 200_000
SLACK = TURNS // 2
"""Bytes; the system counts pages, and a peak may be told a page too low."""


def test_every_step_of_a_long_trace_is_counted():
    rows = {row["name"]: row for row in footprint.footprint(TURNS)}
    assert len(rows) == 9
    assert all(row["turns"] == TURNS and row["peak"] + SLACK >= max(row["kept"], 0) for row in rows.values())
    assert rows["sample the conversation model"]["kept"] == pytest.approx(40 * TURNS, rel=0.1)
    assert rows["read from Parquet"]["kept"] == pytest.approx(40 * TURNS, rel=0.2)
    assert rows["replay under LRU"]["kept"] == pytest.approx(16 * TURNS, rel=0.2)
    assert rows["index, and replay under LRU"]["kept"] > rows["replay under LRU"]["kept"]


def test_lines_have_megabytes_and_bytes_a_turn():
    row = {"name": "a step", "turns": 1_000_000, "peak": 32_000_000, "kept": 16_000_000, "seconds": 1.25}
    assert footprint.lines([row])[1].split() == ["a", "step", "32", "32.0", "16", "16.0", "1.2"]


def test_a_system_that_does_not_count_is_told(monkeypatch):
    monkeypatch.setattr(memory, "_RESET", memory.Path("missing"))
    assert footprint.footprint(TURNS) is None
    with pytest.raises(SystemExit, match="does not count"):
        footprint.main(["--turns", "1000"])

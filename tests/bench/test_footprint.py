import numpy as np
import pytest

from teltheory.bench import footprint

pytestmark = pytest.mark.skipif(not footprint._RESET.exists(), reason="this system does not reset a peak")
MB = 1 << 20


@pytest.mark.long
def test_a_step_is_charged_for_what_it_returns_and_for_its_own_peak():
    def step():
        passing = np.ones(64 * MB, np.uint8)
        kept = np.ones(48 * MB, np.uint8)
        del passing
        return kept

    np.ones(256 * MB, np.uint8)
    row, value = footprint.added("a step", MB, step)
    assert len(value) == 48 * MB
    assert [row["kept"] / MB, row["peak"] / MB] == pytest.approx([48, 64 + 48], abs=2)


def test_lines_have_megabytes_and_bytes_a_turn():
    row = {"name": "a step", "turns": 1_000_000, "peak": 32_000_000, "kept": 16_000_000, "seconds": 1.25}
    assert footprint.lines([row])[1].split() == ["a", "step", "32", "32.0", "16", "16.0", "1.2"]


def test_a_system_that_does_not_count_is_told(monkeypatch):
    monkeypatch.setattr(footprint, "_RESET", footprint.Path("missing"))
    assert footprint.footprint(1000) is None
    with pytest.raises(SystemExit, match="does not count"):
        footprint.main(["--turns", "1000"])

import pytest

import teltheory as tt
from teltheory.calibration.profiles import measured_profile

HEADING = "prompt_tokens,cached_tokens,ttft_ms\n"


def test_medians_of_measured_pairs_become_a_profile(tmp_path):
    file = tmp_path / "grid.csv"
    file.write_text(HEADING + "8,0,20\n8,0,22\n8,0,90\n16,0,40\n40,32,24\n48,32,60\n")
    profile = measured_profile(tt.read_ttft_runs(file))
    assert (profile.cached, profile.uncached) == ((0, 32), (8, 16))
    assert profile.seconds == ((0.022, 0.04), (0.024, 0.06))
    assert profile.prefill(16, 12) == pytest.approx((0.022 + 0.04 + 0.024 + 0.06) / 4)


def test_a_pair_that_was_not_measured_is_named(tmp_path):
    file = tmp_path / "grid.csv"
    file.write_text(HEADING + "8,0,20\n16,0,40\n40,32,24\n")
    with pytest.raises(tt.ArgumentError, match="no request of 32 cached and 16 uncached tokens"):
        measured_profile(tt.read_ttft_runs(file))

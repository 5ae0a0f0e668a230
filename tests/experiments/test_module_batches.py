"""The table of batches: its bytes by hand, on a small model."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.model


def test_a_batch_is_measured_by_what_it_holds(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "systems" / "modules" / "runtime"))
    from small_models import small_model

    from experiments.module_batches import FRESH, REPEATS, cells, measured, planned

    model = small_model("bloom")
    rows = list(measured(model, planned(model, 20, 5)[:4], 20, 5))
    assert [row.way for row in rows] == ["together", "one by one"] * REPEATS
    assert {row.bytes_together for row in rows} == {(20 + 4 * (5 + FRESH)) * model.token_bytes}
    assert {row.bytes_apart for row in rows} == {4 * (20 + 5 + FRESH) * model.token_bytes}
    assert all(row.prefill_s > 0 and row.decode_cpu_s > 0 for row in rows)
    (line,) = cells(rows)
    assert line[:2] == ["20 + 5", "4"]
    assert len(line) == 8

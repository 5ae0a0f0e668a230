"""Verdicts of ratios, rates, and the fit of the engine."""

from types import SimpleNamespace

import numpy as np
import pytest

from experiments import fit_parrot_engine, parrot_ratios
from experiments.parrot_ratios import Row
from teltheory.systems.apps.simulation.timing import SCALE_13B


@pytest.mark.parametrize(
    ("seed", "released", "most", "modelled", "verdict"),
    [
        (2.0, 9.9, False, 2.4, "reproduced"),
        (2.0, 9.9, False, 2.41, "not reproduced"),
        (2.0, 1.0, True, 1.2, "reproduced"),
        (2.0, 1.0, True, 2.0, "not reproduced"),
        (2.0, None, True, 1.6, "reproduced"),
        (None, 1.0, False, 0.79, "not reproduced"),
        (None, None, False, 1.0, "-"),
    ],
)
def test_one_band_decides(seed, released, most, modelled, verdict):
    """The seed's number, unless it is a maximum; then, and where there is none, the released one."""
    row = Row("w", "s", seed, released, modelled, None, "", most)
    assert row.verdict == verdict
    assert len(row.cells) == 9


def test_the_released_ratio_of_agents_does_not_stand_for_the_one_that_the_paper_prints(monkeypatch):
    """At 16 files, the most, the paper prints 11.7; results that were released have 8.90."""
    seconds = (1.0, 8.90, 2.43, 2.35, 1.16)
    runs = [SimpleNamespace(system="s", mean_latency=lambda took=took: took) for took in seconds]
    monkeypatch.setattr(parrot_ratios, "on", lambda *given: runs)
    assert [row.verdict for row in parrot_ratios.agents()] == ["not reproduced", *["reproduced"] * 3]


def test_the_highest_rate_is_found_between_two(monkeypatch):
    monkeypatch.setattr(parrot_ratios, "per_token", lambda run: run.rate / 100)
    rate, run = parrot_ratios.highest(lambda at: SimpleNamespace(rate=at))
    assert 8 / 1.05 <= rate <= 8
    assert run.rate == rate


def test_the_work_of_13b_is_what_released_seconds_say():
    assert fit_parrot_engine.scale() == pytest.approx(SCALE_13B, rel=0.03)


def test_the_fit_finds_numbers_that_made_the_seconds(monkeypatch):
    slopes, rest = np.array([[3.0, 1.0, 0.0], [2.0, 5.0, 1.0], [1.0, 1.0, 4.0]]), np.array([5.0, 4.0, 3.0])
    seconds = rest + slopes @ [0.5, 0.25, 2.0]
    monkeypatch.setattr(fit_parrot_engine, "RELEASED", dict(enumerate(seconds)))
    assert fit_parrot_engine.fitted(slopes, rest) == pytest.approx([0.5, 0.25, 2.0])


def test_a_few_rows_are_what_the_page_has():
    """Those that take no time: the chains, to the digits of docs/apps-measured.md."""
    rows = [*parrot_ratios.batches(), *list(parrot_ratios.maps())[:1]]
    assert [row.cells[4] for row in rows] == ["9.55", "1.59"]
    assert [row.verdict for row in rows] == ["reproduced", "reproduced"]

from dataclasses import replace

import pytest

from experiments import regret_of_beliefs as experiment
from teltheory.paper.rows import Regret
from teltheory.paper.tidy import read_rows, write_rows


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(experiment, "TURNS", 70)
    monkeypatch.setattr(experiment, "CAPACITY", 3_000)


def test_the_grid_changes_one_factor_at_a_time():
    plain = experiment.Setting()
    for setting in experiment.settings():
        changed = replace(setting, factor="", value=0.0, seed=0)
        same = [getattr(changed, name) == getattr(plain, name) for name in ("lifetime", "variation", "spread")]
        assert same.count(False) <= 1


def test_every_policy_has_a_regret_and_none_is_below_the_optimum(short):
    found = experiment.regrets(experiment.Setting(seed=3))
    assert list(found)[:2] == ["LRU", "T-LRU"]
    assert len(found) == 2 + len(experiment.BELIEFS)
    assert min(found.values()) >= 0
    assert len(set(found.values())) > 1


def test_without_spread_or_variation_the_first_three_are_one(short):
    """Homogeneous rates and a known length: T-LRU, and ET-LRU with any belief (Theorem D.2's corollary)."""
    found = experiment.regrets(experiment.Setting(variation=0.0, spread=0.0, seed=2))
    assert len({regret for policy, regret in found.items() if policy != "LRU"}) == 1


def test_the_table_has_means_with_intervals(tmp_path):
    table = tmp_path / "table.csv"
    grid = [experiment.Setting("spread", value, seed=seed) for value in (0.0, 1.0) for seed in (0, 1, 2)]
    regrets = [
        {"LRU": 0, "T-LRU": 5} if of.seed == 2 else {"LRU": 100 + of.seed, "T-LRU": 80 + of.seed} for of in grid
    ]
    write_rows(experiment.rows(grid, regrets), table, Regret)
    found = {(row.value, row.policy): row for row in read_rows(table, Regret)}
    tlru = found[1.0, "T-LRU"]
    assert (tlru.samples, tlru.mean) == (2, pytest.approx((80 + 100 * 81 / 101) / 2))
    assert tlru.high - tlru.mean == pytest.approx(12.706204736 * (100 * 81 / 101 - 80) / 2)
    assert "| spread | 1 | 80 ± 1 |" in list(experiment.lines(read_rows(table, Regret)))

import csv
from dataclasses import replace

import pytest

from experiments import regret_of_beliefs as experiment
from paper_figs import regret_of_beliefs as figure
from paper_figs.command import run


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(experiment, "TURNS", 120)
    monkeypatch.setattr(experiment, "CAPACITY", 3_000)


def test_the_grid_changes_one_factor_at_a_time():
    plain = experiment.Setting()
    for setting in experiment.settings():
        changed = replace(setting, factor="", value=0.0, seed=0)
        same = [getattr(changed, name) == getattr(plain, name) for name in ("lifetime", "variation", "spread")]
        assert same.count(False) <= 1


def test_as_many_are_alive_whatever_the_death_rate():
    models = [setting.model for setting in experiment.settings()]
    assert {round(model.birth_rate / model.death_rate, 9) for model in models} == {experiment.ALIVE}


def test_every_policy_has_a_regret_and_none_is_below_the_optimum(short):
    rows = experiment.rows(experiment.Setting(seed=3))
    assert [row["policy"] for row in rows][:2] == ["LRU", "T-LRU"]
    assert len(rows) == 2 + len(experiment.BELIEFS)
    assert all(row["regret"] == row["tel"] - row["optimum"] >= 0 for row in rows)
    assert len({row["tel"] for row in rows}) > 1


def test_without_spread_or_variation_the_first_three_are_one(short):
    """Homogeneous rates and a known length: T-LRU, and ET-LRU with any belief (Theorem D.2's corollary)."""
    rows = experiment.rows(experiment.Setting(variation=0.0, spread=0.0, seed=2))
    assert len({row["tel"] for row in rows[1:]}) == 1


def test_the_figure_is_drawn_from_the_table(tmp_path):
    table, target = tmp_path / "table.csv", tmp_path / "figure.svg"
    lines = [
        {"factor": "spread", "value": value, "seed": seed, "policy": policy, "regret": regret + seed}
        for value in (0.0, 1.0)
        for seed in (0, 1)
        for policy, regret in (("LRU", 100), ("T-LRU", 80), ("ET-LRU (bayes)", 50))
    ]
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    shares = figure.shares_of_lru(table)
    assert shares["spread"]["T-LRU"][1.0] == [80.0, 100 * 81 / 101]
    run("regret_of_beliefs", figure.draw, [str(table), str(target)])
    assert target.read_text().count("<svg") == 1
    figure.tabulate(table, str(tmp_path / "table.md"))
    assert "| spread | 1 | 80 ± 1 | 50 ± 3 |" in (tmp_path / "table.md").read_text()

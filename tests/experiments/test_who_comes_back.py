import csv
from dataclasses import fields

import numpy as np
import pytest

import teltheory as tt
from experiments import who_comes_back as experiment
from paper_figs import style
from paper_figs import who_comes_back as figure
from teltheory.paper.rows import Returned
from teltheory.paper.scenarios import people_and_agents


@pytest.fixture
def short(monkeypatch, tmp_path):
    monkeypatch.setattr(experiment, "TURNS", 60)
    trace = tt.sample_conversations(people_and_agents(), 60, np.random.default_rng(4))
    tt.write_trace(trace, tmp_path / "trace.csv")
    return tmp_path


@pytest.mark.long
def test_every_workload_has_every_policy_and_none_is_below_the_optimum(short):
    printed = list(experiment.main(str(short / "trace.csv"), str(short / "table.csv")))
    with (short / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == (9 + 4 * 4) * len(experiment.POLICIES)
    assert [row["policy"] for row in rows[: len(experiment.POLICIES)]] == list(experiment.POLICIES)
    assert all(int(row["regret"]) == int(row["tel"]) - int(row["optimum"]) >= 0 for row in rows)
    assert {row["regret"] for row in rows if row["policy"] == "optimum"} == {"0"}
    assert {row["closed"] for row in rows if row["policy"] == "T-LRU"} <= {"0.0", "nan"}
    assert all(float(row["p50"]) <= float(row["p90"]) <= float(row["p95"]) <= float(row["p99"]) for row in rows)
    assert len(printed) == 2 + 9 + 4 * 4 + 3 + 9 * len(experiment.POLICIES)
    style.run(figure.draw, None, [str(short / "table.csv"), str(short / "figure.svg")])
    assert (short / "figure.svg").read_text().count("<svg") == 1


def test_a_share_is_counted_from_tlru_to_the_optimum(short):
    agents = list(experiment.samples())[2]
    rows = experiment.rows(agents, 5_000, agents.slo_seconds[0])
    (base,) = [row for row in rows if row.policy == "T-LRU"]
    assert base.regret > 0
    assert [row.closed for row in rows] == [(base.tel - row.tel) / base.regret for row in rows]
    assert len({row.closed for row in rows}) > 1


def test_the_figure_shows_each_share_at_its_capacity(tmp_path):
    table = tmp_path / "table.csv"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([field.name for field in fields(Returned)])
        for capacity, slo, share in ((10, 1, 0.25), (10, 2, 0.5), (30, 1, -0.125), (30, 2, 0.75)):
            writer.writerows(
                ["one", capacity, slo, 1, 1, policy, 1, 1, 0, factor * share, 1, 1, 1, 1]
                for policy, factor in (("LRU", -9), ("End-Aware", 1), ("learnt order", 0.8), ("return-aware", 0.5))
            )
    with style.paper():
        panel = figure.draw(table).axes[0]
    colour = style.POLICIES["end-aware"].colour
    assert [line.get_ydata().tolist() for line in panel.lines if line.get_color() == colour] == [
        [25, 50],
        [-12.5, 75],
    ]
    assert [label.get_text() for label in panel.get_xticklabels()] == ["1\n10", "2", "1\n30", "2"]

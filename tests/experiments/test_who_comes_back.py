import csv

import numpy as np
import pytest

import teltheory as tt
from experiments import who_comes_back as experiment


@pytest.fixture
def short(monkeypatch, tmp_path):
    monkeypatch.setattr(experiment, "TURNS", 60)
    trace = tt.sample_conversations(experiment.people_and_agents(), 60, np.random.default_rng(4))
    tt.write_trace(trace, tmp_path / "trace.csv")
    return tmp_path


def test_every_workload_has_every_policy_and_none_is_below_the_optimum(short, capsys):
    experiment.main(str(short / "trace.csv"), str(short / "table.csv"))
    with (short / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == (9 + 4 * 4) * len(experiment.POLICIES)
    assert [row["policy"] for row in rows[: len(experiment.POLICIES)]] == list(experiment.POLICIES)
    assert all(int(row["regret"]) == int(row["tel"]) - int(row["optimum"]) >= 0 for row in rows)
    assert {row["closed"] for row in rows if row["policy"] == "T-LRU"} <= {"0.0", ""}
    assert len(capsys.readouterr().out.splitlines()) == 2 + 9 + 4 * 4


def test_a_share_is_counted_from_tlru_to_the_optimum(short):
    agents = list(experiment.samples())[2]
    rows = experiment.rows(agents, 5_000, agents.slo_seconds[0])
    (base,) = [row for row in rows if row.policy == "T-LRU"]
    assert base.regret > 0
    assert [row.closed for row in rows] == [round((base.tel - row.tel) / base.regret, 4) for row in rows]
    assert len({row.closed for row in rows}) > 1

import csv
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest

import teltheory as tt
from experiments import return_ceilings as ceilings
from experiments import who_comes_back as experiment
from paper_figs import style
from paper_figs import who_comes_back as figure
from paper_figs.command import run
from teltheory.paper.rows import Returned
from teltheory.paper.scenarios import people_and_agents


@pytest.fixture
def short(monkeypatch, tmp_path):
    monkeypatch.setattr(experiment, "TURNS", 60)
    trace = tt.sample_conversations(people_and_agents(), 60, np.random.default_rng(4))
    tt.write_trace(trace, tmp_path / "trace.csv")
    return tmp_path


@pytest.mark.long
def test_every_workload_has_every_policy_and_none_is_below_the_optimum(short, capsys):
    experiment.main(str(short / "trace.csv"), str(short / "table.csv"))
    with (short / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == (9 + 4 * 4) * len(experiment.POLICIES)
    assert [row["policy"] for row in rows[: len(experiment.POLICIES)]] == list(experiment.POLICIES)
    assert all(int(row["regret"]) == int(row["tel"]) - int(row["optimum"]) >= 0 for row in rows)
    assert {row["regret"] for row in rows if row["policy"] == "optimum"} == {"0"}
    assert {row["closed"] for row in rows if row["policy"] == "T-LRU"} <= {"0.0", "nan"}
    assert all(float(row["p50"]) <= float(row["p90"]) <= float(row["p95"]) <= float(row["p99"]) for row in rows)
    assert len(capsys.readouterr().out.splitlines()) == 2 + 9 + 4 * 4 + 3 + 9 * len(experiment.POLICIES)
    run("who_comes_back", figure.draw, [str(short / "table.csv"), str(short / "figure.svg")])
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


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setattr(ceilings, "SEEN_AFTER", 60.0)
    return ceilings.Hindsight(tt.sample_conversations(people_and_agents(), 300, np.random.default_rng(6)))


def test_the_more_is_known_the_more_is_closed(known):
    indices = ceilings.orders(known, ceilings.regression(known))
    some = {name: indices[name] for name in ("cells", "end", "time")}
    rows = list(ceilings.rows(known.trace, 20_000, Fraction(1, 20), some))
    assert [row.knows for row in rows] == list(some)
    cells, end, time = (row.closed for row in rows)
    assert cells < end < time <= 1


def test_the_noise_gives_the_auc_that_is_asked_for(known):
    assert ceilings.auc(ceilings.through_noise(known, 0.8), known.returns) == pytest.approx(0.8, abs=0.06)
    assert ceilings.auc(known.returns, known.returns) == 1
    assert ceilings.auc(np.zeros(4), np.array([0.0, 1, 1, 0])) == 0.5
    assert ceilings.auc(np.array([3.0, 2, 2, 1]), np.array([1.0, 1, 0, 0])) == 7 / 8


def test_a_fold_s_own_conversations_do_not_change_its_chances(known, monkeypatch):
    chance = ceilings.regression(known)
    fold = np.random.default_rng(ceilings.SEED).integers(0, ceilings.FOLDS, known.trace.conversations)
    own = fold[known.trace.code] == 3
    returns = np.where(own, 1 - known.returns, known.returns)
    columns = ceilings.features(known)
    monkeypatch.setattr(ceilings, "features", lambda _: columns)
    monkeypatch.setattr(ceilings.Hindsight, "returns", property(lambda _: returns))
    changed = ceilings.regression(known)
    assert changed[own].tolist() == chance[own].tolist()
    assert changed[~own].tolist() != chance[~own].tolist()


def test_a_gap_is_that_before_the_turn():
    trace = tt.Trace.from_turns([0, 1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0], [0.0, 1.0, 5.0, 7.0])
    gaps = ceilings._gaps(ceilings.Hindsight(trace))
    assert gaps.tolist() == [[-1, -1], [-1, -1], [-1, 5], [5, 2]]

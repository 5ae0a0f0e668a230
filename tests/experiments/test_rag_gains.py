import pytest

from experiments import rag_gains as experiment
from teltheory.paper.rows import ServedDocuments
from teltheory.paper.tidy import read_rows


@pytest.fixture
def short(monkeypatch):
    small = {"DOCUMENTS": 40, "QUESTIONS": 80, "REQUESTS": 60, "GPU": 8000, "HOSTS": (1, 4), "LOADS": (0.2, 0.8)}
    for name, value in {**small, "SKEWS": (1.0,), "INDEX": experiment.IVF(4, 4, 2)}.items():
        monkeypatch.setattr(experiment, name, value)


def test_gains_are_ratios_of_the_table(short, tmp_path):
    printed = list(experiment.write(str(tmp_path / "table.csv")))
    rows = read_rows(tmp_path / "table.csv", ServedDocuments)
    at = {(row.host, row.load, row.system): row for row in rows}
    assert len(at) == 2 * 2 * 3
    for system in ("none", "gpu-lru"):
        assert at[1, 0.2, system].mean == at[4, 0.2, system].mean
    assert all(row.hit == 0 for row in rows if row.system == "none")
    assert at[4, 0.2, "ragcache"].hit > at[1, 0.2, "gpu-lru"].hit
    ours, none = at[4, 0.8, "ragcache"], at[4, 0.8, "none"]
    over_none = next(line for line in printed if line.startswith("| 1.0 | 4 |"))
    assert over_none.split("|")[5:8] == [
        f" {none.mean / ours.mean:.2f} ",
        f" {none.p95 / ours.p95:.2f} ",
        f" {ours.highest / none.highest:.2f} ",
    ]


def test_the_highest_rate_keeps_the_limit(short):
    (none, *_, ragcache) = experiment.rows_of(1.0)
    work = experiment.requests(1.0, experiment.np.random.default_rng(experiment.SEED))
    run = experiment.Run(work, experiment.ragcache(work, 4))
    alone = experiment.Run(work, experiment.ablation(run.server)["none"]).at(experiment.IDLE).ttft.mean()
    assert (
        run.at(ragcache.highest).ttft.mean()
        <= experiment.WITHIN * alone
        < run.at(1.05 * ragcache.highest).ttft.mean()
    )
    assert none.highest < ragcache.highest

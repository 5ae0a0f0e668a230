import numpy as np
import pytest

from experiments import rag_policies as experiment
from teltheory.paper.tidy import read_rows

SMALL = {"DOCUMENTS": 30, "QUESTIONS": 60, "REQUESTS": 60, "PHASE": 20, "GPU": 6, "LONGEST": 2}


@pytest.fixture
def short(monkeypatch):
    for name, value in SMALL.items():
        monkeypatch.setattr(experiment, name, value)
    chosen = {"zipf": 0.9, "lengths": "lognormal", "k": 3, "popularity": "stationary"}
    made = [setting for setting in experiment.GRID if chosen.items() <= setting._asdict().items()]
    monkeypatch.setattr(experiment, "GRID", made)


@pytest.mark.long
def test_every_setting_has_every_policy_and_none_passes_the_bound(short, tmp_path):
    printed = list(experiment.write(str(tmp_path / "table.csv")))
    rows = read_rows(tmp_path / "table.csv", experiment.Row)
    settings = experiment.tidy.grouped(rows, experiment.Setting._fields)
    assert [experiment.Setting(*place) for place in settings] == experiment.GRID
    for of in settings.values():
        assert of[-1].policy == experiment.BOUND
        assert all(row.tel >= of[-1].tel and row.tokens <= of[-1].tokens for row in of)
        assert len({row.tel for row in of}) > 3
    assert sum(line.startswith("| stationary | 8000 | lognormal") for line in printed) == 2


def test_popularity_shifts_from_phase_to_phase(short):
    stationary, shifting = (
        experiment.asked(experiment.Setting(3.0, 1000, "equal", 1, 0, popularity), about, np.random.default_rng(3))
        for popularity in experiment.POPULARITIES
        for about in (np.arange(60) % 30,)
    )
    first, last = (np.bincount(shifting[part] % 30, minlength=30).argmax() for part in (slice(20), slice(40, 60)))
    assert first != last
    halves = [np.bincount(part % 30, minlength=30).argmax() for part in (stationary[:30], stationary[30:])]
    assert halves[0] == halves[1]


def test_what_a_policy_has_more_than_another():
    row = experiment.Row(0.6, 1000, "equal", 1, 0, "stationary", 9, "lru", 0.5, 0.5, 8.0, 4.0, 0, 0)
    other = experiment.Row(0.6, 1000, "equal", 1, 0, "stationary", 9, "lfu", 0.5, 0.5, 6.0, 5.0, 0, 0)
    assert experiment.change([row, other], "lfu", "lru", experiment.seconds) == [-0.25]
    assert experiment.change([row, other], "lfu", "lru", experiment.tel) == [0.25]

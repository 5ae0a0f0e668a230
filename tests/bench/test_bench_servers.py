import numpy as np

from teltheory.bench import run, servers


def test_the_workload_is_the_same_each_time_and_half_of_it_changes_its_mind():
    asked = servers.drawn(400)
    assert np.array_equal(asked.found, servers.drawn(400).found)
    changes = (asked.found[:, 0] != asked.found[:, -1]).any(axis=1)
    assert 150 <= changes.sum() <= 250
    assert (asked.found[:, 1:] == asked.found[:, -1:]).all()
    sizes = (asked.found[:, -1] >= 0).sum(axis=1)
    assert (sizes.min(), sizes.max()) == (2, 5)
    assert servers.documents(asked).tolist() == (8 * sizes).tolist()


def test_without_simpy_there_is_no_section(monkeypatch):
    monkeypatch.setattr(servers, "installed", lambda: False)
    assert run.rag_server(None, None) == {}

"""The tables of routers and loads, on a small trace."""

import numpy as np

import teltheory as tt
from experiments.served import LOADS, cells, main, policies
from teltheory.serving.routers import ROUTERS


def small(path):
    rng = np.random.default_rng(0)
    turns = rng.integers(0, 6, 40), rng.integers(1, 60_000, 40), rng.integers(0, 500, 40)
    trace = tt.Trace.from_turns(*turns, np.cumsum(rng.exponential(1, 40)))
    tt.write_trace(trace, path)
    return trace


def test_every_router_and_every_load_has_its_rows(tmp_path):
    trace = small(tmp_path / "trace.csv")
    rows = [line.split(" | ") for line in main(str(tmp_path / "trace.csv")) if line.startswith("| ")]
    routers = [row[0][2:] for row in rows[1 : 1 + len(ROUTERS) + 2]]
    assert sorted(set(routers)) == sorted(ROUTERS)
    assert [row[0][2:] for row in rows[-3 * len(LOADS) - 1 : -1]] == [
        str(load) for load in LOADS for _ in range(3)
    ]
    assert [row[1] for row in rows if row[0] == "| any"] == ["pooled bound"] * 2
    served = tt.serve(trace, tt.LRU(), 300_000, replicas=4, router="least-loaded", ticks="spread")
    row = next(row for row in rows if row[0] == "| least-loaded")
    assert row[2:] == [*cells(served)[:-1], f"{cells(served)[-1]} |"]


def test_t_lru_has_the_threshold_of_the_slo_and_half_of_it(tmp_path):
    trace = small(tmp_path / "trace.csv")
    _, whole, half = (policy for _, policy in policies(trace, 3))
    assert (whole.xi, half.xi) == (27_894, 13_947)
    assert whole.q_hat == round(trace.prompt.mean())

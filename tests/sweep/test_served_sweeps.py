"""Sweeps of policies in tiers, on an idle server and on replicas."""

import json
from fractions import Fraction

import pytest
from dask_cluster import cluster
from stored import sealed
from sweep.serving_cells import SERVINGS, TIERS, TRACE

import teltheory as tt
from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.errors import FileError
from teltheory.optimal import hindsight_optimum
from teltheory.policies.spec import Spec
from teltheory.serving.idle import on_idle_server
from teltheory.serving.serve import Serving
from teltheory.sweep import ServedGrid, Store, sweep


def test_cells_are_replays_and_servers_by_hand():
    grid = ServedGrid([Spec("lru"), Spec("tlru")], [TIERS], SERVINGS, (10, 20), q_hat=8)
    cells = sweep(TRACE, grid, A100_LLAMA2_7B)
    assert [(cell.serving, cell.xi, cell.policy) for cell in cells] == [
        (serving, xi, policy) for serving in SERVINGS for xi in (10, 20) for policy in ("lru", "tlru")
    ]
    for cell in cells:
        policy = tt.LRU() if cell.policy == "lru" else tt.TLRU(cell.xi, 8)
        slo = float(A100_LLAMA2_7B.ttft(cell.xi))
        if cell.serving is None:
            served = on_idle_server(tt.replay(TRACE, policy, TIERS), A100_LLAMA2_7B)
            assert (cell.waiting, cell.utilisation, cell.goodput) == (0, None, None)
            assert cell.tail_seconds == pytest.approx(
                tt.tail_excess_seconds(tt.replay(TRACE, policy, TIERS), A100_LLAMA2_7B, slo)
            )
        else:
            served = tt.serve(TRACE, policy, TIERS, latency=A100_LLAMA2_7B, **vars(cell.serving))
        assert (cell.p50, cell.p90, cell.p95, cell.p99) == tuple(served.quantiles((0.5, 0.9, 0.95, 0.99)))
        assert cell.tel == tt.tail_excess_latency(served.outcome, cell.xi)
        assert (cell.waiting, cell.loading, cell.computing) == tuple(served.tail(slo))
        assert cell.reused == tuple(served.outcome.cached.sum(axis=1))
        assert cell.optimum <= min(cell.tel, cell.lru)


def test_turns_at_one_time_have_no_utilisation_and_are_plain_data(tmp_path):
    trace, store = tt.Trace.from_turns("ab", [30, 20], [1, 1], arrival=[0, 0]), Store(tmp_path / "out.store")
    (cell,) = sweep(
        trace, ServedGrid([Spec("lru")], [TIERS], [Serving(2)], (10,)), A100_LLAMA2_7B, workers=1, store=store
    )
    assert (cell.utilisation, cell.goodput) == (None, None)
    assert json.dumps(cell.as_dict(), allow_nan=False)


def test_tiers_that_keep_copies_are_bounded_by_tiers_that_do_not():
    for capacities in ((0, 9), (9, 20), (40, 60)):
        copies, exclusive = (tt.Tiers(capacities, TIERS.loads, mode) for mode in ("swap-out-once", "exclusive"))
        cells = sweep(
            TRACE, ServedGrid([Spec("lru"), Spec("tlru")], [copies], SERVINGS, (10,), q_hat=8), A100_LLAMA2_7B
        )
        assert all(cell.optimum <= cell.tel for cell in cells)
        assert cells[0].optimum == hindsight_optimum(TRACE, exclusive, 10).lower


def test_a_shared_store_has_no_pooled_bound():
    """B's two turns wait until A's are over, so that either conversation finds the store to itself."""
    turns = [2, 3, 0, 1, 0, 1], [0, 20, 4, 4, 1, 1], [0] * 6
    trace = tt.Trace.from_turns(*turns, arrival=[0, 0, 0, 0, 1, 1])
    tiers, shared = tt.Tiers((0, 5), TIERS.loads), Serving(2, shared=True)
    (cell,) = sweep(trace, ServedGrid([Spec("lru")], [tiers], [shared], (0,)), tt.LatencyModel(Fraction(1)))
    assert cell.reused == (0, 8)
    assert cell.tel < hindsight_optimum(trace, tiers, 0).lower
    assert (cell.optimum, cell.closed) == (None, None)


@pytest.mark.long
def test_a_cluster_serves_what_one_process_serves(tmp_path):
    grid = ServedGrid([Spec("lru"), Spec("tlru")], [TIERS], SERVINGS, (10, 20), q_hat=8)
    with cluster(tmp_path / "cluster") as (address, _, _):
        cells = sweep(TRACE, grid, A100_LLAMA2_7B, scheduler=address)
    assert cells == sweep(TRACE, grid, A100_LLAMA2_7B)


def test_a_store_with_other_fields_is_refused(tmp_path):
    store = tmp_path / "out.store"
    grid = ServedGrid([Spec("lru")], [TIERS], [None], (10,))
    sweep(TRACE, grid, A100_LLAMA2_7B, store=store)
    rewritten(store)
    with pytest.raises(FileError, match="served sweep result 1: found other fields, expected a result"):
        sweep(TRACE, grid, A100_LLAMA2_7B, store=store)


def rewritten(store):
    import sqlite3

    with sqlite3.connect(store) as database:
        database.execute("UPDATE results SET found = '{}'")
        sealed(database)

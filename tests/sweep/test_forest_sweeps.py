"""A sweep of a forest: lengths in tokens, converted as blocks are, beside what a replay by hand says."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from stored import rows
from sweep.noting import as_sent, some_trace

import teltheory as tt
from teltheory.base.store import text_of
from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.policies import SLOTLRU
from teltheory.policies.spec import Spec, default_estimate, in_blocks, parse_policy
from teltheory.sweep import ForestAtHand, Grid, sweep
from teltheory.sweep.jobs import ReplayJob
from teltheory.sweep.sources import trace_key

SIZE = 16
RULED = [{"rules": one} for one in ("holes", "sglang:chunk=33", "vllm")]
TEXTS = ("lru", "tlru", "tlru:xi=40,q_hat=17,mark=last", "tail-optimized-belady:rules=holes", "threshold-lru")
GRID = Grid([parse_policy(text) for text in TEXTS], ("100", "175"), ("31", "47"), q_hat="17", cutoff="33")
QUANTILES = (0.5, 0.9, 0.95, 0.99)


def some_forest(requests=40, seed=3):
    """Paths that share beginnings, with a last block that is not always full."""
    rng = np.random.default_rng(seed)
    number, paths = {}, []
    for length in rng.integers(0, 6, requests).tolist():
        content = tuple(rng.integers(0, 2, length).tolist())
        paths.append([number.setdefault(content[: d + 1], len(number)) for d in range(length)])
    tokens = [SIZE * len(path) + more for path, more in zip(paths, rng.integers(0, SIZE, requests), strict=True)]
    return tt.Forest.from_paths(paths, tokens=tokens, arrival=range(requests), block_size=SIZE)


def by_hand(forest, policy, cache, capacity, xi, latency):
    """A row of a table: the tail in blocks, all else in tokens."""
    outcome = tt.replay(forest, policy, capacity // SIZE, cache=cache)
    uncached = forest.inputs - SIZE * outcome.cached
    ttft = np.quantile([float(latency.ttft(u)) for u in uncached.tolist()], QUANTILES, method="inverted_cdf")
    reused = SIZE * sum(outcome.cached.tolist())
    return {
        **dict(zip(("p50", "p90", "p95", "p99"), ttft.tolist(), strict=True)),
        "hit_rate": float(Fraction(reused, sum(forest.inputs.tolist()))),
        "prefilled": sum(uncached.tolist()),
        "violations": int((uncached > xi).sum()),
        "tel": sum(max(u - xi // SIZE, 0) for u in outcome.uncached.tolist()),
        "reused": reused,
        "written": SIZE * sum(outcome.written.tolist()),
    }


def test_the_cells_are_those_of_replays_by_hand():
    forest = some_forest()
    made = {
        "lru": lambda xi: (tt.LRU(), "strict"),
        "tlru": lambda xi: (tt.TLRU(xi // SIZE, 2), "strict"),
        TEXTS[2]: lambda xi: (tt.TLRU(2, 2, mark="last"), "strict"),
        TEXTS[3]: lambda xi: (tt.TailOptimizedBelady(xi // SIZE), "holes"),
        "threshold-lru": lambda xi: (tt.ThresholdLRU(2), "strict"),
    }
    cells = sweep(forest, GRID, A100_LLAMA2_7B)
    assert len(cells) == 2 * 2 * len(TEXTS)
    assert len({cell.tel for cell in cells}) > 4
    for cell in cells:
        expected = by_hand(forest, *made[cell.policy](cell.xi), cell.capacity, cell.xi, A100_LLAMA2_7B)
        assert {name: getattr(cell, name) for name in expected} == pytest.approx(expected)
        assert cell.lru == by_hand(forest, tt.LRU(), "strict", cell.capacity, cell.xi, A100_LLAMA2_7B)["tel"]
        best = tt.hindsight_optimum(forest, cell.capacity // SIZE, cell.xi // SIZE, method="lp", cache="holes")
        assert cell.optimum == best.objective
        assert cell.regret == cell.tel - cell.optimum >= 0
        assert cell.closed == (
            None if cell.lru == cell.optimum else Fraction(cell.lru - cell.tel, cell.lru - cell.optimum)
        )
    assert len({cell.closed for cell in cells}) > 4


@pytest.mark.parametrize("mode", [*RULED, {"forced": True}, {"forced": True, "running": 2}], ids=str)
def test_the_cache_and_the_mode_are_those_of_the_grid(mode):
    forest, policy = some_forest(), tt.ThresholdLRU(2)
    grid = replace(GRID, policies=[Spec("threshold-lru")], capacities=("175",), thresholds=("31",), **mode)
    (cell,) = sweep(forest, grid, A100_LLAMA2_7B)
    outcome = tt.replay(forest, policy, 10, **mode)
    assert cell.reused == SIZE * outcome.cached.sum()
    assert cell.tel == tt.tail_excess_latency(outcome, 1)
    assert cell.lru == tt.tail_excess_latency(tt.replay(forest, tt.LRU(), 10, **mode), 1)
    asked = {
        "forced": mode.get("forced", mode.get("rules", "holes") != "holes"),
        "running": mode.get("running", 1),
    }
    assert cell.optimum == tt.hindsight_optimum(forest, 10, 1, method="lp", cache="holes", **asked).objective


def test_the_optimum_is_forced_only_if_every_cache_is():
    """One request needs two blocks at once that forced caching leaves no room for."""
    forest = tt.Forest.from_paths([[1], [2], [1]], block_size=SIZE)
    texts = ("lru:rules=sglang:chunk=none", "lru:rules=holes", "belady:rules=holes")
    grid = Grid([parse_policy(text) for text in texts], (1,), (0,), q_hat=0)
    assert [cell.regret for cell in sweep(forest, grid, A100_LLAMA2_7B)] == [1, 1, 0]
    nodes = replace(grid, policies=[parse_policy(texts[0])], rules="sglang")
    assert [cell.regret for cell in sweep(forest, nodes, A100_LLAMA2_7B)] == [0]


def test_a_store_tells_forests_caches_and_modes_apart(tmp_path):
    """One threshold and policy: what is found again is what was asked for."""
    store, forest = tmp_path / "out.store", some_forest()
    grid = replace(GRID, policies=[Spec("tail-optimized-belady")], capacities=("175",), thresholds=("31",))
    modes = [
        {},
        {"rules": "holes"},
        {"rules": "sglang:chunk=none"},
        {"rules": "sglang:chunk=32"},
        {"forced": True},
        {"forced": True, "running": 2},
    ]
    grids = [replace(grid, **mode) for mode in modes]
    traces = [forest, forest.to_blocks(2 * SIZE), some_trace()]
    first = [sweep(forest, one, A100_LLAMA2_7B, store=store) for one in grids]
    first += [sweep(trace, grid, A100_LLAMA2_7B, store=store) for trace in traces[1:]]
    kept = len(rows(store))
    assert kept == 2 * (len(grids) + 2)
    again = [sweep(forest, one, A100_LLAMA2_7B, store=store) for one in grids]
    again += [sweep(trace, grid, A100_LLAMA2_7B, store=store) for trace in traces[1:]]
    assert again == first
    assert len(rows(store)) == kept


def test_keys_of_conversations_are_what_they_were():
    job = ReplayJob("a" * 64, 5, tt.LRU(), 100, False, A100_LLAMA2_7B, (7,))
    assert set(job.determinants(7)) == {"results", "trace", "policy", "capacity", "forced", "xi", "latency"}
    modes = {}, {"rules": tt.Rules.of("holes")}, {"running": 2}
    named = {text_of(replace(job, **mode).determinants(7)) for mode in modes}
    assert len(named) == 3
    trace = tt.Trace.from_turns(["x", "a", "x"], [3, 4, 5], [1, 2, 3], [0, 1, 2])
    shared = trace.with_blocks(tt.Forest.from_paths([[1], [1], [1]]))
    assert trace_key(trace) == trace_key(shared) != trace_key(shared.forest)
    assert trace_key(trace) == "d5e8644a0e8181918ec59ed63ac2799574ef1dc65c35b87c0583d404c9509cbb"


def test_processes_replay_what_this_one_does(monkeypatch):
    monkeypatch.setitem(sweep.__globals__, "on_processes", as_sent)
    forests = [ForestAtHand(some_forest().to_blocks(size), f"{size}") for size in (8, 16, 48)]
    grid = replace(GRID, rules="sglang:chunk=50:mark=none")
    cells = sweep([some_forest(), *forests], grid, A100_LLAMA2_7B, workers=2)
    assert cells == sweep([some_forest(), *forests], grid, A100_LLAMA2_7B)
    assert [cell.trace for cell in cells[:: len(cells) // 4]] == ["trace 1", "8", "16", "48"]
    assert len({cell.prefilled for cell in cells}) > 4


def test_conversations_have_no_other_cache_and_no_running_requests():
    grid = Grid([Spec("lru")], (30,), (5,), q_hat=4)
    for wrong in (replace(grid, rules="holes"), replace(grid, policies=[parse_policy("lru:rules=holes")])):
        with pytest.raises(tt.ArgumentError, match="rules: found 'holes', expected a Forest with it, as trace 1"):
            sweep(some_trace(), wrong, A100_LLAMA2_7B)
    with pytest.raises(tt.ArgumentError, match="running: found 2, expected a Forest with it"):
        sweep(some_trace(), replace(grid, forced=True, running=2), A100_LLAMA2_7B)
    with pytest.raises(tt.ArgumentError, match="rules: found 'warm', expected strict, holes, vllm"):
        replace(grid, rules="warm")


def test_lengths_of_policies_are_rounded_as_blocks_are():
    assert in_blocks(tt.TLRU(47, 33), SIZE) == tt.TLRU(2, 3)
    assert in_blocks(tt.ThresholdLRU(47), SIZE) == tt.ThresholdLRU(2)
    assert in_blocks(tt.Belady(), SIZE) == tt.Belady()
    assert in_blocks(tt.TLRU(47, 33), 1) == tt.TLRU(47, 33)
    slo = SLOTLRU(A100_LLAMA2_7B, Fraction(1), 9)
    assert in_blocks(slo, SIZE) == replace(slo, block_size=SIZE)


def test_the_estimate_of_a_forest_is_what_is_new_of_requests_that_continue_something():
    forest = tt.Forest.from_paths([[1, 2], [1, 2, 3], [9], [1, 4]], block_size=SIZE, tokens=[32, 60, 20, 39])
    assert default_estimate(forest) == -(-((60 - 32) + (39 - 16)) // 2)
    assert default_estimate(forest[:1]) == 0

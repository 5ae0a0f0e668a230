"""Boards in tiers, in queues, over draws, with a setting of an advice, and with policies of libcachesim."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from dask_cluster import cluster
from hypothesis import given, settings
from hypothesis import strategies as st
from stored import rows
from sweep.test_compare import FOREST, MINE, chats
from sweep.test_forest_sweeps import SIZE, some_forest
from waiting import wait_for

import teltheory as tt
from teltheory.model.clusters import cluster_of, clustered
from teltheory.plots.board import caption_of_board, draw_board
from teltheory.sweep.advised import Borrowed
from teltheory.sweep.board_text import notes_of, row_cells

TIERS = tt.Tiers((6, 12), (0, 0.25))
QUEUE = tt.Serving(2, "least-loaded")
LATENCY = tt.LatencyModel(1)


def arriving(trace, seed=3):
    return replace(trace, arrival=np.cumsum(np.random.default_rng(seed).exponential(40, len(trace))))


@dataclass(frozen=True)
class Taught(tt.LeastRecentlyUsed):
    learned: ClassVar[bool] = True


@pytest.mark.parametrize("requests", [FOREST, chats()])
def test_a_row_in_tiers_is_what_a_replay_and_the_optimum_in_tiers_say(requests):
    memory = replace(TIERS, capacities=(60, 120)) if not requests.shared else TIERS
    board = tt.compare(requests, ["lru", "tlru", "belady"], [memory], xi=[2, 3])
    problems = [tt.Problem(requests, memory, xi) for xi in (2, 3)]
    beside = [(problem, problem.replay("lru"), problem.optimum()) for problem in problems]
    assert len(board.rows) == 6
    for row in board.rows:
        xi = row.xi // row.unit
        problem, lru, best = beside[xi - 2]
        outcome = problem.replay(row.policy)
        assert (row.tel, row.lru) == (float(outcome.tel(xi)), float(lru.tel(xi)))
        assert row.prefilled == outcome.in_tokens().prefilled
        assert float(best.lower) == row.lower <= row.upper <= min(float(best.upper), row.tel)
        assert (row.tiers, row.capacity) == (
            tuple(size * row.unit for size in memory.capacities),
            sum(memory.capacities) * row.unit,
        )


def test_a_row_in_a_queue_has_seconds_with_waits_and_no_optimum():
    trace = arriving(chats())
    found = tt.compare(trace, ["lru", "tlru"], [900], xi=[60], serving=QUEUE, latency=LATENCY).rows
    for row in found:
        policy = "lru" if row.policy == "lru" else tt.TLRU(60, tt.default_estimate(trace))
        served = tt.serve(trace, policy, 900, latency=LATENCY, **vars(QUEUE))
        assert row.tel == pytest.approx(np.maximum(served.ttft - 60, 0).sum())
        assert row.tel > tt.tail_excess_latency(tt.replay(trace, policy, 900), 60)
        assert (row.regret, row.share_closed, row.queued) == (None, None, True)
    assert any("waits included; no optimum is known" in note for note in notes_of(found))


BOARDS = {
    "tiers": (FOREST, [TIERS], {}),
    "queue": (arriving(chats()), [900], {"serving": QUEUE, "latency": LATENCY}),
    "tiers in a queue": (
        arriving(chats()),
        [tt.Tiers((300, 900), (0, 0.2))],
        {"serving": QUEUE, "latency": LATENCY},
    ),
    "draws": ([arriving(chats(), seed) for seed in range(3)], [900], {}),
}


@pytest.mark.parametrize("board", BOARDS)
def test_lru_under_another_name_is_tied_with_lru_on_every_board(tmp_path, board):
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    traces, memory, how = BOARDS[board]
    lru, _, mine = tt.compare({"it": traces}, ["lru", "tlru", f"{file}:Mine"], memory, xi=[2], **how).rows
    assert (mine.gain, mine.gain_interval, mine.rank, mine.beaten_by) == (0, (0, 0), lru.rank, lru.beaten_by)
    assert (mine.policy in lru.tied, "lru" in mine.tied) == (True, True)
    assert mine.gains in (None, (0, 0))


def test_t_lru_as_advised_has_the_setting_that_an_advice_chooses():
    trace = tt.wildchat_like().sample(3000, np.random.default_rng(1))
    lru, mean, row = tt.compare(trace, ["lru", "tlru", "tlru:q_hat=advised"], [4000], ["200ms"]).rows
    advice = tt.advise(trace, 4000, "200ms")
    xi, q_hat = advice.as_set(advice.choice.margin)
    assert row.setting == f"ξ = {xi:,}, Q̂ = {q_hat:,}"
    outcome = tt.replay(trace, tt.TLRU(xi, q_hat, "least-recent"), 4000)
    assert row.tel == tt.tail_excess_latency(outcome, row.xi) < lru.tel
    assert (mean.setting, lru.setting) == (None, None)
    short = tt.compare(chats(turns=60), ["tlru:q_hat=advised"], [900], xi=[20]).rows[0]
    assert "at least 40 in each part" in short.blank


@given(st.integers(0, 2**32), st.integers(0, 20), st.integers(1, 60))
@settings(deadline=None, max_examples=30)
def test_lru_of_libcachesim_is_our_lru_in_a_cache_with_holes(seed, capacity, requests):
    pytest.importorskip("libcachesim")
    forest = some_forest(requests, seed)
    ours, theirs = (
        tt.replay(forest, "lru", capacity, cache="holes"),
        Borrowed("LRU").replayed(forest, capacity, "holes"),
    )
    assert (theirs.cached.tolist(), theirs.written.tolist()) == (ours.cached.tolist(), ours.written.tolist())


def test_policies_of_libcachesim_stand_on_a_board_with_holes_and_are_blank_elsewhere():
    pytest.importorskip("libcachesim")
    found = tt.compare(FOREST, ["lru", "LibCacheSim:sieve"], [9], xi=[2], caches=["holes", "strict"]).rows
    assert [row.policy for row in found] == ["lru", "libcachesim:Sieve"] * 2
    assert found[1].tel == Borrowed("Sieve").replayed(FOREST, 9, "holes").tel(2)
    assert "shared blocks with --cache holes" in found[3].blank
    assert "holes" in tt.compare(chats(), ["libcachesim:lru"], [9], xi=[2]).rows[0].blank


def test_gains_over_draws_are_the_least_and_the_greatest_and_a_change_of_sign_is_said():
    draws = [chats(turns=500, seed=seed) for seed in range(20)]
    board = tt.compare({"it": draws}, ["lru", "threshold-lru:cutoff=20"], [900], xi=[30])
    gains = [tt.compare(one, ["threshold-lru:cutoff=20"], [900], xi=[30]).rows[0].gain for one in draws]
    row = board.rows[1]
    assert (row.draws, row.gains, row.gain) == (20, (min(gains), max(gains)), gains[0])
    assert row.changes_sign == (min(gains) < 0 < max(gains))
    assert row.changes_sign, "else this test says nothing of notes"
    assert any("changes its sign between draws at 900, 30" in note for note in notes_of(board.rows))
    assert not any("fewer than 20" in note for note in notes_of(board.rows))
    assert any("3 draws" in note and "fewer than 20" in note for note in notes_of([replace(row, draws=3)]))


def test_what_learns_is_marked_and_tiers_with_holes_are_blank():
    found = tt.compare(FOREST, ["lru", Taught()], [9, TIERS], xi=[2], caches=["strict", "holes"]).rows
    assert [row.learned for row in found] == [False, True] * 4
    assert [row_cells(row, found, "s")[0] for row in found[:2]] == ["lru", "Taught() (learned)"]
    assert [row.blank is None for row in found] == [True] * 4 + [False] * 4


def test_a_figure_has_panels_for_each_threshold_with_tel_prefill_and_the_frontier():
    pytest.importorskip("matplotlib")
    found = tt.compare({"$it": FOREST}, ["lru", "2q", "belady"], [9, 20], xi=[2, 3]).as_dict()["rows"]
    figure = draw_board(found)
    assert len(figure.axes) == 6
    tail, work, front = figure.axes[0], figure.axes[2], figure.axes[4]
    by = [row for row in found if (row["policy"], row["xi"]) == ("2q", 2 * SIZE)]
    tels = [100 * row["tel"] / row["lru"] for row in by]
    prefill = [100 + 100 * row["price"] for row in by]
    for panel, x, y in (
        (tail, [9 * SIZE, 20 * SIZE], tels),
        (work, [9 * SIZE, 20 * SIZE], prefill),
        (front, prefill, tels),
    ):
        assert [one.tolist() for one in panel.lines[1].get_data()] == [pytest.approx(x), pytest.approx(y)]
    assert "2q" in caption_of_board(found)


def test_sessions_of_a_file_are_clusters_and_no_part_of_a_replay(tmp_path):
    told = replace(FOREST, cluster=np.arange(len(FOREST)) % 33)
    found, called = clustered(told)
    assert (called, cluster_of(found[10:20]).tolist()) == ("session", list(range(10, 20)))
    asked, store = (["lru", "2q"], [9]), tmp_path / "s"
    one, other = (tt.compare(forest, *asked, xi=[2], store=store).rows[1] for forest in (FOREST, told))
    assert (one.tel, one.cluster, other.cluster, other.clusters) == (other.tel, "root prefix", "session", 33)
    assert one.gain_interval != other.gain_interval


def compare(*arguments, **settings):
    return subprocess.Popen(
        [sys.executable, "-m", "teltheory", "compare", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **settings}, text=True,
    )  # fmt: skip


@pytest.mark.long
def test_a_killed_comparison_goes_on_where_it_was(tmp_path):
    rule = "    def eviction_key(self, node):\n        sleep(float(environ.get('SLOW', 0)))\n"
    own, trace, store = tmp_path / "mine.py", tmp_path / "t.csv", tmp_path / "s"
    own.write_text(
        "from os import environ\nfrom time import sleep\n"
        + MINE.replace("    pass\n", f"{rule}        return 0\n")
    )
    tt.write_trace(chats(turns=400), trace)
    policies = ("--policy", f"lru,2q,tlru,{own}:Mine")
    asked = (trace, *policies, "--capacity", "900,2000", "--xi", "20", "--store", store)
    victim = compare(*asked, "--workers", 2, SLOW="0.01")
    wait_for(lambda: store.exists() and len(rows(store)) > 1)
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    before = rows(store)
    resumed = compare(*asked, "--json", "-")
    told, _ = resumed.communicate()
    assert resumed.returncode == 0
    assert rows(store)[: len(before)] == before
    assert 1 < len(before) < len(rows(store)) == 10
    fresh, _ = compare(*asked[:-2], "--json", "-").communicate()
    assert told == fresh


@pytest.mark.long
def test_a_cluster_finds_the_same_board(tmp_path):
    asked = ({"a": FOREST, "b": chats()}, ["lru", "tlru:q_hat=advised", "belady"], [9, TIERS])
    with cluster(tmp_path / "cluster") as (address, _, _):
        assert tt.compare(*asked, xi=[2], scheduler=address) == tt.compare(*asked, xi=[2])


def test_columns_that_a_message_brought_are_replayed_wherever_they_lie():
    odd = np.frombuffer(b"\0" + FOREST.parent.tobytes(), np.int64, offset=1)
    assert not odd.flags.aligned
    moved = replace(FOREST, parent=odd)
    assert tt.compare(moved, ["lru", "2q"], [9], xi=[2]) == tt.compare(FOREST, ["lru", "2q"], [9], xi=[2])

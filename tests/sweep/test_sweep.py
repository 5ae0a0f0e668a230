import csv
from dataclasses import replace

import numpy as np
import pytest
from refusals import refused
from sweep.noting import some_trace

import teltheory as tt
from teltheory.base.processes import cores
from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.errors import ArgumentError, FileError, ForcedCachingError
from teltheory.policies.spec import POLICIES, Spec, default_estimate
from teltheory.sweep import WORTH_A_PROCESS, Cell, Grid, Sample, TraceAtHand, TraceFile, processes_for, sweep
from teltheory.sweep.jobs import ReplayJob
from teltheory.workloads import ConversationModel, sample_conversations

GRID = Grid([Spec(name) for name in POLICIES], (30, 9), (9, 5), q_hat=4, cutoff=7)


def by_hand(trace, grid, latency):
    """The cells as nested loops would have them."""
    cells = []
    for capacity in grid.capacities:
        for xi in grid.thresholds:
            base = [tt.replay(trace, policy, capacity) for policy in (tt.LRU(), tt.TailOptimizedBelady(xi))]
            lru, optimum = (tt.tail_excess_latency(outcome, xi) for outcome in base)
            for spec in grid.policies:
                outcome = tt.replay(trace, spec.build(xi, grid.q_hat, grid.cutoff), capacity)
                quantiles = tt.ttft_quantiles(outcome, (0.5, 0.9, 0.95, 0.99), latency).tolist()
                tel, slow = tt.tail_excess_latency(outcome, xi), tt.slo_violations(outcome, xi)
                work = (float(outcome.hit_rate), outcome.prefilled)
                work += (slow, tel, sum(outcome.cached.tolist()), sum((trace.past - outcome.cached).tolist()))
                place = {"capacity": capacity, "xi": xi, "policy": spec.text}
                (p50,) = tt.ttft_quantiles(base[0], (0.5,), latency).tolist()
                place |= {"lru_p50": p50, "lru_prefilled": base[0].prefilled}
                cells.append(Cell(*quantiles, *work, **place, lru=lru, optimum=optimum))
    return cells


@pytest.mark.parametrize(("workers", "with_store"), [(1, False), (1, True), (2, True)])
def test_the_cells_do_not_depend_on_workers_or_store(tmp_path, workers, with_store):
    store = tmp_path / "out.store" if with_store else None
    if with_store:
        sweep(some_trace(), replace(GRID, capacities=(9,), thresholds=(5,)), A100_LLAMA2_7B, store=store)
    cells = sweep(some_trace(), GRID, A100_LLAMA2_7B, workers=workers, store=store)
    assert cells == by_hand(some_trace(), GRID, A100_LLAMA2_7B)


def test_several_traces_are_told_apart_and_come_in_order(tmp_path):
    file = tmp_path / "two.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([("conversation", "prompt", "response"), ("A", 5, 1), ("B", 4, 0), ("A", 20, 2)])
    sample = Sample(ConversationModel(mean_prompt=9, mean_response=3), 80, 3)
    traces = [some_trace(), TraceFile(str(file)), sample, TraceAtHand(some_trace(seed=2), "mine")]
    cells = sweep(traces, GRID, A100_LLAMA2_7B)
    labels = ["trace 1", str(file), "seed 3, 80 turns", "mine"]
    sampled = sample_conversations(sample.model, 80, np.random.default_rng(3))
    alone = [some_trace(), tt.read_trace(file), sampled, some_trace(seed=2)]
    assert cells == [
        replace(cell, trace=label)
        for label, trace in zip(labels, alone, strict=True)
        for cell in by_hand(trace, GRID, A100_LLAMA2_7B)
    ]
    assert list(cells[0].as_dict())[:2] == ["trace", "capacity"]
    assert "trace" not in sweep(some_trace(), GRID, A100_LLAMA2_7B)[0].as_dict()


def test_a_grid_without_an_estimate_takes_each_traces_own():
    traces = [some_trace(seed=1), tt.Trace.from_turns([0, 0, 1, 0], [9, 2, 8, 3], [4, 5, 6, 7])]
    estimates = [default_estimate(trace) for trace in traces]
    assert estimates == [5, 3]
    cells = sweep(traces, replace(GRID, q_hat=None), A100_LLAMA2_7B)
    for i, estimate in enumerate(estimates):
        alone = by_hand(traces[i], replace(GRID, q_hat=estimate), A100_LLAMA2_7B)
        assert [replace(cell, trace=None) for cell in cells if cell.trace == f"trace {i + 1}"] == alone


def test_one_trace_under_two_labels_is_replayed_once(monkeypatch):
    ran, run = [], ReplayJob.run
    monkeypatch.setattr(ReplayJob, "run", lambda job, *rest: ran.append(job) or run(job, *rest))
    grid = replace(GRID, capacities=(9, 9), thresholds=(5, 5))
    cells = sweep([TraceAtHand(some_trace(), "a"), TraceAtHand(some_trace(), "b")], grid, A100_LLAMA2_7B)
    assert len(cells) == 2 * 2 * 2 * len(POLICIES)
    assert len(ran) == len(set(ran)) == len(POLICIES)


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.long)])
def test_progress_rises_to_the_whole(workers):
    told = []
    sweep(some_trace(), GRID, A100_LLAMA2_7B, lambda *done: told.append(done), workers=workers)
    done = [turns for turns, _ in told]
    assert done == sorted(done)
    assert (done[0], told[-1]) == (0, (told[0][1], told[0][1]))


def test_wrong_arguments_are_told_before_the_first_replay(monkeypatch, tmp_path):
    monkeypatch.setattr(ReplayJob, "run", None)
    trace = some_trace()
    for traces, told in [([], "at least one"), ("x.csv", "TraceFile"), ([trace, 3], "int"), (None, "NoneType")]:
        refused(ArgumentError, told, sweep, traces, GRID, A100_LLAMA2_7B)
    with pytest.raises(ArgumentError, match="each label once"):
        sweep([TraceAtHand(trace, "a"), TraceAtHand(some_trace(seed=2), "a")], GRID, A100_LLAMA2_7B)
    for workers in (0, -1, 1.5, True):
        refused(ArgumentError, "workers", sweep, trace, GRID, A100_LLAMA2_7B, workers=workers)
    with pytest.raises(ArgumentError, match="workers: found 2, expected none with a scheduler"):
        sweep(trace, GRID, A100_LLAMA2_7B, workers=2, scheduler="tcp://127.0.0.1:1")
    refused(FileError, "no such file", lambda: sweep(TraceFile("nowhere.csv"), GRID, A100_LLAMA2_7B))


def test_the_first_infeasible_cell_is_named_before_anything_runs(tmp_path):
    store = tmp_path / "out.store"
    grid = replace(GRID, capacities=(30, 9, 1), forced=True)
    wide = Sample(ConversationModel(mean_prompt=9, mean_response=3), 80, 3)
    told = []
    for workers in (1, 2):
        with pytest.raises(ForcedCachingError) as error:
            sweep([wide, some_trace()], grid, A100_LLAMA2_7B, workers=workers)
        told.append(str(error.value))
        with pytest.raises(ForcedCachingError):
            sweep(some_trace(), replace(grid, capacities=(10**6, 9)), A100_LLAMA2_7B, workers=workers, store=store)
        assert not store.exists()
    assert told[0] == told[1]
    assert "at most the capacity 30" in told[0]


def test_a_file_that_changes_meanwhile_is_an_error(tmp_path):
    file = tmp_path / "changing.csv"
    file.write_text("conversation,prompt,response\nA,5,1\n")

    def change(done, every):
        file.write_text("conversation,prompt,response\nA,5,2\n")

    with pytest.raises(FileError, match=r"changing\.csv: found another trace than at the start"):
        sweep(TraceFile(str(file)), GRID, A100_LLAMA2_7B, change)


def test_only_large_sweeps_start_processes_unasked():
    def jobs(number, turns):
        return [
            ReplayJob("a", turns, tt.LRU(), capacity, False, A100_LLAMA2_7B, (1,)) for capacity in range(number)
        ]

    assert processes_for(jobs(100, 12_000), None) == 1
    assert processes_for(jobs(20, WORTH_A_PROCESS // 20), None) == cores()
    assert processes_for(jobs(1000, 499), None) == cores()
    assert processes_for([], None) == 1
    assert processes_for(jobs(1, 1), 3) == 3

"""A sweep knows a trace by everything that a policy may read of it."""

from dataclasses import replace

import numpy as np
import pytest
from sweep.noting import COLUMNS, EVERY, READING, TRACE, as_sent, other

from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.sweep import sweep
from teltheory.sweep.sources import trace_key


def test_a_policy_that_reads_a_column_finds_its_own_results_in_a_store(tmp_path):
    as_it_is = sweep(TRACE, READING, A100_LLAMA2_7B, store=tmp_path / "out.store")
    for column in COLUMNS:
        changed = sweep(other(column), READING, A100_LLAMA2_7B, store=tmp_path / "out.store")
        assert changed == sweep(other(column), READING, A100_LLAMA2_7B)
        worse = [cell.policy for cell, read in zip(as_it_is, changed, strict=True) if cell.tel < read.tel]
        assert column in worse


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_changes_the_key_of_a_trace(column):
    assert trace_key(other(column).trace) != trace_key(TRACE) == trace_key(replace(TRACE, report="made somehow"))


def test_processes_read_what_this_one_reads(monkeypatch):
    monkeypatch.setitem(sweep.__globals__, "on_processes", as_sent)
    assert sweep(EVERY, READING, A100_LLAMA2_7B, workers=2) == sweep(EVERY, READING, A100_LLAMA2_7B)


def test_values_that_move_to_another_column_change_the_key():
    moved = replace(TRACE, prompt=TRACE.response, response=TRACE.prompt)
    assert trace_key(moved) != trace_key(TRACE)
    untimed, zero = replace(TRACE, arrival=None), replace(TRACE, arrival=np.zeros(4))
    assert len({trace_key(trace) for trace in (TRACE, untimed, zero)}) == 3


def test_the_bytes_of_a_column_are_the_same_everywhere():
    swapped = replace(TRACE, prompt=TRACE.prompt.astype(">i8"), arrival=TRACE.arrival.astype(">f8"))
    assert trace_key(swapped) == trace_key(TRACE)

"""The estimates of the next prompt side by side."""

import csv
import math
from fractions import Fraction
from functools import cache

import pytest

import teltheory as tt
from experiments.paper import estimates
from experiments.paper.printed import CAPACITIES, TABLE_6
from teltheory.latency import A100_LLAMA2_7B
from teltheory.sweep import Sample
from teltheory.workloads import sharegpt_like

SEEDS, TURNS, XI_MS = 1, 600, 200


@cache
def sample(seed):
    return Sample(sharegpt_like(), TURNS, seed).load()


def above(policy, capacity, seed):
    """The turns above 200 ms of a sample, counted turn by turn."""
    most = math.floor(Fraction(1, 5) / A100_LLAMA2_7B.seconds_per_token)
    return sum(uncached > most for uncached in tt.replay(sample(seed), policy, capacity).uncached.tolist())


def reductions(q_hat, column):
    """Table 6's column replayed again, means over the samples in per cent."""
    tlru = tt.TLRU(math.floor(Fraction(XI_MS, 1000) / A100_LLAMA2_7B.seconds_per_token), q_hat)
    base = {"lru": tt.LRU(), "threshold-lru": tt.ThresholdLRU(1024)}[column.against]
    for capacity in CAPACITIES:
        each = [100 * (1 - above(tlru, capacity, k) / above(base, capacity, k)) for k in range(SEEDS)]
        yield sum(each) / len(each) - float(TABLE_6.at(capacity, column))


def test_each_estimate_is_replayed(tmp_path, capsys):
    target = tmp_path / "compared.csv"
    estimates.main([str(target), "--q-hat", "100", "150", "--seeds", str(SEEDS), "--turns", str(TURNS)])
    with target.open() as file:
        rows = {(row["measure"], int(row["q_hat"])): float(row["value"]) for row in csv.DictReader(file)}
    for q_hat in (100, 150):
        columns = [column for column in TABLE_6.columns if column.xi_ms == XI_MS]
        errors = [error for column in columns for error in reductions(q_hat, column)]
        rmse = math.sqrt(sum(error**2 for error in errors) / len(errors))
        assert rows["Table 6, xi = 200 ms, RMSE", q_hat] == pytest.approx(rmse)
    assert rows["Table 6, RMSE", 100] != rows["Table 6, RMSE", 150]
    head, _, *lines = capsys.readouterr().out.splitlines()
    assert head == "| ShareGPT-like | estimate 100 | estimate 150 |"
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines] == [name for name, q in rows if q == 100]


def test_the_same_estimate_twice_finds_the_same():
    first, second = (estimates.with_estimate(100, 1, 100) for _ in range(2))
    assert first == second

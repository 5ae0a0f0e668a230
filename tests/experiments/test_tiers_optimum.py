"""The table of optima in tiers says what the library says."""

import csv
from fractions import Fraction

import pytest
from shared_prompts import write_prompts

import teltheory as tt
from experiments.tiers_optimum import PRIVATE, SHARED, main


@pytest.fixture
def prompts(tmp_path):
    file = tmp_path / "shared.jsonl"
    write_prompts(file, 40, seed=7)
    return file


def test_the_table_is_what_the_library_finds(prompts, tmp_path):
    table = tmp_path / "table.csv"
    printed = list(main(str(prompts), "2k+5k,3k+8k", "0,1024", "0.3", str(table)))
    with table.open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [row["reading"] for row in rows] == [SHARED] * 4 + [PRIVATE] * 4
    trace = tt.read_trace(prompts)
    for row in rows:
        requests = trace.forest if row["reading"] == SHARED else trace
        unit, xi = requests.block_size, int(row["xi"]) // requests.block_size
        tiers = tt.Tiers((int(row["first"]) // unit, int(row["second"]) // unit), (0, Fraction(3, 10)))
        best = tt.hindsight_optimum(requests, tiers, xi)
        assert (float(row["lower"]), float(row["upper"])) == (float(best.lower), float(best.upper))
        if requests is trace:
            assert (row["lru"], row["belady"]) == ("", "")
            continue
        for name, policy in (("lru", tt.LRU()), ("belady", tt.TailOptimizedBelady(xi))):
            tel = tt.tail_excess_latency(tt.replay(requests, policy, tiers), xi)
            assert float(row[name]) == float(tel)
            assert tel >= best.lower
    assert sum(line.startswith("| 2,000 + 5,000 | ") for line in printed) == 4
    assert sum("4 optima and the checks of their certificates took" in line for line in printed) == 2


def test_tiers_that_are_no_pairs_are_refused(prompts, tmp_path):
    with pytest.raises(tt.ArgumentError, match="tiers: found '2k,5k', expected pairs of capacities"):
        list(main(str(prompts), "2k,5k", "0", "0.3", str(tmp_path / "table.csv")))

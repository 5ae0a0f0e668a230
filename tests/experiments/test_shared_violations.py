"""The table of violations on shared prefixes has the numbers of replays and searches."""

import csv
import json

import numpy as np
import pytest

import teltheory as tt
from experiments import forest_violations
from experiments.forest_violations import main

SIZE = 512


def conversations(file):
    """Write six conversations that grow behind one system prompt."""
    rng = np.random.default_rng(4)
    pasts, rows = [[0] for _ in range(6)], []
    for k in range(80):
        past = pasts[rng.integers(6)]
        past += range(10 * k + 1, 10 * k + 1 + int(rng.integers(1, 4)))
        length = SIZE * len(past)
        rows.append({"timestamp": 1000 * k, "input_length": length, "output_length": 1, "hash_ids": list(past)})
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.long
def test_rows_are_what_replays_and_searches_say(tmp_path, monkeypatch):
    slo = forest_violations.Fraction(1, 4)
    monkeypatch.setattr(forest_violations, "SLO_SECONDS", (slo / 2, slo))
    file, table = tmp_path / "shared.jsonl", tmp_path / "table.csv"
    conversations(file)
    printed = "\n".join(main(str(file), "15k", str(table)))
    forest, capacity = tt.read_trace(file).forest, 15_000 // SIZE
    with table.open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [row["goal"] for row in rows] == ["> 1/8 s", "> 1/4 s", "P95"]
    for row, part in zip(rows, (slo / 2, slo), strict=False):
        xi = tt.A100_LLAMA2_7B.threshold(part) // SIZE
        assert int(row["lru"]) == tt.slo_violations(tt.replay(forest, tt.LRU(), capacity), xi)
        best = tt.fewest_violations(forest, capacity, xi, method="heuristic", cache="holes")
        assert (int(row["holes"]), int(row["proved"])) == (best.upper, best.proved)
    lru = tt.replay(forest, tt.LRU(), capacity).uncached
    assert int(rows[2]["lru"]) == np.quantile(lru, 0.95, method="inverted_cdf")
    for row in rows:
        assert int(row["proved"]) <= int(row["holes"]) <= int(row["strict"]) < int(row["lru"])
        assert f"| {row['goal']} | {row['lru']} |" in printed


def test_a_trace_without_block_hashes_is_refused(tmp_path):
    file = tmp_path / "chains.csv"
    file.write_text("conversation,prompt,response\na,1,1\n")
    with pytest.raises(tt.ArgumentError, match="block hashes"):
        list(main(str(file), "1k", str(tmp_path / "table.csv")))

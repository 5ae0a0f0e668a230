"""Settings are counted by what replays say, and the estimate that covers is one under which none is worse."""

import csv
import functools
from collections import Counter

import numpy as np
import pytest
from shared_prompts import SIZE, write_prompts

import teltheory as tt
from experiments import forest_marks
from experiments.forest_marks import estimates, main


def test_the_table_counts_what_replays_say(tmp_path, monkeypatch):
    monkeypatch.setattr(forest_marks, "ABOVE", (1, 3))
    file, table = tmp_path / "shared.jsonl", tmp_path / "table.csv"
    write_prompts(file, 60, seed=4)
    printed = list(main(str(file), "20k,24k", str(table)))
    forest = tt.read_trace(file).forest
    new = [total - known for total, known in zip(forest.total, forest.known, strict=True) if known]
    assert estimates(forest) == {"longest": max(new), "mean": int(np.ceil(np.mean(new)))}
    rows = list(csv.DictReader(table.read_text().splitlines()))
    replayed = functools.cache(lambda policy, room, cache: tt.replay(forest, policy, room, True, cache=cache))
    found = Counter()
    for row in rows:
        xi, q_hat = int(row["q_hat"]) + int(row["above"]), int(row["q_hat"])
        capacity, cache = int(row["capacity"]), forest_marks.CACHES[row["cache"]]
        policies = tt.LRU(), tt.TLRU(xi, q_hat, mark=row["mark"])
        lru, tlru = (tt.tail_excess_latency(replayed(one, capacity, cache), xi) for one in policies)
        assert (int(row["lru"]), int(row["tlru"])) == (lru, tlru)
        found[row["cache"], row["mark"], row["estimate"]] += tlru < lru
    assert {int(row["capacity"]) for row in rows} == {20_000 // SIZE, 24_000 // SIZE}
    cells = [line.strip("| ").split(" | ") for line in printed if line.startswith("| ")][1:]
    assert len({(cache, *counts) for cache, _, *counts in cells}) == len(cells)
    marks = [(c, mark) for c in cells for mark in c[1].split(", ")]
    shown = {(c[0], mark, name): int(c[k]) for c, mark in marks for name, k in (("longest", 3), ("mean", 5))}
    assert shown == dict(found)
    assert sum(found.values()) > 0
    assert not any(int(c[4]) for c in cells if c[0] == "strict" and "high-water" in c[1])


def test_a_trace_without_block_hashes_is_refused(tmp_path):
    file = tmp_path / "turns.csv"
    file.write_text("conversation,prompt,response\n0,1,1\n")
    with pytest.raises(tt.ArgumentError, match="one with block hashes"):
        list(main(str(file), "20k", str(tmp_path / "table.csv")))

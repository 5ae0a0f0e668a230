"""The parts of a loss add up, and are what replays and optima by hand say."""

import csv
import json

import numpy as np
import pytest

import teltheory as tt
from experiments import forest_losses
from experiments.forest_losses import main

SIZE = 512
XI = 2_789


def conversations(file):
    """Write conversations that grow behind one system prompt, with full blocks."""
    rng = np.random.default_rng(4)
    paths, number = [[0] for _ in range(6)], 1
    rows = []
    for k in range(60):
        path = paths[rng.integers(6)]
        fresh = int(rng.integers(1, 4))
        path += range(number, number + fresh)
        number += fresh
        length = SIZE * len(path)
        rows.append({"timestamp": 1000 * k, "input_length": length, "output_length": 1, "hash_ids": list(path)})
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_losses_are_what_replays_and_optima_say(tmp_path, monkeypatch):
    monkeypatch.setattr(forest_losses, "SLO", forest_losses.Fraction(1, 5))
    file, table = tmp_path / "shared.jsonl", tmp_path / "table.csv"
    conversations(file)
    printed = "\n".join(main(str(file), "20k,30k", str(table)))
    forest = tt.read_trace(file).forest
    with table.open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [int(row["capacity"]) for row in rows] == 4 * [20_000] + 4 * [30_000]
    losses = set()
    for row in rows:
        capacity, xi = int(row["capacity"]) // SIZE, XI // SIZE
        best = tt.hindsight_optimum(forest, capacity, xi, forced=True, cache="holes").objective
        endless = np.maximum(forest.total - forest.known - xi, 0).sum()
        assert (int(row["optimum"]), int(row["endless"])) == (SIZE * best, SIZE * endless)
        nodes = tt.RadixNodes(None if row["nodes"] == "whole prompts" else 8192)
        if row["policy"] == "LRU":
            pair = [tt.replay(forest, tt.LRU(), capacity, True, cache=cache) for cache in ("strict", nodes)]
            assert [int(row["blocks"]), int(row["tel"])] == [
                SIZE * tt.tail_excess_latency(outcome, xi) for outcome in pair
            ]
        assert int(row["optimum"]) <= int(row["strict"]) <= int(row["blocks"])
        losses.add((int(row["blocks"]) - int(row["optimum"]), int(row["tel"]) - int(row["blocks"])))
        assert f"| {row['policy']} | {row['nodes']} |" in printed
    assert len(losses) > 2


def test_a_capacity_that_is_none_is_refused(tmp_path):
    conversations(tmp_path / "shared.jsonl")
    with pytest.raises(tt.ArgumentError, match="capacities"):
        list(main(str(tmp_path / "shared.jsonl"), "30q", str(tmp_path / "table.csv")))

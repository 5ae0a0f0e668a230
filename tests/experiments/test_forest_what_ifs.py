"""The table of what-ifs says what replays by hand say."""

import csv
import json

import numpy as np
import pytest

import teltheory as tt
from experiments import forest_what_ifs
from experiments.forest_what_ifs import main

SIZE = 512
XI = 2_789


@pytest.fixture
def shared_file(tmp_path, monkeypatch):
    """Conversations that grow behind one system prompt, in a file; capacities and a threshold that fit them."""
    rng = np.random.default_rng(4)
    paths, number = [[0] for _ in range(6)], 1
    rows = []
    for k in range(60):
        path = paths[rng.integers(6)]
        for _ in range(int(rng.integers(1, 4))):
            path.append(number)
            number += 1
        length = SIZE * len(path) - int(rng.integers(SIZE))
        rows.append({"timestamp": 1000 * k, "input_length": length, "output_length": 1, "hash_ids": list(path)})
    file = tmp_path / "shared.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(forest_what_ifs, "CAPACITIES", (30_000,))
    monkeypatch.setattr(forest_what_ifs, "SLO", forest_what_ifs.Fraction(1, 5))
    return file


def test_the_rows_are_replays_by_hand(shared_file, tmp_path):
    printed = "\n".join(main(str(shared_file), str(tmp_path / "table.csv")))
    with (tmp_path / "table.csv").open(newline="") as file:
        rows = {row["change"]: row for row in csv.DictReader(file)}
    forest = tt.read_trace(shared_file).forest
    new = [int(i - SIZE * k) for i, k in zip(forest.inputs, forest.known, strict=True) if k]
    q_hat = -(-sum(new) // len(new))
    blocks = -(-q_hat // SIZE)
    usual = tt.TLRU(XI // SIZE, blocks, "least-recent")
    larger = tt.TLRU(XI // 1024, -(-q_hat // 1024), "least-recent")
    cases = {
        "as it is": (forest, usual, {}),
        "whole prompts as nodes": (forest, usual, {"cache": tt.RadixNodes()}),
        "nodes of 2,048 tokens": (forest, usual, {"cache": tt.RadixNodes(4 * 512)}),
        "forced caching": (forest, usual, {"forced": True}),
        "mark last": (forest, tt.TLRU(XI // SIZE, blocks, "least-recent", "last"), {}),
        "blocks of 1,024 tokens": (forest.to_blocks(1024), larger, {}),
    }
    gains = {}
    for name, (requests, policy, mode) in cases.items():
        capacity = 30_000 // requests.block_size
        both = [tt.replay(requests, one, capacity, **mode).in_tokens() for one in (tt.LRU(), policy)]
        tels = [sum(max(u - XI, 0) for u in outcome.uncached.tolist()) for outcome in both]
        gains[name] = tels[0] - tels[1]
        row = rows[name]
        assert (int(row["lru_tel"]), int(row["tel"])) == tuple(tels)
        assert int(row["written"]) == sum(both[1].written.tolist())
        assert float(row["left"]) == pytest.approx(gains[name] / gains["as it is"])
        assert f"| {name} |" in printed
    assert gains["as it is"] > 0
    assert len(set(gains.values())) > 2
    assert float(rows["no system prompt"]["hit_rate"]) < float(rows["as it is"]["hit_rate"])


def test_a_trace_without_hashes_is_refused(tmp_path):
    file = tmp_path / "plain.csv"
    file.write_text("conversation,prompt,response\nA,5,1\n")
    with pytest.raises(tt.ArgumentError, match="expected one with block hashes"):
        list(main(str(file), str(tmp_path / "table.csv")))

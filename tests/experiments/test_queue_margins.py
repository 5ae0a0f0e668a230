"""The table of margins in a queue is what serving says, next to LRU at the same size and load."""

import csv
import json

import numpy as np

import teltheory as tt
from experiments import queue_margins
from experiments.queue_margins import main

SIZE = 512


def prompts(file):
    """Write prompts that begin with a part of an earlier one, in full blocks."""
    rng, paths = np.random.default_rng(4), [[0]]
    for k in range(80):
        old = paths[rng.integers(len(paths))]
        new = range(100 * k + 100, 100 * k + 100 + int(rng.integers(1, 4)))
        paths.append([*old[: rng.integers(1, len(old) + 1)], *new])
    rows = (
        {"timestamp": 1000 * k, "input_length": SIZE * len(path), "output_length": 1, "hash_ids": path}
        for k, path in enumerate(paths)
    )
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_the_table_is_what_serving_says(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(queue_margins, "SIZES", ((2, 10 * SIZE),))
    file, table = tmp_path / "shared.jsonl", tmp_path / "table.csv"
    prompts(file)
    main([str(table), "--trace", str(file), "--slo", "1/10", "--workers", "1"])
    forest, latency, found = tt.read_trace(file).forest, tt.A100_LLAMA2_7B, []
    for load in (0.5, 0.7, 0.9):
        stretch = tt.stretch_for(forest, 10, latency, 2, load)
        for share in (0, 1 / 4, 1 / 2, 1):
            margin = int(share * latency.threshold(queue_margins.Fraction(1, 10)))
            policy = tt.TLRU(margin // SIZE, 0, "least-recent") if margin else tt.LRU()
            served = tt.serve(forest, policy, 10, replicas=2, router="min-ttft", latency=latency, stretch=stretch)
            found.append((load, margin, served.tail_seconds(0.1), served.utilisation))
    with table.open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [(float(row["load"]), int(row["margin"])) for row in rows] == [one[:2] for one in found]
    assert np.allclose(
        [[float(row["tel"]), float(row["utilisation"])] for row in rows], [one[2:] for one in found]
    )
    printed = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()[2:]]
    changes = [line[-1].strip() for line in printed]
    assert [change for change, one in zip(changes, found, strict=True) if not one[1]] == ["", "", ""]
    lru, t_lru = found[4][2], found[7][2]
    assert changes[7] == f"{100 * (t_lru / lru - 1) + 0.0:+.1f}"

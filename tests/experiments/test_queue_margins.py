"""The table of margins in a queue is what serving says, next to LRU at the same size and load."""

import csv

import numpy as np
from shared_prompts import SIZE, write_prompts

import teltheory as tt
from experiments import queue_margins
from experiments.queue_margins import main


def test_the_table_is_what_serving_says(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(queue_margins, "SIZES", ((2, 10 * SIZE),))
    file, table = tmp_path / "shared.jsonl", tmp_path / "table.csv"
    write_prompts(file, 80, seed=4)
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

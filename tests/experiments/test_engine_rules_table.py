"""The table of T-LRU under engines' rules: its rows are replays by hand, and what has nothing to cut is blank."""

import csv

from shared_prompts import SIZE, write_prompts

import teltheory as tt
from experiments import engine_rules


def test_the_rows_are_replays_by_hand(tmp_path, monkeypatch):
    monkeypatch.setattr(engine_rules, "SLO", engine_rules.Fraction(1, 10))
    file, table = tmp_path / "prompts.jsonl", tmp_path / "table.csv"
    write_prompts(file, 120, 3)
    printed = list(engine_rules.main(str(file), "12k", str(table)))
    forest = tt.read_trace(file).forest
    xi = tt.A100_LLAMA2_7B.threshold(engine_rules.SLO) // SIZE
    policies = tt.LRU(), tt.TLRU(xi, -(-tt.default_estimate(forest) // SIZE))
    with table.open(newline="") as rows:
        found = {row["rules"]: row for row in csv.DictReader(rows)}
    assert {*engine_rules.RULES, "sglang:split=yes", "sglang:chunk=none:split=yes"} <= {*found}
    for rules, row in found.items():
        lru, tlru = (tt.replay(forest, policy, 12_000 // SIZE, rules=rules) for policy in policies)
        assert (int(row["lru"]), int(row["tlru"])) == (SIZE * lru.tel(xi), SIZE * tlru.tel(xi))
        assert int(row["prefilled"]) == tlru.in_tokens().prefilled
    assert [line.endswith("|  |  |") for line in printed[2:]] == [
        rules == "vllm" for rules in engine_rules.RULES[1:]
    ]

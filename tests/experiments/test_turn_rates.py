import numpy as np

import teltheory as tt
from experiments import turn_rates
from teltheory.workloads import LogNormal


def test_each_fit_is_a_line_with_its_rates(monkeypatch, tmp_path):
    lengths = LogNormal(200.0), LogNormal(300.0)
    kinds = [tt.Kind(1 / 300, *lengths, share=0.7), tt.Kind(1 / 20, *lengths, share=0.3)]
    model = tt.ConversationMixture(birth_rate=1 / 30, death_rate=1 / 600, kinds=kinds)
    trace = tt.sample_conversations(model, 4_000, np.random.default_rng(1))
    monkeypatch.setattr(turn_rates, "KINDS", (1, 2))
    tt.write_trace(trace, tmp_path / "trace.parquet")
    printed = turn_rates.main(str(tmp_path / "trace.parquet"))
    heading, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in printed)
    assert [row[:2] for row in rows] == [["1", "3"], ["2", "5"]]
    assert all(len(row) == len(heading) for row in rows)
    fit = tt.fit_conversations(trace, 2, lengths="empirical")
    slow, fast = fit.model.kinds
    assert rows[1][2:] == [
        f"{fit.log_likelihood:,.1f}",
        f"{1 / fit.model.death_rate:,.0f}",
        f"{1 / slow.turn_rate:,.0f} ({slow.share:.2f}), {1 / fast.turn_rate:,.0f} ({fast.share:.2f})",
    ]
    assert "(" not in rows[0][4]

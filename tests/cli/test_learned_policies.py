"""Policies that learn, by name."""

import teltheory as tt


def test_the_command_replays_policies_that_learn(tmp_path, run_json):
    trace = tt.Trace.from_turns([0, 1, 0, 1], [40] * 4, [10] * 4, arrival=[0, 5, 20, 70])
    file = tmp_path / "timed.csv"
    tt.write_trace(trace, file)
    model = tmp_path / "model.json"
    model.write_text('{"death_rate": 0.01, "turn_rate": 0.1}')
    names = (f"et-lru:model={model}", "return-aware:lead=0.5", "adaptive")
    asked = [part for name in names for part in ("--policy", name)]
    rows = run_json("replay", file, "--capacity", 60, "--xi", 20, *asked)["rows"]
    q_hat = 40
    policies = (
        tt.ETLRU(20, "learnt", 0.01, 0.1),
        tt.ReturnAwareTLRU(20, q_hat, lead=0.5),
        tt.AdaptiveTLRU(20, q_hat),
    )
    expected = [tt.tail_excess_latency(tt.replay(trace, policy, 60), 20) for policy in policies]
    assert [row["tel"] for row in rows] == expected

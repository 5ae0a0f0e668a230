"""`teltheory adversary`: what it says of policies that can't and that can look ahead, and traces that replay."""

from __future__ import annotations

import teltheory as tt


def test_an_online_policy_pays_and_the_optimum_does_not(run, capsys):
    assert run("adversary", "lru", "--phases", 2) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("lru with 100 tokens pays 200 on 6 turns, the optimum 0 with 100.")
    assert said.endswith("For every online policy there is such a trace on which it pays 100.0 or more.")


def test_a_policy_that_looks_ahead_is_told_from_the_others(run, capsys):
    assert run("adversary", "belady") == 0
    assert "pays 0 on 3 turns, the optimum 0. It looks ahead:" in " ".join(capsys.readouterr().out.split())


def test_the_trace_replays_to_what_was_paid(run_json):
    found = run_json("adversary", "tlru", "--budget", 40, "--conversations", 5, "--augmentation", 3, "--forced")
    trace = tt.Trace.from_turns(*zip(*found["turns"], strict=True))
    outcome = tt.replay(trace, tt.TLRU(1, 1), found["capacity"], forced=found["forced"])
    assert tt.tail_excess_latency(outcome, found["xi"]) == found["paid"]
    assert found["bound"] == "16"
    assert (found["capacity"], found["optimum_capacity"], found["optimum"]) == (160, 80, 0)


def test_pasts_that_do_not_fit_are_refused_in_a_line(run, capsys):
    assert run("adversary", "lru", "--forced", "--phases", 2, "--budget", 3, "--xi", 5) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "forced caching must keep a past of length 9, expected at most the capacity 6" in error

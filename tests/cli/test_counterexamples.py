"""`teltheory policy`: the smallest traces, and what is said of policies that look ahead."""

import pytest

import teltheory as tt


def test_an_online_policy_pays_and_the_optimum_does_not(in_words):
    said = in_words("policy", "adversary", "lru", "--phases", 2)
    assert said.startswith("lru with 100 tokens pays 200 on 6 turns, the optimum 0 with 100.")
    assert said.endswith("For every online policy there is such a trace on which it pays 100.0 or more.")


def test_a_policy_that_looks_ahead_is_told_from_the_others(in_words):
    assert "pays 0 on 3 turns, the optimum 0. It looks ahead:" in in_words("policy", "adversary", "belady")


def test_the_trace_replays_to_what_was_paid(run_json):
    found = run_json(
        "policy", "adversary", "tlru", "--past", 40, "--new-conversations", 5, "--augmentation", 3, "--forced"
    )
    trace = tt.Trace.from_turns(*zip(*found["turns"], strict=True))
    outcome = tt.replay(trace, tt.TLRU(1, 1), found["capacity"], forced=found["forced"])
    assert tt.tail_excess_latency(outcome, found["xi"]) == found["paid"]
    assert found["bound"] == "16"
    assert (found["capacity"], found["optimum_capacity"], found["optimum"]) == (160, 80, 0)


def test_within_the_bounds_nothing_speaks_against_t_lru(in_words):
    said = in_words("policy", "never-worse", "tlru", "--turns", 2, "--tokens", 3, "--samples", 20)
    tried = "on all 996 instances of up to 2 turns and 3 tokens, and on 20 random ones."
    assert f"tlru has a TEL of at most lru's {tried}" in said
    asked = ("policy", "never-worse", "lru", "--than", "tlru", "--turns", 3, "--tokens", 3, "--forced")
    assert "lru is worse than tlru on" in in_words(*asked)


@pytest.mark.long
def test_an_estimate_that_is_given_is_the_only_one(in_words):
    said = in_words("policy", "never-worse", "tlru:q_hat=0", "--samples", 0)
    assert "on A(0+2) B(0+1) B(1+0); C=1 xi=1 Q=0: policy 1, other 0." in said


def test_what_only_a_random_trace_shows_is_said_to_be_no_smallest_one(in_words):
    few = ("--turns", 1, "--tokens", 1)
    said = in_words("policy", "never-worse", "lru", "--than", "tail-optimized-belady", *few, "--samples", 500)
    assert "(a random trace, shrunk: there may be a smaller one)." in said
    said = in_words("policy", "never-worse", "belady", *few, "--samples", 0)
    assert "instances of up to 1 turns and 1 tokens." in said


def test_the_command_line_hands_over_its_bounds(run_json):
    found = run_json(
        "policy", "never-worse", "threshold-lru:cutoff=1", "--forced", "--conversations", 2, "--tokens", 3
    )
    assert found["counterexample"]["forced"]
    assert found["scope"]["bounds"]["tokens_by_turns"] == {"1": 3, "2": 3, "3": 3, "4": 3}
    assert found["scope"]["bounds"]["conversations"] == 2

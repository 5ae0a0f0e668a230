"""Sizes and times of every command: a comma lists, and no unit is guessed."""

from __future__ import annotations

from fractions import Fraction

import pytest

import teltheory as tt
from teltheory.policies.spec import parse_policy

ON_TRACES = ("replay", "optimum", "curve")
SIZES = {
    "40G": "40000M tokens or 40GB or 40GiB",
    "1,000,000": "1000000 or 1_000_000, as a comma lists: 100k,200k",
    "40m": "40M tokens or 40MB or 40MiB",
}


def refused(run, capsys, *arguments):
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error.removeprefix("teltheory: ").rstrip()


@pytest.mark.parametrize("command", ON_TRACES)
def test_a_comma_lists_capacities_and_thresholds(run_json, trace_file, command):
    listed = run_json(command, trace_file, "--capacity", "50,0.1k", "--xi", "10,20", "--slo", "1ms,2ms")
    repeated = ("--capacity", 50, "--capacity", 100, "--xi", 10, "--xi", 20, "--slo", "1ms", "--slo", "2ms")
    assert listed == run_json(command, trace_file, *repeated)
    assert {(row["capacity"], row["xi"]) for row in listed["rows"]} == {
        (capacity, xi) for capacity in (50, 100) for xi in (10, 20, 13, 27)
    }


@pytest.mark.parametrize("command", [*ON_TRACES, "advise"])
@pytest.mark.parametrize("text", SIZES)
def test_a_capacity_whose_unit_is_not_clear_is_refused(run, capsys, trace_file, command, text):
    error = refused(run, capsys, command, trace_file, "--slo", "1ms", "--capacity", text)
    assert error == f"capacity: found {text!r}, expected {SIZES[text]}"


@pytest.mark.parametrize("command", [*ON_TRACES, "advise"])
def test_a_time_without_a_unit_is_refused(run, capsys, trace_file, command):
    error = refused(run, capsys, command, trace_file, "--slo", "200")
    assert error == "slo: found '200', expected a time with its unit, such as 200ms or 200s"


def test_a_threshold_in_tokens_is_no_time(run, capsys, trace_file):
    error = refused(run, capsys, "replay", trace_file, "--xi", "200ms")
    assert error == "xi: found '200ms', expected tokens such as 2800 or 2.8k; --slo takes times"


def test_times_of_the_other_commands(run, capsys, tmp_path):
    for option in ("slo", "above"):
        error = refused(run, capsys, "figures", tmp_path / "made", f"--{option}", "2")
        assert error == f"{option}: found '2', expected a time with its unit, such as 2ms or 2s"
    assert not (tmp_path / "made").exists()
    error = refused(run, capsys, "verify", "--claim", "figure-2", "--budget", "8")
    assert error == "--budget: found '8', expected a time with its unit, such as 8s or 8min or 8h"


def test_a_threshold_of_a_policy_is_in_tokens_or_a_time(run, run_json, capsys, trace_file):
    """The time is made tokens by the latency of the command, and the policy is shown as it was written."""
    spec = parse_policy("TLRU:xi=200ms,q_hat=0.1k")
    assert spec.build(0, 9, latency=tt.A100_LLAMA2_7B) == tt.TLRU(2789, 100)
    assert spec.build(0, 9, latency=tt.LatencyModel(Fraction(1, 1000))) == tt.TLRU(200, 100)
    asked = ("replay", trace_file, "--capacity", 100, "--xi", 5)
    in_time = run_json(*asked, "--policy", "TLRU:xi=5ms,q_hat=0.1k")["rows"]
    in_tokens = run_json(*asked, "--policy", "tlru:xi=69,q_hat=100")["rows"]
    assert [row.pop("policy") for row in (*in_time, *in_tokens)] == [
        "tlru:xi=5ms,q_hat=100",
        "tlru:xi=69,q_hat=100",
    ]
    assert in_time == in_tokens
    error = refused(run, capsys, *asked, "--policy", "tlru:xi=5x")
    assert (
        error == "policy tlru, xi: found '5x', expected tokens such as 300000, 300k or 1M, or a time such as 200ms"
    )
    error = refused(run, capsys, "never-worse", "tlru:xi=5ms,q_hat=1")
    assert error == "policy: found 'tlru:xi=5ms,q_hat=1', expected a threshold in tokens: there is no latency here"


def test_the_threshold_of_a_policy_is_one_of_the_table_where_none_is_given(run_json, trace_file):
    data = run_json("replay", trace_file, "--capacity", 100, "--policy", "lru,tlru:xi=5ms")
    assert data["slo"] == {"69": "5ms"}
    assert {row["xi"] for row in data["rows"]} == {69}


@pytest.mark.parametrize("command", ["replay", "curve"])
def test_policies_are_listed_by_commas_in_any_case(run_json, trace_file, command):
    """A comma before `key=value` belongs to the policy, any other one begins the next."""
    text = "LRU,TLRU:xi=5,trim=least-recent,Threshold-LRU:cutoff=3"
    data = run_json(command, trace_file, "--capacity", 100, "--xi", 5, "--policy", text)
    names = ["lru", "tlru:xi=5,trim=least-recent", "threshold-lru:cutoff=3"]
    assert [row["policy"] for row in data["rows"]] == names

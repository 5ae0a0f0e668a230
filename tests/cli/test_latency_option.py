"""--latency, --model and capacities in bytes: on the command line, against the library."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import teltheory as tt
from teltheory.cli.question import read_question
from teltheory.cli.served import Served

EMBEDDED = "a100-llama2-7b"
ATTENTION = "a100-llama2-7b-attention"
SLO = Fraction(2)
MINE = {"teltheory_latency": 1, "form": "formula", "per_token": "1/1000"}


@pytest.fixture
def long_turns(tmp_path):
    """Conversations so long that attention decides which turns are late."""
    rows = [
        f"{'AB'[k % 2]},{prompt},0" for k, prompt in enumerate([30_000, 22_000, 20_000, 21_300, 5_000, 20_500, 9])
    ]
    file = tmp_path / "long.csv"
    file.write_text("\n".join(["conversation,prompt,response", *rows]) + "\n")
    return file


def test_the_example_of_the_documents(run_json, trace_file):
    flags = ["--latency", EMBEDDED, "--slo", "200ms", "--capacity", "40GiB", "--policy", "lru"]
    (row,) = run_json("replay", trace_file, *flags)["rows"]
    assert (row["capacity"], row["xi"]) == (81_920, 2_789)
    same = ["--slo", "200ms", "--capacity", "81920", "--policy", "lru"]
    assert run_json("replay", trace_file, *same)["rows"] == [row]


@pytest.mark.parametrize("command", ["replay", "curve"])
def test_violations_and_percentiles_are_those_of_the_model_and_the_slo(run_json, long_turns, command):
    flags = ["--latency", ATTENTION, "--slo", "2s", "--capacity", "60000", "--policy", "lru"]
    (row,) = run_json(command, long_turns, *flags)["rows"]
    model = tt.A100_LLAMA2_7B_ATTENTION
    outcome = tt.replay(tt.read_trace(long_turns), tt.LRU(), 60_000)
    ttft = [
        model.per_token * u + model.per_pair * (u + 2 * c) * u + model.constant
        for u, c in zip(outcome.uncached.tolist(), outcome.cached.tolist(), strict=True)
    ]
    late = sum(seconds > SLO for seconds in ttft)
    assert row["violations"] == late > tt.slo_violations(outcome, model.threshold(SLO))
    assert row["p50"] == pytest.approx(float(sorted(ttft)[3]))
    assert row["xi"] == model.threshold(SLO)


def test_a_sweep_that_is_stored_keeps_slos_of_one_threshold_apart(run_json, long_turns, tmp_path):
    """Two SLOs a nanosecond apart have the same threshold in tokens, and still a turn between them."""
    model = tt.A100_LLAMA2_7B_ATTENTION
    outcome = tt.replay(tt.read_trace(long_turns), tt.LRU(), 60_000)
    k = next(k for k, c in enumerate(outcome.cached.tolist()) if c)
    u, c = int(outcome.uncached[k]), int(outcome.cached[k])
    exact = model.per_token * u + model.per_pair * (u + 2 * c) * u + model.constant
    below = int(exact * 10**9)
    flags = ["--latency", ATTENTION, "--capacity", "60000", "--policy", "lru", "--store", tmp_path / "store.jsonl"]
    found = [
        run_json("replay", long_turns, *flags, "--slo", f"{nanoseconds / 1000}us")["rows"][0]
        for nanoseconds in (below, below + 1)
    ]
    assert found[0]["xi"] == found[1]["xi"]
    assert found[0]["violations"] == found[1]["violations"] + 1


def test_a_model_from_a_file(run_json, trace_file, tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(
        json.dumps({"teltheory_latency": 1, "form": "formula", "per_token": "1/1000", "floor": "0.02"})
    )
    data = run_json(
        "replay", trace_file, "--latency", file, "--slo", "100ms", "--capacity", "100", "--policy", "lru"
    )
    assert data["latency"] == "mine.json"
    assert (data["rows"][0]["xi"], data["rows"][0]["p99"]) == (100, 0.2)


def test_the_optimum_takes_the_threshold_of_the_model(run_json, long_turns):
    data = run_json("optimum", long_turns, "--latency", ATTENTION, "--slo", "2s", "--capacity", "60000")
    xi = tt.A100_LLAMA2_7B_ATTENTION.threshold(SLO)
    assert data["rows"][0]["optimum"] == tt.hindsight_optimum(tt.read_trace(long_turns), 60_000, xi).objective


@pytest.mark.parametrize("objective", ["slo", "p95"])
def test_searches_that_know_one_threshold_refuse_attention(run, capsys, long_turns, objective):
    thresholds = ["--slo", "2s"] if objective == "slo" else []
    assert run("optimum", long_turns, "--latency", ATTENTION, "--goal", objective, *thresholds) == 2
    assert capsys.readouterr().err.startswith(f"teltheory: --latency: found '{ATTENTION}', expected one without")


@pytest.mark.parametrize(
    ("given", "latency", "model", "tokens"),
    [
        ("40GiB", EMBEDDED, None, 81_920),
        ("40GB", EMBEDDED, None, 76_293),
        ("40GiB", None, "vicuna-7b", 81_920),
        ("40GiB", EMBEDDED, "llama-3-8b", 327_680),
        ("1.5MiB", ATTENTION, None, 3),
        ("524.287kB", EMBEDDED, None, 0),
        ("10000", EMBEDDED, "vicuna-7b", 10_000),
        ("0.3M", None, None, 300_000),
    ],
)
def test_a_capacity_in_bytes_is_as_many_tokens_as_fit(given, latency, model, tokens):
    question = read_question((), capacities=(given,), xis=(), slos=(), served=Served(latency=latency, model=model))
    assert question.capacities == (tokens,)
    sizes = question.said[1:]
    assert len(sizes) == given.endswith("B")
    assert all(f"{given} is {tokens:,} tokens of" in line for line in sizes)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--capacity", "40GiB"], "capacity: found '40GiB', expected tokens such as 300k, or the model"),
        (["--capacity", "40GiB", "--model", "gpt-5"], "model: found 'gpt-5', expected one of llama-2-7b"),
        (["--capacity", "40gib", "--model", "vicuna-7b"], "capacity: found '40gib', expected 40GiB"),
        (["--latency", "h100"], "--latency: found 'h100', expected a100-llama2-7b, a100-llama2-7b-att"),
        (["--latency", "none.json"], "none.json: found no such file, expected a latency model"),
    ],
)
def test_what_is_no_model_or_size_is_one_line(run, capsys, trace_file, flags, message):
    for command in ("replay", "optimum", "curve"):
        assert run(command, trace_file, *flags) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"teltheory: {message}")
        assert error.count("\n") == 1


def test_a_file_without_a_known_model_gives_no_size(run, capsys, trace_file, tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({**MINE, "provenance": {"model": "somebody's"}}))
    assert run("replay", trace_file, "--latency", file, "--capacity", "1GiB") == 2
    assert "capacity: found '1GiB'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["replay", "curve"])
def test_tlru_for_an_slo_takes_model_and_slo_from_the_command(run_json, long_turns, command):
    policy = ["--policy", "slo-tlru:q_hat=20000,trim=least-recent"]
    flags = ["--latency", ATTENTION, "--slo", "2s", "--capacity", "60000", *policy]
    (row,) = run_json(command, long_turns, *flags)["rows"]
    own = tt.SLOTLRU(tt.A100_LLAMA2_7B_ATTENTION, SLO, 20_000, "least-recent")
    outcome = tt.replay(tt.read_trace(long_turns), own, 60_000)
    assert row["tel"] == tt.tail_excess_latency(outcome, row["xi"])
    assert row["violations"] == tt.ttft_violations(outcome, tt.A100_LLAMA2_7B_ATTENTION, SLO)


def test_tlru_for_an_slo_needs_one(run, capsys, trace_file):
    for command in ("replay", "curve"):
        assert run(command, trace_file, "--policy", "slo-tlru", "--xi", "100") == 2
        error = capsys.readouterr().err
        assert error == "teltheory: policy: found 'slo-tlru', expected thresholds in seconds with it, --slo\n"
    assert run("replay", trace_file, "--policy", "slo-tlru:slo=3", "--slo", "1s") == 2
    assert capsys.readouterr().err.startswith(
        "teltheory: policy slo-tlru: found 'slo=3', expected q_hat=..., trim="
    )

"""The model that is served: its latency, the size of its KV cache, and whose they are."""

import json
from fractions import Fraction

import pytest

import teltheory as tt
from teltheory.cli.asked.question import read_question
from teltheory.cli.asked.served import ServedModel
from teltheory.policies import SLOTLRU

EMBEDDED = "a100-llama2-7b"
ATTENTION = "a100-llama2-7b-attention"
SLO = Fraction(2)
ASKED = ("--capacity", 100, "--policy", "lru")
LATENCY = "TTFT = 71.7 us per uncached token (A100, Llama-2-7B shape): that of llama-2-7b"


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
    question = read_question(
        (), capacities=(given,), xis=(), slos=(), served=ServedModel(latency=latency, model=model)
    )
    assert question.capacities == (tokens,)
    sizes = question.said
    assert len(sizes) == given.endswith("B")
    assert all(f"{given} is {tokens:,} tokens of" in line for line in sizes)


@pytest.mark.parametrize("command", ["replay", "curve"])
def test_tlru_for_an_slo_takes_model_and_slo_from_the_command(run_json, long_turns, command):
    policy = ["--policy", "slo-tlru:q_hat=20000,trim=least-recent"]
    flags = ["--latency", ATTENTION, "--slo", "2s", "--capacity", "60000", *policy]
    (row,) = run_json(command, long_turns, *flags)["rows"]
    own = SLOTLRU(tt.A100_LLAMA2_7B_ATTENTION, SLO, 20_000, "least-recent")
    outcome = tt.replay(tt.read_trace(long_turns), own, 60_000)
    assert row["tel"] == tt.tail_excess_latency(outcome, row["xi"])
    assert row["violations"] == tt.ttft_violations(outcome, tt.A100_LLAMA2_7B_ATTENTION, SLO)


@pytest.mark.parametrize("option", ["--model", "--config", "--kv-bytes"])
def test_bytes_are_those_of_the_model(run_json, trace_file, others, option):
    data = run_json(
        "replay", trace_file, option, others[option], "--capacity", "40GiB", "--xi", 5, "--policy", "lru"
    )
    assert data["rows"][0]["capacity"] == 131_072
    assert any(line.startswith("Capacity 40GiB is 131,072 tokens of 327,680 bytes") for line in data["notes"])


@pytest.mark.parametrize(
    ("flags", "whose"),
    [
        ((), ", as no --model is given."),
        (("--model", "llama-2-7b"), "."),
        (("--model", "Vicuna-7B"), ", whose shape vicuna-7b shares."),
        (("--model", "llama-3-70b", "--accept-latency-of", "llama-2-7b"), ", accepted for llama-3-70b."),
        (("--model", "llama-3-70b", "--latency", "a100-llama2-7b"), ", taken for llama-3-70b."),
        (("--latency", "a100-llama2-7b"), "."),
    ],
)
def test_the_output_says_whose_latency_it_is(run_json, trace_file, flags, whose):
    data = run_json("replay", trace_file, *ASKED, "--slo", "10ms", *flags)
    assert data["notes"][0] == f"{LATENCY}{whose} Thresholds and TEL are in tokens."
    assert data["unit"] == "s"
    (row,) = data["rows"]
    assert (row["xi"], row["p99"]) == (139, pytest.approx(0.01434))


@pytest.mark.parametrize("command", ["replay", "curve"])
def test_without_a_latency_percentiles_are_in_tokens(output, run_json, trace_file, command):
    """Figure 2 has inputs of 100, 100 and 200 tokens, and LRU reuses none of them at 100."""
    asked = (command, trace_file, *ASKED, "--model", "llama-3-70b")
    data = run_json(*asked)
    assert [(row["xi"], row["p50"], row["p99"]) for row in data["rows"]] == [(200, 100, 200)]
    assert (data["unit"], data["slo"]) == ("tok", {})
    out = output(*asked, "--xi", 5)
    assert "P50 tok" in out
    assert "P50 s" not in out
    assert "llama-3-70b has no latency of its own" in out


def test_the_smallest_percentile_needs_no_latency(output, run_json, trace_file):
    asked = ("optimum", trace_file, "--goal", "p95", "--capacity", 100)
    (row,) = run_json(*asked, "--model", "llama-3-70b")["rows"]
    (timed,) = run_json(*asked)["rows"]
    assert row["percentile"] == timed["percentile"]
    assert "percentile_ttft" in timed
    assert "percentile_ttft" not in row
    out = output(*asked, "--model", "llama-3-70b")
    assert "P50 tok" in out
    assert "time s" in out
    assert "p95 s" not in out


def test_gpus_and_formats_make_a_token_larger_and_smaller(run_json, trace_file):
    asked = ("replay", trace_file, "--capacity", "40GiB", "--xi", 5, "--policy", "lru", "--model", "llama-3-70b")
    sizes = [((), 131_072), (("--kv-dtype", "fp8"), 262_144), (("--tensor-parallel", 8), 131_072)]
    for flags, tokens in (*sizes, (("--tensor-parallel", 16), 65_536)):
        assert run_json(*asked, *flags)["rows"][0]["capacity"] == tokens

"""Whose latency it is, and whose KV cache: never another model's in silence."""

from __future__ import annotations

import json

import pytest

CONFIG = {
    "hidden_size": 8192,
    "num_attention_heads": 64,
    "num_hidden_layers": 80,
    "num_key_value_heads": 8,
    "torch_dtype": "bfloat16",
}
ASKED = ("--capacity", 100, "--policy", "lru")
LATENCY = "TTFT = 71.7 us an uncached token (A100, Llama-2-7B shape): that of llama-2-7b"


@pytest.fixture
def others(tmp_path):
    """Ways to name a model that has no latency of its own."""
    config = tmp_path / "config.json"
    config.write_text(json.dumps(CONFIG))
    return {"--model": "llama-3-70b", "--config": str(config), "--kv-bytes": "327680"}


@pytest.mark.parametrize("option", ["--model", "--config", "--kv-bytes"])
def test_an_slo_for_a_model_without_a_latency_is_refused(run, capsys, trace_file, others, option):
    ways = "--latency FILE.json or --accept-latency-of llama-2-7b with it: it has no latency of its own"
    for asked in (("--slo", "2s"), ("--policy", "tlru:xi=200ms"), ("--policy", "slo-tlru")):
        assert run("replay", trace_file, *asked, option, others[option]) == 2
        assert capsys.readouterr().err == f"teltheory: {option}: found '{others[option]}', expected {ways}\n"
    for command in ("optimum", "curve", "advise"):
        assert run(command, trace_file, "--slo", "2s", option, others[option]) == 2
        assert ways in capsys.readouterr().err


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
def test_without_a_latency_percentiles_are_in_tokens(run, run_json, capsys, trace_file, command):
    """Figure 2 has inputs of 100, 100 and 200 tokens, and LRU reuses none of them at 100."""
    asked = (command, trace_file, *ASKED, "--model", "llama-3-70b")
    data = run_json(*asked)
    assert [(row["xi"], row["p50"], row["p99"]) for row in data["rows"]] == [(200, 100, 200)]
    assert (data["unit"], data["slo"]) == ("tok", {})
    assert run(*asked, "--xi", 5) == 0
    out = capsys.readouterr().out
    assert "P50 tok" in out
    assert "P50 s" not in out
    assert "llama-3-70b has no latency of its own" in out


def test_the_smallest_percentile_needs_no_latency(run, run_json, capsys, trace_file):
    asked = ("optimum", trace_file, "--goal", "p95", "--capacity", 100)
    (row,) = run_json(*asked, "--model", "llama-3-70b")["rows"]
    (timed,) = run_json(*asked)["rows"]
    assert row["percentile"] == timed["percentile"]
    assert "percentile_ttft" in timed
    assert "percentile_ttft" not in row
    assert run(*asked, "--model", "llama-3-70b") == 0
    out = capsys.readouterr().out
    assert "P50 tok" in out
    assert "time s" in out
    assert "p95 s" not in out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--model", "a", "--kv-bytes", "9"), "--kv-bytes: found '9', expected none with --model"),
        (("--kv-bytes", "0"), "Invalid value for '--kv-bytes': 0 is not in the range"),
        (("--kv-dtype", "fp8"), "--kv-dtype: found 'fp8', expected --model or --config with it"),
        (
            ("--tensor-parallel", "2", "--kv-bytes", "9"),
            "--tensor-parallel: found 2, expected --model or --config with",
        ),
        (("--model", "llama-3-8b", "--tensor-parallel", "3"), "tensor_parallel: found 3, expected a number"),
        (("--accept-latency-of", "gpt-5"), "--accept-latency-of: found 'gpt-5', expected a model"),
        (("--accept-latency-of", "llama-2-7b", "--latency", "x.json"), "--accept-latency-of: found 'llama-2-7b'"),
        (("--config", "none.json"), "none.json: found no such file, expected a model's config.json"),
    ],
)
def test_what_does_not_go_together_is_one_line(run, capsys, trace_file, flags, message):
    for command in ("replay", "optimum", "curve"):
        assert run(command, trace_file, *flags) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"teltheory: {message}")
        assert error.count("\n") == 1


def test_gpus_and_formats_make_a_token_larger_and_smaller(run_json, trace_file):
    asked = ("replay", trace_file, "--capacity", "40GiB", "--xi", 5, "--policy", "lru", "--model", "llama-3-70b")
    sizes = [((), 131_072), (("--kv-dtype", "fp8"), 262_144), (("--tensor-parallel", 8), 131_072)]
    for flags, tokens in (*sizes, (("--tensor-parallel", 16), 65_536)):
        assert run_json(*asked, *flags)["rows"][0]["capacity"] == tokens

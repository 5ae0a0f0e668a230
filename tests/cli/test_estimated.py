"""`--gpu` and `--gpu-hour`: an estimated TTFT says so wherever it goes."""

import json
import re
from fractions import Fraction

import pytest
from advice.advised_traces import chats

import teltheory as tt
from teltheory.advice.sentences import advice_lines
from teltheory.cost.catalogue import architecture, gpu
from teltheory.cost.roofline import BAND, estimated

ASKED = ("--model", "llama-3.1-8b", "--gpu", "a100")
SAID = "TTFT is estimated, not measured: a roofline of llama-3.1-8b on NVIDIA A100 SXM 80 GB at 42 % of its peak; "
LATENCY = estimated(architecture("llama-3.1-8b"), gpu("a100"))


@pytest.fixture
def chat_file(tmp_path):
    tt.write_trace(chats(1200), file := tmp_path / "chats.csv")
    return file


@pytest.mark.parametrize("command", ["replay", "curve", "optimum"])
def test_an_estimate_is_called_one_and_has_its_band(run_json, trace_file, command):
    data = run_json(command, trace_file, "--capacity", 100, "--slo", "50ms", *ASKED)
    notes = data["notes"]
    assert notes[0].startswith(SAID + "no measurement of this GPU, so the band is 25 % to 70 %")
    assert "0.60 to 1.68 times what is shown" in notes[0]
    slow, middle, fast = (
        one.threshold(Fraction(1, 20)) for one in (LATENCY.at(BAND[0]), LATENCY, LATENCY.at(BAND[2]))
    )
    assert f"Threshold 50ms is {middle:,} tokens, {slow:,} to {fast:,} within the band." in notes
    assert data["rows"][0]["xi"] == middle


def test_a_measurement_of_the_model_ends_the_estimate(run_json, trace_file, tmp_path):
    measured = tmp_path / "measured.json"
    measured.write_text(json.dumps(tt.latency_to_json(tt.A100_LLAMA2_7B_PREFILL)))
    asked = ("replay", trace_file, "--capacity", 100, "--slo", "50ms", "--policy", "lru", "--gpu", "a100")
    notes = run_json(*asked, "--model", "llama-2-7b", "--latency", measured)["notes"]
    assert notes[0].startswith("TTFT = prefill with attention and a floor")
    assert not any("estimated" in note or "band" in note for note in notes)
    notes = run_json(*asked, "--model", "llama-3.1-8b", "--latency", measured)["notes"]
    assert "llama-2-7b was measured on this GPU" in notes[0]
    low, high = map(int, re.search(r"band is (\d+) % to (\d+) %", notes[0]).groups())
    assert 25 < low < high < 70


def test_advice_has_the_band(in_words, chat_file, tmp_path):
    asked = ("advise", chat_file, "--capacity", "512MiB", "--slo", "100ms", *ASKED)
    words = in_words(*asked, "--json", numbers := tmp_path / "advice.json")
    (data,) = json.loads(numbers.read_text())["advice"]
    advice = tt.advise(tt.read_trace(chat_file), "512MiB", "100ms", LATENCY, model="llama-3.1-8b")
    slow, middle, fast = advice.band
    ends = [tt.advise(tt.read_trace(chat_file), 4096, "100ms", end) for end in LATENCY.ends]
    assert (slow.advice.xi, fast.advice.xi) == tuple(end.xi for end in ends)
    assert middle.advice is None
    lines = [line for line in advice_lines(advice) if line.startswith(("Estimated", "The advice"))]
    assert len(lines) == 2
    assert all(" ".join(line.split()) in words for line in lines)
    assert f"the SLO is {ends[0].goal.xi:,} to {ends[1].goal.xi:,} tokens" in lines[0]
    assert ("differs" in lines[1]) == (len({one.recommended for one in (*ends, advice)}) > 1)
    assert [one["slo_tokens"] for one in data["band"]] == [one.goal.xi for one in (ends[0], advice, ends[1])]
    assert "The band of the estimate" in words


def test_an_end_of_the_band_without_any_prompt_is_said(in_words, chat_file):
    """Reading 8 B weights takes 6.8 ms at the peak: at 25 % no prompt keeps 20 ms."""
    words = in_words("advise", chat_file, "--capacity", 4096, "--slo", "20ms", *ASKED)
    assert "The advice differs within the band: no prompt keeps the SLO at 25 %, " in words
    assert "Measure this GPU (teltheory calibrate) before you follow it." in words


def test_a_measured_latency_has_no_band(in_words, chat_file, tmp_path):
    asked = ("advise", chat_file, "--capacity", 4096, "--slo", "100ms")
    words = in_words(*asked, "--json", numbers := tmp_path / "advice.json")
    assert "band" not in json.loads(numbers.read_text())["advice"][0]
    assert "within the band" not in words
    assert "Money" not in words


@pytest.mark.parametrize("flags", [(), ASKED, (*ASKED, "--tensor-parallel", 4)])
def test_prefill_has_its_price(in_words, chat_file, tmp_path, flags):
    asked = ("advise", chat_file, "--capacity", 4096, "--slo", "100ms", "--gpu-hour", 3.6, *flags)
    words = in_words(*asked, "--json", numbers := tmp_path / "advice.json")
    (data,) = json.loads(numbers.read_text())["advice"]
    gpus = 4 if "--tensor-parallel" in flags else 1
    for row in data["held_out"]["rows"][:2]:
        assert data["money"][row["policy"]] == pytest.approx(row["busy"] * gpus / 1000)
    assert "at 3.60 a GPU-hour" in words
    assert ("4 GPUs a replica" in words) == (gpus == 4)
    assert ("within the band), " in words) == bool(flags)


def test_bytes_beside_a_model_without_them_say_what_they_assume(run_json, refused, trace_file):
    sized = ("--capacity", "1MB", "--xi", 5, "--policy", "lru")
    asked = ("replay", trace_file, *sized, "--model", "gemma-3-27b-it")
    notes = run_json(*asked, "--kv-bytes", 1000)["notes"]
    told = "each token of all layers alike, as if no window, state or index were there"
    assert any(line.startswith("Capacity 1MB is 1,000 tokens") and told in line for line in notes)
    assert "expected a model whose layers all keep all tokens: 52 of its 62 layers" in refused(*asked)
    assert "none with --model" in refused(*asked[:-1], "llama-3.1-8b", "--kv-bytes", 9)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--gpu", "a100"), "--gpu: found 'a100', expected --model or --config with it"),
        (("--gpu", "h10", "--model", "llama-3.1-8b"), "--gpu: found 'h10', expected one of a100, "),
        ((*ASKED, "--accept-latency-of", "llama-2-7b"), "expected none with --gpu"),
        (("--gpu", "a100", "--model", "jamba", "--kv-bytes", 9), "what jamba-v0.1 computes a token is not known"),
    ],
)
def test_what_an_estimate_needs(refused, trace_file, flags, said):
    assert said in refused("replay", trace_file, "--slo", "50ms", *flags)

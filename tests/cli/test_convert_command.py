"""`teltheory trace convert` and `sample`, and the options of a trace on every command that takes one."""

import json

import numpy as np
import pytest
from formats.vocabularies import word_level

import teltheory as tt
from teltheory.workloads import LogNormalGaps, sharegpt_like, wildchat_like

CHATS = [{"id": str(i), "conversations": [{"from": "human", "value": "a b"}, {"from": "gpt", "value": "a"}] * 2}
         for i in range(3)]  # fmt: skip
TIMES = ("--times", "exponential:mean=60,rate=0.1", "--seed", "4")


@pytest.fixture
def chats(tmp_path):
    file = tmp_path / "share $ [gpt].json"
    file.write_text(json.dumps(CHATS))
    return file


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_converted_trace_is_the_trace(suffix, chats, tmp_path, run, capsys):
    out = tmp_path / f"own.{suffix}"
    assert run("trace", "convert", chats, out, "--tokenizer", "characters/4", *TIMES) == 0
    times = tt.Times(tt.ExponentialGaps(60), rate=0.1, seed=4)
    assert tt.read_trace(out) == tt.read_trace(chats, tokenizer="characters/4", times=times)
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.startswith(
        "Trace: 6 turns, 3 conversations. Read as sharegpt. Tokens: an estimate, characters/4"
    )
    assert "Times: assumed: conversations start at 0.1 a second (Poisson), gaps in them ExponentialGaps" in printed


def test_a_tokenizer_of_ones_own(chats, tmp_path, run):
    words = word_level(tmp_path / "tokenizer.json")
    assert run("trace", "convert", chats, tmp_path / "own.csv", "--tokenizer", words, "--times", "sharegpt") == 0
    assert tt.read_trace(tmp_path / "own.csv").prompt.tolist() == [2] * 6


@pytest.mark.parametrize(
    "command",
    [("replay", "--policy", "lru", "--capacity", "9", "--xi", "2"), ("optimum", "--capacity", "9", "--xi", "2")],
)  # fmt: skip
def test_every_command_reads_and_says_how(in_words, command, chats, run_json):
    name, *options = command
    how = (chats, "--tokenizer", "characters/4", *TIMES, *options)
    printed = in_words(name, *how)
    assert "Tokens: an estimate, characters/4" in printed
    assert "Times: assumed: conversations start at 0.1 a second" in printed
    reading = run_json(name, *how)["trace"]["reading"]
    assert reading["format"] == "sharegpt"
    assert reading["tokenizer"].startswith("an estimate, characters/4")
    assert reading["odd"] == {}


def test_a_certificate_is_checked_against_the_trace_that_it_is_of(output, chats, tmp_path, run, capsys):
    written = tmp_path / "certificates.json"
    how = ("--tokenizer", "characters/4", *TIMES)
    assert run("optimum", chats, *how, "--capacity", "3", "--xi", "1", "--certificate", written) == 0
    capsys.readouterr()
    assert "Tokens: an estimate, characters/4" in output("check-certificate", written, chats, *how)
    assert run("check-certificate", written, chats, *how[:2], "--times", "exponential:mean=1,rate=9") == 2


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_sample_is_the_workloads(suffix, tmp_path, run, capsys):
    file = tmp_path / f"sample.{suffix}"
    assert run("trace", "sample", "sharegpt-like", file, "--turns", "300", "--seed", "7") == 0
    expected = sharegpt_like().sample(300, np.random.default_rng(7))
    found = tt.read_trace(file)
    assert (found.total.tolist(), found.past.tolist()) == (expected.total.tolist(), expected.past.tolist())
    assert found.arrival.tolist() == expected.arrival.tolist()
    said = capsys.readouterr().out
    assert "ShareGPT-like: 300 turns" in said
    assert "3.50 turns per conversation (at most 160)" in said


def test_assumptions_are_taken(tmp_path, run):
    options = ("--gaps", "lognormal:mean=90,spread=1", "--longest", "4", "--mean-prompt", "50")
    assert run("trace", "sample", "wildchat-like", tmp_path / "a.csv", "--turns", "200", *options) == 0
    chats = wildchat_like(LogNormalGaps(90.0, 1.0), longest=4, mean_prompt=50.0)
    expected = chats.sample(200, np.random.default_rng(0))
    assert tt.read_trace(tmp_path / "a.csv").prompt.tolist() == expected.prompt.tolist()


def test_texts_share_a_system_prompt(chats, tmp_path, run, refused):
    prompt, out = tmp_path / "system.txt", tmp_path / "own.parquet"
    prompt.write_text("You are a tester. ")
    how = (chats, out, "--tokenizer", "characters/4", *TIMES, "--blocks", "2", "--system-prompt")
    assert run("trace", "convert", *how, prompt) == 0
    trace = tt.read_trace(out)
    assert (trace.blocks.block_size, trace.blocks.known.max()) == (2, 4)
    prompt.write_bytes(bytes([159]))
    assert refused("trace", "convert", *how, prompt) == f"{prompt}: found byte b'\\x9f', expected text in UTF-8"
    assert refused("trace", "convert", *how, tmp_path).startswith(f"{tmp_path}: found a folder, expected a system")

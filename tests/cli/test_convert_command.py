"""`teltheory convert`, and the options of a trace on every command that takes one."""

import json

import pytest
from formats.vocabularies import word_level

import teltheory as tt

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
    assert run("convert", chats, out, "--tokenizer", "characters/4", *TIMES) == 0
    times = tt.Times(tt.ExponentialGaps(60), rate=0.1, seed=4)
    assert tt.read_trace(out) == tt.read_trace(chats, tokenizer="characters/4", times=times)
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.startswith(
        "Trace: 6 turns, 3 conversations. Read as sharegpt. Tokens: an estimate, characters/4"
    )
    assert "Times: assumed: conversations start at 0.1 a second (Poisson), gaps in them ExponentialGaps" in printed


def test_a_tokenizer_of_ones_own(chats, tmp_path, run):
    words = word_level(tmp_path / "tokenizer.json")
    assert run("convert", chats, tmp_path / "own.csv", "--tokenizer", words, "--times", "sharegpt") == 0
    assert tt.read_trace(tmp_path / "own.csv").prompt.tolist() == [2] * 6


@pytest.mark.parametrize(
    "command",
    [("replay", "--policy", "lru", "--capacity", "9", "--xi", "2"), ("optimum", "--capacity", "9", "--xi", "2")],
)  # fmt: skip
def test_every_command_reads_and_says_how(command, chats, run, run_json, capsys):
    name, *options = command
    how = (chats, "--tokenizer", "characters/4", *TIMES, *options)
    assert run(name, *how) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "Tokens: an estimate, characters/4" in printed
    assert "Times: assumed: conversations start at 0.1 a second" in printed
    reading = run_json(name, *how)["trace"]["reading"]
    assert reading["format"] == "sharegpt"
    assert reading["tokenizer"].startswith("an estimate, characters/4")
    assert reading["odd"] == {}


def test_a_certificate_is_checked_against_the_trace_that_it_is_of(chats, tmp_path, run, capsys):
    proof = tmp_path / "proof.json"
    how = ("--tokenizer", "characters/4", *TIMES)
    assert run("optimum", chats, *how, "--capacity", "3", "--xi", "1", "--certificate", proof) == 0
    capsys.readouterr()
    assert run("check-certificate", proof, chats, *how) == 0
    assert "Tokens: an estimate, characters/4" in capsys.readouterr().out
    assert run("check-certificate", proof, chats, *how[:2], "--times", "exponential:mean=1,rate=9") == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--times", "sharegpt"), "tokenizer: found None, expected a tokenizer.json of Hugging Face"),
        (
            ("--tokenizer", "characters/4"),
            "times: found None, expected an assumption: .*--times exponential:mean=360",
        ),
        (
            ("--tokenizer", "characters/4", "--times", "soon"),
            "times: found 'soon', expected sharegpt, exponential",
        ),
        (("--tokenizer", "none.json", *TIMES), "none.json: found no such file, expected a tokenizer's file"),
        (("--format", "wildchat", "--tokenizer", "characters/4"), r".*, element 1, conversation: found nothing"),
        (("--format", "tar"), "format: found 'tar', expected 'auto', 'teltheory', 'mooncake'"),
    ],
)
def test_what_is_missing_is_one_line_that_says_what_to_pass(options, message, chats, tmp_path, run, capsys):
    import re

    assert run("convert", chats, tmp_path / "own.csv", *options) == 2
    complaint = capsys.readouterr().err
    assert re.match(f"teltheory: {message}", complaint), complaint
    assert complaint.count("\n") == 1
    assert not (tmp_path / "own.csv").exists()


def test_a_place_that_cannot_be_written_to_is_named_first(chats, tmp_path, run, capsys):
    assert run("convert", chats, tmp_path / "none" / "own.csv") == 2
    assert "found no folder" in capsys.readouterr().err

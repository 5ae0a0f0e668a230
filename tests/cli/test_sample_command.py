import numpy as np
import pytest

import teltheory as tt
from teltheory.workloads import LogNormalGaps, sharegpt_like, wildchat_like


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_sample_is_the_workloads(suffix, tmp_path, run, capsys):
    file = tmp_path / f"sample.{suffix}"
    assert run("sample", "sharegpt-like", file, "--turns", "300", "--seed", "7") == 0
    expected = sharegpt_like().sample(300, np.random.default_rng(7))
    found = tt.read_trace(file)
    assert (found.total.tolist(), found.past.tolist()) == (expected.total.tolist(), expected.past.tolist())
    assert found.arrival.tolist() == expected.arrival.tolist()
    said = capsys.readouterr().out
    assert "ShareGPT-like: 300 turns" in said
    assert "3.50 turns a conversation (at most 160)" in said


def test_assumptions_are_taken(tmp_path, run):
    options = ("--gaps", "lognormal:mean=90,spread=1", "--longest", "4", "--mean-prompt", "50")
    assert run("sample", "wildchat-like", tmp_path / "a.csv", "--turns", "200", *options) == 0
    chats = wildchat_like(LogNormalGaps(90.0, 1.0), longest=4, mean_prompt=50.0)
    expected = chats.sample(200, np.random.default_rng(0))
    assert tt.read_trace(tmp_path / "a.csv").prompt.tolist() == expected.prompt.tolist()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("sharegpt-like", "a.csv", "--gaps", "exponential:mean=1"), "gaps"),
        (("wildchat-like", "a.csv", "--gaps", "exponential:mean=1,rate=2"), "gaps"),
        (("wildchat-like", "a.csv", "--gaps", "uniform"), "times"),
        (("wildchat-like", "a.txt"), "a.txt"),
        (("wildchat-like", "none/a.csv"), "none"),
        (("mooncake-like", "a.csv"), "mooncake-like"),
    ],
)
def test_wrong_calls_are_one_line(arguments, named, tmp_path, run, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("sample", *arguments) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert named in said
    assert list(tmp_path.iterdir()) == []

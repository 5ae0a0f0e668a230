"""`teltheory modules sample` and `modules replay`: tables and JSON agree with the library."""

import json

import numpy as np
import pytest

import teltheory as tt
from teltheory.cli import main
from teltheory.formats.module_sets import read_module_trace
from teltheory.policies import LFU
from teltheory.policies.spec import default_estimate

SCHEMA = """<schema name="trip">Go.<union>
<module name="sea">sea!!</module><module name="hill">hills</module></union>
</schema>"""


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        main([*map(str, arguments)])
    return ended.value.code


@pytest.fixture
def sets(tmp_path):
    file = tmp_path / "sets.jsonl"
    assert run("modules", "sample", file, "--requests", 200, "--items", 20, "--seed", 3, "--always", 1) == 0
    return file


@pytest.mark.parametrize("cache", ["strict", "whole"])
def test_rows_are_the_replays_of_the_library(sets, cache, capsys):
    capsys.readouterr()
    options = ["--capacity", "4k", "--xi", "2500", "--cache", cache, "--json", "-"]
    assert run("modules", "replay", sets, "--policy", "lru,tlru,lfu,tail-optimized-belady", *options) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    trace = read_module_trace(sets)
    policies = [tt.LRU(), tt.TLRU(2500, default_estimate(trace)), LFU(), tt.TailOptimizedBelady(2500)]
    least = tt.hindsight_optimum(trace, 4000, 2500).upper
    for row, policy in zip(rows, policies, strict=True):
        outcome = tt.replay(trace, policy, 4000, cache=cache)
        assert row["tel"] == tt.tail_excess_latency(outcome, 2500)
        assert row["regret"] == row["tel"] - least
        assert row["prefilled"] == outcome.prefilled
        assert row["mean"] == pytest.approx(float(tt.A100_LLAMA2_7B.ttft(outcome.uncached).mean()))


def test_what_is_left_out_is_chosen_and_said(sets, capsys):
    assert run("modules", "replay", sets) == 0
    printed = capsys.readouterr().out
    for part in ("Capacities, as none is given", "Thresholds, as none is given", "Q̂ =", "shared-tlru", "gdsf"):
        assert part in printed


def test_the_table_and_its_json_count_the_modules_that_are_used(tmp_path, capsys):
    sets = tmp_path / "three.jsonl"
    sets.write_text('{"sizes": [5, 6, 7]}\n{"items": [0, 1], "fresh": 3}\n')
    for target in ("-", tmp_path / "found.json"):
        assert run("modules", "replay", sets, "--policy", "lru", "--xi", 1, "--json", target) == 0
    assert json.loads((tmp_path / "found.json").read_text())["trace"]["modules"] == 2
    assert "1 requests for 2 modules of 11 tokens." in capsys.readouterr().out


def test_a_trace_on_standard_input_is_that_of_its_file(sets, capsys, monkeypatch):
    options = ["--policy", "lru", "--capacity", "4k", "--xi", "2500"]
    capsys.readouterr()
    assert run("modules", "replay", sets, *options) == 0
    printed = capsys.readouterr().out
    with sets.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert run("modules", "replay", "-", *options) == 0
    assert capsys.readouterr().out == printed


def test_prompts_of_a_schema(tmp_path, capsys):
    schema, log = tmp_path / "trip.xml", tmp_path / "log.jsonl"
    schema.write_text(SCHEMA)
    assert run("modules", "sample", log, "--schema", schema, "--requests", 30, "--fresh", "2") == 0
    capsys.readouterr()
    options = ["--capacity", "8", "--xi", "5", "--policy", "lru", "--json", "-"]
    assert run("modules", "replay", log, "--schema", schema, *options) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["trace"] == {"requests": 30, "modules": 3, "uses": 60}
    assert found["rows"][0]["prefilled"] + found["rows"][0]["reused"] == 30 * (3 + 1 + 5 + 10)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["modules", "replay", "{sets}", "--scaffold", "a"], "--scaffold: found 'a', expected --schema with it"),
        (["modules", "replay", "{sets}", "--capacity", "3", "--forced"], "turn 0: forced caching"),
        (["modules", "replay", "{sets}x"], "found no such file"),
        (["modules", "sample", "{sets}", "--size", "9..3"], "--size: found '9..3'"),
        (["modules", "sample", "{sets}", "--size", "٣"], "--size: found '٣'"),
        (["modules", "sample", "{sets}", "--items", "3", "--together", "2"], "together: found 2"),
    ],
    ids=str,
)
def test_mistakes_end_with_2_and_one_line(sets, refused, arguments, message):
    assert message in refused(*(argument.format(sets=sets) for argument in arguments))


def test_percentiles_are_those_of_numpy(sets, capsys):
    capsys.readouterr()
    assert run("modules", "replay", sets, "--policy", "lru", "--capacity", "4k", "--xi", "1", "--json", "-") == 0
    row = json.loads(capsys.readouterr().out)["rows"][0]
    seconds = tt.A100_LLAMA2_7B.ttft(tt.replay(read_module_trace(sets), tt.LRU(), 4000).uncached)
    assert row["p95"] == pytest.approx(np.quantile(seconds, 0.95, method="inverted_cdf"))

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import teltheory as tt
from teltheory.cli.asked import pictures


def test_the_table_has_the_replays_numbers(output, trace_file):
    asked = ["--capacity", 100, "--capacity", 150, "--xi", 160, "--q-hat", 100]
    data = json.loads(output("curve", trace_file, *asked, "--points", 5, "--json", "-"))
    trace = tt.read_trace(trace_file)
    policies = {
        "lru": tt.LRU(),
        "threshold-lru": tt.ThresholdLRU(1024),
        "tlru:trim=least-recent": tt.TLRU(160, 100, "least-recent"),
    }
    assert {row["policy"] for row in data["rows"]} == {*policies, "hindsight"}
    for row in [*data["rows"], *data["curve"]]:
        if row["policy"] == "hindsight":
            continue
        outcome = tt.replay(trace, policies[row["policy"]], row["capacity"])
        assert row["tel"] == tt.tail_excess_latency(outcome, row["xi"])
        assert row["violations"] == tt.slo_violations(outcome, row["xi"])
        assert row["uncached_tel"] == 40
    assert {row["capacity"] for row in data["rows"]} == {100, 150}
    assert sorted({row["capacity"] for row in data["curve"]}) == [0, 1, 9, 53, 300]
    assert data["rows"][0]["p95"] == pytest.approx(200 * 71.7e-6)


def test_it_prints_a_table_a_threshold(output, trace_file):
    text = output("curve", trace_file, "--capacity", 100, "--xi", 120, "--xi", 160)
    assert text.count("tlru:trim=least-recent") == 2
    assert "Threshold 120 tokens" in text
    assert "Threshold 160 tokens" in text
    assert "Q̂ = 100" in text


def test_hindsight_is_the_optimum_in_the_table_and_within_its_tolerance_where_drawn(run_json, tmp_path):
    trace = tt.sample_conversations(tt.ConversationModel(), 400, np.random.default_rng(3))
    file = tmp_path / "sampled.csv"
    columns = zip(trace.conversation.tolist(), trace.prompt.tolist(), trace.response.tolist(), strict=True)
    file.write_text("conversation,prompt,response\n" + "".join(f"{c},{q},{a}\n" for c, q, a in columns))
    asked = ("curve", file, "--policy", "hindsight", "--policy", "lru", "--xi", 300, "--xi", 900)
    data = run_json(*asked, "--capacity", "2k", "--capacity", "5k", "--points", 40)
    assert data["hindsight"]["tolerance"] == 0.001
    assert {"300", "900"} == set(data["hindsight"]["tangents"])
    rows = [row for row in data["rows"] if row["policy"] == "hindsight"]
    drawn = [row for row in data["curve"] if row["policy"] == "hindsight"]
    assert len(rows) == 2 * 2
    assert len(drawn) == len(data["curve"]) / 2
    for row in rows:
        assert row["tel"] == tt.hindsight_optimum(trace, row["capacity"], row["xi"]).objective
        assert row["violations"] is row["p50"] is row["p99"] is None
    for row in drawn:
        best = tt.hindsight_optimum(trace, row["capacity"], row["xi"]).objective
        assert row["lower"] <= best <= row["tel"] <= 1.001 * best
    assert any(row["lower"] < row["tel"] for row in drawn)
    uncached = {row["uncached_tel"] for row in data["curve"] if row["xi"] == 300}
    assert len(uncached) == 1


def test_hindsight_alone_says_how_well_it_is_known(in_words, output, trace_file, monkeypatch):
    monkeypatch.setattr(pictures, "write_figure", lambda *_: None)
    asked = ("curve", trace_file, "--policy", "hindsight", "--capacity", 100, "--xi", 120, "--slo", "12ms")
    printed = output(*asked)
    assert "hindsight: the least TEL of any policy" in printed
    assert "0.1 %" not in printed
    assert " lru" not in printed
    printed = in_words(*asked, "--figure", "curves.svg")
    assert "known to 0.1 %, by tangents below and chords above: 3 at 120 tokens, 3 at 12ms." in printed
    assert "hindsight" not in output("curve", trace_file, "--policy", "lru", "--capacity", 100, "--xi", 120)


def test_any_policy_has_a_curve(output, trace_file):
    chosen = [word for name in ("tlru", "tail-optimized-belady", "end-aware") for word in ("--policy", name)]
    rows = json.loads(output("curve", trace_file, "--capacity", 100, "--xi", 160, *chosen, "--json", "-"))["rows"]
    assert {row["policy"]: row["tel"] for row in rows} == {"tlru": 0, "tail-optimized-belady": 0, "end-aware": 0}


LONG = pytest.mark.long


@pytest.mark.parametrize("ending", ["svg", pytest.param("png", marks=LONG), pytest.param("pdf", marks=LONG)])
def test_the_figure_is_drawn_and_repeats(run, trace_file, tmp_path, ending):
    files = [tmp_path / f"{name}.{ending}" for name in ("first", "second")]
    asked = ("--capacity", 100, "--xi", 100, "--slo", "2ms", "--points", 9, "--figure")
    for file in files:
        assert run("curve", trace_file, *asked, file) == 0
    drawn = files[0].read_bytes()
    assert drawn == files[1].read_bytes()
    assert drawn.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending])
    if ending == "svg":
        lines = [node for node in ET.fromstring(drawn).iter() if node.get("id", "").startswith("line2d")]
        assert len(lines) >= 2 * 4
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([trace_file.name, *(f.name for f in files)])


def test_the_mooncake_trace(output, mooncake, tmp_path):
    figure = tmp_path / "curves.png"
    asked = ("--capacity", "1M", "--slo", "2s", "--points", 20, "--figure", figure, "--chains", "--json", "-")
    rows = json.loads(output("curve", mooncake, *asked))["rows"]
    tel = {(row["capacity"], row["policy"]): row["tel"] for row in rows}
    assert tel[1_000_000, "lru"] == 25_110_465
    assert tel[1_000_000, "tlru:trim=least-recent"] == 21_853_939
    assert tel[1_000_000, "hindsight"] == 16_630_173
    assert figure.stat().st_size > 10_000

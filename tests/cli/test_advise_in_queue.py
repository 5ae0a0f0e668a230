"""`teltheory advise` on a loaded server: what it prints is what the library finds, and bad input is one line."""

import gzip
import json
import re
from base64 import b64decode
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from advice.advised_traces import chats

import teltheory as tt
from teltheory.advice.planning import plan
from teltheory.cli.advise.plan import read_percentile, read_plan
from teltheory.cli.advise.tail import parts_of
from teltheory.serving.batching import Chunked
from teltheory.serving.serve import Serving

LATENCY = tt.A100_LLAMA2_7B


@pytest.fixture
def file(tmp_path):
    """Chats that come one a second on average, in a file whose name no output may read as markup."""
    trace = chats(90, 2)
    arrival = np.cumsum(np.random.default_rng(5).exponential(1, 90))
    name = tmp_path / "<b> and [b].csv"
    tt.write_trace(tt.Trace.from_turns(trace.conversation, trace.prompt, trace.response, arrival=arrival), name)
    return name


def test_a_tail_where_lru_has_none_has_no_share(run, tmp_path, capsys):
    """Conversations of two turns: the second finds its past under affinity, and none if replicas take turns."""
    name = tmp_path / "pairs.csv"
    turns = [f"{turn // 2},1000,0,{turn}" for turn in range(120)]
    name.write_text("\n".join(("conversation,prompt,response,arrival", *turns)))
    asked = ("--slo", "100ms", "--capacity", "3k", "--replicas", 2, "--router", "affinity")
    assert run("advise", name, *asked) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    (own,), (turns_taken,) = ([row for row in rows if row[:1] == [name]] for name in ("affinity", "round-robin"))
    assert own[-3:] == ["+0.0", "[+0.0,", "+0.0]"]
    assert turns_taken[-3:] == ["LRU", "has", "0"]


def test_what_is_printed_is_what_the_library_finds(run, file, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("teltheory.report.page._vega", lambda: "")
    page, numbers = tmp_path / "advice.html", tmp_path / "advice.json"
    asked = ("advise", file, "--slo", "200ms", "--tier", "800", "--tier", "2k:0.3", "--replicas", 2)
    asked += ("--router", "least-loaded", "--load", "0.7", "--plan", "replicas=1..3", "--percentile", "p90")
    assert run(*asked, "--html", page, "--json", numbers) == 0
    text = " ".join(capsys.readouterr().out.split())
    trace, tiers = tt.read_trace(file), tt.Tiers((800, 2000), (0, Fraction(3, 10)))
    serving, slo = Serving(2, "least-loaded"), Fraction(1, 5)
    advice = tt.advise(trace, tiers, slo, serving=serving, load=Fraction(7, 10))
    found = plan(
        trace,
        "replicas",
        [1, 2, 3],
        tiers,
        slo,
        percentile=90,
        serving=Serving(2, "least-loaded", advice.serving.stretch),
    )
    assert "2 replicas of 800 + 2,000 tokens in tiers, router least-loaded." in text
    assert "Tier 1: 21.5 µs to load a token, ρ = 0.3 of computing it." in text
    assert "Queues grow" not in text
    assert f"Load 0.7: arrivals are stretched by {advice.serving.stretch:.4g} for all policies." in text
    assert ("ADVICE: stay with LRU." in text) is not advice.recommended
    for row in (*advice.held_out.rows, *advice.held_out.routers):
        assert f"{row.utilisation:.3f} {100 * row.hit_rate:.1f} %" in text
        assert f"{row.p50:.3f} {row.p95:.3f} {row.p99:.3f} {row.slow:,} {row.tel:.1f} {row.wait:.1f}" in text
    assert all(" ".join(reason.split()) in text for reason in advice.why)
    for one in found.tried:
        low, high = max(one.percentile.low, 0), one.percentile.high
        assert f"{one.number} {one.percentile.value:.3f} [{low:.3f}, {high:.3f}]" in text
    said = f"{found.answer} is the smallest number of replicas"
    assert (text.count("PLAN: LRU, "), said in text) == (1, found.answer is not None)
    data = json.loads(numbers.read_text())["advice"][0]
    assert (data["recommended"], data["xi"], data["q_hat"]) == (advice.recommended, advice.xi, advice.q_hat)
    assert (data["replicas"], data["router"], data["load"]) == (2, "least-loaded", 0.7)
    assert (data["capacity"], data["loads"]) == ([800, 2000], [0.0, 0.3])
    assert [row["tel"] for row in data["held_out"]["rows"]] == [row.tel for row in advice.held_out.rows]
    assert data["plans"][0]["answer"] == found.answer
    assert sum(plan["best"] for plan in data["plans"]) == 1
    html = page.read_text()
    assert "<b> and" not in html
    drawn = "".join(
        gzip.decompress(b64decode(chart)).decode() for chart in re.findall('data-gzip="([^"]*)"', html)
    )
    assert "Seconds above the SLO on the rest" in drawn
    assert "Plan of number of replicas" in html


def test_a_router_that_is_overloaded_does_not_hide_the_other_bars():
    def row(router, wait):
        return SimpleNamespace(policy="LRU", router=router, wait=wait, load=0, compute=10)

    chart = parts_of([row("a", 90), row("b", 990), row("c", 991), row("d", 0)]).to_dict()
    (values,) = chart["datasets"].values()
    assert {part["served"] for part in values} == {"LRU, a", "LRU, b", "LRU, d"}
    assert chart["title"]["subtitle"].startswith("without 1 ")


def test_the_own_speed_of_a_trace_may_be_too_fast_and_is_said(in_words, file):
    asked = ("advise", file, "--capacity", "1k", "--slo", "200ms", "--replicas", 1)
    text = in_words(*asked, "--stretch", "0.02")
    assert "Arrivals are stretched by 0.02 for all policies." in text
    assert "s of work for each second of a replica. Queues grow without bound" in text
    assert "Queues grow without bound" in in_words(*asked, "--load", "1.5", "--overload")


def test_prompts_in_chunks_are_said_and_served(run, file, tmp_path, capsys):
    asked = ("--capacity", "1k", "--slo", "200ms", "--load", "0.7", "--chunk", "256")
    numbers = tmp_path / "advice.json"
    assert run("advise", file, *asked, "--json", numbers) == 0
    assert "An iteration computes 256 prompt tokens, first come, first served." in capsys.readouterr().out
    serving, load = Serving(batching=Chunked(256)), Fraction(7, 10)
    advice = tt.advise(tt.read_trace(file), 1000, Fraction(1, 5), serving=serving, load=load)
    rows = json.loads(numbers.read_text())["advice"][0]["held_out"]["rows"]
    assert [row["tel"] for row in rows] == [row.tel for row in advice.held_out.rows]


def test_a_trace_that_comes_at_one_time_has_no_utilisation(run_json, tmp_path):
    trace, file = chats(90, 2), tmp_path / "now.csv"
    now = tt.Trace.from_turns(trace.conversation, trace.prompt, trace.response, arrival=np.zeros(90))
    tt.write_trace(now, file)
    asked = ("--capacity", "1k", "--slo", "200ms", "--replicas", 1, "--plan", "replicas=1,2")
    data = run_json("advise", file, *asked)["advice"][0]
    assert data["held_out"]["rows"][0]["utilisation"] is None
    assert [one["utilisation"] for one in data["plans"][0]["tried"]] == [None, None]
    assert data["held_out"]["rows"][0]["tel"] > 0


def test_a_plan_is_read_as_a_grid():
    assert read_plan("replicas=1..3,8", None, overload=False) == ("replicas", [1, 2, 3, 8])
    assert read_plan("tier1=100k,1M", None, overload=False) == ("tier1", [100_000, 1_000_000])
    assert read_plan("load=0.5,0.9", None, overload=False) == ("load", [Fraction(1, 2), Fraction(9, 10)])
    assert read_plan("load=1.5", None, overload=True) == ("load", [Fraction(3, 2)])
    assert read_percentile("P99.9") == Fraction(999, 10)


BAD = [
    ("--load 1", "--load: found '1', expected a load below 1, as queues grow without bound, or --overload with"),
    ("--load 0", "--load: found '0', expected a load above 0 such as 0.7"),
    ("--load much", "--load: found 'much'"),
    ("--load 0.5 --stretch 2", "--stretch: found '2', expected none with --load"),
    ("--stretch 0", "--stretch: found '0', expected a number above 0"),
    ("--replicas 0", "--replicas"),
    ("--chunk 0", "--chunk"),
    ("--router fastest", "router: found 'fastest', expected one of round-robin, least-loaded"),
    ("--tier 1k --tier 2k", "--tier: found '2k', expected what loading costs"),
    ("--tier 1k --tier 2k:1.5", "expected less than 7.17e-05 s: computing is as fast"),
    ("--tier 1k --tier -3:0.5", "--tier"),
    ("--capacity 1k --tier 1k", "--capacity: found '1,000', expected none with --tier"),
    ("--percentile p95", "--percentile: found 'p95', expected --plan with it"),
    ("--plan gpus=3", "--plan: found 'gpus=3', expected replicas=1..16, tier0=100k,300k,1M or load=0.5,0.7,0.9"),
    ("--plan replicas=0..4", "--plan: found 'replicas=0..4', expected replicas from 1 on"),
    ("--plan replicas=x", "--plan: found 'replicas=x'"),
    ("--plan replicas=4..1", "--plan: found 'replicas=4..1'"),
    ("--plan tier1=1k", "--plan: found 'tier1', expected a tier from tier0 to tier0"),
    ("--plan tier0=1x", "--plan: found '1x', expected tokens such as"),
    ("--plan load=0.5,1.2", "--plan: found '1.2', expected a load below 1"),
    ("--plan load=0.5 --percentile 95", "--percentile: found '95', expected a percentile such as p95"),
]


@pytest.mark.parametrize(("options", "told"), BAD, ids=[options for options, _ in BAD])
def test_bad_input_is_one_line_and_exit_code_2(refused, file, options, told):
    assert told in refused("advise", file, "--slo", "200ms", *options.split())


def test_a_trace_without_arrivals_is_one_line(refused, tmp_path):
    trace = chats(90, 2)
    name = tmp_path / "timeless.csv"
    tt.write_trace(tt.Trace.from_turns(trace.conversation, trace.prompt, trace.response), name)
    told = refused("advise", name, "--slo", "200ms", "--capacity", "1k", "--replicas", 2)
    assert "trace: found 'no arrival times', expected arrival times" in told


def test_memory_is_in_gib_too_where_a_model_says_what_a_token_takes(run, file, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("teltheory.report.page._vega", lambda: "")
    asked = ("advise", file, "--slo", "200ms", "--capacity", "1GiB", "--model", "llama-2-7b", "--replicas", 2)
    assert run(*asked, "--html", tmp_path / "advice.html") == 0
    said = "2,048 tokens (1.0 GiB of llama-2-7b)"
    assert f"2 replicas of {said}" in " ".join(capsys.readouterr().out.split())
    assert (tmp_path / "advice.html").read_text().count(said) >= 2

"""Tiers of memory and servers on the command line."""

import json
from fractions import Fraction

import pytest
from matplotlib.figure import Figure

import teltheory as tt
from teltheory.cli.asked.served import ServedModel
from teltheory.cli.asked.tiers import Tiered
from teltheory.cost.decoding import A100_DECODE
from teltheory.serving.serve import stretch_for


def test_tiers_are_read_as_every_choice_of_their_sizes():
    asked = Tiered(("300k,1M", "40GiB:0.26"))
    read = asked.read(ServedModel(model="vicuna-7b"))
    assert [one.capacities for one in read] == [(300_000, 81_920), (1_000_000, 81_920)]
    assert [one.loads[1] * 1000 for one in read] == [260, 260]


@pytest.mark.parametrize(
    ("tiers", "served", "said"),
    [
        (("300k", "1M"), ServedModel(), "found '1M', expected what loading costs: 1M:pcie4"),
        (("300k:pcie4", "1M:pcie4"), ServedModel(), "the first tier, the GPU's, without what loading costs"),
        (("300k", "1M:1.2"), ServedModel(), "less than 7.17e-05 s: computing is as fast"),
        (("1", "2:0.5", "3:0.4"), ServedModel(), "0 for the first tier, never less for the next, below 1 (loads)"),
        (("300k", "1M:pcie4"), ServedModel(kv_bytes=100), "it has no latency of its own"),
        (("-1",), ServedModel(), "found '-1', expected tokens such as 300000"),
        (("300k", "1M:tape"), ServedModel(), "found 'tape', expected pcie4"),
    ],
)
def test_one_line_says_what_is_wrong_with_a_tier(tiers, served, said):
    with pytest.raises(ValueError, match="expected") as error:
        Tiered(tiers).read(served)
    assert said in str(error.value)


TURNS = "A,100,10,0", "B,100,20,1", "A,50,10,2", "C,200,5,2", "B,60,10,4", "A,10,10,9"
TIERS = "--tier", "100", "--tier", "150:0.3"


@pytest.fixture
def arrivals(tmp_path):
    file = tmp_path / "arrivals.csv"
    file.write_text("\n".join(("conversation,prompt,response,arrival", *TURNS)))
    return file


def test_replay_shows_what_each_tier_did(run_json, arrivals):
    data = run_json("replay", arrivals, *TIERS, "--policy", "lru,lru+tlru:q_hat=0", "--xi", "60")
    trace, tiers = tt.read_trace(arrivals), tt.Tiers((100, 150), (0, Fraction(3, 10)))
    policies = tt.LRU(), (tt.LRU(), tt.TLRU(60, 0))
    assert [row["policy"] for row in data["rows"]] == ["lru", "lru+tlru:q_hat=0"]
    for row, policy in zip(data["rows"], policies, strict=True):
        outcome = tt.replay(trace, policy, tiers)
        assert row["reused"] == outcome.cached.sum(axis=1).tolist()
        assert (tuple(row["copied"]), tuple(row["loaded"])) == outcome.moved[1:]
        assert row["tel"] == float(tt.tail_excess_latency(outcome, 60))
        assert row["optimum"] == float(tt.hindsight_optimum(trace, tiers, 60).lower)
        assert row["serving"] is None


def test_what_is_printed_of_tiers_fits_a_line(output, run, capsys, arrivals):
    tiers = "--tier", "20", "--tier", "90:0.3", "--tier", "300:0.5"
    assert run("replay", arrivals, *tiers, "--policy", "tlru:trim=least-recent", "--q-hat", "9", "--xi", "9") == 0
    heads = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith(" policy")]
    assert [head[-1] for head in heads] == ["closed", "2"]
    lines = output("optimum", arrivals, *tiers, "--xi", "60").splitlines()
    place = next(k for k, line in enumerate(lines) if line.startswith(" 20 + 90 + 300 tokens"))
    assert lines[place + 1].split()[0] == "60"
    assert len(lines[place].rstrip()) <= 100


def test_simulate_is_serve(run_json, arrivals):
    asked = "--replicas", "1,2", "--router", "hash,min-ttft", "--load", "0.5", "--ticks", "spread"
    data = run_json(
        "simulate", "replicas", arrivals, *TIERS, *asked, "--policy", "lru,tlru:q_hat=0", "--slo", "5ms"
    )
    trace, tiers = tt.read_trace(arrivals), tt.Tiers((100, 150), (0, Fraction(3, 10)))
    xi = tt.A100_LLAMA2_7B.threshold(Fraction(5, 1000))
    assert len(data["rows"]) == 2 * 2 * 2
    for row in data["rows"]:
        server = row["serving"]
        policy = tt.LRU() if row["policy"] == "lru" else tt.TLRU(xi, 0)
        stretch = stretch_for(trace, tiers, tt.A100_LLAMA2_7B, server["replicas"], 0.5, "spread")
        assert server["stretch"] == stretch
        options = {name: server[name] for name in ("replicas", "router", "stretch", "ticks")}
        served = tt.serve(trace, policy, tiers, **options)
        assert row["p95"] == served.quantiles([0.95])[0]
        assert (row["slow"], row["goodput"]) == (served.slow(0.005), served.goodput(0.005))
        assert row["tail_seconds"] == pytest.approx(served.tail_seconds(0.005))
        assert [row[part] for part in ("waiting", "loading", "computing")] == [*served.tail(0.005)]
        assert row["optimum"] <= row["tel"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--router", "nearest"), "router: found 'nearest', expected one of round-robin"),
        (("--replicas", "0"), "--replicas: found '0', expected a whole number of replicas"),
        (("--load", "1.5"), "expected a load below 1, as queues grow without bound, or --overload with it"),
        (("--load", "0.5", "--stretch", "2"), "--stretch: found '2', expected none with --load"),
        (("--stretch", "0"), "--stretch: found '0', expected a number above 0"),
        ((*TIERS, "--capacity", "5"), "--capacity: found '5', expected none with --tier"),
        (("--policy", "lru+tlru"), "expected one, or one for each of the tiers, 1"),
        (("--policy", "lru+tlru:rules=holes", *TIERS), "no rules of a tier"),
    ],
)
def test_one_line_says_what_no_server_is(refused, arrivals, arguments, said):
    assert said in refused("simulate", "replicas", arrivals, "--xi", "60", *arguments)


def test_a_trace_without_arrivals_has_no_queue(refused, trace_file):
    assert "no arrival times" in refused("simulate", "replicas", trace_file, "--xi", "60")


def test_chunks_decoding_and_a_shared_store_are_served(run_json, arrivals):
    trace, tiers, slo = tt.read_trace(arrivals), tt.Tiers((100, 150), (0, Fraction(3, 10))), Fraction(5, 1000)
    ways = {
        ("--chunk", "64", "--decode"): {"batching": tt.Chunked(64, A100_DECODE)},
        ("--share-last-tier", "--replicas", "2"): {"shared": True, "replicas": 2},
    }
    for options, way in ways.items():
        (row,) = run_json("simulate", "replicas", arrivals, *TIERS, *options, "--policy", "lru", "--slo", "5ms")[
            "rows"
        ]
        served = tt.serve(trace, tt.LRU(), tiers, **way)
        assert row["p99"] == served.quantiles([0.99])[0]
        assert row["tail_seconds"] == pytest.approx(served.tail_seconds(slo))
        assert row["optimum"] is None if "shared" in way else row["optimum"] <= row["tel"]


def test_arrivals_at_one_time_are_written_and_shown(run, capsys, tmp_path):
    file, numbers = tmp_path / "once.csv", tmp_path / "once.json"
    file.write_text("conversation,prompt,response,arrival\nA,100,10,0\nB,50,10,0\n")
    assert run("simulate", "replicas", file, *TIERS, "--xi", "60", "--policy", "lru", "--json", numbers) == 0
    assert "Threshold" in capsys.readouterr().out
    (row,) = json.loads(numbers.read_text())["rows"]
    assert (row["utilisation"], row["goodput"]) == (None, None)


def test_tiers_that_swap_out_once_are_replayed(run_json, arrivals):
    mode = "--tier-mode", "swap-out-once"
    (row,) = run_json("replay", arrivals, *TIERS, *mode, "--xi", "60", "--policy", "lru")["rows"]
    assert row["optimum"] <= row["tel"]


def test_an_overload_is_said(run, capsys, arrivals):
    assert run("simulate", "replicas", arrivals, "--capacity", "100", "--stretch", "0.001", "--xi", "60") == 0
    assert "queues grow until the last arrival" in " ".join(capsys.readouterr().out.split())


def test_figures_of_tiers_are_drawn(run, arrivals, tmp_path):
    for command in (("simulate", "replicas"), ("curve",)):
        picture = tmp_path / f"{command[0]}.svg"
        tiers = "--tier", "50,100", "--tier", "150,200:0.3"
        assert run(*command, arrivals, *tiers, "--xi", "60", "--policy", "lru", "--figure", picture) == 0
        assert picture.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("tiers", "axis"),
    [
        (("50,100", "150:0.3"), "capacity of tier 0 (tokens); tier 1: 150"),
        (("50", "150,1k:0.3", "5k:0.5"), "capacity of tier 1 (tokens); tier 0: 50; tier 2: 5,000"),
        (("50,100", "150,200:0.3"), "capacity of tier 0 (tokens)"),
    ],
)
def test_a_curve_says_along_which_tier_it_is_drawn(run, arrivals, tmp_path, monkeypatch, tiers, axis):
    said = []
    monkeypatch.setattr("teltheory.cli.replay.curve.draw_curves", lambda *drawn: said.append(drawn[3]) or Figure())
    sizes = [word for tier in tiers for word in ("--tier", tier)]
    run("curve", arrivals, *sizes, "--xi", "60", "--policy", "lru", "--figure", tmp_path / "curve.svg")
    assert said == [axis]


def test_optimum_in_tiers_has_two_sides_and_certificates(output, run_json, arrivals, tmp_path):
    proofs = tmp_path / "proofs.json"
    data = run_json("optimum", arrivals, *TIERS, "--xi", "60,20", "--certificate", proofs)
    trace, tiers = tt.read_trace(arrivals), tt.Tiers((100, 150), (0, Fraction(3, 10)))
    for row in data["rows"]:
        best = tt.hindsight_optimum(trace, tiers, row["xi"])
        assert (row["lower"], row["upper"]) == (float(best.lower), float(best.upper))
        assert row["policies"]["LRU"]["tel"] == tt.tail_excess_latency(
            tt.replay(trace, tt.LRU(), tiers), row["xi"]
        )
    assert output("check-certificate", proofs, arrivals).count("no policy has less TEL than") == 2
    printed = output("optimum", arrivals, *TIERS, "--xi", "60,20")
    assert "lower" in printed
    assert "optimum" in printed


def test_only_tel_has_tiers(refused, arrivals):
    assert "--goal: found 'slo', expected tel" in refused(
        "optimum", arrivals, *TIERS, "--goal", "slo", "--xi", "60"
    )

"""Hit rate, prefilled tokens and the median stand beside every tail: in the tables, in JSON and on the page."""

import pytest

import teltheory as tt
from teltheory.cli.replay import command as replay
from teltheory.cli.replay import curve
from teltheory.model.display import tokens_in_short
from teltheory.optimal.slo.percentile import best_percentile
from teltheory.optimal.slo.violations import fewest_violations
from teltheory.policies.spec import parse_policy
from teltheory.report import explorer

OPTIMA = [("tel",), ("tel", "--method", "milp"), ("slo",), ("p75",)]


def work(outcome, who=""):
    """The median, the hit rate and the prefilled tokens of an outcome, counted turn by turn."""
    reused, computed = sum(outcome.cached.tolist()), sum(outcome.uncached.tolist())
    median = sorted(outcome.uncached.tolist())[(len(outcome) + 1) // 2 - 1] * 71.7e-6
    found = {"p50": pytest.approx(median), "hit_rate": reused / (reused + computed), "prefilled": computed}
    return {who + name: value for name, value in found.items()}


def part(row, expected):
    return {name: row[name] for name in expected}


def test_replay_and_curve_have_them(run_json, trace_file):
    trace, asked = tt.read_trace(trace_file), ("--capacity", 120, "--xi", 160, "--q-hat", 100)
    rows = run_json("replay", trace_file, *asked)["rows"]
    data = run_json("curve", trace_file, *asked, "--points", 3)
    rows += [row for row in data["rows"] if row["policy"] != "hindsight"]
    for row in rows:
        expected = work(tt.replay(trace, parse_policy(row["policy"]).build(160, 100), 120))
        assert part(row, expected) == expected
    for row in data["curve"]:
        if row["policy"] != "hindsight":
            outcome = tt.replay(trace, parse_policy(row["policy"]).build(160, 100), row["capacity"])
            assert (row["hit_rate"], row["prefilled"]) == (float(outcome.hit_rate), outcome.prefilled)
        else:
            assert row["hit_rate"] is row["prefilled"] is None


def test_optima_have_those_of_their_plan_and_of_the_policies_beside_it(run_json, trace_file):
    trace, asked = tt.read_trace(trace_file), ("optimum", trace_file, "--capacity", 120)
    lru, tlru = tt.replay(trace, tt.LRU(), 120), tt.replay(trace, tt.TLRU(160, 100), 120)
    (row,) = run_json(*asked, "--xi", 160)["rows"]
    best = tt.hindsight_optimum(trace, 120, 160).outcome
    expected = {**work(best), **work(lru, "lru_")}
    assert part(row, expected) == expected
    (row,) = run_json(*asked, "--xi", 160, "--goal", "slo")["rows"]
    expected = {**work(fewest_violations(trace, 120, 160).outcome), **work(lru, "lru_"), **work(tlru, "tlru_")}
    assert part(row, expected) == expected
    (row,) = run_json(*asked, "--goal", "p75")["rows"]
    tlru = tt.replay(trace, tt.TLRU(row["tlru_xi"], 100), 120)
    best = best_percentile(trace, 120, 0.75).outcome
    expected = {**work(best), **work(lru, "lru_"), **work(tlru, "tlru_")}
    assert part(row, expected) == expected


@pytest.mark.parametrize("asked", [("replay",), ("curve",), *(("optimum", "--goal", *one) for one in OPTIMA)])
def test_every_table_has_their_columns(run, trace_file, capsys, asked):
    command, *options = asked
    threshold = () if "p75" in options else ("--xi", 160)
    assert run(command, trace_file, "--capacity", 120, *threshold, *options) == 0
    header, *_ = [line for line in capsys.readouterr().out.splitlines() if "P50 s" in line]
    assert {"hit", "prefill"} <= set(header.split())


def test_the_page_has_them_too():
    assert {"P50 s", "hit", "prefill"} <= {*replay.MEASURES} & {*curve.MEASURES}
    assert {"P50 s", "hit rate", "prefilled tokens"} <= {*explorer.MEASURES}


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (0, "0"),
        (999_999, "999,999"),
        (1_000_000, "1.000M"),
        (1_378_400, "1.378M"),
        (83_412_345, "83.41M"),
        (144_123_456, "144.1M"),
        (12_345_678_901, "12,346M"),
    ],
)
def test_tokens_in_short(tokens, text):
    assert tokens_in_short(tokens) == text

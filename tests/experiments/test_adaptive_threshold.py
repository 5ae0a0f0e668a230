"""The tables of adaptive thresholds and of the median against the tail, and the figures that are made of them."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import cases, examples

import teltheory as tt
from experiments import adaptive_report, adaptive_threshold, adaptive_workloads, pareto_front
from paper_figs import adaptive_threshold as adaptive_figure
from paper_figs import pareto_front as pareto_figure
from paper_figs.command import run

SHARES = (("0.8", 6), ("1.0", 4))
WILDCHAT = adaptive_workloads.scenarios()["wildchat"]
WILDCHAT_OF_TWO = adaptive_workloads.scenarios(turns=300, samples=(2, 1))["wildchat"]


@pytest.fixture
def short(monkeypatch):
    """One capacity, short samples, few settings."""
    scenario = adaptive_workloads.chats("wildchat", (adaptive_workloads.wildchat_like(),), 600, 2)
    scenario = replace(scenario, capacities=(4_000,))
    for module in (adaptive_threshold, pareto_front):
        monkeypatch.setattr(module, "scenarios", lambda file: {"wildchat": scenario})
        monkeypatch.setattr(module, "RATIOS", tuple(Fraction(i, 4) for i in range(7)))
    return scenario


def table_of(main, tmp_path, *arguments):
    table = tmp_path / "table.csv"
    main([str(table), "--workload", "wildchat", "--workers", "1", *arguments])
    with table.open(newline="", encoding="utf-8") as file:
        return table, list(csv.DictReader(file))


def test_what_is_measured_by_hand():
    trace = tt.Trace.from_turns([0, 1, 2, 3], [1, 2, 3, 10], [0] * 4)
    found = adaptive_threshold.measured(tt.replay(trace, tt.LRU(), 0), xi=2)
    assert found.tolist() == [2, 10, 10, 10, 10, 9]
    long = tt.Trace.from_turns(range(2000), [1] * 1000 + [5] * 1000, [0] * 2000)
    blocks = adaptive_threshold.measured(tt.replay(long, tt.LRU(), 0), xi=2)
    assert blocks[adaptive_threshold.MEASURES.index("blocks")] == 3


def test_the_best_fixed_threshold_is_the_best_of_the_grid_in_each_measure(short):
    found = adaptive_threshold.on_sample(short, short.sample(1), 4_000)
    fixed = np.array([values for key, values in found.items() if key.policy == "fixed"])
    best = found[adaptive_threshold.Key("best-fixed")]
    assert (best <= fixed).all()
    assert (best == fixed).any(axis=0).all()
    lru = found[adaptive_threshold.Key("lru")]
    assert (fixed[0] == lru).all()
    assert not (best == lru).all()
    lru_p95 = int(lru[adaptive_threshold.MEASURES.index("p95")])
    at_lru_p95 = tt.replay(short.sample(1), tt.TLRU(lru_p95, short.q_hat), 4_000)
    at_one = found[adaptive_threshold.Key("fixed", 1.0)]
    assert at_one.tolist() == adaptive_threshold.measured(at_lru_p95, short.xi).tolist()
    literal = adaptive_threshold.Key("adaptive", 1.0, 0.95, 100)
    xi = tt.AdaptiveTLRU(0, short.q_hat, share=Fraction(1), window=100, every=20)
    again = adaptive_threshold.measured(tt.replay(short.sample(1), xi, 4_000), short.xi)
    assert found[literal].tolist() == again.tolist()


def test_regrets_and_improvements_are_of_the_means_that_stand_beside_them(short, tmp_path):
    table, rows = table_of(adaptive_threshold.main, tmp_path)
    keys = ("policy", "share", "quantile", "window")
    mean = {(*(row[key] for key in keys), row["measure"]): float(row["mean"]) for row in rows}
    best = {key[-1]: value for key, value in mean.items() if key[0] == "best-fixed"}
    for key, value in mean.items():
        if key[-1].startswith("regret-"):
            measure = key[-1].removeprefix("regret-")
            assert value == pytest.approx(mean[(*key[:-1], measure)] - best[measure])
    assert all(float(row["low"]) <= float(row["mean"]) <= float(row["high"]) for row in rows)
    assert {row["samples"] for row in rows} == {"2"}
    run("adaptive_threshold", adaptive_figure.draw, [str(table), str(tmp_path / "figure.svg")])
    assert (tmp_path / "figure.svg").stat().st_size > 0


def test_processes_change_nothing():
    short = replace(WILDCHAT_OF_TWO, sample=replace(WILDCHAT_OF_TWO.sample, turns=200), capacities=(4_000,))
    alone, together = (
        list(adaptive_workloads.on_all(pareto_front.on_sample, [WILDCHAT_OF_TWO, short], workers))
        for workers in (1, 2)
    )
    assert alone == together
    assert [(scenario.name, capacity, len(found)) for scenario, capacity, found in alone] == [
        *(("wildchat", capacity, 2) for capacity in adaptive_workloads.CHAT_CAPACITIES),
        ("wildchat", 4_000, 2),
    ]
    seeds = [pareto_front.on_sample(short, short.sample(seed), 4_000) for seed in (0, 1)]
    assert alone[-1][2] == seeds
    assert seeds[0] != seeds[1]


def test_half_way_the_lengths_change_and_the_conversations_are_others():
    trace = adaptive_workloads.scenarios()["longer-halfway"].sample(3)
    half, first = 10_000, adaptive_workloads.wildchat_like().sample(10_000, np.random.default_rng((3, 0)))
    assert len(trace) == 2 * half
    assert trace.prompt[:half].tolist() == first.prompt.tolist()
    assert trace.code[:half].tolist() == first.code.tolist()
    assert not set(trace.code[:half].tolist()) & set(trace.code[half:].tolist())
    ratio = trace.prompt[half:].mean() / trace.prompt[:half].mean()
    assert ratio == pytest.approx(adaptive_workloads.FACTOR, rel=0.1)


@given(cases(), st.integers(0, 9), st.sampled_from(["round-robin", "least-recent", "eager"]))
@examples(200)
def test_tlru_depends_on_the_margin_alone(case, shift, trim):
    """So that the plane of (xi, Q-hat) is one line, and one side of it is LRU."""
    margin = max(case.xi - case.q_hat, 0)
    plain = case.replay(tt.TLRU(margin, 0, trim))
    assert case.replay(tt.TLRU(margin + shift, shift, trim)) == plain
    assert case.replay(tt.TLRU(case.xi, case.q_hat, trim)) == plain
    assert case.replay(tt.TLRU(shift, shift + case.q_hat, trim)) == case.replay(tt.LRU())


def test_the_front_by_hand():
    median, tail = np.array([1.0, 2.0, 2.0, 3.0, 1.0, 4.0]), np.array([9.0, 5.0, 4.0, 4.0, 9.0, 1.0])
    assert pareto_front.on_front(median, tail) == [True, False, True, False, True, True]


def test_no_point_of_the_front_is_beaten_and_every_other_one_is(short, tmp_path):
    table, rows = table_of(pareto_front.main, tmp_path)
    for trim in ("round-robin", "least-recent", "eager"):
        points = [(float(row["p50"]), float(row["p95"]), row["front"]) for row in rows if row["trim"] == trim]
        for a, b, front in points:
            beaten = any(x <= a and y <= b and (x, y) != (a, b) for x, y, _ in points)
            assert beaten == (front == "0")
    assert all(float(row["p50_of_lru"]) == 100 for row in rows if row["margin"] == "0.0")
    run("pareto_front", pareto_figure.draw, [str(table), str(tmp_path / "figure.svg")])
    assert (tmp_path / "figure.svg").stat().st_size > 0


def test_the_report_has_the_numbers_of_the_tables(tmp_path, capsys):
    columns = ("measure", "policy", "share", "quantile", "window", "mean", "high")
    rows = [
        (measure, policy, share, quantile, window, *means)
        for measure in ("p50", "p90", "p95", "p99", "blocks", "tel")
        for policy, share, quantile, window, means in [
            ("fixed", "0.5", "0.0", "0", (1, 2)),
            ("fixed", "0.7", "0.0", "0", (3, 4)),
            ("best-fixed", "0.0", "0.0", "0", (8, 8.5)),
            *(("adaptive", share, q, "500", (x, x + 1)) for q in ("0.9", "0.95", "0.99") for share, x in SHARES),
            *(("adaptive", "0.8", "0.95", window, (7, 9)) for window in ("100", "200", "1000")),
        ]
    ]
    with (tmp_path / "a.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("workload", "capacity", *columns))
        for measure, *key, mean, high in rows:
            writer.writerow(("w", 1000, f"improvement-{measure}", *key, mean, high))
            writer.writerow(("w", 1000, f"regret-{measure}", *key, mean + 90, high + 91))
    front = "workload,capacity,trim,margin,p50,p95,p50_of_lru,p95_of_lru,front\n"
    points = "w,1000,round-robin,0.1,1,9,90,99,1\nw,1000,round-robin,0.2,2,8,95,98,1\n"
    (tmp_path / "p.csv").write_text(front + points + "w,1000,round-robin,0.3,3,9,97,99,0\n", encoding="utf-8")
    adaptive_report.main([str(tmp_path / "a.csv"), str(tmp_path / "p.csv")])
    printed = capsys.readouterr().out.splitlines()
    assert printed[2] == "| w | 1,000 | 8.0 ± 0.5 | 4.0 ± 1.0 | 6.0 ± 1.0 | 6.0 ± 1.0 | 0.8 | 96 ± 2 |"
    assert printed[10] == "| w | 1,000 | 0.7 | 0.72 | 0.8 | 0.8 | 0.8 | 6.0 ± 1.0 | 6.0 ± 1.0 |"
    assert printed[14] == "| w | 1,000 | 7.0 ± 2.0 | 7.0 ± 2.0 | 6.0 ± 1.0 | 7.0 ± 2.0 |"
    assert printed[18] == "| w | 1,000 | 2 of 3 | 0.1 | 90.0 | 99.0 | 0.2 | 95.0 | 98.0 |"


def test_a_scenario_is_known_by_all_that_its_results_depend_on():
    changes = {"name": "x", "samples": 3, "capacities": (1,), "q_hat": 7, "xi": 8}
    changed = [replace(WILDCHAT, **{name: value}) for name, value in changes.items()]
    samplers = [replace(WILDCHAT.sample, turns=10), adaptive_workloads.scenarios()["sharegpt"].sample]
    changed += [replace(WILDCHAT, sample=sampler) for sampler in samplers]
    assert len({scenario.key for scenario in (WILDCHAT, *changed)}) == 1 + len(changed)
    assert adaptive_workloads.scenarios()["wildchat"].key == WILDCHAT.key


def test_a_single_trace_has_no_interval(tmp_path):
    trace = WILDCHAT.sample(0)
    tt.write_trace(trace, tmp_path / "trace.csv")
    scenario = adaptive_workloads.scenarios(str(tmp_path / "trace.csv"))["mooncake"]
    assert scenario.samples == 1
    assert scenario.sample(0).prompt.tolist() == trace.prompt.tolist()
    found = adaptive_threshold.line("mooncake", 1, adaptive_threshold.Key("lru"), "p50", np.array([3.0]))
    assert found.mean == 3
    assert math.isnan(found.low)
    assert math.isnan(found.high)


@pytest.mark.parametrize("module", [adaptive_threshold, pareto_front])
def test_an_unknown_workload_is_named(module, tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        module.main([str(tmp_path / "table.csv"), "--workload", "nothing"])
    assert stopped.value.code == 2
    assert "found nothing, expected some of wildchat, " in capsys.readouterr().err

"""What stands in the tables of adaptive thresholds and of the median against the tail."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import cases, examples

import teltheory as tt
from teltheory.paper import adaptive, front, scenarios
from teltheory.paper.adaptive import MEASURES, Key
from teltheory.policies import AdaptiveTLRU

WILDCHAT = scenarios.scenarios()["wildchat"]


@pytest.fixture
def short(monkeypatch):
    """One capacity, short samples, few settings."""
    for module in (adaptive, front):
        monkeypatch.setattr(module, "RATIOS", tuple(Fraction(i, 4) for i in range(7)))
    return replace(WILDCHAT, turns=600, samples=2, capacities=(4_000,))


def test_what_is_measured_by_hand():
    trace = tt.Trace.from_turns([0, 1, 2, 3], [1, 2, 3, 10], [0] * 4)
    found = adaptive.measured(tt.replay(trace, tt.LRU(), 0), xi=2)
    assert found.tolist() == [2, 10, 10, 10, 10, 9]
    long = tt.Trace.from_turns(range(2000), [1] * 1000 + [5] * 1000, [0] * 2000)
    blocks = adaptive.measured(tt.replay(long, tt.LRU(), 0), xi=2)
    assert blocks[MEASURES.index("blocks")] == 3


def test_the_best_fixed_threshold_is_the_best_of_the_grid_in_each_measure(short):
    found = adaptive.on_sample(short, short.sample(1), 4_000)
    fixed = np.array([values for key, values in found.items() if key.policy == "fixed"])
    best, lru = found[Key("best-fixed")], found[Key("lru")]
    assert (best <= fixed).all()
    assert (best == fixed).any(axis=0).all()
    assert (fixed[0] == lru).all()
    assert not (best == lru).all()
    lru_p95 = int(lru[MEASURES.index("p95")])
    replays = {
        Key("fixed", 1.0): tt.TLRU(lru_p95, short.q_hat),
        Key("adaptive", 1.0, 0.95, 100): AdaptiveTLRU(0, short.q_hat, share=Fraction(1), window=100, every=20),
    }
    for key, policy in replays.items():
        again = adaptive.measured(tt.replay(short.sample(1), policy, 4_000), short.xi)
        assert found[key].tolist() == again.tolist()


def test_regrets_and_improvements_are_of_the_means_that_stand_beside_them(short):
    rows = list(adaptive.lines([short]))
    mean = {(row.policy, row.share, row.quantile, row.window, row.measure): row.mean for row in rows}
    best = {key[-1]: value for key, value in mean.items() if key[0] == "best-fixed"}
    regrets = {key: value for key, value in mean.items() if key[-1].startswith("regret-")}
    assert regrets
    for key, value in regrets.items():
        measure = key[-1].removeprefix("regret-")
        assert value == pytest.approx(mean[(*key[:-1], measure)] - best[measure])
    assert all(row.low <= row.mean <= row.high for row in rows)
    assert {row.samples for row in rows} == {2}


@pytest.mark.long
def test_processes_change_nothing():
    short = replace(WILDCHAT, turns=300, samples=2, capacities=(4_000,))
    other = replace(short, turns=200, capacities=(1_000, 4_000))
    alone, together = (list(scenarios.on_all(front.on_sample, [short, other], workers)) for workers in (1, 2))
    assert alone == together
    assert [(capacity, len(found)) for _, capacity, found in alone] == [(4_000, 2), (1_000, 2), (4_000, 2)]
    seeds = [front.on_sample(other, other.sample(seed), 4_000) for seed in (0, 1)]
    assert alone[-1][2] == seeds
    assert seeds[0] != seeds[1]


def test_half_way_the_lengths_change_and_the_conversations_are_others():
    trace = scenarios.scenarios()["longer-halfway"].sample(3)
    half, first = 10_000, scenarios.wildchat_like().sample(10_000, np.random.default_rng((3, 0)))
    assert len(trace) == 2 * half
    assert trace.prompt[:half].tolist() == first.prompt.tolist()
    assert trace.code[:half].tolist() == first.code.tolist()
    assert not set(trace.code[:half].tolist()) & set(trace.code[half:].tolist())
    ratio = trace.prompt[half:].mean() / trace.prompt[:half].mean()
    assert ratio == pytest.approx(scenarios.FACTOR, rel=0.1)


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
    assert front.on_front(median, tail) == [True, False, True, False, True, True]


def test_no_point_of_the_front_is_beaten_and_every_other_one_is(short):
    rows = list(front.points([short]))
    for trim in ("round-robin", "least-recent", "eager"):
        path = [row for row in rows if row.trim == trim]
        for a in path:
            beaten = any(b.p50 <= a.p50 and b.p95 <= a.p95 and (b.p50, b.p95) != (a.p50, a.p95) for b in path)
            assert beaten == (not a.front)
    assert all(row.p50_of_lru == 100 for row in rows if row.margin == 0)


def test_a_scenario_is_known_by_all_that_its_results_depend_on():
    changes = {"name": "x", "turns": 10, "samples": 3, "capacities": (1,), "q_hat": 7, "xi": 8}
    changes["origin"] = scenarios.scenarios()["sharegpt"].origin
    changed = [replace(WILDCHAT, **{name: value}) for name, value in changes.items()]
    assert len({scenario.key for scenario in (WILDCHAT, *changed)}) == 1 + len(changed)
    assert scenarios.scenarios()["wildchat"].key == WILDCHAT.key


def test_a_single_trace_has_no_interval(tmp_path):
    trace = WILDCHAT.sample(0)
    tt.write_trace(trace, tmp_path / "trace.csv")
    scenario = scenarios.scenarios(str(tmp_path / "trace.csv"))["mooncake"]
    assert scenario.samples == 1
    assert scenario.sample(0).prompt.tolist() == trace.prompt.tolist()
    found = adaptive.line("mooncake", 1, Key("lru"), "p50", np.array([3.0]))
    assert found.mean == 3
    assert math.isnan(found.low)
    assert math.isnan(found.high)

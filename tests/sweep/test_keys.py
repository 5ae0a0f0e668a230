from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

import teltheory as tt
from teltheory.base.store import text_of
from teltheory.cost.latency import A100_LLAMA2_7B, Provenance
from teltheory.errors import ArgumentError
from teltheory.policies.spec import POLICIES, Spec
from teltheory.sweep import Sample, TraceAtHand, TraceFile, jobs
from teltheory.sweep.jobs import ReplayJob
from teltheory.workloads import ConversationModel

JOB = ReplayJob("a" * 64, 5, tt.TLRU(7, 3), 100, False, A100_LLAMA2_7B, (7,))


@pytest.mark.parametrize(
    "change",
    [
        {"trace": "b" * 64},
        {"policy": tt.TLRU(8, 3)},
        {"policy": tt.TLRU(7, 3, "least-recent")},
        {"policy": tt.EndAwareTLRU(7, 3)},
        {"capacity": 101},
        {"forced": True},
        {"latency": replace(A100_LLAMA2_7B, per_token=Fraction(717, 10_000_001))},
        {"latency": replace(A100_LLAMA2_7B, per_pair=Fraction(1, 10**9))},
    ],
    ids=str,
)
def test_whatever_determines_a_measurement_changes_its_key(change):
    assert replace(JOB, **change).determinants(7) != JOB.determinants(7)


def test_the_threshold_and_the_version_of_the_results_change_the_key(monkeypatch):
    before = JOB.determinants(7)
    assert JOB.determinants(8) != before
    monkeypatch.setattr(jobs, "RESULTS_VERSION", jobs.RESULTS_VERSION + 1)
    assert JOB.determinants(7) != before


def test_what_determines_nothing_leaves_the_key():
    renamed = replace(A100_LLAMA2_7B, name="another name", provenance=Provenance("another"))
    other = replace(JOB, turns=6, thresholds=(7, 8), latency=renamed)
    assert other.determinants(7) == JOB.determinants(7)
    attention = replace(JOB, latency=replace(A100_LLAMA2_7B, per_pair=1))
    assert (
        replace(JOB, latency=replace(renamed, per_pair=1)).determinants(7)
        == attention.determinants(7)
        != JOB.determinants(7)
    )


def test_a_linear_model_is_found_in_the_stores_that_exist():
    assert JOB.determinants(7)["latency"] == "LatencyModel(seconds_per_token=Fraction(717, 10000000))"


def test_every_policy_has_a_key_of_its_own():
    built = [Spec(name).build(0, 0, 0) for name in POLICIES]
    assert len({text_of(replace(JOB, policy=policy).determinants(7)) for policy in built}) == len(POLICIES)


def test_a_policy_of_ones_own_is_not_taken_for_the_toolkits_of_that_name():
    @dataclass(frozen=True)
    class TLRU(tt.TLRU):
        pass

    same = dataclass(frozen=True)(type("TLRU", (tt.TLRU,), {"__module__": "another"}))
    assert len({text_of(replace(JOB, policy=made(7, 3)).determinants(7)) for made in (tt.TLRU, TLRU, same)}) == 3


def test_a_policy_whose_repr_says_nothing_has_no_key():
    class Mine:
        def cut(self, conversations, overflow):
            pass

    with pytest.raises(ArgumentError, match="a dataclass"):
        replace(JOB, policy=Mine()).determinants(7)


def test_a_file_a_copy_and_the_trace_at_hand_have_the_same_key(tmp_path):
    text = "conversation,prompt,response\nA,100,0\nB,100,0\nA,100,0\n"
    paths = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    for path in paths:
        (tmp_path / path).write_text(text)
    at_hand = TraceAtHand(tt.read_trace(paths[0]), "mine")
    assert len({TraceFile(paths[0]).key, TraceFile(paths[1]).key, at_hand.key, at_hand.alone().key}) == 1


def test_all_that_a_sample_is_made_of_changes_its_key(monkeypatch):
    sample = Sample(ConversationModel(), 50, 1)
    model = replace(ConversationModel(), spread=0.5)
    keys = [
        sample.key,
        replace(sample, seed=2).key,
        replace(sample, turns=51).key,
        replace(sample, model=model).key,
    ]
    monkeypatch.setattr(np, "__version__", "1.0")
    assert len({*keys, replace(sample).key}) == 5

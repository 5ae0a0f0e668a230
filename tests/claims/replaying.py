"""Counterexamples of the ledger, replayed."""

import teltheory as tt
from teltheory.claims.case import Case
from teltheory.claims.forests import ForestCase
from teltheory.claims.search import refutes


def case_of(example):
    """Return the case of a counterexample in turns, or in paths."""
    return (ForestCase if "paths" in example else Case).of(example)


def is_canonical(case):
    shape = case.shape if isinstance(case, ForestCase) else case.world
    return shape == shape.canonical()


def replays_as_written(claim, content):
    """Assert that the case of a kept file does to its claim what the file says, and none smaller does."""
    case = case_of(content["counterexample"])
    assert refutes(claim, case) is content["refutes"]
    if content["refutes"]:
        assert case.as_counterexample(claim.values(case)) == content["counterexample"]
        assert is_canonical(case)
        assert not any(refutes(claim, smaller) for smaller in case.smaller())


def whole(value):
    if isinstance(value, dict):
        return all(map(whole, value.values()))
    if isinstance(value, list):
        return all(map(whole, value))
    return isinstance(value, int)


def replayed(example, policy):
    trace = tt.Trace.from_turns(*zip(*example["turns"], strict=True))
    return tt.replay(trace, policy, example["capacity"], example["forced"], example["initial"])


def tel(example, policy):
    return tt.tail_excess_latency(replayed(example, policy), example["xi"])


def excesses(example, policy):
    return [max(u - example["xi"], 0) for u in replayed(example, policy).uncached.tolist()]


def optimum(example):
    trace = tt.Trace.from_turns(*zip(*example["turns"], strict=True))
    return tt.hindsight_optimum(trace, example["capacity"], example["xi"]).objective

"""The rows on tiers and queues: their judges beside the package's replay."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
from replay.instances import fewer

import teltheory as tt
from proofs_checks.queue.plain_queue import Queued
from proofs_checks.tiers.chains import Chain
from proofs_checks.tiers.lemmas import two_tiers
from proofs_checks.tiers.plain_chains import TRIMS, excesses, found, totals
from proofs_checks.tiers.plain_trees import Paths, TreeCascade, heads
from proofs_checks.tiers.states import TailOptimized, contents, least
from teltheory.claims.smt import z3_answer


def drawn(rng, tiers=2):
    """Draw a trace in tiers, exclusive or inclusive; half of the turns forget some of their past, or all."""
    past, trace = {}, []
    for theta, prompt, response in rng.integers(0, (3, 4, 4), (rng.integers(2, 9), 3)).tolist():
        forgotten = int(rng.integers(0, past.get(theta, 0) + 1) * (rng.random() < 0.5))
        past[theta] = past.get(theta, 0) - forgotten + prompt + response
        trace.append((theta, prompt, response, forgotten))
    rooms = rng.integers(0, 8, tiers)
    inclusive = bool(rng.random() < 0.5)
    loads = (0, *sorted(rng.integers(0, 4, tiers - 1).tolist()))
    capacities = sorted(rooms.tolist()) if inclusive else rooms.tolist()
    return Chain(
        tuple(trace), tuple(capacities), loads, 4, int(rng.integers(0, 9)), int(rng.integers(0, 4)), inclusive
    )


def by_the_package(case, policy):
    tiers = tt.Tiers(
        case.capacities,
        tuple(Fraction(load, case.parts) for load in case.loads),
        mode="inclusive" if case.inclusive else "exclusive",
    )
    theta, prompt, response, _ = zip(*case.trace, strict=True)
    history = np.subtract(totals(case), prompt)
    outcome = tt.replay(tt.Trace.from_turns(theta, prompt, response, history=history), policy, tiers)
    return outcome.cached.T.tolist(), [case.parts * max(0, u - case.xi) for u in outcome.uncached]


@pytest.mark.parametrize("trim", TRIMS)
@pytest.mark.parametrize("kind", ["LRU", "flat", "scaled"])
def test_the_judge_and_the_package_agree_turn_by_turn(kind, trim):
    rng = np.random.default_rng(25)
    for tiers in (2, 2, 3):
        for _ in range(12):
            case = drawn(rng, tiers)
            policy = tt.LRU() if kind == "LRU" else tt.TLRU(case.xi, case.q_hat, trim, budget=kind)
            plain = found(case, (kind,) * tiers, trim)
            assert (plain, excesses(case, plain)) == by_the_package(case, policy), case


@pytest.mark.parametrize("xi", [0, None])
def test_the_judge_knows_the_next_history_as_the_package_does(xi):
    """Belady and Tail-Optimized Belady on conversations that forget any part, in two tiers and three."""
    rng = np.random.default_rng(26)
    for _ in range(fewer(4000, 50)):
        case = replace(drawn(rng, int(rng.integers(2, 4))), q_hat=None)
        case = replace(case, xi=0) if xi == 0 else case
        plain = TailOptimized(case, ("scaled",) * len(case.loads), "least-recent").found()
        assert (plain, excesses(case, plain)) == by_the_package(case, tt.TailOptimizedBelady(case.xi)), case


def test_the_seeds_three_turns_behind_a_queue():
    case = Queued(Chain(((0, 1, 1), (1, 1, 0), (1, 0, 0)), (1,), (0,), 1, 1, 0), (0, 0, 0))
    assert [sum(case.excess(tail_aware)) for tail_aware in (False, True)] == [2, 3]


def test_the_step_fails_if_what_the_first_budget_leaves_may_fall(monkeypatch):
    without = two_tiers.GROWS[:-1]
    monkeypatch.setattr(two_tiers, "GROWS", without)
    answers = {obligation.name: z3_answer(obligation.text) for obligation in two_tiers.obligations()}
    assert [name for name, answer in answers.items() if answer != "unsat"] == ["a turn keeps b and c"]


def test_every_content_is_tried_once():
    kept = list(contents(((2, 2), (1, 1)), (1, 2), False))
    assert len(kept) == len(set(kept))
    assert ((1, 2), (0, 0)) in kept
    assert ((0, 1), (1, 1)) in kept
    assert ((2, 2), (0, 0)) not in kept


def test_the_best_plan_of_two_that_wait_at_once():
    case = Chain(((0, 1, 0), (1, 1, 0), (0, 0, 0), (1, 0, 0)), (1, 1), (0, 2))
    assert (least(case), least(case, free=True)) == (10, 8)


def drawn_paths(rng, tiers):
    """Draw requests that go down from any unit so far, in tiers, optional or forced."""
    paths = []
    for _ in range(rng.integers(1, 7)):
        known = sorted({head for path in paths for head in heads(path)} | {()})
        above = known[rng.integers(len(known))]
        paths.append((*above, *rng.integers(0, 2, rng.integers(0, 3)).tolist()))
    longest = max(map(len, paths[:-1]), default=0)
    forced = bool(rng.random() < 0.5)
    first = int(rng.integers(longest, longest + 3) if forced else rng.integers(0, 5))
    loads = (0, *sorted(rng.integers(0, 4, tiers - 1).tolist()))
    sizes = first, *rng.integers(0, 5, tiers - 1).tolist()
    return Paths(tuple(paths), sizes, loads, 4, int(rng.integers(0, 5)), forced)


PLAIN_POLICIES = {
    "LRU": ({"rule": "LRU"}, lambda xi: tt.LRU()),
    "threshold": ({"rule": "threshold"}, tt.ThresholdLRU),
    "Belady": ({"rule": "Belady"}, lambda xi: tt.Belady()),
    "Tail-Optimized Belady": ({"rule": "Belady", "scaled": True}, tt.TailOptimizedBelady),
    **{
        f"{budget}, {trim}, {mark}": (
            {"rule": "T-LRU", "trim": trim, "mark": mark, "scaled": budget == "scaled"},
            partial(tt.TLRU, q_hat=0, trim=trim, mark=mark, budget=budget),
        )
        for budget, trim, mark in product(
            ("flat", "scaled"), ("least-recent", "eager"), ("high-water", "resident", "last")
        )
    },
}


@pytest.mark.parametrize("name", PLAIN_POLICIES)
def test_the_judge_of_trees_and_the_package_agree_request_by_request(name):
    rng = np.random.default_rng(42)
    plain, policy = PLAIN_POLICIES[name]
    for tiers in (2, 2, 3):
        for _ in range(fewer(100)):
            case = drawn_paths(rng, tiers)
            forest = tt.Forest.from_paths([[str(head) for head in heads(path)] for path in case.paths])
            given = tt.Tiers(case.capacities, tuple(Fraction(load, case.parts) for load in case.loads))
            xi = 0 if name == "Belady" else case.xi
            outcome = tt.replay(forest, policy(xi), given, forced=case.forced, engine="reference")
            assert TreeCascade(replace(case, xi=xi), **plain).found() == outcome.cached.T.tolist(), case

"""A certificate proves an optimum, plain or with weights of turns, and a changed one proves nothing else."""

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal.instances import SMALL, proves
from refusals import refused
from replay.instances import Case, assume_feasible, cases, examples, fewer, seeded

import teltheory as tt
from teltheory.optimal.chains import greedy
from teltheory.optimal.chains.brute_force import smallest_cost

LOOKED_AT = greedy.looked_at
TIGHT = Case((0, 1, 0), (3, 4, 1), (1, 2, 0), None, capacity=1, xi=2, q_hat=0)
Whole = Sequence[int] | None


def certified(case: Case, weights: object = None) -> tt.Certificate:
    if weights is None:
        return case.optimum("greedy").certificate
    arguments = (case.trace, case.capacity, case.xi, weights, case.forced, case.initial)
    return tt.weighted_optimum(*arguments).certificate


def judged(case: Case, weights: Whole = None) -> int:
    total, weight = case.instance.total.tolist(), weights or [1] * len(case.prompt)
    return smallest_cost(case.instance, lambda k, x: weight[k] * max(total[k] - x - case.xi, 0))


def weights_of(case: Case, rng: random.Random, weighted: bool, largest: int = 5) -> Whole:
    return [rng.randint(0, largest) for _ in case.prompt] if weighted else None


@given(cases())
@examples(200)
def test_every_optimum_is_proved(case):
    assume_feasible(case)
    case.check(certified(case))


def changed(certificate: tt.Certificate, name: str, place: int, by: int) -> tt.Certificate:
    values = getattr(certificate, name).copy()
    values[place] += by
    return replace(certificate, **{name: values})


def without(certificate: tt.Certificate, place: int) -> tt.Certificate:
    prices = None if certificate.prices is None else np.delete(certificate.prices, place)
    return replace(certificate, steps=np.delete(certificate.steps, place), prices=prices)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_change_of_any_number_is_caught_or_still_a_proof(weighted):
    """Other steps or prices can prove the same; nothing proves another objective, and no other amounts pass."""
    still = tried = 0
    rng = random.Random(5)
    for case in seeded(fewer(80, 4), 71, **SMALL):
        weights = weights_of(case, rng, weighted)
        certificate = certified(case, weights)
        for by in (-1, 1, Fraction(1, 3)):
            assert not proves(case, replace(certificate, objective=certificate.objective + by), weights)
        for turn, by in product(range(len(certificate.kept)), (-1, 1)):
            passes = proves(case, changed(certificate, "kept", turn, by), weights)
            assert not passes or weights[turn] == 0
        names = ("steps", "prices") if weighted else ("steps",)
        places = range(len(certificate.steps))
        for other in (
            *(changed(certificate, name, i, by) for name, i, by in product(names, places, (-2, -1, 1, 2))),
            *(without(certificate, i) for i in places),
        ):
            tried += 1
            still += proves(case, other, weights)
    assert still < tried / 2


@pytest.mark.parametrize("weighted", [False, True])
def test_no_certificate_proves_less_than_the_optimum(weighted):
    """A forger who keeps anything at all, at any prices of any steps, proves the optimum or nothing."""
    rng, forged = random.Random(9), 0
    for case in seeded(fewer(80, 4), 72, **SMALL):
        weights, n = weights_of(case, rng, weighted, 3), len(case.prompt)
        weight = weights or [1] * n
        optimum, total = judged(case, weights), case.instance.total.tolist()
        for _ in range(60):
            steps = sorted(rng.sample(range(1, n + 1), rng.randint(0, n)))
            prices = np.array([rng.randint(0, 3) for _ in steps], np.int64) if rng.random() < 0.7 else None
            kept = [rng.randint(0, 3) for _ in range(n)]
            tel = sum(w * (max(t - case.xi, 0) - x) for w, t, x in zip(weight, total, kept, strict=True))
            columns = (np.array(kept, np.int64), np.array(steps, np.int64), prices)
            if proves(case, forgery := tt.Certificate(tel, *columns), weights):
                forged += 1
                assert forgery.objective == optimum
    assert forged > 0


@pytest.mark.parametrize("weights", [None, (1, 2, 3)])
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: replace(c, objective=c.objective - 1), "objective: found"),
        (lambda c: replace(c, kept=c.kept[1:]), "kept: found 2 values, expected 3"),
        (lambda c: replace(c, kept=c.kept.tolist()), "kept: found list"),
        (lambda c: replace(c, kept=c.kept.astype(float)), "kept: found ndarray"),
        (lambda c: replace(c, kept=c.kept - 1), r"kept\[0\]: found -1"),
        (lambda c: replace(c, kept=c.kept + np.array([0, 0, 1])), "kept: more than the room of 1 at step"),
        (lambda c: replace(c, steps=np.array([0])), r"steps\[0\]: found 0"),
        (lambda c: replace(c, steps=np.array([4])), r"steps\[0\]: found 4"),
        (lambda c: replace(c, steps=np.array([3, 3])), r"steps\[1\]: found 3"),
        (lambda c: replace(c, steps=c.steps[:0], prices=None), "steps: they bound what is kept by"),
        (lambda c: replace(c, prices=np.array([-1])), r"prices\[0\]: found -1"),
        (lambda c: replace(c, prices=np.array([1, 1])), "prices: found 2 values, expected 1"),
        (lambda c: replace(c, prices=(1,)), "prices: found tuple"),
    ],
)
def test_the_error_says_what_fails(change, told, weights):
    certificate = certified(TIGHT, weights)
    TIGHT.check(certificate, weights)
    refused(tt.CertificateError, told, lambda: TIGHT.check(change(certificate), weights))


def test_what_is_no_certificate_is_refused():
    refused(tt.ArgumentError, "certificate: found 'int'", tt.check_certificate, TIGHT.trace, 1, 1, 3)


def test_more_of_the_initial_cache_than_forced_caching_leaves_room_for_is_refused():
    trace = tt.Trace.from_turns([2, 0, 1], [2, 0, 0], [0, 0, 0])
    both = tt.Certificate(2, np.array([0, 2, 2]), np.array([], np.int64))
    with pytest.raises(tt.CertificateError, match="more than the room of 2 at step 2"):
        tt.check_certificate(trace, 4, 0, both, forced=True, initial=[(0, 2, 2), (1, 2, 2)])


@pytest.mark.parametrize("weighted", [False, True])
def test_a_certificate_holds_for_its_own_instance_only(weighted):
    rng = random.Random(3)
    for case in seeded(fewer(60), 73, turns=(5, 8), conversations=3, length=3, forced=False):
        weights = weights_of(case, rng, weighted)
        certificate, heavier = certified(case, weights), [2 + w for w in weights or [0] * len(case.prompt)]
        for other, its in (
            (replace(case, capacity=case.capacity + 1), weights),
            (replace(case, xi=case.xi + 1), weights),
            (case, heavier),
        ):
            if proves(other, certificate, its):
                assert certificate.objective == judged(other, its)


def test_numbers_beyond_int64():
    """Weights, prices and what they are multiplied with leave int64, and nothing is rounded."""
    for case in seeded(20, 11, **SMALL):
        huge = 2**40
        columns = [tuple(huge * v for v in column) for column in (case.prompt, case.response)]
        history = None if case.history is None else tuple(huge * h for h in case.history)
        starts = tuple((c, huge * past, huge * cached) for c, past, cached in case.initial)
        large = Case(case.conversation, *columns, history, huge * case.capacity, huge * case.xi, 0)
        large = replace(large, forced=case.forced, initial=starts)
        plain = [3 + k % 4 for k in range(len(case.prompt))]
        whole, certificate = [2**58 * w for w in plain], certified(large, [2**58 * w for w in plain])
        assert certificate.objective == huge * 2**58 * judged(case, plain)
        large.check(certificate, whole)
        assert not proves(large, certificate, [w + 1 for w in whole]) or certificate.objective == 0


@given(st.lists(st.integers(0, 2**62), min_size=3, max_size=3), st.data())
@examples(100)
def test_prices_that_add_up_beyond_int64_prove_nothing_false(prices, data):
    kept = data.draw(st.sampled_from([[0, 0, 0], [0, 0, 1]]))
    forgery = tt.Certificate(7 - sum(kept), *(np.array(v) for v in (kept, [1, 2, 3], prices)))
    if proves(TIGHT, forgery):
        assert forgery.objective == judged(TIGHT)


def every_eviction(log, steps):
    ends = sorted({int(turn) + 2 for turn, _ in log}, reverse=True)
    steps[: len(ends)] = ends
    return len(ends)


def only_the_last(log, steps):
    steps[: len(log)] = log[-1, 0] + 2 if len(log) else 0
    return min(len(log), 1)


def from_the_front(log, steps):
    return LOOKED_AT(log[::-1].copy(), steps)


@pytest.mark.parametrize("fault", [every_eviction, only_the_last, from_the_front])
def test_a_faulty_construction_closes_no_gap(fault, monkeypatch):
    cases = list(seeded(100, 5, turns=(40, 90), conversations=5, length=9))
    monkeypatch.setattr(greedy, "looked_at", fault)
    refused(tt.SolverError, "not in whole numbers: steps", lambda: list(map(certified, cases)))

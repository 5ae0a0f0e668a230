"""A certificate proves an optimum, and a changed one proves nothing else."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from replay.instances import Case, assume_feasible, cases, examples, seeded

import teltheory as tt
from teltheory.optimal import greedy
from teltheory.optimal.brute_force import smallest_total
from teltheory.workloads import ConversationModel, sample_conversations

LOOKED_AT = greedy._looked_at.py_func
SMALL = {"turns": (3, 7), "conversations": 3, "length": 3, "room": 6}


def certified(case: Case) -> tt.Certificate:
    best = case.optimum("greedy")
    assert best.certificate.objective == best.objective == tt.tail_excess_latency(best.outcome, case.xi)
    return best.certificate


def check(case: Case, certificate: tt.Certificate) -> None:
    tt.check_certificate(case.trace, case.capacity, case.xi, certificate, case.forced, case.initial)


def proves(case: Case, certificate: tt.Certificate) -> bool:
    try:
        check(case, certificate)
    except tt.CertificateError:
        return False
    return True


@given(cases())
@examples(400)
def test_every_optimum_is_proved(case):
    assume_feasible(case)
    check(case, certified(case))


@pytest.mark.parametrize("seed", range(4))
def test_seeded_optima_are_proved_and_are_what_brute_force_finds(seed):
    for case in seeded(250, 40 + seed, **SMALL):
        certificate = certified(case)
        check(case, certificate)
        assert certificate.objective == smallest_total(case.instance, lambda u, xi=case.xi: max(u - xi, 0))


@pytest.mark.parametrize("forced", [False, True])
def test_longer_traces_with_many_evictions(forced):
    steps = 0
    for case in seeded(40, 6, turns=(150, 400), conversations=5, length=60, forced=forced):
        certificate = certified(case)
        check(case, certificate)
        steps += len(certificate.steps)
    assert steps > 40


def test_a_sampled_trace():
    trace = sample_conversations(ConversationModel(), 100_000, np.random.default_rng(3))
    for capacity in (10_000, 20_000, 50_000):
        best = tt.hindsight_optimum(trace, capacity, 2000)
        tt.check_certificate(trace, capacity, 2000, best.certificate)
    assert len(best.certificate.steps) < 100


def changed(certificate: tt.Certificate, name: str, place: int, by: int) -> tt.Certificate:
    values = getattr(certificate, name).copy()
    values[place] += by
    return replace(certificate, **{name: values})


def test_a_change_of_any_number_is_caught_or_still_a_proof():
    """Another set of steps can prove the same; nothing proves another objective, and no other amounts pass."""
    still_proofs = tried = 0
    for case in seeded(120, 71, **SMALL):
        certificate = certified(case)
        for by in (-1, 1):
            assert not proves(case, replace(certificate, objective=certificate.objective + by))
            for turn in range(len(certificate.kept)):
                assert not proves(case, changed(certificate, "kept", turn, by))
        without = [np.delete(certificate.steps, i) for i in range(len(certificate.steps))]
        moved = [changed(certificate, "steps", i, by).steps for i in range(len(without)) for by in (-2, -1, 1, 2)]
        for steps in (*without, *moved):
            tried += 1
            still_proofs += proves(case, replace(certificate, steps=steps))
    assert still_proofs < tried / 2


def test_no_certificate_proves_less_than_the_optimum():
    """A forger who keeps anything at all and looks at any steps proves the optimum or nothing."""
    rng = random.Random(9)
    forged = 0
    for case in seeded(150, 72, **SMALL):
        optimum = smallest_total(case.instance, lambda u, xi=case.xi: max(u - xi, 0))
        n = len(case.prompt)
        for _ in range(60):
            steps = sorted(rng.sample(range(1, n + 1), rng.randint(0, n)))
            kept = [rng.randint(0, 4) for _ in range(n)]
            without = tt.replay(case.trace, tt.LRU(), case.capacity, case.forced, case.initial)
            total = np.maximum(without.cached + without.uncached - case.xi, 0).sum()
            forgery = tt.Certificate(int(total) - sum(kept), np.array(kept, np.int64), np.array(steps, np.int64))
            if proves(case, forgery):
                forged += 1
                assert forgery.objective == optimum
    assert forged > 0


SOME = Case((0, 1, 0), (3, 4, 1), (1, 2, 0), None, capacity=5, xi=2, q_hat=0)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: replace(c, objective=c.objective - 1), "objective: found"),
        (lambda c: replace(c, kept=c.kept[1:]), "kept: found 2 values, expected 3"),
        (lambda c: replace(c, kept=c.kept.tolist()), "kept: found list"),
        (lambda c: replace(c, kept=c.kept.astype(float)), "kept: found ndarray"),
        (lambda c: replace(c, kept=c.kept - 1), r"kept\[0\]: found -1"),
        (lambda c: replace(c, steps=np.array([0])), r"steps\[0\]: found 0"),
        (lambda c: replace(c, steps=np.array([4])), r"steps\[0\]: found 4"),
        (lambda c: replace(c, steps=np.array([3, 3])), r"steps\[1\]: found 3"),
        (lambda c: replace(c, steps=np.array([], np.int64)), "steps: they bound what is kept by"),
    ],
)
def test_the_error_says_what_fails(change, told):
    tight = replace(SOME, capacity=1)
    certificate = certified(tight)
    with pytest.raises(tt.CertificateError, match=told):
        check(tight, change(certificate))


def test_what_is_no_certificate_is_refused():
    with pytest.raises(tt.ArgumentError, match="certificate: found 'int'"):
        tt.check_certificate(SOME.trace, 1, 1, 3)


def test_more_than_the_room_is_refused():
    case = Case((0, 1, 0, 1), (2, 2, 0, 0), (0, 0, 0, 0), None, capacity=3, xi=0, q_hat=0)
    both = tt.Certificate(4, np.array([0, 0, 2, 2]), np.array([], np.int64))
    with pytest.raises(tt.CertificateError, match="more than the room of 3 at step 3"):
        check(case, both)


def test_more_of_the_initial_cache_than_forced_caching_leaves_room_for_is_refused():
    trace = tt.Trace.from_turns([2, 0, 1], [2, 0, 0], [0, 0, 0])
    both = tt.Certificate(2, np.array([0, 2, 2]), np.array([], np.int64))
    with pytest.raises(tt.CertificateError, match="more than the room of 2 at step 2"):
        tt.check_certificate(trace, 4, 0, both, forced=True, initial=[(0, 2, 2), (1, 2, 2)])


def test_a_certificate_holds_for_its_own_instance_only():
    for case in seeded(60, 73, turns=(5, 9), conversations=3, length=4, forced=False):
        certificate = certified(case)
        for other in (replace(case, capacity=case.capacity + 1), replace(case, xi=case.xi + 1)):
            if proves(other, certificate):
                assert certificate.objective == certified(other).objective


def every_eviction(log, steps):
    ends = sorted({int(turn) + 2 for turn, _ in log}, reverse=True)
    steps[: len(ends)] = ends
    return len(ends)


def only_the_last(log, steps):
    steps[: len(log)] = log[-1, 0] + 2 if len(log) else 0
    return min(len(log), 1)


def from_the_front(log, steps):
    return LOOKED_AT(log[::-1], steps)


@pytest.mark.parametrize("fault", [every_eviction, only_the_last, from_the_front])
def test_a_faulty_construction_closes_no_gap(fault, monkeypatch):
    cases = list(seeded(100, 5, turns=(40, 90), conversations=5, length=9))
    monkeypatch.setattr(greedy, "_looked_at", fault)
    with pytest.raises(tt.SolverError, match="not in whole numbers: steps"):
        list(map(certified, cases))


def test_the_checker_uses_nothing_of_the_makers():
    from pathlib import Path

    text = Path(tt.check_certificate.__code__.co_filename).read_text()
    imported = {line.split()[1] for line in text.splitlines() if line.startswith(("from teltheory", "import tel"))}
    assert imported == {"teltheory.errors", "teltheory.instance", "teltheory.numbers", "teltheory.trace"}

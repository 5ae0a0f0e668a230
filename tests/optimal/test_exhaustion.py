"""Cuts, and the proof by exhaustion: against every choice of small instances."""

import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from optimal.instances import FOUR_TURNS, MIDDLE, SMALL
from optimal.test_violations import brute_force, fewest, linear_prices, middle_cases, recheck, solved
from refusals import refused
from replay.instances import Case, fewer, seeded

import teltheory as tt
from teltheory.model.instance import Instance
from teltheory.optimal.slo import violations
from teltheory.optimal.slo.cuts import violated_cuts
from teltheory.optimal.slo.selection import selection
from teltheory.optimal.slo.solver import SharesProgram, choose

FORCED = {"turns": (20, 30), "conversations": 5, "length": 20, "forced": True}
NO_PRICES = tt.Prices((), (), 1)


def prices_of(case: Case) -> tt.Prices:
    """The prices of the relaxation with cuts."""
    program = SharesProgram(selection(case.instance, case.xi))
    program.add_rows(np.inf)
    program.add_cuts(np.inf)
    return program.relaxation().prices


def check(case: Case, prices: tt.Prices, least: int, **options: object) -> None:
    tt.check_violations(case.trace, case.capacity, case.xi, prices, least, case.forced, case.initial, **options)


def test_nothing_that_fits_violates_a_cut():
    rng, seen, strict = np.random.default_rng(0), 0, 0
    for case in middle_cases()[:2]:
        problem = selection(case.instance, case.xi)
        for share in rng.uniform(0.3, 1, (2, len(problem))):
            for cut in violated_cuts(problem, share):
                some = cut.choices
                subsets = np.array(list(product([0, 1], repeat=len(some))))
                fit = subsets[subsets @ problem.need[some] <= problem.room[cut.row]]
                heaviest = (fit @ cut.weights).max()
                assert heaviest <= cut.most < cut.weights @ share[some]
                assert np.all((problem.begin[some] <= cut.row) & (cut.row < problem.end[some]))
                seen, strict = seen + 1, strict + (heaviest == cut.most)
    assert seen > 6
    assert strict > seen / 2


def test_whole_shares_violate_no_cut():
    """Those that fit violate nothing that is true; of those that do not, the room itself says so."""
    rng, too_many = np.random.default_rng(1), 0
    for case in middle_cases()[:2]:
        problem = selection(case.instance, case.xi)
        for chosen in rng.random((4, len(problem))) < np.array([[0.1], [0.4], [0.7], [1.0]]):
            assert violated_cuts(problem, chosen.astype(float)) == []
            too_many += not problem.fits(chosen)
    assert too_many > 1


def test_shares_of_a_cover_that_are_too_many_are_cut_off():
    """All turns meet at one step; the largest shares do not fit together, and are almost one each."""
    rng, seen = np.random.default_rng(7), 0
    for _ in range(60):
        need = rng.integers(3, 12, 6)
        trace = tt.Trace.from_turns([*range(6)] * 2, [*need, *[0] * 6], [0] * 12)
        room = int(rng.integers(need.max(), need.sum()))
        problem, share = selection(Instance.of(trace, room), 0), np.zeros(6)
        cover = rng.permutation(6)
        cover = cover[: 1 + int(np.argmax(np.cumsum(need[cover]) > room))]
        share[cover] = 1 - 1 / len(cover) + 0.02
        if need @ share > room:
            continue
        seen += 1
        assert any(cut.weights @ share[cut.choices] > cut.most for cut in violated_cuts(problem, share))
    assert seen > 10


def test_the_rounding_that_is_violated_most_is_among_the_cuts():
    """Rounded down to multiples of each need in turn (Chvatal and Gomory), at each step where shares are split."""
    rng, seen = np.random.default_rng(3), 0
    for _ in range(20):
        needs = rng.integers(3, 30, 8)
        trace = tt.Trace.from_turns([*range(8)] * 2, [*needs, *[0] * 8], [0] * 16)
        problem = selection(Instance.of(trace, int(needs.sum()) // 2), 0)
        share = rng.uniform(0.3, 1, 8)
        found = {(tuple(cut.choices), tuple(cut.weights)) for cut in violated_cuts(problem, share)}
        for row in np.flatnonzero(2 * problem.taken(share) > problem.room):
            items = problem.choice[problem.covering(row)]
            need = problem.need[items]
            weights = need // need[:, None]
            excess = (weights @ share[items] - problem.room[row] // need) / np.linalg.norm(weights, axis=1)
            if excess.max() > 0.01:
                most = weights[np.isclose(excess, excess.max())]
                assert any((tuple(items[some > 0]), tuple(some[some > 0])) in found for some in most)
                seen += most.max() > 1
    assert seen > 10


def test_cuts_sharpen_the_linear_bound():
    sharper = 0
    for case, best in solved():
        proved, plain = recheck(case, prices_of(case)), recheck(case, linear_prices(case))
        assert plain <= proved <= best.upper
        sharper += proved > plain
    assert sharper >= 2


def crowded() -> Case:
    """Turns whose reuse overlaps, in room for half of it, with needs that no price tells apart."""
    prompts = tuple(np.random.default_rng(0).integers(40, 60, 96).tolist())
    return Case((*range(24),) * 4, prompts, (0,) * 96, None, capacity=900, xi=60, q_hat=0)


def peak_of(call: Callable[[], object]) -> int:
    """Return the most memory that a call took at a time, in bytes."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_check_takes_no_more_memory_than_it_says():
    """80 bytes a set, and 16 more for every 62 turns whose reuse overlaps."""
    case = crowded()
    prices = prices_of(case)

    def given_up() -> None:
        refused(tt.CertificateError, "sets to follow", check, case, prices, 32, most_states=30_000)

    assert 50 * 30_000 < peak_of(given_up) < (80 + 16) * 30_000


@pytest.mark.parametrize("seed", range(2))
def test_exhaustion_proves_what_brute_force_finds_and_no_more(seed):
    """With good prices, with none, and with random ones."""
    rng = np.random.default_rng(seed)
    for case in seeded(fewer(300), 20 + seed, **SMALL):
        least, good = brute_force(case), prices_of(case)
        numerators = tuple(int(v * 3 * rng.random()) for v in good.numerators)
        weights = tuple(replace(cut, numerator=int(cut.numerator * 3 * rng.random())) for cut in good.cuts)
        for prices in (good, NO_PRICES, replace(good, numerators=numerators, cuts=weights)):
            check(case, prices, least)
            refused(tt.CertificateError, "fewer violations are possible", check, case, prices, least + 1)


@pytest.mark.parametrize("shape", [MIDDLE, FORCED])
def test_exhaustion_proves_what_the_solver_finds_on_larger_instances(shape):
    for case in seeded(fewer(100), 3, **shape):
        for tighter in (replace(case, xi=40), replace(case, xi=5)):
            problem = selection(tighter.instance, tighter.xi)
            if len(problem):
                least = problem.above - choose(problem, np.zeros(len(problem), np.bool_)).most
                prices = prices_of(tighter)
                check(tighter, prices, least)
                with pytest.raises(tt.CertificateError, match="fewer violations are possible"):
                    check(tighter, prices, least + 1)


def test_of_sets_that_hold_the_same_exhaustion_goes_on_with_the_least_loss():
    """Conversation 0 keeps its past or not; either way it holds nothing when the others compete for the room."""
    trace = tt.Trace.from_turns([0, 0, 1, 2, 1, 2], [3, 1, 3, 3, 1, 1], [0] * 6)
    tt.check_violations(trace, 3, 2, NO_PRICES, 4)
    refused(tt.CertificateError, "fewer violations are possible", tt.check_violations, trace, 3, 2, NO_PRICES, 5)


def test_what_prices_leave_open_is_proved_by_exhaustion(monkeypatch):
    """Without cuts, so that there is something left to do."""
    monkeypatch.setattr(violations, "sharpened", lambda state, deadline: state)
    closed = 0
    for case in middle_cases():
        best = fewest(case)
        assert (best.status, best.lower, best.proved) == ("optimal", best.upper, best.upper)
        closed += recheck(case, best.certificate) < best.proved
    assert closed >= 2


def test_corrupted_cuts_prove_nothing_more():
    """Weights, prices and turns of a cut may be anything: the bound stays below the optimum."""
    rng, cases = np.random.default_rng(3), 0
    for case, best in solved()[:8]:
        priced, optimum = prices_of(case), best.upper
        for cut in priced.cuts:
            weights = tuple(int(w) for w in rng.integers(1, 4, len(cut.turns)))
            some = tuple(turn for turn in cut.turns if rng.random() < 0.7)
            for changed in (
                replace(cut, weights=weights),
                replace(cut, turns=some, weights=(1,) * len(some)),
                replace(cut, numerator=2 * cut.numerator),
            ):
                prices = replace(priced, cuts=tuple(changed if other is cut else other for other in priced.cuts))
                assert recheck(case, prices) <= optimum
                cases += 1
    assert cases > 20


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        (tt.Cut(3, (2, 3), (1,), 1), "found 1 weights"),
        (tt.Cut(3, (3, 2), (1, 1), 1), "out of order"),
        (tt.Cut(3, (2, 2), (1, 1), 1), "out of order"),
        (tt.Cut(0, (2, 3), (1, 1), 1), "found step 0"),
        (tt.Cut(5, (2, 3), (1, 1), 1), "found step 5"),
        (tt.Cut(3, (2, 3), (1, 1), -1), "numerator -1"),
        (tt.Cut(3, (2, 3), (1, 0), 1), "other weights"),
        (tt.Cut(3, (2, 3), (1, 10**6), 1), "other weights"),
        (tt.Cut(4, (2, 3), (1, 1), 1), "found turn 2"),
        (tt.Cut(3, (0, 2), (1, 1), 1), "found turn 0"),
    ],
)
def test_malformed_cuts_are_refused(cut, message):
    with pytest.raises(tt.CertificateError, match=message):
        tt.violations_bound(FOUR_TURNS.trace, 50, 160, tt.Prices((), (), 2, (cut,)))


def test_four_turns_by_hand_with_a_cut():
    """Both of the last two turns need 40 of a room of 50: at most one of them fits, so a price of 1 allows one."""
    cut = tt.Cut(3, (2, 3), (1, 1), 1)
    assert tt.violations_bound(FOUR_TURNS.trace, 50, 160, tt.Prices((), (), 1, (cut,))) == 1
    assert tt.violations_bound(FOUR_TURNS.trace, 80, 160, tt.Prices((), (), 1, (cut,))) == 0


def test_a_check_that_would_grow_too_large_gives_up():
    case, best = solved()[0]
    least = best.upper
    with pytest.raises(tt.CertificateError, match=r"sets to follow at step \d+, expected 3 at most"):
        check(case, NO_PRICES, least, most_states=3)
    refused(tt.CertificateError, "beyond 2**62", lambda: check(case, tt.Prices((), (), 2**62), least))
    refused(tt.ArgumentError, "prices: found", check, case, (), least)

"""The small simulator, the readings of Algorithm 1 and the optimum, compiled, against the plain ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from proofs_checks.tail_optimized import algorithm_1
from proofs_checks.tail_optimized.trimming import LatestFirst
from teltheory.claims.case import Case, World
from teltheory.claims.compiled import readings, simulator
from teltheory.claims.compiled.checks import AT_CAPACITY, outcome
from teltheory.claims.compiled.layout import CUTS, LOOPED, LOWEST, WIDTH
from teltheory.claims.compiled.optimum import EXCESS, least_cost
from teltheory.claims.compiled.space import tiny_of
from teltheory.optimal.chains.brute_force import smallest_total
from teltheory.policies.policy import TRIMS

pytestmark = pytest.mark.ledger

POLICIES = {
    simulator.LRU: lambda case: tt.LRU(),
    simulator.THRESHOLD: lambda case: tt.ThresholdLRU(case.xi - case.q_hat) if case.xi >= case.q_hat else tt.LRU(),
    simulator.TAIL_OPTIMIZED: lambda case: tt.TailOptimizedBelady(case.xi),
    simulator.BELADY: lambda case: tt.Belady(),
    simulator.LATEST_FIRST: lambda case: LatestFirst(case.xi, case.q_hat),
}
for place, trim in enumerate(TRIMS):
    POLICIES |= {
        simulator.ROUND_ROBIN + place: lambda case, trim=trim: tt.TLRU(case.xi, case.q_hat, trim),
        simulator.END_AWARE + place: lambda case, trim=trim: tt.EndAwareTLRU(case.xi, case.q_hat, trim),
        simulator.LENGTH_AWARE + place: lambda case, trim=trim: tt.LengthAwareTLRU(case.xi, trim),
    }
READINGS = {
    readings.PRINTED: algorithm_1.to_the_letter,
    readings.PRINTED_TRIM: algorithm_1.with_printed_trim_loop,
    readings.PRINTED_LRU: algorithm_1.with_printed_lru_loop,
    readings.AT_THE_BUDGET: algorithm_1.with_printed_test,
    readings.REPAIRED: algorithm_1.repaired_text,
    readings.SINGLE_PASS: algorithm_1.one_pass,
}
LOOPS = {"trim loop": readings.ENDLESS_TRIM, "LRU loop": readings.ENDLESS_LRU}


@st.composite
def cases(draw, most_turns=WIDTH, longest=6, starts=2, modes=(False, True)):
    lengths = st.integers(0, longest)
    turns = draw(st.lists(st.tuples(st.integers(0, 3), lengths, lengths), min_size=1, max_size=most_turns))
    initial = []
    for conversation in draw(st.lists(st.integers(0, 3), unique=True, max_size=starts)):
        past = draw(lengths)
        initial.append((conversation, past, draw(st.integers(0, past))))
    world, forced = World(tuple(turns), tuple(initial)).canonical(), draw(st.sampled_from(modes))
    least = max(sum(held for _, _, held in initial), world.forced_capacity() if forced else 0)
    capacity = draw(st.integers(least, least + 3 * longest))
    return Case(world, capacity, draw(st.integers(0, 3 * longest)), draw(st.integers(0, 2 * longest)), forced)


@given(cases())
def test_every_policy_reuses_what_the_reference_does(case):
    tiny = tiny_of(case)
    for code, policy in POLICIES.items():
        assert outcome(tiny, code, AT_CAPACITY)[: len(case.world.turns)].tolist() == case.reuses(policy(case))


@given(cases(starts=0, modes=(False,)))
def test_readings_of_algorithm_1(case):
    tiny = tiny_of(case)
    for code, made in READINGS.items():
        result, reading = outcome(tiny, code, AT_CAPACITY), made(case)
        looped = algorithm_1.endless_loops(case, reading)
        assert {name: int(result[LOOPED] == loop) for name, loop in LOOPS.items()} == looped
        assert result[LOWEST : LOWEST + result[CUTS]].tolist() == reading.lowest
        if not any(looped.values()):
            assert result[: len(case.world.turns)].tolist() == case.reuses(made(case))


@given(cases(most_turns=5, longest=2, starts=1))
def test_the_optimum(case):
    best = smallest_total(case.instance, lambda uncached: max(uncached - case.xi, 0))
    assert least_cost(tiny_of(case), EXCESS) == best

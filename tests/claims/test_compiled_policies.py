"""The small simulator, the readings of Algorithm 1 and the optimum, compiled, against the plain ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from proofs_checks.tail_optimized import algorithm_1
from proofs_checks.tail_optimized.trimming import LatestFirst
from teltheory.claims.case import Case, World
from teltheory.claims.compiled.space import ENDS, WIDTH, CompiledWorlds, replayed
from teltheory.claims.worlds import SmallWorlds
from teltheory.optimal.chains.brute_force import smallest_total
from teltheory.policies.policy import TRIMS

pytestmark = pytest.mark.ledger

POLICIES = {
    "LRU": lambda case: tt.LRU(),
    "threshold": lambda case: tt.ThresholdLRU(case.xi - case.q_hat) if case.xi >= case.q_hat else tt.LRU(),
    "tail-optimized": lambda case: tt.TailOptimizedBelady(case.xi),
    "Belady": lambda case: tt.Belady(),
    "latest first": lambda case: LatestFirst(case.xi, case.q_hat),
}
for trim in TRIMS:
    POLICIES |= {
        trim: lambda case, trim=trim: tt.TLRU(case.xi, case.q_hat, trim),
        f"end-aware {trim}": lambda case, trim=trim: tt.EndAwareTLRU(case.xi, case.q_hat, trim),
        f"length-aware {trim}": lambda case, trim=trim: tt.LengthAwareTLRU(case.xi, trim),
    }
READINGS = {
    "as printed": algorithm_1.to_the_letter,
    "printed trim loop": algorithm_1.with_printed_trim_loop,
    "printed LRU loop": algorithm_1.with_printed_lru_loop,
    "at the budget": algorithm_1.with_printed_test,
    "repaired": algorithm_1.repaired_text,
    "single pass": algorithm_1.one_pass,
}


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
    for name, policy in POLICIES.items():
        assert replayed(name, case).reused == case.reuses(policy(case))


@given(cases(starts=0, modes=(False,)))
def test_readings_of_algorithm_1(case):
    for name, made in READINGS.items():
        result, reading = replayed(name, case), made(case)
        looped = algorithm_1.endless_loops(case, reading)
        assert {loop: int(result.ended == loop) for loop in ENDS[1:]} == looped
        assert result.lowest == reading.lowest
        if not any(looped.values()):
            assert result.reused == case.reuses(made(case))


@given(cases(most_turns=5, longest=2, starts=1))
def test_the_optimum(case):
    best = smallest_total(case.instance, lambda uncached: max(uncached - case.xi, 0))
    optimal = CompiledWorlds("Tail-Optimized Belady is optimal", SmallWorlds({}, {}))
    assert optimal.judged(case)[1][1] == best

"""The small simulator, the readings of Algorithm 1 and the optimum, compiled, against the plain ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from proofs_checks.tail_optimized.algorithm_1 import Reading, endless_loops
from proofs_checks.tail_optimized.trimming import LatestFirst
from teltheory.claims.case import Case, World
from teltheory.claims.compiled_check import readings, simulator
from teltheory.claims.compiled_check.layout import STATE_ROWS, WIDTH
from teltheory.claims.compiled_check.optimum import EXCESS, least_cost
from teltheory.claims.compiled_check.outcomes import COLUMNS
from teltheory.claims.compiled_check.readings import CUTS, LOOPED, LOWEST, read
from teltheory.claims.compiled_check.simulator import simulate
from teltheory.claims.compiled_check.space import world_of
from teltheory.optimal.brute_force import smallest_total
from teltheory.policies.policy import TRIMS


def by_shift(policy):
    return lambda case: (policy(case), case.xi - case.q_hat)


POLICIES = {
    simulator.LRU: lambda case: (tt.LRU(), 0),
    simulator.THRESHOLD: lambda case: (tt.ThresholdLRU(case.xi), case.xi),
    simulator.TAIL_OPTIMIZED: lambda case: (tt.TailOptimizedBelady(case.xi), case.xi),
    simulator.LATEST_FIRST: by_shift(lambda case: LatestFirst(case.xi, case.q_hat)),
}
for place, trim in enumerate(TRIMS):
    POLICIES |= {
        simulator.ROUND_ROBIN + place: by_shift(lambda case, trim=trim: tt.TLRU(case.xi, case.q_hat, trim)),
        simulator.END_AWARE + place: by_shift(lambda case, trim=trim: tt.EndAwareTLRU(case.xi, case.q_hat, trim)),
        simulator.LENGTH_AWARE + place: lambda case, trim=trim: (tt.LengthAwareTLRU(case.xi, trim), case.xi),
    }
READINGS = {
    readings.PRINTED: {},
    readings.PRINTED_TRIM: {"last_block": True},
    readings.PRINTED_LRU: {"trim_loop": "until nothing is trimmed"},
    readings.AT_THE_BUDGET: {"nonnegative": True, "trim_loop": "until nothing is trimmed", "last_block": True},
    readings.REPAIRED: {
        "strictly": True,
        "nonnegative": True,
        "trim_loop": "until nothing is trimmed",
        "last_block": True,
    },
    readings.SINGLE_PASS: {"strictly": True, "nonnegative": True, "trim_loop": "if", "last_block": True},
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


def room():
    return np.zeros((STATE_ROWS, WIDTH), np.int64), np.zeros(COLUMNS, np.int64)


def check_policy(case, code):
    policy, level = POLICIES[code](case)
    state, reused = room()
    simulate(world_of(case), state, code, level, case.capacity, reused)
    assert reused[: len(case.world.turns)].tolist() == case.reuses(policy)


def check_reading(case, code):
    reading = Reading(case.xi, case.q_hat, **READINGS[code])
    state, result = room()
    read(world_of(case), state, code, case.xi - case.q_hat, case.capacity, result)
    looped = endless_loops(case, reading)
    assert {name: int(result[LOOPED] == loop) for name, loop in LOOPS.items()} == looped
    assert result[LOWEST : LOWEST + result[CUTS]].tolist() == reading.lowest
    if not any(looped.values()):
        assert result[: len(case.world.turns)].tolist() == case.reuses(
            Reading(case.xi, case.q_hat, **READINGS[code])
        )


def check_optimum(case):
    best = smallest_total(case.instance, lambda uncached: max(uncached - case.xi, 0))
    assert least_cost(world_of(case), room()[0], EXCESS) == best


@given(cases())
def test_every_policy_reuses_what_the_reference_does(case):
    for code in POLICIES:
        check_policy(case, code)


@given(cases(starts=0, modes=(False,)))
def test_readings_of_algorithm_1(case):
    for code in READINGS:
        check_reading(case, code)


@given(cases(most_turns=5, longest=2, starts=1))
def test_the_optimum(case):
    check_optimum(case)

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks import all_claims
from proofs_checks.tail_optimized.algorithm_1 import as_printed
from teltheory.claims.campaign import with_traces
from teltheory.claims.generators import GENERATORS, nearest
from teltheory.claims.search import refutes

CLAIMS = with_traces(all_claims())
SMALL, _, ADVERSARIAL = GENERATORS


def drawn(generator, space, seed):
    return generator.draw(np.random.default_rng(seed), space)


@settings(max_examples=40)
@given(st.sampled_from(CLAIMS), st.sampled_from(GENERATORS), st.integers(0, 2**63))
def test_what_is_drawn_is_within_the_space(claim, generator, seed):
    space, case = claim.space, drawn(generator, claim.space, seed)
    if case is None:
        return
    world, reach = case.world, space.reach
    assert world == world.canonical()
    assert 1 <= len(world.turns) <= max(2, reach.turns)
    assert world.tokens <= reach.tokens
    assert len({c for c, _, _ in world.turns}) <= max(reach.conversations, space.conversations)
    assert len(world.initial) <= space.starts
    assert case.forced == space.forced
    assert case.capacity in space.feasible_capacities(world)
    assert case.xi in space.thresholds(world)
    assert case.q_hat in space.estimates(world, case.xi)
    assert case.admissible


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda generator: generator.name)
def test_what_is_drawn_repeats_and_is_of_every_size(generator):
    space = next(claim for claim in CLAIMS if claim.id == "theorem-31.per-request").space
    cases = [drawn(generator, space, seed) for seed in range(60)]
    assert cases[:9] == [drawn(generator, space, seed) for seed in range(9)]
    lengths = [len(case.world.turns) for case in cases]
    assert min(lengths) <= 4
    assert max(lengths) > (9 if generator is SMALL else 100)
    assert {len(case.world.initial) for case in cases} == {0, 1, 2}
    assert any(len({c for c, _, _ in case.world.turns}) < len(case.world.turns) / 2 for case in cases)


QUICK = {"theorem-31", "algorithm-1.as-printed", "theorem-b1.forced", "stack.lru", "trim.eager"}
EACH = [pytest.param(c, id=c.id, marks=[] if c.id in QUICK else pytest.mark.long) for c in CLAIMS]


@pytest.mark.parametrize("claim", EACH)
def test_every_generator_has_cases_within_the_hypotheses(claim):
    for generator in GENERATORS:
        cases = [drawn(generator, claim.space, seed) for seed in range(20)]
        assert sum(case is not None and refutes(claim, case) is not None for case in cases) >= 5, generator.name


def test_only_cases_near_budgets_show_what_the_printed_test_does():
    """One unit at the budget decides; the samples of the row meet it in none of as many cases.

    Of the 400 cases of seeds 0 to 399 these 100 have both.
    """

    def refuting(generator):
        cases = (drawn(generator, as_printed.space, seed) for seed in range(300, 400))
        return sum(case is not None and bool(refutes(as_printed, case)) for case in cases)

    assert refuting(SMALL) == 0
    assert refuting(ADVERSARIAL) >= 2


@given(st.lists(st.integers(-9, 9), unique=True).map(sorted), st.integers(-12, 12))
def test_nearest(values, wanted):
    found = nearest(values, wanted)
    assert (found is None) == (not values)
    assert found is None or abs(found - wanted) == min(abs(value - wanted) for value in values)

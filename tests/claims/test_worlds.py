from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teltheory.claims.case import Case, World
from teltheory.claims.worlds import SmallWorlds, chosen, upper_bounds, worlds
from teltheory.errors import TelTheoryError
from teltheory.policies import LRU, TLRU, TailOptimizedBelady, ThresholdLRU
from teltheory.replay.chains.reference import replay_reference, turns_of


def canonical(turns, initial):
    numbers = {}
    for conversation, *_ in (*initial, *turns):
        numbers.setdefault(conversation, len(numbers))
    return (
        tuple((numbers[c], q, a) for c, q, a in turns),
        tuple((numbers[c], past, cached) for c, past, cached in initial),
    )


def by_hand(turns, conversations, tokens, starts):
    found = set()
    lengths = [
        split for split in product(range(tokens + 1), repeat=2 * turns - 1 + starts) if sum(split) == tokens
    ]
    for labels in product(range(conversations), repeat=turns):
        if set(labels) | set(range(starts)) != set(range(conversations)):
            continue
        for split in lengths:
            rest = (*split[starts:], 0)
            played = tuple(zip(labels, rest[::2], rest[1::2], strict=True))
            for held in product(*(range(past + 1) for past in split[:starts])):
                found.add(canonical(played, tuple(zip(range(starts), split[:starts], held, strict=True))))
    return found


SIZES = ((1, 1, 3), (2, 1, 2), (2, 2, 3), (3, 2, 2), (3, 3, 2))


@pytest.mark.parametrize(
    ("size", "starts"), [(size, starts) for size in SIZES for starts in range(3) if starts <= size[1]]
)
def test_every_world_of_a_size_once(size, starts):
    turns, conversations, tokens = size
    listed = [(world.turns, world.initial) for world in worlds(turns, conversations, tokens, starts)]
    assert len(listed) == len(set(listed))
    assert set(listed) == by_hand(turns, conversations, tokens, starts)


@pytest.mark.parametrize("size", SIZES)
def test_a_world_with_a_least_length_is_one_with_that_more_in_each_prompt_and_response(size):
    turns, conversations, tokens = size
    longer = {
        tuple((c, q + 2, a + 2) for c, q, a in world.turns) for world in worlds(turns, conversations, tokens, 0)
    }
    assert {world.turns for world in worlds(turns, conversations, tokens + 4 * turns, 0, least=2)} == longer


def test_natural_worlds_have_nothing_that_is_0_but_in_the_initial_cache():
    space = SmallWorlds({}, {}, estimates=lambda world, xi: range(3), starts=1, natural_sizes=({1: 2, 2: 1}, {}))
    cases = [case for size_class in space.natural().classes("quick") for case in size_class]
    assert any(held == 0 < past for case in cases for _, past, held in case.world.initial)
    for case in cases:
        lengths = [length for _, *pair in case.world.turns for length in pair]
        assert min(case.capacity, case.xi, case.q_hat, *lengths) == 1
    assert {case.world.tokens for case in cases} == {2, 3, 4, 5}


def test_where_a_claim_has_no_estimate_or_threshold_natural_worlds_have_none():
    space = SmallWorlds({}, {}, thresholds=lambda world: range(1))
    cases = [case for size_class in space.natural().classes("quick") for case in size_class]
    assert {(case.xi, case.q_hat) for case in cases} == {(0, 0)}


def test_classes_grow_and_cover_every_parameter():
    space = SmallWorlds({1: 1, 2: 2}, {1: 1}, estimates=upper_bounds, samples=0)
    sizes = [{case.size()[:3] for case in size_class} for size_class in space.classes("quick")]
    assert sizes == [{(1, 1, 0)}, {(1, 1, 1)}, *({(2, c, tokens)} for c in (1, 2) for tokens in range(3))]
    cases = [case for size_class in space.classes("quick") for case in size_class]
    world = World(((0, 1, 0), (0, 1, 0)))
    of_world = {(c.capacity, c.xi, c.q_hat) for c in cases if c.world == world}
    assert of_world == {(c, xi, q) for c in range(3) for xi in range(3) for q in range(1, max(1, xi) + 1)}


def test_samples_repeat_and_satisfy_the_space():
    space = SmallWorlds({}, {}, estimates=upper_bounds, starts=2, forced=True)

    def drawn():
        rng = np.random.default_rng(5)
        return [space.sample(rng) for _ in range(200)]

    first, second = drawn(), drawn()
    assert [case and case.size() for case in first] == [case and case.size() for case in second]
    for case in filter(None, first):
        assert case.instance.capacity >= case.world.forced_capacity()
        assert case.q_hat >= max(case.world.continuing_prompts, default=0)


@given(
    st.integers(0, 2**32),
    st.booleans(),
    st.sampled_from([LRU(), TLRU(4, 2), ThresholdLRU(3), TailOptimizedBelady(3)]),
)
@settings(max_examples=150)
def test_a_case_is_replayed_in_plain_numbers_as_its_instance_is(seed, forced, policy):
    rng = np.random.default_rng(seed)
    world = SmallWorlds({}, {}, starts=3).random_world(rng)
    least = max(world.held, world.forced_capacity() if forced else 0)
    case = Case(world, least + int(rng.integers(0, 9)), forced=forced)
    turns, starts = world.in_numbers
    assert turns == turns_of(case.instance)
    assert starts == [*case.instance.initial]
    assert case.uncached(policy) == replay_reference(case.instance, policy).uncached.tolist()
    assert case.reuses(policy) == replay_reference(case.instance, policy).cached.tolist()


@pytest.mark.parametrize("forced", [False, True])
def test_a_case_without_room_is_refused_as_its_instance_is(forced):
    case = Case(World(((0, 2, 1), (0, 1, 0)), () if forced else ((0, 3, 3),)), 2, forced=forced)
    with pytest.raises(TelTheoryError):
        case.tel(LRU())


def test_few_worlds_are_made_once_and_many_are_not_kept():
    def worlds_of(turns, tokens):
        return [*SmallWorlds({}, {})._class(turns, 1, tokens, 0)]

    assert worlds_of(2, 2)[0].world is worlds_of(2, 2)[0].world
    assert worlds_of(4, 6)[0].world is not worlds_of(4, 6)[0].world


@given(st.integers(0, 2**32), st.integers(1, 50))
def test_one_is_chosen_as_numpy_chooses_it(seed, most):
    ours, theirs = (np.random.default_rng(seed) for _ in range(2))
    assert [chosen(ours, range(most)) for _ in range(5)] == [int(theirs.choice(range(most))) for _ in range(5)]

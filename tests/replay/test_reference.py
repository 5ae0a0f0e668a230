"""The reference replay against the block-by-block judge, textbook numbers and what must always be true."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.block_by_block import block_by_block
from replay.instances import (
    POLICY_NAMES,
    TRIMS,
    Case,
    assume_feasible,
    cases,
    examples,
    fewer,
    lengths,
    policies,
    seeded,
)

import teltheory as tt

FIGURE_2 = Case((0, 1, 0), (100, 100, 100), (0, 0, 0), None, capacity=100, xi=160, q_hat=100)
REFERENCE_STRING = (7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1)


def paging(reference_string: tuple[int, ...], frames: int, forced: bool) -> Case:
    """Unit pages as conversations: the first prompt is 1, the later ones and all responses are 0."""
    prompt = tuple(int(page not in reference_string[:k]) for k, page in enumerate(reference_string))
    nothing = (0,) * len(prompt)
    return Case(reference_string, prompt, nothing, None, frames, xi=0, q_hat=0, forced=forced)


def faults(case: Case, policy: object) -> int:
    return int(case.replay(policy).uncached.sum())


@pytest.mark.parametrize("name", POLICY_NAMES)
@given(case=cases())
@examples(200)
def test_reuses_what_the_judge_says_turn_by_turn(name, case):
    policy = policies(case)[name]
    assert case.replay(policy).cached.tolist() == block_by_block(case, policy)


def test_reuses_what_the_judge_says_on_seeded_instances():
    for case in seeded(fewer(500), 0):
        for name, policy in policies(case).items():
            assert case.replay(policy).cached.tolist() == block_by_block(case, policy), (name, case)


def test_every_two_policies_differ_somewhere_in_each_mode():
    """The instances above can tell the policies apart, so that agreement with the judge means something."""
    for forced in (False, True):
        together = set(combinations(POLICY_NAMES, 2))
        for case in seeded(fewer(600, 1), 7, turns=(4, 9), conversations=5, forced=forced):
            alike, every = {name for pair in together for name in pair}, policies(case)
            reuses = {name: case.replay(every[name]).cached.tobytes() for name in alike}
            together = {pair for pair in together if reuses[pair[0]] == reuses[pair[1]]}
            if not together:
                break
        assert together == set()


@pytest.mark.parametrize(
    ("policy", "last"),
    [
        (tt.LRU(), 200),
        (tt.TLRU(xi=160, q_hat=100, trim="round-robin"), 150),
        (tt.TLRU(xi=160, q_hat=100, trim="least-recent"), 160),
        (tt.TLRU(xi=160, q_hat=100, trim="eager"), 160),
        (tt.TailOptimizedBelady(xi=160), 100),
        (tt.Belady(), 100),
    ],
)
def test_figure_2(policy, last):
    assert FIGURE_2.replay(policy).uncached.tolist() == [100, 100, last]


@pytest.mark.parametrize(
    ("frames", "lru", "optimal", "bypassing"),
    [(1, 20, 20, 15), (2, 17, 13, 11), (3, 12, 9, 8), (4, 8, 8, 7), (5, 7, 7, 6), (6, 6, 6, 6)],
)
def test_textbook_paging(frames, lru, optimal, bypassing):
    """Demand paging, which keeps the page just used, is forced caching.

    The textbooks have 12 faults (LRU) and 9 (Belady) with 3 frames. Optional caching may bypass the cache, so
    that Belady has fewer faults; LRU never bypasses. The numbers come from a search over all sets of pages.
    """
    demand, optional = paging(REFERENCE_STRING, frames, True), paging(REFERENCE_STRING, frames, False)
    assert faults(demand, tt.LRU()) == faults(optional, tt.LRU()) == lru
    assert faults(demand, tt.Belady()) == faults(demand, tt.TailOptimizedBelady(0)) == optimal
    assert faults(optional, tt.Belady()) == faults(optional, tt.TailOptimizedBelady(0)) == bypassing


@pytest.mark.parametrize("name", POLICY_NAMES)
@given(case=cases())
@examples(60)
def test_what_is_always_true(name, case):
    outcome = case.replay(policies(case)[name])
    history, total, _ = (np.array(column, np.int64) for column in zip(*lengths(case), strict=True))
    assert outcome.cached.dtype == outcome.uncached.dtype == np.int64
    assert len(outcome) == len(outcome.cached) == len(case.conversation)
    assert not outcome.cached.flags.writeable
    assert not outcome.uncached.flags.writeable
    assert (outcome.cached >= 0).all()
    assert (outcome.cached <= np.minimum(history, case.capacity)).all()
    assert (outcome.cached + outcome.uncached == total).all()


@pytest.mark.parametrize(
    "name", [name for name in POLICY_NAMES if "eager" not in name and name != "threshold-lru"]
)
@given(case=cases())
@examples(30)
def test_a_cache_for_everything_reuses_every_history(name, case):
    whole = tuple((conversation, past, past) for conversation, past, _ in case.initial)
    room = sum(past for _, _, past in lengths(case)) + sum(past for _, past, _ in whole)
    case = replace(case, capacity=room, initial=whole)
    assert case.replay(policies(case)[name]).cached.tolist() == [h for h, _, _ in lengths(case)]


@pytest.mark.parametrize("name", POLICY_NAMES)
@given(case=cases(forced=False))
@examples(15)
def test_a_cache_for_nothing_reuses_nothing(name, case):
    case = replace(case, capacity=0, initial=tuple((c, past, 0) for c, past, _ in case.initial))
    assert not case.replay(policies(case)[name]).cached.any()


@pytest.mark.parametrize("trim", TRIMS)
@given(case=cases(), more=st.integers(0, 3))
@examples(60)
def test_tlru_is_lru_where_the_estimate_reaches_the_threshold(trim, case, more):
    assert case.replay(tt.TLRU(case.xi, case.xi + more, trim)) == case.replay(tt.LRU())


@given(case=cases())
@examples(80)
def test_special_cases_of_other_policies(case):
    lru, longest = case.replay(tt.LRU()), max(past for _, _, past in lengths(case))
    assert case.replay(tt.Belady()) == case.replay(tt.TailOptimizedBelady(0))
    # without a threshold nothing is surplus; a past of 0 holds nothing
    assert case.replay(tt.ThresholdLRU(0)) == case.replay(tt.TLRU(0, case.q_hat)) == lru
    if not case.forced:
        longest += sum(past for _, past, _ in case.initial)
        assert not case.replay(tt.ThresholdLRU(longest)).cached[1:].any()
        assert not case.replay(tt.TLRU(longest, 0, "eager")).cached[1:].any()


@given(case=cases(forced=True))
@examples(100)
def test_lru_is_the_same_under_forced_caching(case):
    """What just arrived is what LRU evicts last, and it fits."""
    assert case.replay(tt.LRU()) == replace(case, forced=False).replay(tt.LRU())


@given(case=cases())
@examples(80)
def test_exact_estimates_make_length_aware_of_end_aware(case):
    same_prompt = replace(case, prompt=(2,) * len(case.prompt), history=None)
    assume_feasible(same_prompt)
    for trim in TRIMS:
        end_aware = same_prompt.replay(tt.EndAwareTLRU(case.xi, 2, trim))
        assert end_aware == same_prompt.replay(tt.LengthAwareTLRU(case.xi, trim))


@given(case=cases(forced=False, given=False))
@examples(60)
def test_given_histories_that_are_cumulative_change_nothing(case):
    given_too = replace(case, history=tuple(h for h, _, _ in lengths(case)))
    for policy in policies(case).values():
        assert case.replay(policy) == given_too.replay(policy)


def test_rounds_begin_with_the_initial_cache():
    """Conversation 9 is listed first but arrives last: rounds visit 9, then 8, then 7."""
    case = Case((7, 7, 8, 9), (3, 0, 0, 0), (0,) * 4, None, 7, xi=9, q_hat=0, initial=((9, 2, 2), (8, 3, 3)))
    # after turn 0: 2 + 3 + 3 = 8 > 7 and all budgets are 0, so the one unit comes from 9
    assert case.replay(tt.TLRU(9, 0)).cached.tolist() == [0, 3, 3, 1]
    # least recent first: 9 as well; furthest next turn: 9 as well, but 7 first where it never returns
    assert case.replay(tt.TLRU(9, 0, "least-recent")).cached.tolist() == [0, 3, 3, 1]
    swapped = replace(case, initial=((8, 3, 3), (9, 2, 2)))
    assert swapped.replay(tt.TLRU(9, 0)).cached.tolist() == [0, 3, 2, 2]
    assert replace(case, conversation=(7, 5, 8, 9)).replay(tt.Belady()).cached.tolist() == [0, 0, 3, 2]


def test_a_past_that_is_not_read_again_is_capped_by_the_next_history():
    """Belady keeps the unit of 30 that turn 3 reads; nothing of the past of 10, which begins anew, is kept."""
    case = Case((10, 30, 10, 30), (2, 0, 1, 0), (1, 1, 0, 0), (0, 0, 0, 1), capacity=1, xi=2, q_hat=2)
    assert case.replay(tt.Belady()).cached.tolist() == block_by_block(case, tt.Belady()) == [0, 0, 0, 1]

"""Brute force against optima that were worked out by hand."""

import pytest
from replay.instances import Case

from teltheory.optimal.chains.brute_force import all_reuses, smallest_total


def case(turns, capacity, **options):
    conversation, prompt, response = zip(*turns, strict=True)
    options = {"history": None, "xi": 0, "q_hat": 0, **options}
    return Case(conversation, prompt, response, capacity=capacity, **options)


def tel(instance_case: Case) -> int:
    return smallest_total(instance_case.instance, lambda uncached: max(uncached - instance_case.xi, 0))


A2_B1_A0 = [("A", 2, 0), ("B", 1, 0), ("A", 0, 0)]
A1_B2_A0_B0 = [("A", 1, 0), ("B", 2, 0), ("A", 0, 0), ("B", 0, 0)]


@pytest.mark.parametrize(
    ("instance", "expected"),
    [
        # one turn: nothing is cached before it was ever computed
        (case([("A", 1, 0)], 1), 1),
        (case([("A", 3, 9)], 9, xi=1), 2),
        # A(1) twice: 1, then 2 with 1 reused if there is room for it
        (case([("A", 1, 0), ("A", 1, 0)], 1), 2),
        (case([("A", 1, 0), ("A", 1, 0)], 0), 3),
        # the response counts for the past: 1, then 3 with 2 reused
        (case([("A", 1, 1), ("A", 1, 0)], 2), 2),
        (case([("A", 1, 1), ("A", 1, 0)], 1), 3),
        # A(2), B(1), A(0) with C = 2: keep A whole, B never returns: 2 + 1 + 0
        (case(A2_B1_A0, 2), 3),
        # forced: B must be held after its turn, so that only 1 of A is left: 2 + 1 + 1
        (case(A2_B1_A0, 2, forced=True), 4),
        (case(A2_B1_A0, 3, forced=True), 3),
        # xi = 1: 1 + 0, and A needs only 1 of its 2: 1
        (case(A2_B1_A0, 2, xi=1, forced=True), 1),
        (case(A2_B1_A0, 0, xi=1), 2),
        # A(1), B(2), A, B with C = 2: keep B's 2 (past A's turn) or A's 1 and B's 1: 3 + 1 both ways
        (case(A1_B2_A0_B0, 2), 4),
        # forced: after B its 2 are held, so A's turn costs 1; after A its 1 is held, so B keeps 1: 3 + 1 + 1
        (case(A1_B2_A0_B0, 2, forced=True), 5),
        (case(A1_B2_A0_B0, 3, forced=True), 3),
        # initial cache: A has a past of 3 and 2 of it cached; total 3 + 1, reused 2
        (case([("A", 1, 0)], 2, initial=(("A", 3, 2),)), 2),
        # initial cache of B is never used, but B's own turn finds it: 2 + (0 + 1)
        (case([("A", 2, 0), ("B", 1, 0)], 2, initial=(("B", 2, 2),)), 3),
        # forced: A's 2 push it out: 2 + 3
        (case([("A", 2, 0), ("B", 1, 0)], 2, initial=(("B", 2, 2),), forced=True), 5),
        (case([("A", 2, 0), ("B", 1, 0)], 3, initial=(("B", 2, 2),), forced=True), 4),
        # a given history of 1 where the past is 3: total 1 + 1, reused 1; without it 3 + 1, reused 3
        (case([("A", 3, 0), ("A", 1, 0)], 3, history=(0, 1)), 4),
        (case([("A", 3, 0), ("A", 1, 0)], 0, history=(0, 1)), 5),
        (case([("A", 3, 0), ("A", 1, 0)], 0), 7),
        # after a shortened turn the past is short too: 3, 1 (h = 0), then total 1 + 0 reused 1
        (case([("A", 3, 0), ("A", 1, 0), ("A", 0, 0)], 3, history=(0, 0, 1)), 4),
        # no turn
        (Case((), (), (), None, 2, 0, 0, initial=((1, 2, 2),)), 0),
    ],
)
def test_smallest_total(instance, expected):
    assert tel(instance) == expected


def test_any_cost_of_a_turn():
    """A(1), A(1), A(0) without a cache: 1, 2 and 2 uncached."""
    instance = case([("A", 1, 0), ("A", 1, 0), ("A", 0, 0)], 0).instance
    assert smallest_total(instance, lambda u: u * u) == 9
    assert smallest_total(instance, lambda u: int(u > 1)) == 2


def test_all_reuses_of_a_small_instance():
    instance = case(A1_B2_A0_B0, 2)
    reused = {(0, 0, a, b) for a in (0, 1) for b in (0, 1, 2) if a + b <= 2}
    assert all_reuses(instance.instance) == reused
    forced = case(A1_B2_A0_B0, 2, forced=True)
    assert all_reuses(forced.instance) == {(0, 0, 0, 0), (0, 0, 0, 1)}


def test_all_reuses_with_an_initial_cache_and_a_given_history():
    """The past of 4 is cut to 2; nothing is cut before the first turn, so that 2 are reused for certain."""
    instance = case([("A", 1, 0), ("A", 0, 0)], 3, history=(2, 1), initial=(("A", 4, 3),))
    assert all_reuses(instance.instance) == {(2, 0), (2, 1)}
    assert all_reuses(case([("A", 1, 0)], 3, initial=(("A", 4, 3),)).instance) == {(3,)}

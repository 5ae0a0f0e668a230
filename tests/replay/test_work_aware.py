"""Work-Aware T-LRU: its loop, a judge that goes token by token, and the policies at both ends of its price."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusals
from replay.instances import Case, assume_feasible, cases, examples, fewer, lengths, same, seeded

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.policies import WorkAwareTLRU

PRICES = st.fractions(0, 4, max_denominator=5)


def token_by_token(case: Case, work: Fraction) -> list[int]:
    """What each turn reuses if the token that gains least an expected turn goes, one after the other."""
    rows, held, reused = lengths(case), {c: cached for c, _, cached in case.initial}, []
    pasts, last, seen = (
        {c: past for c, past, _ in case.initial},
        {c: at - len(held) for at, c in enumerate(held)},
        [*held],
    )
    for k, (c, (history, _, past)) in enumerate(zip(case.conversation, rows, strict=True)):
        reused.append(min(held.get(c, 0), history))
        held[c], pasts[c], last[c] = past, past, k
        seen = [one for one in seen if one != c] + [c]
        while sum(held.values()) > case.capacity and not (case.forced and k == len(rows) - 1):
            gains = []
            for at, one in enumerate(seen):
                if held[one] and not (case.forced and one == c):
                    tail = held[one] + case.xi <= pasts[one] + case.q_hat
                    gains.append(((work + tail) / (k + 1 - last[one]), tail, at, one))
            held[min(gains)[-1]] -= 1
    return reused


@examples(300)
@given(cases(), PRICES)
def test_the_loop_is_the_reference_and_both_go_token_by_token(case: Case, work: Fraction) -> None:
    assume_feasible(case)
    policy = WorkAwareTLRU(case.xi, case.q_hat, work)
    same(case, policy)
    assert case.replay(policy, "kernel").cached.tolist() == token_by_token(case, work)


@pytest.mark.parametrize("forced", [False, True])
def test_many_turns_go_token_by_token(forced):
    for at, case in enumerate(seeded(fewer(4000), 8, forced=forced, turns=(5, 12), length=4)):
        policy = WorkAwareTLRU(case.xi, case.q_hat, Fraction(at % 5, 1 + at % 7))
        assert case.replay(policy, "kernel").cached.tolist() == token_by_token(case, policy.work), case


@examples(150)
@given(cases())
def test_without_a_price_it_is_tlru_and_with_a_high_one_lru(case: Case) -> None:
    assume_feasible(case)
    free, dear = (
        WorkAwareTLRU(case.xi, case.q_hat, work) for work in (0, len(case.prompt) + len(case.initial) + 2)
    )
    assert case.replay(free) == case.replay(tt.TLRU(case.xi, case.q_hat, "least-recent"))
    assert case.replay(dear) == case.replay(tt.LRU())
    assert case.replay(WorkAwareTLRU(0, case.q_hat, Fraction(1, 4))) == case.replay(tt.LRU())


def test_by_hand():
    """A is 3 turns old, B 2, each half above its budget: A's rest gains (w + 1) / 3, what B has above it w / 2."""
    trace = tt.Trace.from_turns(list("ABCA"), [4, 4, 4, 0], [0] * 4)
    for work, kept in ((Fraction(1, 9), 2), (2, 2), (3, 0)):
        assert tt.replay(trace, WorkAwareTLRU(2, 0, work), 8).cached.tolist() == [0, 0, 0, kept], work


def test_it_is_named_and_compared_like_the_others():
    trace = tt.Trace.from_turns([0, 1, 0, 1], [9, 9, 9, 9], [0] * 4)
    named = tt.replay(trace, "work-aware:xi=5,q_hat=2,work=1/4", 12)
    assert named == tt.replay(trace, WorkAwareTLRU(5, 2, Fraction(1, 4)), 12)
    board = tt.compare(trace, policies=["lru", "work-aware:work=1/8"], capacities=[12], xi=[5])
    assert [row.group for row in board.rows] == ["online", "online"]


test_refusals = refusals(
    ArgumentError,
    ("work: found '-1/2'", lambda: WorkAwareTLRU(1, 1, Fraction(-1, 2))),
    ("as a forest is replayed", lambda: tt.replay(tt.Forest.from_paths([[1]]), WorkAwareTLRU(1, 1), 3)),
    (
        "whose work has too many digits",
        lambda: Case((0,), (1,), (0,), None, 1, 1, 1).replay(WorkAwareTLRU(1, 1, 2**62), "kernel"),
    ),
)

"""The adversary: every policy pays what the theorem says, the toolkit's and one's own, with dice or without."""

from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay.own_policies import HalfKept, LongestFirst

import teltheory as tt
from proofs_checks.tail_optimized.not_competitive import Dice, online_policies
from teltheory.errors import ArgumentError
from teltheory.optimal.adversary import adversary
from teltheory.policies import SharedTLRU
from teltheory.policies.spec import NAMED

CLAIRVOYANT = (tt.EndAwareTLRU, tt.LengthAwareTLRU, tt.Belady, tt.TailOptimizedBelady)


@dataclass(frozen=True)
class EvenShares:
    """What no policy can improve on: it takes from the conversation of which most is cached."""

    def cut(self, conversations, overflow):
        for _ in range(overflow):
            max(conversations, key=lambda conversation: conversation.cached).cached -= 1


OURS = (
    LongestFirst(),
    HalfKept(),
    EvenShares(),
    tt.ReturnAwareTLRU(2, 2, lead=None),
    tt.policies.WorkAwareTLRU(2, 2),
    SharedTLRU(2, 2),
)


@st.composite
def games(draw):
    conversations = draw(st.integers(2, 5))
    xi = draw(st.integers(1, 6))
    return {
        "budget": draw(st.integers(xi + 1, 12)),
        "conversations": conversations,
        "augmentation": draw(st.integers(1, conversations)),
        "xi": xi,
        "forced": draw(st.booleans()),
        "phases": draw(st.integers(1, 2)),
    }


@settings(max_examples=20, deadline=None)
@given(games(), st.data())
def test_every_online_policy_pays_the_bound_and_the_optimum_nothing(game, data):
    policy = data.draw(st.sampled_from((*online_policies(game["xi"]), *OURS, Dice(1), Dice)))
    attack = adversary(policy, **game, seeds=range(3))
    h, k, n = (game[name] for name in ("augmentation", "conversations", "budget"))
    assert attack.bound == game["phases"] * n * (1 - Fraction(h, k))
    assert attack.expected >= attack.bound
    assert attack.optimum == 0
    columns = (attack.trace.prompt, attack.trace.response, [attack.game.capacity])
    assert min(min(column) for column in columns) >= 1


def test_no_policy_of_the_toolkit_is_left_out():
    beaten = {type(policy) for policy in (*online_policies(1), *OURS)}
    of_conversations = {kind for kind in NAMED.values() if not hasattr(kind, "memory")}
    assert {*of_conversations, tt.ETLRU, tt.ReturnAwareTLRU} - beaten == {*CLAIRVOYANT}


def test_the_replay_of_the_trace_gives_the_same_and_lru_pays_all():
    attack = tt.adversary(tt.LRU(), budget=100, conversations=3, augmentation=2, phases=2)
    outcome = tt.replay(attack.trace, tt.LRU(), attack.game.capacity)
    assert tt.tail_excess_latency(outcome, 1) == attack.expected == 200 > attack.bound == Fraction(200, 3)


def test_even_shares_pay_just_the_bound():
    attack = adversary(EvenShares(), budget=60, conversations=3, augmentation=2)
    assert attack.expected == attack.bound == 20


def test_a_policy_that_pays_less_looked_ahead():
    attack = adversary(tt.Belady())
    assert attack.expected == 0 < attack.bound
    assert attack.looks_ahead
    assert not replace(attack, expected=attack.bound).looks_ahead
    assert not adversary(tt.LRU()).looks_ahead


@pytest.mark.parametrize(("name", "least"), [("budget", 1), ("conversations", 2), ("xi", 1), ("phases", 1)])
def test_wrong_arguments_are_named(name, least):
    with pytest.raises(ArgumentError, match=f"{name}: found {least - 1}, expected {least} or more"):
        adversary(tt.LRU(), **{name: least - 1})
    with pytest.raises(ArgumentError, match="at least one seed"):
        adversary(Dice, seeds=())

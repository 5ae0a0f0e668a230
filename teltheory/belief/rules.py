"""Policies for the belief MDP: ET-LRU from any index, and the policies of a replay."""

from __future__ import annotations

from fractions import Fraction

from teltheory.belief.model import Allocation, BeliefMDP, Policy, State
from teltheory.belief.optimality import Index, turn_rates
from teltheory.policies.policy import Conversation, CuttingPolicy
from teltheory.policies.policy import Policy as ReplayPolicy
from teltheory.replay.reference import cut


def et_lru(index: Index = turn_rates) -> Policy:
    """Return ET-LRU: Algorithm 2 with r_i P(L_i + Q_i - xi >= X_i) as the score, r by the index.

    Among equal scores the least recent conversation goes first. Theta is exempt under forced caching.
    """

    def keep(model: BeliefMDP, state: State, cached: Allocation) -> Allocation:
        weights = index(model, state)
        kept = list(cached)
        order = [i for i in state.recency if not (model.forced and i == state.arrived)]
        for _ in range(sum(cached) - model.capacity):
            held = [i for i in order if kept[i] > 0]
            kept[min(held, key=lambda i: weights[i] * _rise(model, state, i, kept[i]))] -= 1
        return tuple(kept)

    return keep


def _rise(model: BeliefMDP, state: State, i: int, held: int) -> Fraction:
    """Return P(L + Q - xi >= X), by which the expected excess rises when the last token held goes."""
    known = state.conversations[i]
    return model.kinds[known.kind].prompt(known.turns).exactly_at_least(held - known.past + model.xi)


def as_replayed(policy: ReplayPolicy | CuttingPolicy) -> Policy:
    """Return the policy of a replay, such as LRU or T-LRU, which sees no beliefs.

    What goes by first arrival, as round-robin trimming does, goes by the places in the state. In fractions these
    are in the order of first turns, but not in the graphs of the floating engine: T-LRU costs the same there only
    if its trim goes by recency.
    """

    def keep(model: BeliefMDP, state: State, cached: Allocation) -> Allocation:
        seen = {
            i: Conversation(first=i, past=state.conversations[i].past, cached=cached[i], next=None)
            for i in state.recency
        }
        exempt = seen[state.arrived] if model.forced else None
        cut(dict(seen), policy, model.capacity, exempt)
        return tuple(seen[i].cached for i in range(len(cached)))

    return keep

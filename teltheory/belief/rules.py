"""Policies for the belief MDP: ET-LRU from any index, and the policies of a replay."""

from __future__ import annotations

from teltheory.belief.model import Allocation, BeliefMDP, Policy, State
from teltheory.belief.optimality import Index, turn_rates
from teltheory.policies.learned.eviction import evict_lowest, tail_score
from teltheory.policies.node import Node
from teltheory.policies.policy import CuttingPolicy
from teltheory.policies.policy import Policy as ReplayPolicy
from teltheory.replay.reference import cut


def et_lru(index: Index = turn_rates) -> Policy:
    """Return ET-LRU: Algorithm 2 with r_i P(L_i + Q_i - xi >= X_i) as the score, r by the index.

    Among equal scores the least recent conversation goes first. Theta is exempt under forced caching.
    """

    def keep(model: BeliefMDP, state: State, cached: Allocation) -> Allocation:
        weights = index(model, state)
        order = [i for i in state.recency if not (model.forced and i == state.arrived)]
        known = [state.conversations[i] for i in order]
        laws = [model.kinds[one.kind].prompt(one.turns) for one in known]
        score = tail_score(
            [one.past for one in known],
            [weights[i] for i in order],
            lambda place, length: laws[place].exactly_at_least(length),
            model.xi,
        )
        overflow = max(sum(cached) - model.capacity, 0)
        left = evict_lowest([cached[i] for i in order], score, overflow).cached
        kept = {**dict(enumerate(cached)), **dict(zip(order, left, strict=True))}
        return tuple(kept.values())

    return keep


def as_replayed(policy: ReplayPolicy | CuttingPolicy) -> Policy:
    """Return the policy of a replay, such as LRU or T-LRU, which sees no beliefs.

    What goes by first arrival, as round-robin trimming does, goes by the places in the state, which are in the
    order of first turns.
    """

    def keep(model: BeliefMDP, state: State, cached: Allocation) -> Allocation:
        seen = {
            i: Node(first=i, past=state.conversations[i].past, cached=cached[i], next=None) for i in state.recency
        }
        exempt = seen[state.arrived] if model.forced else None
        cut(dict(seen), policy, model.capacity, exempt)
        return tuple(seen[i].cached for i in range(len(cached)))

    return keep

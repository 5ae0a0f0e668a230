"""Replay what follows the best of three experts by its loop; say what each expert did, and the bound."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from teltheory.base.loops import call
from teltheory.model.instance import ForestInstance, Instance
from teltheory.model.numbers import INT64_MAX, FloatArray, IntArray, exact_sum, readonly
from teltheory.model.outcome import Outcome
from teltheory.policies.learned.etlru import seconds
from teltheory.policies.learned.hazards import SILENCES, Estimates, cells
from teltheory.policies.learned.return_aware import (
    EXPERTS,
    FIRST,
    ReturnAwareTLRU,
    cells_of_turns,
    continued_prompts,
    watched_turns,
)
from teltheory.policies.policy import NotCompiledError
from teltheory.replay.learned.walks import Walks, learnt_paths


@dataclass(frozen=True)
class Followed:
    """What a replay of `ReturnAwareTLRU` did, request by request, with what its experts did beside it.

    Attributes
    ----------
    outcome : Outcome
        What the policy reused.
    spent : ndarray of int64, shape (n, 3)
        What each expert spent above the threshold, in the order of `EXPERTS`, counted as results are.
    expert : ndarray of int64, shape (n,)
        The expert that is followed after each request.
    missing : ndarray of int64, shape (n,)
        What the policy's cache lacked of the expert's where it began to follow another one, else 0.
    weight : int
        What a missing unit can cost at most.
    """

    outcome: Outcome
    spent: IntArray
    expert: IntArray
    missing: IntArray
    weight: int

    @cached_property
    def tel(self) -> tuple[int, ...]:
        """TEL of each expert."""
        return tuple(exact_sum(column) for column in self.spent.T)

    @cached_property
    def switches(self) -> IntArray:
        """The requests after which another expert is followed."""
        return np.flatnonzero(np.diff(self.expert, prepend=FIRST))

    @property
    def bound(self) -> int:
        """Most that the policy can be behind the best expert, by the theorem of docs/limits.md."""
        so_far = np.cumsum(self.spent, axis=0)
        before = np.append(FIRST, self.expert)[self.switches]
        left = so_far[self.switches, before] - so_far[self.switches, self.expert[self.switches]]
        last = int(self.expert[-1]) if len(self.expert) else FIRST
        return exact_sum(left) + self.weight * exact_sum(self.missing) + self.tel[last] - min(self.tel)


def follow_on_turns(instance: Instance, policy: ReturnAwareTLRU) -> Followed:
    """Replay conversations."""
    walks, times, cell = Walks.of_turns(instance), seconds(instance), cells_of_turns(instance)
    learnt = Estimates.of(watched_turns(instance, times, cell), continued_prompts(instance))
    first = np.array([start.past for start in instance.initial], np.int64)
    known = np.append(cells(np.zeros_like(first), first), cell), np.append(np.zeros(len(first)), times)
    return follow(instance, policy, walks, learnt, *known, True)


def follow_on_paths(instance: ForestInstance, policy: ReturnAwareTLRU, strict: bool) -> Followed:
    """Replay a forest."""
    return follow(instance, policy, Walks.of_paths(instance), *learnt_paths(instance), strict)


def follow(
    instance: Instance | ForestInstance,
    policy: ReturnAwareTLRU,
    walks: Walks,
    learnt: Estimates,
    cell: IntArray,
    times: FloatArray,
    strict: bool,
) -> Followed:
    """Replay an instance, given what was learnt of it, the cell of each visit, and the time of each request."""
    if policy.trim == "round-robin":
        raise NotCompiledError("engine", "kernel", f"'reference' for {policy!r}, which has round-robin trimming")
    if max(exact_sum(walks.inputs), exact_sum(walks.full), 2 * policy.xi) > INT64_MAX:
        raise NotCompiledError("engine", "kernel", "'reference' for lengths that add up to 2**63 or more")
    n, (items, visits), scale = len(instance), walks.sizes, instance.requests.scale
    least = walks.kept(policy.xi, policy.q_hat)
    cells, bins = learnt.worth.shape[1:]
    estimate = np.append(np.zeros(len(times) - n, np.int64), learnt.table)
    lead = -1.0 if policy.lead is None else float(policy.lead)
    said = cells, bins, *learnt.law.shape, times, SILENCES, estimate, cell, learnt.worth, learnt.first, learnt.law
    state = np.zeros(9 * items, np.int64)
    state[4 * items : 5 * items] = state[7 * items : 8 * items] = -1
    scratch = np.zeros(items), np.zeros(bins, np.int64), np.zeros(len(times), np.int64)
    bits = np.empty(visits, np.int64), np.empty(visits // 63 + 12, np.uint64)
    hits, written, expert, missing = (np.zeros(n, np.int64) for _ in range(4))
    spent = np.zeros((n, len(EXPERTS)), np.int64)
    given = walks[:5], least, walks[5:], scale, instance.capacity, instance.exempt, strict, policy.trim == "eager"
    done = hits, written, spent, expert, missing
    sizes = n, len(times) - n, items, visits
    call("replay_experts", sizes, given, policy.xi, said, lead, FIRST, state, scratch, bits, done)
    outcome = Outcome.of(instance, hits, readonly(written))
    weight = scale * (1 if strict else int(instance.past.max(initial=1)))
    return Followed(outcome, spent, expert, missing, weight)

"""Every capacity at once: what LRU, Threshold-LRU and T-LRU reuse as a function of the capacity.

**Stack algorithms** (Mattson, Gecsei, Slutz, Traiger 1970). Rank the blocks of all pasts by a priority that does
not depend on the capacity C. If the cache after a cut is always the first C blocks of that ranking, a larger cache
includes a smaller one, and one pass that finds the ranks of what a turn reuses has the answer for every C.
Optional caching and an empty start throughout.

*Priorities.* LRU: more recent conversations first, in a conversation the front of the prefix first. T-LRU with
least-recent trim: the blocks within the budgets, b = max(0, L + q_hat - xi) of a past L, come before all surplus
blocks; within either class as LRU has them. Eager T-LRU is LRU where a past counts b blocks, Threshold-LRU where a
past up to the cutoff counts 0. A cut drops the last blocks of the ranking until C are left: for T-LRU first
surplus, least recent first and from its end, then budgets.

*Lemma 1. Where no past shrinks (a conversation's past is never shorter than after its turn before), the cache
after each cut is the first C blocks of the ranking of all pasts.* By induction. Turn t belongs to conversation c.
Before its cut available are the first C blocks of the ranking before, and the whole past of c. Take a block x of
another conversation among the first C blocks of the ranking now. Compared with the ranking before, all other
conversations stand to x as they stood; of c at least as many blocks precede x as did: if x is within a budget,
the budget of c, which is no smaller than it was; if x is surplus, the whole past of c. So x was among the first C
blocks before and is available. Hence all of the first C blocks are available, and the cut keeps them. (With a
single class of blocks, the same with all of c's blocks.)

So a conversation with past L reuses clip(C - S, 0, b) + clip(C - S', 0, L - b), where S is the budgets of the more
recent conversations and S' all budgets and the surpluses of the more recent ones: its blocks have the ranks S + 1
... S + b and S' + 1 ... S' + L - b. Where its turn's history h is shorter than L, what is cached is cut to h. LRU
has S alone, with pasts for budgets. The inclusion property is the case C and C + 1.

*Lemma 2. LRU of weights w (pasts, budgets, or 0) where pasts do shrink: a slot p holds clip(C - M, 0, w), M the
largest sum of the weights of more recent slots at any cut since its own.* What was evicted does not come back. If
p holds anything after a cut, every more recent slot holds all of its weight: had one lost anything, everything
less recent would have been lost at that cut. So at each cut p keeps the smaller of what it had and of C less the
sum then. And if a cut leaves p nothing though it had something, that sum was C or more.

*Holes.* M less the present sum is kept as holes: a slot whose conversation comes back leaves a hole of its weight,
and the new weight fills holes, the most recent hole first. Then for every p the holes that are more recent than p
make up M less the sum: where a weight w' replaces w at slot d, the sum after p grows by w' - w if p < d and by w'
otherwise, so M less the sum shrinks by as much, but not below 0. Adding a hole of w at d and then taking w' from
the holes after p, most recent first and as far as there are any, does just this for every p at once. So M is the
sum over all more recent slots, holes included. Where no past shrinks, each turn fills the hole that it makes.

T-LRU with least-recent trim has two classes, and where pasts shrink, surplus fills the room that evicted budgets
leave: two segments no longer describe it. With round-robin trim the order of the surplus blocks changes at every
cut. There, and for every other policy, the curve replays the trace at each capacity that it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from teltheory.cost.given import Model, Size, Units
from teltheory.cost.latency import Latency
from teltheory.cost.metrics import slo_violations, tail_excess_latency, ttft_quantiles
from teltheory.errors import ArgumentError
from teltheory.model.display import in_short, unit_of
from teltheory.model.forest import Forest
from teltheory.model.instance import Instance
from teltheory.model.numbers import INT64_MAX, FloatArray, IntArray
from teltheory.model.outcome import Outcome
from teltheory.model.requests import Requests
from teltheory.model.trace import Trace
from teltheory.policies.named import policy_of
from teltheory.policies.policy import AnyPolicy, has_rules, prefers_kernel, settled
from teltheory.replay import Cache, check_forest_cache, check_policy, replay

if TYPE_CHECKING:
    from teltheory.replay.chains.segments import Segments
    from teltheory.replay.trees.distances import PathSegments

DRAWN = 40
"""Capacities in a plot."""


@in_short
@dataclass(frozen=True, eq=False)
class CapacityCurve:
    """What a policy reuses on a trace at every capacity; optional caching, empty start.

    Each capacity that is asked for is replayed, unless the policy is known to be a stack algorithm on this trace.
    Make one with `capacity_curve`.

    Attributes
    ----------
    trace : Trace or Forest
        The turns; or the requests.
    policy : Policy
        The policy.
    segments : Segments, PathSegments or None
        What one pass over the trace found of a stack algorithm; every capacity follows from them.
    cache : {"strict", "holes"} or RadixNodes
        What a cache of shared prefixes may hold; see `replay`.
    model : str, path, Architecture, KVSize or None
        Whose bytes and times they are, where text has them.
    """

    trace: Trace | Forest
    policy: AnyPolicy
    segments: Any = None
    cache: Cache = "strict"
    model: Model | None = None

    @property
    def units(self) -> Units:
        """What capacities and thresholds as text are counted in."""
        return Units.of(self.trace, self.model)

    @property
    def one_pass(self) -> bool:
        """Whether one pass over the trace had the answer for every capacity."""
        return self.segments is not None

    @property
    def peak(self) -> int:
        """Most that an endless cache holds; from there on nothing changes."""
        return self.trace.peak

    def outcome(self, capacity: Size) -> Outcome:
        """Return what each turn reuses and computes at one capacity, in the trace's unit."""
        if self.segments is None:
            return replay(self.trace, self.policy, self.units.capacity(capacity), cache=self.cache)
        outcome: Outcome = self.segments.outcome(self.trace, self.units.capacity(capacity))
        return outcome

    def plot(self, xi: Size | None = None, capacities: Sequence[Size] | None = None, ax: Any = None) -> Any:
        """Draw TEL or, without a threshold, the hit rate against the capacity; return Matplotlib's axes.

        Parameters
        ----------
        xi : int or str, optional
            Threshold.
        capacities : sequence of int or str, optional
            Capacities; if left out a few from a thousandth of what an endless cache holds to all of it.
        ax : Axes, optional
            New ones if left out.
        """
        from teltheory.plots.values import over_capacity

        spread = np.geomspace(max(self.peak / 1000, 1), max(self.peak, 1), DRAWN).astype(np.int64)
        sizes = np.unique(self._whole(spread if capacities is None else capacities)).tolist()
        name, unit = getattr(self.policy, "name", type(self.policy).__name__), unit_of(self.trace.block_size)
        if xi is None:
            hits = [float(self.outcome(c).hit_rate) for c in sizes]
            return over_capacity(sizes, hits, name, unit, "hit rate (share of the input)", ax)
        tels = self.tail_excess_latency(sizes, xi).tolist()
        return over_capacity(sizes, tels, name, unit, f"TEL({self.units.xi(xi):,}) ({unit})", ax)

    def cached(self, capacity: Size) -> IntArray:
        """Return what each turn reuses at one capacity; shape (n,), in the trace's unit."""
        return self.outcome(capacity).cached

    def tail_excess_latency(self, capacities: Sequence[Size] | IntArray, xi: Size) -> IntArray:
        """Return TEL(xi) at each capacity (Zhang et al. 2025, Section 2).

        Parameters
        ----------
        capacities : sequence of int or str
            Capacities, in any order.
        xi : int or str
            Threshold.

        Returns
        -------
        ndarray of int64, shape (capacities,)
            Exact; of Python's whole numbers where one is 2**63 or more.
        """
        xi, sizes = self.units.xi(xi), self._whole(capacities)
        if self.segments is None or not sizes:
            return _exact([tail_excess_latency(self.outcome(c), xi) for c in sizes])
        from teltheory.replay.chains.segments import ladder

        ordered, places = np.unique(np.array(sizes, np.int64), return_inverse=True)
        steps = np.cumsum(self.segments.reuse_changes(self.trace, xi, ladder(ordered)), axis=0).tolist()
        tels = [
            (high << 32) + low - count * capacity
            for capacity, (count, high, low) in zip(ordered.tolist(), steps, strict=False)
        ]
        return _exact([tels[place] for place in places])

    def slo_violations(self, capacities: Sequence[Size] | IntArray, xi: Size) -> IntArray:
        """Return the number of turns with more than xi uncached at each capacity; shape (capacities,)."""
        xi, sizes = self.units.xi(xi), self._whole(capacities)
        if self.segments is None or not sizes:
            return _exact([slo_violations(self.outcome(c), xi) for c in sizes])
        from teltheory.replay.chains.segments import ladder

        ordered, places = np.unique(np.array(sizes, np.int64), return_inverse=True)
        ends = self.segments.violation_ends(self.trace, xi, ladder(ordered))
        return np.asarray((ends.sum() - np.cumsum(ends))[places])

    def ttft_quantiles(
        self, capacities: Sequence[Size] | IntArray, qs: Sequence[float], latency: Latency
    ) -> FloatArray:
        """Return percentiles of TTFT in seconds at each capacity; shape (capacities, qs).

        Parameters
        ----------
        capacities : sequence of int or str
            Capacities; times are those of tokens, on a forest too.
        qs : sequence of float
            Levels in (0, 1]; the percentile at q is the ceil(q n)-th smallest value.
        latency : Latency
            Turns tokens into seconds.
        """
        rows = [ttft_quantiles(self.outcome(c).in_tokens(), qs, latency) for c in self._whole(capacities)]
        return np.array(rows, np.float64).reshape(len(rows), len(qs))

    def _whole(self, capacities: Sequence[Size] | IntArray) -> list[int]:
        if isinstance(capacities, (str, bytes)) or not hasattr(capacities, "__len__"):
            raise ArgumentError("capacities", capacities, "a list of capacities")
        return [self.units.capacity(capacity, f"capacities[{i}]") for i, capacity in enumerate(capacities)]


def capacity_curve(
    trace: Trace | Forest, policy: AnyPolicy | str, *, cache: Cache = "strict", model: Model | None = None
) -> CapacityCurve:
    """Return what a policy reuses on a trace as a function of the capacity; optional caching, empty start.

    One pass over the trace for a policy whose rules are on arrays, whose orders are by recency, and that has no
    surplus (``trim="eager"``, or budgets of whole pasts), such as `LRU` and `ThresholdLRU`; and with
    ``trim="least-recent"`` and budgets of all but a constant, such as `TLRU`'s, if no conversation's past ever
    shrinks. On a forest one pass for every policy whose orders are by recency and whose rules look at high-water
    marks alone, strict or with holes. Other curves are as exact, at the price of a replay for each capacity that
    they are asked for, as T-LRU's of private conversations if its trim is left out: there it is round-robin.

    Parameters
    ----------
    trace, cache, model : as in `Problem`
        No module sets, and no whole nodes.
    policy : Policy or str
        The policy, or the short form of one.

    Raises
    ------
    ArgumentError, TraceError
        As `replay` does; both are `ValueError`.
    """
    asked = policy_of(policy, trace, Units.of(trace, model))
    check_policy(asked)
    asked, segments = one_pass(trace, asked, cache)
    return CapacityCurve(trace, asked, segments, cache, model)


@singledispatch
def one_pass(requests: Any, policy: Any, cache: Cache) -> tuple[Any, Any]:
    """Return a policy with its way of trimming, and the segments that one pass finds, of most kinds none."""
    if not isinstance(requests, Requests):
        raise ArgumentError("trace", type(requests).__name__, "a Trace")
    return settled(policy, requests), None


@one_pass.register(Trace)
def _of_turns(trace: Trace, policy: Any, cache: Cache) -> tuple[Any, Segments | None]:
    Instance.of(trace, 0)
    if cache != "strict":
        raise ArgumentError("cache", cache, "a Forest with it, such as trace.forest")
    policy = settled(policy)
    return policy, _segments(trace, policy)


@one_pass.register(Forest)
def _of_paths(forest: Forest, policy: Any, cache: Cache) -> tuple[Any, PathSegments | None]:
    check_forest_cache(policy, cache)
    policy = settled(policy, forest, rounds=isinstance(cache, str))
    return policy, _path_segments(forest, policy, cache)


def _path_segments(forest: Forest, policy: AnyPolicy, cache: Cache) -> PathSegments | None:
    """Return the segments that one pass over a forest finds; None if the policy is not known to have any."""
    if cache not in ("strict", "holes") or not has_rules(policy) or policy.trim == "round-robin" or forest.is_cut:
        return None
    from teltheory.replay.trees.distances import path_segments
    from teltheory.replay.trees.recency import kept_by_recency

    kept = kept_by_recency(policy, forest, strict=True)
    return None if kept is None else path_segments(forest, kept)


def _segments(trace: Trace, policy: AnyPolicy) -> Segments | None:
    """Return the segments that one pass finds; None if two do not describe the policy on this trace."""
    if not (has_rules(policy) and prefers_kernel(policy)):
        return None
    from teltheory.replay.chains.rules import SlotRules
    from teltheory.replay.chains.segments import segments_by_budgets, segments_by_weights
    from teltheory.replay.chains.slots import Slots

    instance = Instance.of(trace, 0)
    rules = SlotRules.of(policy, instance, Slots.of(instance))
    if not rules.by_recency:
        return None
    if policy.trim == "least-recent" and rules.safe is not None and not _shrinks(trace):
        return segments_by_budgets(trace, rules.safe)
    whole = not rules.trims or np.array_equal(rules.kept, rules.least)
    return segments_by_weights(trace, rules.full) if whole else None


def _shrinks(trace: Trace) -> bool:
    """Whether a past is ever shorter than after the conversation's turn before."""
    if trace.cumulative:
        return False
    later = trace.continuing
    return bool((trace.past[later] < trace.past[trace.previous_turn[later]]).any())


def _exact(values: list[int]) -> IntArray:
    return np.array(values, np.int64 if max(values, default=0) <= INT64_MAX else object)

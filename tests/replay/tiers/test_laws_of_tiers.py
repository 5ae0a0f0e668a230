"""What holds in any number of tiers: one tier, LRU, free loading, chains and forests, and what moves."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal.tiers.small_tiers import branching_tiers, branching_trace
from replay.instances import examples, fewer
from strategies import forests, given_columns
from tiered import MODES, memories, policies

import teltheory as tt
from teltheory.policies import LeastRecentlyUsed

HALF = Fraction(1, 2)
SLOWER = Fraction(1, 3), Fraction(1, 4), Fraction(2, 7)
STACKED = ("exclusive", "inclusive")


def traces():
    return given_columns(max_turns=10).map(lambda columns: tt.Trace.from_turns(**columns))


def growing():
    """Conversations of which each turn knows the whole past, most of them with several turns."""
    rows = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 2)), min_size=5, max_size=12)
    return rows.map(lambda rows: tt.Trace.from_turns(*zip(*rows, strict=True)))


UNITS = "least-recent", "eager"
"""Ways of trimming that a forest of units has too; a round takes a unit of each conversation."""


@st.composite
def of_chains(draw, trims=("round-robin", *UNITS)):
    xi, q_hat, trim = draw(st.integers(0, 12)), draw(st.integers(0, 4)), draw(st.sampled_from(trims))
    kinds = tt.LRU(), tt.ThresholdLRU(xi), tt.TLRU(xi, q_hat, trim), tt.EndAwareTLRU(xi, q_hat, trim)
    return draw(st.sampled_from((*kinds, tt.LengthAwareTLRU(xi, trim), tt.Belady(), tt.TailOptimizedBelady(xi))))


def with_room(tiers, most):
    """Return tiers whose sizes are larger by the longest past, as forced caching needs."""
    grown = [
        size + (most if number == 0 or tiers.mode == "inclusive" else 0)
        for number, size in enumerate(tiers.capacities)
    ]
    return tt.Tiers(grown, tiers.loads, tiers.mode)


def of_each_tier(policy, tiers, which):
    """Return a policy for all tiers, or for the first or the last alone beside LRU."""
    rest = [tt.LRU()] * (len(tiers) - 1)
    return [policy, (policy, *rest), (*rest, policy)][which]


class OneByOne(LeastRecentlyUsed):
    """Another policy whose rules nobody may ask of arrays."""

    def __init__(self, policy):
        self.policy, self.trim = policy, policy.trim
        self.budgets = getattr(policy, "budgets", "scaled")

    def drops(self, node):
        return self.policy.drops(node)

    def budget(self, node):
        return self.policy.budget(node)

    def trim_key(self, node):
        return self.policy.trim_key(node)

    def eviction_key(self, node):
        return self.policy.eviction_key(node)


@given(growing(), st.integers(0, 12), st.integers(0, 4), memories(most=6), st.sampled_from([HALF, *SLOWER]))
@examples(1000)
def test_rules_that_are_asked_of_each_node_say_the_same(trace, xi, q_hat, tiers, load):
    slower = replace(tiers, loads=(0, *[load] * (len(tiers) - 1)))
    for policy in (tt.TLRU(xi, q_hat), tt.TLRU(xi, q_hat, "eager"), tt.TailOptimizedBelady(xi)):
        single, plain = (tt.replay(trace, one, slower, engine="reference") for one in (OneByOne(policy), policy))
        assert single == plain


@given(forests(), policies(), st.integers(0, 8), st.booleans())
def test_one_tier_is_the_strict_cache(forest, policy, capacity, forced):
    size = capacity + (int(forest.past.max(initial=0)) if forced else 0)
    same_as_one_cache(forest, policy, size, forced)


@given(traces(), of_chains(), st.integers(0, 30), st.booleans())
def test_one_tier_of_private_conversations_is_one_cache(trace, policy, capacity, forced):
    same_as_one_cache(trace, policy, capacity + (int(trace.past.max(initial=0)) if forced else 0), forced)


@given(traces(), of_chains())
def test_a_last_past_may_be_too_long_under_forced_caching(trace, policy):
    longest = int(trace.past[:-1].max(initial=0))
    same_as_one_cache(trace, policy, longest, forced=True)


@given(forests(), policies())
def test_a_last_path_may_be_too_long_under_forced_caching(forest, policy):
    longest = int(forest.past[:-1].max(initial=0))
    same_as_one_cache(forest, policy, longest, forced=True)
    tiers = tt.Tiers((longest, 3), (0, Fraction(1, 2)))
    outcome = tt.replay(forest, policy, tiers, forced=True)
    assert outcome == tt.replay(forest, policy, tiers, forced=True, engine="reference")
    if len(forest) and forest.past[-1] > longest:
        assert not outcome.copied[:, -1].any()


def same_as_one_cache(trace, policy, size, forced):
    single = tt.replay(trace, policy, size, forced=forced)
    for mode in ("exclusive", "inclusive", "swap-out-once"):
        tier = tt.replay(trace, policy, tt.Tiers((size,), (0,), mode), forced=forced)
        assert tier.cached.tolist() == [single.cached.tolist()]
        assert tier.uncached == single.uncached.tolist()
        assert tier.copied.shape == tier.loaded.shape == (0, len(trace))


@given(forests(), memories(most=8, modes=STACKED, tiers=4), st.booleans())
def test_lru_in_tiers_is_the_difference_of_caches(forest, tiers, forced):
    tiers = with_room(tiers, int(forest.past.max(initial=0))) if forced else tiers
    outcome = differs_from_caches(forest, tiers, forced)
    both = tt.replay(forest, tt.LRU(), tiers.pooled[-1], forced=forced)
    assert outcome.written.tolist() == both.written.tolist()


@given(growing() | traces(), memories(most=12, modes=STACKED, tiers=4), st.booleans())
def test_lru_of_private_conversations_is_the_difference_of_caches(trace, tiers, forced):
    tiers = with_room(tiers, int(trace.past.max(initial=0))) if forced else tiers
    outcome = differs_from_caches(trace, tiers, forced)
    assert outcome.written.tolist() == (trace.past - outcome.cached.sum(axis=0)).tolist()


def differs_from_caches(trace, tiers, forced):
    """Assert that LRU in tiers is the difference of caches of S_i; return it."""
    within = [tt.replay(trace, tt.LRU(), size, forced=forced).cached for size in tiers.pooled]
    outcome = tt.replay(trace, tt.LRU(), tiers, forced=forced)
    assert outcome.cached.tolist() == np.diff(within, axis=0, prepend=0).tolist()
    return outcome


@given(growing() | traces(), memories(most=12, modes=STACKED, tiers=4))
def test_free_loading_makes_lru_one_cache_of_all_tiers(trace, tiers):
    free = tt.Tiers(tiers.capacities, [0] * len(tiers), tiers.mode)
    pool = tt.replay(trace, tt.LRU(), tiers.pooled[-1])
    assert tt.replay(trace, tt.LRU(), free).uncached == pool.uncached.tolist()


@pytest.mark.long
def test_lru_on_the_mooncake_trace_is_the_difference_of_caches(mooncake_trace):
    tiers = tt.Tiers((1953, 2000, 3859), (0, Fraction(3, 10), HALF))
    differs_from_caches(mooncake_trace.forest, tiers, False)


LRU, FLAT, SCALED = tt.LRU(), *(tt.TLRU(54, 23, "least-recent", budget=kind) for kind in ("flat", "scaled"))


@pytest.mark.long
@pytest.mark.parametrize(
    ("policies", "tel"),
    [
        ((LRU, LRU), 419474),
        ((FLAT, LRU), 418227),
        ((LRU, FLAT), 379057),
        ((FLAT, FLAT), 366220),
        ((LRU, SCALED), 385815),
        ((SCALED, SCALED), 378608),
    ],
)
def test_budgets_on_the_mooncake_trace(mooncake_trace, policies, tel):
    """The table of docs/tiers.md: a GPU of a million tokens, a host of three."""
    out = tt.replay(mooncake_trace.forest, policies, tt.Tiers((1953, 5859), (0, Fraction(3, 10))))
    assert tt.tail_excess_latency(out, 54) == Fraction(tel, 10)


@given(growing(), of_chains(UNITS), st.integers(0, 2), memories(most=10), st.booleans())
def test_chains_are_a_forest_of_units(trace, policy, which, tiers, forced):
    tiers = with_room(tiers, int(trace.past[:-1].max(initial=0))) if forced else tiers
    each = of_each_tier(policy, tiers, which)
    assert tt.replay(trace, each, tiers, forced) == tt.replay(trace.forest, each, tiers, forced)


def branching():
    """Conversations that often go back, by any amount, and go on from there."""
    columns = given_columns(st.integers(0, 2), st.integers(0, 4), 12)
    return columns.map(lambda turns: tt.Trace.from_turns(**turns))


@given(branching(), memories(most=8), st.booleans())
def test_belady_finds_of_conversations_that_branch_what_it_finds_of_a_forest(trace, tiers, forced):
    found_alike(trace, with_room(tiers, int(trace.past[:-1].max(initial=0))) if forced else tiers, forced)


def found_alike(trace, tiers, forced=False):
    """Assert that Belady finds the same of each tier, where what a shorter history leaves is gone or a branch."""
    chains, forest = (tt.replay(each, tt.Belady(), tiers, forced) for each in (trace, trace.forest))
    assert np.array_equal(chains.cached, forest.cached), (trace, tiers)


@pytest.mark.parametrize("mode", MODES)
def test_so_it_does_on_many_conversations_that_branch(mode):
    rng = np.random.default_rng(MODES.index(mode))
    for _ in range(fewer(5000, 100)):
        trace = branching_trace(rng)
        found_alike(trace, branching_tiers(rng, mode))


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_what_is_beyond_the_next_history_serves_nobody(engine):
    """A comes back with 3 of its 4 tokens, B with 1 of its 2; 31/4 is the least that any plan has."""
    trace = tt.Trace.from_turns([0, 1, 1, 0], [2, 1, 2, 0], [2, 1, 0, 0], history=[0, 0, 1, 3])
    tiers = tt.Tiers((1, 1), (0, Fraction(3, 4)))
    outcome = tt.replay(trace, tt.Belady(), tiers, engine=engine)
    assert tt.tail_excess_latency(outcome, 0) == Fraction(31, 4)
    assert tt.tail_excess_latency(tt.replay(trace.forest, tt.Belady(), tiers), 0) == Fraction(31, 4)
    assert tt.hindsight_optimum(trace, tiers, 0).objective == Fraction(31, 4)


def test_tail_optimized_belady_may_not_find_the_same():
    """C forgets its unit. A forest trims that first, the chain B's fourth, less recent, which takes A's room."""
    who, prompt, history = [0, 1, 1, 2, 2, 1, 0], [2, 4, 4, 1, 0, 0, 3], [0, 0, 4, 0, 0, 7, 2]
    trace = tt.Trace.from_turns(who, prompt, [0] * 7, history=history)
    tiers, policy = tt.Tiers((4, 3), (0, HALF)), tt.TailOptimizedBelady(4)
    outcomes = [tt.replay(each, policy, tiers) for each in (trace, trace.forest)]
    assert [tt.tail_excess_latency(outcome, 4) for outcome in outcomes] == [1, HALF]


@given(branching(), st.integers(0, 12), st.integers(0, 20))
def test_in_one_cache_it_has_the_same_excess(trace, xi, capacity):
    chains, forest = (tt.replay(each, tt.TailOptimizedBelady(xi), capacity) for each in (trace, trace.forest))
    assert np.maximum(chains.uncached - xi, 0).tolist() == np.maximum(forest.uncached - xi, 0).tolist()


@given(growing() | traces(), of_chains(), st.integers(0, 2), memories(most=12))
def test_what_is_copied_and_loaded_adds_up(trace, policy, which, tiers):
    out = tt.replay(trace, of_each_tier(policy, tiers, which), tiers)
    assert (out.loaded == out.cached[1:]).all()
    assert (out.written == trace.past - out.cached.sum(axis=0)).all()
    new = out.written + out.cached.sum(axis=0) - np.cumsum(out.cached, axis=0)[1:]
    if tiers.mode == "inclusive":  # a slower tier is sent at most what it did not hold
        assert (out.copied <= new).all()
    if tiers.mode == "swap-out-once":  # nothing is sent twice before it left
        assert sum(out.moved.copied) <= out.moved.written


@given(growing(), of_chains(), memories(0, 0), st.integers(0, 2))
def test_with_room_for_everything_slower_inclusive_tiers_are_sent_all_that_is_new(trace, policy, tiers, which):
    sizes = tt.Tiers([*tiers.capacities[:-1], int(trace.past.sum())], tiers.loads, "inclusive")
    out = tt.replay(trace, of_each_tier(tt.LRU(), sizes, which), sizes)
    assert (out.copied[-1] == out.written).all()


CUT_ON_OVERFLOW = st.builds(
    tt.TLRU, st.integers(0, 12), st.integers(0, 4), st.sampled_from(["round-robin", "least-recent"])
)


@given(
    growing() | traces(),
    CUT_ON_OVERFLOW | st.just(tt.Belady()),
    st.integers(0, 2),
    memories(most=20, modes=["inclusive"], tiers=4),
)
def test_tiers_cut_on_overflow_alone_are_exclusive_ones_of_what_is_between_their_sizes(
    trace, policy, which, tiers
):
    sizes = np.diff(tiers.capacities, prepend=0).tolist()
    each = of_each_tier(policy, tiers, which)
    inclusive, exclusive = (tt.replay(trace, each, t) for t in (tiers, tt.Tiers(sizes, tiers.loads)))
    assert (inclusive.cached == exclusive.cached).all()


@given(growing(), st.integers(0, 12), st.integers(0, 4), memories(most=8, modes=["inclusive"], tiers=4))
def test_so_they_are_under_eager_trimming_with_flat_budgets_if_conversations_grow(trace, xi, q_hat, tiers):
    policy = tt.TLRU(xi, q_hat, "eager", budget="flat")
    exclusive = tt.Tiers(np.diff(tiers.capacities, prepend=0).tolist(), tiers.loads)
    assert (tt.replay(trace, policy, tiers).cached == tt.replay(trace, policy, exclusive).cached).all()


def test_they_are_not_under_eager_trimming():
    """The first tier is not full, and what is inclusive has the more room for what sinks. No smaller case."""
    trace = tt.Trace.from_turns([0, 0], [1, 1], [1, 0])
    policy, loads = tt.TLRU(1, 0, "eager"), (0, HALF)
    inclusive, exclusive = (
        tt.replay(trace, policy, tt.Tiers(*t)) for t in (((2, 2), loads, "inclusive"), ((2, 0), loads))
    )
    assert (inclusive.cached[:, 1].tolist(), exclusive.cached[:, 1].tolist()) == ([1, 1], [1, 0])


@pytest.mark.parametrize(
    ("sizes", "mode", "copied"),
    [
        ((2, 2, 3), "exclusive", [[1, 2, 2, 2, 2], [0, 2, 3, 3, 3]]),
        ((2, 4, 7), "inclusive", [[3, 3, 3, 4, 4], [3, 3, 1, 1, 2]]),
    ],
)
def test_three_tiers_by_hand(sizes, mode, copied):
    """A and B of 3 blocks come by turns and grow by one: the table of docs/tiers.md."""
    trace = tt.Trace.from_turns([0, 1, 0, 1, 0], [3, 3, 1, 1, 1], [0] * 5)
    out = tt.replay(trace, tt.LRU(), tt.Tiers(sizes, (0, Fraction(1, 4), HALF), mode))
    assert out.cached.tolist() == [[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 2, 3, 3]]
    assert out.uncached == [3, 3, Fraction(9, 4), Fraction(5, 2), Fraction(7, 2)]
    assert out.copied.tolist() == copied
    assert out.moved == (10, tuple(map(sum, copied)), (1, 8))
    assert out.hit_rates == (0, Fraction(1, 19), Fraction(8, 19))


def test_a_copy_takes_room_and_is_not_sent_twice():
    """A comes back with a copy of its 2 blocks, which leaves B's no room; when A sinks again nothing is sent."""
    trace = tt.Trace.from_turns([0, 1, 0, 1], [2, 2, 0, 0], [0] * 4)
    once, exclusive = (
        tt.replay(trace, tt.LRU(), tt.Tiers((2, 2), (0, 0), mode)) for mode in ("swap-out-once", "exclusive")
    )
    assert (once.cached[1].tolist(), once.copied.tolist()) == ([0, 0, 2, 0], [[0, 2, 0, 0]])
    assert (exclusive.cached[1].tolist(), exclusive.copied.tolist()) == ([0, 0, 2, 2], [[0, 2, 2, 2]])


def test_what_is_above_a_copy_and_has_none_is_sent():
    """A's last 2 of 4 blocks sink for B and come back; when C has all of A sink, only the first 2 are sent."""
    trace = tt.Trace.from_turns([0, 1, 0, 2, 0], [4, 2, 0, 4, 0], [0] * 5)
    for each in (trace, trace.forest):
        out = tt.replay(each, tt.LRU(), tt.Tiers((4, 6), (0, 0), "swap-out-once"))
        assert out.cached.tolist() == [[0, 0, 2, 0, 0], [0, 0, 2, 0, 4]]
        assert out.copied[0, :4].tolist() == [0, 2, 2, 2]


def test_what_sinks_first_finds_no_candidates_among_the_copies():
    """B, D, A, then B again, whose copy leaves room for D. At E's turn A sinks, D goes for it, B sinks freely."""
    trace = tt.Trace.from_turns([0, 1, 2, 0, 3, 2, 1], [1, 1, 1, 0, 2, 0, 0], [0] * 7)
    for each in (trace, trace.forest):
        out = tt.replay(each, (tt.LRU(), tt.Belady()), tt.Tiers((2, 2), (0, 0), "swap-out-once"))
        assert out.cached.tolist() == [[0] * 7, [0, 0, 0, 1, 0, 1, 0]]


def test_a_shorter_history_gives_room_of_copies_back():
    """A has a copy of 2 blocks, then a history of 1; so there is room for B's block when C comes."""
    who, prompt, history = [0, 1, 0, 0, 1, 0, 2, 1], [2, 2, 0, 0, 1, 0, 1, 0], [0, 0, 2, 1, 0, 1, 0, 1]
    trace = tt.Trace.from_turns(who, prompt, [0] * 8, history=history)
    out = tt.replay(trace, tt.LRU(), tt.Tiers((2, 2), (0, 0), "swap-out-once"))
    assert (out.cached[1, 7], out.copied.tolist()) == (1, [[0, 2, 0, 0, 0, 0, 1, 0]])


def test_a_budget_is_counted_from_the_root():
    trace = tt.Trace.from_turns([0, 1, 0], [4, 3, 1], [0, 0, 0])
    policies = tt.LRU(), tt.TLRU(2, 0, "least-recent")
    for each in (trace, trace.forest):
        outcome = tt.replay(each, policies, tt.Tiers((1, 2), (0, 0)))
        assert outcome.cached.tolist() == [[0, 0, 0], [0, 0, 2]]


def test_a_scaled_budget_is_worth_as_much_as_a_flat_one_of_the_first_tier():
    """The example of docs/tiers.md: b = 3, twice as much in the host, where flat budgets lose to LRU."""
    trace, tiers = tt.Trace.from_turns([0, 1, 0], [6, 6, 1], [0, 0, 0]), tt.Tiers((3, 9), (0, HALF))
    kinds = LRU, tt.TLRU(4, 1, "eager"), tt.TLRU(4, 1, "eager", budget="flat")
    outcomes = [tt.replay(each, kind, tiers) for kind in kinds for each in (trace, trace.forest)]
    assert [out.uncached[2] for out in outcomes] == [4, 4, 4, 4, Fraction(11, 2), Fraction(11, 2)]

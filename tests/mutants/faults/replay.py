"""Faults in the compiled loops and their arrays; what they reuse is judged by the reference."""

from mutants.fault import Fault

RECENCY = "teltheory/replay/recency.py"
ROUNDS = "teltheory/replay/rounds.py"
BELADY = "teltheory/replay/belady.py"
SCORED = "teltheory/replay/scored.py"
SEGMENTS = "teltheory/replay/segments.py"
RULES = "teltheory/replay/rules.py"
KERNEL_TESTS = "tests/replay/test_kernel.py"
SMALL = f"{KERNEL_TESTS}::test_small_instances"
ETLRU_TESTS = "tests/policies/test_etlru.py"
CURVE_TESTS = "tests/replay/test_curve.py"
OWN_TESTS = "tests/replay/test_own_policies.py"

FAULTS = (
    Fault(
        "tail-slot-counted-whole",
        RECENCY,
        "removed = whole if before > tail else 0",
        "removed = whole if before >= tail else 0",
        "LRU's tail slot leaves with more than it holds",
        tests=(f"{SMALL}[lru]", KERNEL_TESTS),
    ),
    Fault(
        "trim-reaches-the-exempt",
        RECENCY,
        "last = m + k if exempt is None else m + k - 1",
        "last = m + k",
        "trimming by recency passes over the exempt slot; differs only under forced caching",
        tests=(f"{SMALL}[tlru least-recent]", KERNEL_TESTS),
    ),
    Fault(
        "evicted-part-comes-back",
        RECENCY,
        "content -= gone",
        "content -= 0",
        "with rounds, the tail's slot is reused with what it lost",
        tests=(f"{SMALL}[tlru round-robin]", KERNEL_TESTS),
    ),
    Fault(
        "round-passes-over-the-last",
        ROUNDS,
        "if tree[node, ACTIVE] <= count:",
        "if tree[node, ACTIVE] < count:",
        "an unfinished round ends before the last conversation that it should reach",
        tests=(f"{KERNEL_TESTS}::test_rounds_take_what_rounds_by_hand_take",),
    ),
    Fault(
        "furthest-without-exemption",
        BELADY,
        "s = m + k - 1 if forced else m + k",
        "s = m + k",
        "Belady's loop may cut the arriving conversation under forced caching",
        tests=(f"{SMALL}[tail-optimized-belady]", KERNEL_TESTS),
    ),
    Fault(
        "eviction-logged-a-turn-late",
        BELADY,
        "log[logged, 0] = k\n",
        "log[logged, 0] = k + 1\n",
        "the steps of a certificate are one too large",
        tests=("tests/optimal/test_certificate.py",),
    ),
    Fault(
        "bits-cleared-too-far-up",
        "teltheory/replay/bitset.py",
        "        if words[place] != 0:\n            return\n",
        "",
        "a member of the bitset is lost when its neighbour leaves; only beyond 64 numbers",
        tests=(f"{KERNEL_TESTS}::test_the_bitset_is_a_set",),
    ),
    Fault(
        "uncut-start-misses-forced",
        "teltheory/replay/slots.py",
        "        if not forced:\n            return early\n",
        "        if not forced or m == 0:\n            return early\n",
        "turns in a row are trimmed between; only under forced caching without an initial cache",
        tests=(f"{SMALL}[tlru eager]", KERNEL_TESTS),
    ),
    Fault(
        "run-ends-a-token-early",
        SCORED,
        "floor = max(above + laws.start[step] - 1, 0)",
        "floor = max(above + laws.start[step], 0)",
        "ET-LRU's compiled loop leaves a token of each run of equal score",
        tests=(f"{ETLRU_TESTS}::test_the_kernel_is_the_reference", ETLRU_TESTS),
    ),
    Fault(
        "long-silence-forgets-the-death-rate",
        SCORED,
        "- (exponent + math.log(death_rate))",
        "- exponent",
        "the compiled posterior is off; only after a long silence",
        tests=(f"{ETLRU_TESTS}::test_the_logarithm_of_the_posterior", ETLRU_TESTS),
    ),
    Fault(
        "own-hole-first",
        SEGMENTS,
        "fills = weight[p] if open_holes == 0 and need >= weight[p] else 0",
        "fills = weight[p] if need >= weight[p] else 0",
        "the curve fills a turn's own hole before more recent ones; only where pasts shrink",
        tests=(f"{CURVE_TESTS}::test_every_capacity_of_seeded_traces",),
    ),
    Fault(
        "violations-end-too-late",
        SEGMENTS,
        "place = _below(rungs, second[k] + excess - split[k])",
        "place = _below(rungs, second[k] + excess)",
        "the curve counts the first segment's tokens twice",
        tests=(f"{CURVE_TESTS}::test_every_capacity_of_seeded_traces",),
    ),
    Fault(
        "two-segments-for-shrinking-pasts",
        "teltheory/replay/curve.py",
        "rules.safe is not None and not _shrinks(trace)",
        "rules.safe is not None",
        "T-LRU's curve comes from one pass where it is none of a stack algorithm",
        tests=(f"{CURVE_TESTS}::test_every_capacity_of_seeded_traces",),
    ),
    Fault(
        "order-of-trimming-forgotten",
        RULES,
        "return _constant(self.trimming) and _constant(self.eviction)",
        "return _constant(self.eviction)",
        "a policy that evicts by recency, but trims in an order of its own, has the loop by recency",
        tests=(f"{OWN_TESTS}::test_seeded_instances", OWN_TESTS),
    ),
    Fault(
        "hits-of-others",
        "teltheory/replay/nodes.py",
        "hits[previous[k]] + 1 if previous[k] >= 0 else 1",
        "k + 1",
        "the kernel counts the turns of all conversations as a node's hits",
        tests=(f"{OWN_TESTS}::test_small_instances", OWN_TESTS),
    ),
    Fault(
        "surplus-forgotten-by-the-curve",
        "teltheory/replay/curve.py",
        "segments_by_weights(trace, rules.full) if whole else None",
        "segments_by_weights(trace, rules.full)",
        "a custom policy with a surplus has a curve from one pass",
        tests=(f"{OWN_TESTS}::test_other_policies_are_replayed_at_each_capacity",),
    ),
)

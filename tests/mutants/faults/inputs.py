"""Faults in readers, traces, instances, latency models and metrics."""

from mutants.fault import Fault

MOONCAKE = "teltheory/workloads/mooncake.py"
METRICS = "teltheory/metrics.py"
LATENCY = "teltheory/latency.py"
INSTANCE = "teltheory/instance.py"
MOONCAKE_TESTS = "tests/workloads/test_mooncake.py"
METRICS_TESTS = "tests/test_metrics.py"
LATENCY_TESTS = "tests/test_latency.py"
INSTANCE_TESTS = "tests/test_instance.py"

FAULTS = (
    Fault(
        "popular-from-one-percent",
        MOONCAKE,
        "if count > POPULAR_SHARE * len(requests)}",
        "if count >= POPULAR_SHARE * len(requests)}",
        "a hash id in just 1 % of the requests is dropped",
        tests=(MOONCAKE_TESTS,),
    ),
    Fault(
        "partial-block-chains",
        MOONCAKE,
        "for i in r.hash_ids[:-1] if",
        "for i in r.hash_ids if",
        "the last hash id, of a partial block, counts",
        tests=(MOONCAKE_TESTS,),
    ),
    Fault(
        "earliest-of-equal-parents",
        MOONCAKE,
        "            latest[node] = k\n",
        "            latest.setdefault(node, k)\n",
        "of equal prefixes the earliest is the parent",
        tests=(MOONCAKE_TESTS,),
    ),
    Fault(
        "history-beyond-the-past",
        MOONCAKE,
        "source.output_length, past[c], request.input_length)",
        "source.output_length, request.input_length)",
        "a branch's history is not cut to its conversation's past",
        tests=(MOONCAKE_TESTS,),
    ),
    Fault(
        "blocks-round-up",
        "teltheory/trace.py",
        "self.past // size - self.total // size,",
        "-(-self.past // size) - self.total // size,",
        "a partial block of a response counts as a whole one",
        tests=("tests/test_trace.py",),
    ),
    Fault(
        "forced-checks-the-last-past",
        INSTANCE,
        "past = self.past[:-1]",
        "past = self.past",
        "forced caching refuses a last turn that it need not keep",
        tests=(INSTANCE_TESTS,),
    ),
    Fault(
        "initial-pasts-forgotten",
        INSTANCE,
        "return readonly(trace.history + past[trace.code])",
        "return readonly(trace.history + 0)",
        "cumulative histories begin after the initial cache",
        tests=(INSTANCE_TESTS,),
    ),
    Fault(
        "slo-met-by-nothing",
        LATENCY,
        "return None if within < max(scaled.floor, scaled.constant)",
        "return None if within <= max(scaled.floor, scaled.constant)",
        "an SLO of just the constant counts as missed",
        tests=(LATENCY_TESTS,),
    ),
    Fault(
        "threshold-by-half-the-root",
        LATENCY,
        "return (isqrt(alpha**2 + 4 * gamma * left) - alpha)",
        "return (isqrt(alpha**2 + 2 * gamma * left) - alpha)",
        "the threshold of a model with attention is too small",
        tests=(LATENCY_TESTS,),
    ),
    Fault(
        "smaller-root-rounded-up",
        LATENCY,
        "isqrt(slope**2 - 4 * gamma * left - 1)",
        "isqrt(slope**2 - 4 * gamma * left)",
        "the most that may be uncached is one short; only where the root is whole",
        tests=(LATENCY_TESTS,),
    ),
    Fault(
        "violation-at-the-threshold",
        METRICS,
        "outcome.uncached > whole_number",
        "outcome.uncached >= whole_number",
        "a turn of just the threshold counts as a violation",
        tests=(METRICS_TESTS,),
    ),
    Fault(
        "percentile-between-neighbours",
        METRICS,
        'method="inverted_cdf"',
        'method="linear"',
        "percentiles are interpolated",
        tests=(METRICS_TESTS,),
    ),
    Fault(
        "excess-from-the-total",
        METRICS,
        "np.maximum(outcome.uncached - whole_number",
        "np.maximum(outcome.uncached + outcome.cached - whole_number",
        "TEL forgets what was reused",
        tests=(METRICS_TESTS,),
    ),
    Fault(
        "share-of-the-rest",
        METRICS,
        "Fraction(lru - policy, lru - optimum)",
        "Fraction(policy - optimum, lru - optimum)",
        "the share of the distance that is left, not the one that is closed",
        tests=(METRICS_TESTS,),
    ),
)

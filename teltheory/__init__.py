"""Decide what is true about tail-optimised prompt caching, and measure it on your own traces.

>>> import teltheory as tt
>>> trace = tt.Trace.from_turns(conversation=[0, 1, 0], prompt=[100, 100, 100], response=[0, 0, 0])
>>> outcome = tt.replay(trace, tt.TLRU(xi=160, q_hat=100), capacity=100)
>>> outcome.uncached.tolist()
[100, 100, 150]
"""

from teltheory.errors import (
    ArgumentError,
    CertificateError,
    FileError,
    ForcedCachingError,
    SolverError,
    TraceError,
)
from teltheory.latency import A100_LLAMA2_7B, LatencyModel
from teltheory.metrics import (
    share_closed,
    slo_violations,
    tail_excess_latency,
    tail_excess_seconds,
    ttft_quantiles,
)
from teltheory.optimal import Certificate, HindsightOptimum, check_certificate, hindsight_optimum
from teltheory.optimal.curve import HindsightCurve, hindsight_curve
from teltheory.optimal.percentile import BestPercentile, best_percentile
from teltheory.optimal.prices import Prices, violations_bound
from teltheory.optimal.violations import FewestViolations, fewest_violations
from teltheory.outcome import Outcome
from teltheory.policies import (
    LRU,
    TLRU,
    Belady,
    EndAwareTLRU,
    LengthAwareTLRU,
    TailOptimizedBelady,
    ThresholdLRU,
)
from teltheory.replay import replay
from teltheory.replay.curve import CapacityCurve, capacity_curve
from teltheory.trace import Trace
from teltheory.workloads import read_trace, sample_conversations

__version__ = "0.1.0"

__all__ = [
    "A100_LLAMA2_7B",
    "LRU",
    "TLRU",
    "ArgumentError",
    "Belady",
    "BestPercentile",
    "CapacityCurve",
    "Certificate",
    "CertificateError",
    "EndAwareTLRU",
    "FewestViolations",
    "FileError",
    "ForcedCachingError",
    "HindsightCurve",
    "HindsightOptimum",
    "LatencyModel",
    "LengthAwareTLRU",
    "Outcome",
    "Prices",
    "SolverError",
    "TailOptimizedBelady",
    "ThresholdLRU",
    "Trace",
    "TraceError",
    "best_percentile",
    "capacity_curve",
    "check_certificate",
    "fewest_violations",
    "hindsight_curve",
    "hindsight_optimum",
    "read_trace",
    "replay",
    "sample_conversations",
    "share_closed",
    "slo_violations",
    "tail_excess_latency",
    "tail_excess_seconds",
    "ttft_quantiles",
    "violations_bound",
]

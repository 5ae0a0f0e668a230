"""Decide what is true about tail-optimised prompt caching, and measure it on your own traces.

>>> import teltheory as tt
>>> trace = tt.Trace.from_turns(conversation=[0, 1, 0], prompt=[100, 100, 100], response=[0, 0, 0])
>>> outcome = tt.replay(trace, tt.TLRU(xi=160, q_hat=100), capacity=100)
>>> outcome.uncached.tolist()
[100, 100, 150]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from teltheory.cost.kv_cache import ARCHITECTURES, Architecture, KVSize
from teltheory.cost.kv_config import read_architecture
from teltheory.cost.latency import (
    A100_LLAMA2_7B,
    A100_LLAMA2_7B_ATTENTION,
    A100_LLAMA2_7B_PREFILL,
    AttentionLatency,
    LatencyModel,
    Provenance,
)
from teltheory.cost.latency_files import latency_from_json, latency_to_json, read_latency
from teltheory.cost.latency_table import TableLatency
from teltheory.cost.metrics import (
    share_closed,
    slo_violations,
    tail_excess_latency,
    tail_excess_seconds,
    ttft_quantiles,
    ttft_violations,
    write_volume,
)
from teltheory.cost.profile import PrefillProfile
from teltheory.errors import (
    ArgumentError,
    CertificateError,
    FileError,
    ForcedCachingError,
    SolverError,
    TraceError,
)
from teltheory.model.description import Description, describe
from teltheory.model.forest import Forest
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.outcome import Outcome
from teltheory.model.readings import with_last_blocks, with_outputs, without_last_token
from teltheory.model.tiers import TieredOutcome, Tiers
from teltheory.model.trace import Trace
from teltheory.optimal import (
    Certificate,
    Optimum,
    TieredCertificate,
    WholeCertificate,
    check_certificate,
    hindsight_optimum,
    weighted_optimum,
)
from teltheory.optimal.costs.of_turns import PiecewiseCosts
from teltheory.optimal.costs.prices import Cut, Prices, cost_bound, violations_bound
from teltheory.optimal.curve import HindsightCurve, hindsight_curve
from teltheory.optimal.slo.exhaustion import check_violations
from teltheory.policies import (
    FIFO,
    GDSF,
    LFU,
    LRU,
    PGDSF,
    S3FIFO,
    SLOTLRU,
    SLRU,
    TLRU,
    TTL,
    AdaptiveTLRU,
    Belady,
    EndAwareTLRU,
    LengthAwareTLRU,
    Priority,
    RetrievalPGDSF,
    SharedTLRU,
    TailOptimizedBelady,
    ThresholdLRU,
    TwoQ,
)
from teltheory.policies.learned.next_event import next_event
from teltheory.policies.learned.posterior import bayes_posterior, paper_belief
from teltheory.replay import replay
from teltheory.replay.curve import CapacityCurve, capacity_curve
from teltheory.replay.radix.nodes import RadixNodes
from teltheory.replay.tiers.nodes import WholeNodes

if TYPE_CHECKING:
    from teltheory.advice import Advice, Plan, advise, plan
    from teltheory.calibration.fitting import FittedLatency, fit_latency
    from teltheory.calibration.profiles import measured_profile
    from teltheory.calibration.runs import TTFTRuns, read_ttft_runs
    from teltheory.claims.adversary import adversary
    from teltheory.claims.dominance import never_worse
    from teltheory.formats import read_arrivals, read_trace, with_arrivals, write_trace
    from teltheory.optimal.costs.optimum import cost_optimum
    from teltheory.optimal.slo.percentile import best_percentile
    from teltheory.optimal.slo.violations import fewest_violations
    from teltheory.policies.learned.etlru import ETLRU
    from teltheory.policies.learned.return_aware import ReturnAwareTLRU
    from teltheory.problem import Problem
    from teltheory.serving.batching import A100_DECODE, Chunked, Decode
    from teltheory.serving.cache_aware import CacheAware
    from teltheory.serving.pooled import Pooled, pooled
    from teltheory.serving.serve import Serving, serve, stretch_for
    from teltheory.serving.served import Served
    from teltheory.workloads import (
        SHAREGPT_TIMES,
        ConversationMixture,
        ConversationModel,
        ExponentialGaps,
        FittedConversations,
        GammaRates,
        Kind,
        LogNormalGaps,
        ParetoGaps,
        Times,
        fit_conversations,
        log_likelihood,
        sample_conversations,
        sample_labelled,
    )

__version__ = "0.1.0"

__all__ = [
    "A100_DECODE", "A100_LLAMA2_7B", "A100_LLAMA2_7B_ATTENTION", "A100_LLAMA2_7B_PREFILL", "ARCHITECTURES",
    "ETLRU", "FIFO", "GDSF", "LFU", "LRU", "PGDSF", "S3FIFO", "SHAREGPT_TIMES", "SLOTLRU", "SLRU", "TLRU", "TTL",
    "AdaptiveTLRU", "Advice", "Architecture", "ArgumentError", "AttentionLatency", "Belady",
    "CacheAware", "CapacityCurve", "Certificate", "CertificateError", "Chunked", "ConversationMixture",
    "ConversationModel", "Cut", "Decode", "Description", "EndAwareTLRU", "ExponentialGaps",
    "FileError", "FittedConversations", "FittedLatency", "ForcedCachingError", "Forest",
    "GammaRates", "HindsightCurve", "KVSize", "Kind", "LatencyModel",
    "LengthAwareTLRU", "LogNormalGaps", "ModuleTrace", "Optimum", "Outcome", "ParetoGaps", "PiecewiseCosts",
    "Plan", "Pooled", "PrefillProfile", "Prices", "Priority", "Problem", "Provenance", "RadixNodes",
    "RetrievalPGDSF", "ReturnAwareTLRU", "Served", "Serving", "SharedTLRU", "SolverError", "TTFTRuns",
    "TableLatency", "TailOptimizedBelady", "ThresholdLRU", "TieredCertificate", "TieredOutcome",
    "Tiers", "Times", "Trace", "TraceError", "TwoQ", "WholeCertificate", "WholeNodes",
    "adversary", "advise", "bayes_posterior", "best_percentile", "capacity_curve", "check_certificate",
    "check_violations", "cost_bound", "cost_optimum", "describe", "fewest_violations", "fit_conversations",
    "fit_latency", "hindsight_curve", "hindsight_optimum", "latency_from_json", "latency_to_json",
    "log_likelihood", "measured_profile", "never_worse", "next_event", "paper_belief", "plan", "pooled",
    "read_architecture", "read_arrivals", "read_latency", "read_trace", "read_ttft_runs", "replay",
    "sample_conversations", "sample_labelled", "serve", "share_closed", "slo_violations", "stretch_for",
    "tail_excess_latency", "tail_excess_seconds", "ttft_quantiles", "ttft_violations", "violations_bound",
    "weighted_optimum", "with_arrivals", "with_last_blocks", "with_outputs", "without_last_token", "write_trace",
    "write_volume",
]  # fmt: skip

_ON_DEMAND = {
    "measured_profile": "teltheory.calibration.profiles",
    "TTFTRuns": "teltheory.calibration.runs",
    "read_ttft_runs": "teltheory.calibration.runs",
    "read_arrivals": "teltheory.formats",
    "read_trace": "teltheory.formats",
    "with_arrivals": "teltheory.formats",
    "write_trace": "teltheory.formats",
    "SHAREGPT_TIMES": "teltheory.workloads",
    "ConversationMixture": "teltheory.workloads",
    "ConversationModel": "teltheory.workloads",
    "ExponentialGaps": "teltheory.workloads",
    "FittedConversations": "teltheory.workloads",
    "GammaRates": "teltheory.workloads",
    "Kind": "teltheory.workloads",
    "LogNormalGaps": "teltheory.workloads",
    "ParetoGaps": "teltheory.workloads",
    "Times": "teltheory.workloads",
    "fit_conversations": "teltheory.workloads",
    "log_likelihood": "teltheory.workloads",
    "sample_conversations": "teltheory.workloads",
    "sample_labelled": "teltheory.workloads",
    "Advice": "teltheory.advice",
    "Plan": "teltheory.advice",
    "advise": "teltheory.advice",
    "plan": "teltheory.advice",
    "ETLRU": "teltheory.policies.learned.etlru",
    "ReturnAwareTLRU": "teltheory.policies.learned.return_aware",
    "FittedLatency": "teltheory.calibration.fitting",
    "fit_latency": "teltheory.calibration.fitting",
    "cost_optimum": "teltheory.optimal.costs.optimum",
    "best_percentile": "teltheory.optimal.slo.percentile",
    "fewest_violations": "teltheory.optimal.slo.violations",
    "adversary": "teltheory.claims.adversary",
    "never_worse": "teltheory.claims.dominance",
    "Problem": "teltheory.problem",
    "A100_DECODE": "teltheory.serving.batching",
    "Chunked": "teltheory.serving.batching",
    "Decode": "teltheory.serving.batching",
    "CacheAware": "teltheory.serving.cache_aware",
    "Pooled": "teltheory.serving.pooled",
    "pooled": "teltheory.serving.pooled",
    "Served": "teltheory.serving.served",
    "Serving": "teltheory.serving.serve",
    "serve": "teltheory.serving.serve",
    "stretch_for": "teltheory.serving.serve",
}


def __getattr__(name: str) -> Any:
    """Load what needs a solver, or more of SciPy, when it is first asked for."""
    if name not in _ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ON_DEMAND[name]), name)


def __dir__() -> list[str]:
    """List what is loaded on demand too, for completion at the prompt."""
    return sorted({*globals(), *_ON_DEMAND})

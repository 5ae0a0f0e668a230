"""Decide what is true about tail-optimised prompt caching, and measure it on your own traces.

>>> import teltheory as tt
>>> trace = tt.Trace.from_turns(conversation=[0, 1, 0], prompt=[100, 100, 100], response=[0, 0, 0])
>>> outcome = tt.replay(trace, tt.TLRU(xi=160, q_hat=100), capacity=100)
>>> outcome.uncached.tolist()
[100, 100, 150]

What is here is loaded when it is first asked for. `policies`, `belief` and `systems` have the rest by subject.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from teltheory import belief, policies, systems
    from teltheory.advice import advise, plan
    from teltheory.calibration.fitting import fit_latency
    from teltheory.calibration.profiles import measured_profile
    from teltheory.calibration.runs import TTFTRuns, read_ttft_runs
    from teltheory.claims.dominance import never_worse
    from teltheory.claims.statements.check import check
    from teltheory.cost.catalogue import ARCHITECTURES
    from teltheory.cost.decoding import A100_DECODE
    from teltheory.cost.kv_cache import Architecture, KVSize
    from teltheory.cost.kv_config import read_architecture
    from teltheory.cost.latency import (
        A100_LLAMA2_7B,
        A100_LLAMA2_7B_ATTENTION,
        A100_LLAMA2_7B_PREFILL,
        AttentionLatency,
        LatencyModel,
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
    from teltheory.formats import read_arrivals, read_trace, with_arrivals, write_trace
    from teltheory.model.announcement import Announcement
    from teltheory.model.description import describe
    from teltheory.model.forest import Forest
    from teltheory.model.hints import Hints
    from teltheory.model.module_trace import ModuleTrace
    from teltheory.model.outcome import Outcome
    from teltheory.model.tiers import TieredOutcome, Tiers
    from teltheory.model.trace import Trace
    from teltheory.optimal import (
        Certificate,
        Optimum,
        check_certificate,
        hindsight_optimum,
        weighted_optimum,
    )
    from teltheory.optimal.adversary import adversary
    from teltheory.optimal.costs.front import work_front
    from teltheory.optimal.costs.of_turns import PiecewiseCosts
    from teltheory.optimal.costs.optimum import cost_optimum
    from teltheory.optimal.costs.prices import Cut, Prices, cost_bound, violations_bound
    from teltheory.optimal.curve import hindsight_curve
    from teltheory.optimal.pooled import pooled
    from teltheory.optimal.slo.exhaustion import check_violations
    from teltheory.optimal.slo.percentile import best_percentile
    from teltheory.optimal.slo.violations import fewest_violations
    from teltheory.policies import (
        LRU,
        TLRU,
        Belady,
        EndAwareTLRU,
        LeastRecentlyUsed,
        LengthAwareTLRU,
        TailOptimizedBelady,
        ThresholdLRU,
        on_arrays,
    )
    from teltheory.policies.hinted import Hint, Hinted
    from teltheory.policies.learned.etlru import ETLRU
    from teltheory.policies.learned.return_aware import ReturnAwareTLRU
    from teltheory.policies.spec import default_estimate
    from teltheory.problem import Problem
    from teltheory.replay import replay
    from teltheory.replay.curve import CapacityCurve, capacity_curve
    from teltheory.replay.engine_rules import Rules
    from teltheory.replay.radix.nodes import RadixNodes
    from teltheory.replay.tiers.nodes import WholeNodes
    from teltheory.serving.batching import Chunked
    from teltheory.serving.cache_aware import CacheAware
    from teltheory.serving.serve import Serving, serve, stretch_for
    from teltheory.sweep import Grid, Sample, sweep
    from teltheory.sweep.board import compare
    from teltheory.sweep.prices import price_of_hints
    from teltheory.workloads import (
        SHAREGPT_TIMES,
        ConversationMixture,
        ConversationModel,
        ExponentialGaps,
        GammaRates,
        Kind,
        LogNormalGaps,
        ParetoGaps,
        Times,
        fit_conversations,
        sample_conversations,
        sharegpt_like,
        wildchat_like,
    )

__version__ = "0.1.0"


__all__ = [
    "A100_DECODE", "A100_LLAMA2_7B", "A100_LLAMA2_7B_ATTENTION", "A100_LLAMA2_7B_PREFILL", "ARCHITECTURES",
    "ETLRU", "LRU", "SHAREGPT_TIMES", "TLRU", "Announcement", "Architecture", "ArgumentError", "AttentionLatency",
    "Belady", "CacheAware", "CapacityCurve", "Certificate", "CertificateError", "Chunked", "ConversationMixture",
    "ConversationModel", "Cut", "EndAwareTLRU", "ExponentialGaps", "FileError", "ForcedCachingError",
    "Forest", "GammaRates", "Grid", "Hint", "Hinted", "Hints", "KVSize", "Kind", "LatencyModel",
    "LeastRecentlyUsed", "LengthAwareTLRU", "LogNormalGaps", "ModuleTrace", "Optimum", "Outcome", "ParetoGaps",
    "PiecewiseCosts", "PrefillProfile", "Prices", "Problem", "RadixNodes", "ReturnAwareTLRU", "Rules", "Sample",
    "Serving", "SolverError", "TTFTRuns", "TableLatency", "TailOptimizedBelady", "ThresholdLRU",
    "TieredOutcome", "Tiers", "Times", "Trace", "TraceError", "WholeNodes", "adversary", "advise", "belief",
    "best_percentile", "capacity_curve", "check", "check_certificate", "check_violations", "compare", "cost_bound",
    "cost_optimum", "default_estimate", "describe", "fewest_violations", "fit_conversations", "fit_latency",
    "hindsight_curve", "hindsight_optimum", "latency_from_json", "latency_to_json", "measured_profile",
    "never_worse", "on_arrays", "plan", "policies", "pooled", "price_of_hints", "read_architecture",
    "read_arrivals", "read_latency", "read_trace", "read_ttft_runs", "replay", "sample_conversations", "serve",
    "share_closed", "sharegpt_like", "slo_violations", "stretch_for", "sweep", "systems",
    "tail_excess_latency", "tail_excess_seconds", "ttft_quantiles", "ttft_violations", "violations_bound",
    "weighted_optimum", "wildchat_like", "with_arrivals", "work_front", "write_trace",
    "write_volume",
]  # fmt: skip

_ROOMS = {
    "advice": "advise plan",
    "calibration.fitting": "fit_latency",
    "calibration.profiles": "measured_profile",
    "calibration.runs": "TTFTRuns read_ttft_runs",
    "claims.dominance": "never_worse",
    "claims.statements.check": "check",
    "cost.catalogue": "ARCHITECTURES",
    "cost.decoding": "A100_DECODE",
    "cost.kv_cache": "Architecture KVSize",
    "cost.kv_config": "read_architecture",
    "cost.latency": "A100_LLAMA2_7B A100_LLAMA2_7B_ATTENTION A100_LLAMA2_7B_PREFILL AttentionLatency LatencyModel",
    "cost.latency_files": "latency_from_json latency_to_json read_latency",
    "cost.latency_table": "TableLatency",
    "cost.metrics": (
        "share_closed slo_violations tail_excess_latency tail_excess_seconds ttft_quantiles ttft_violations "
        "write_volume"
    ),
    "cost.profile": "PrefillProfile",
    "errors": "ArgumentError CertificateError FileError ForcedCachingError SolverError TraceError",
    "formats": "read_arrivals read_trace with_arrivals write_trace",
    "model.announcement": "Announcement",
    "model.description": "describe",
    "model.forest": "Forest",
    "model.hints": "Hints",
    "model.module_trace": "ModuleTrace",
    "model.outcome": "Outcome",
    "model.tiers": "TieredOutcome Tiers",
    "model.trace": "Trace",
    "optimal": "Certificate Optimum check_certificate hindsight_optimum weighted_optimum",
    "optimal.adversary": "adversary",
    "optimal.costs.front": "work_front",
    "optimal.costs.of_turns": "PiecewiseCosts",
    "optimal.costs.optimum": "cost_optimum",
    "optimal.costs.prices": "Cut Prices cost_bound violations_bound",
    "optimal.curve": "hindsight_curve",
    "optimal.pooled": "pooled",
    "optimal.slo.exhaustion": "check_violations",
    "optimal.slo.percentile": "best_percentile",
    "optimal.slo.violations": "fewest_violations",
    "policies": (
        "LRU TLRU Belady EndAwareTLRU LeastRecentlyUsed LengthAwareTLRU TailOptimizedBelady ThresholdLRU on_arrays"
    ),
    "policies.hinted": "Hint Hinted",
    "policies.learned.etlru": "ETLRU",
    "policies.learned.return_aware": "ReturnAwareTLRU",
    "policies.spec": "default_estimate",
    "problem": "Problem",
    "replay": "replay",
    "replay.curve": "CapacityCurve capacity_curve",
    "replay.engine_rules": "Rules",
    "replay.radix.nodes": "RadixNodes",
    "replay.tiers.nodes": "WholeNodes",
    "serving.batching": "Chunked",
    "serving.cache_aware": "CacheAware",
    "serving.serve": "Serving serve stretch_for",
    "sweep": "Grid Sample sweep",
    "sweep.board": "compare",
    "sweep.prices": "price_of_hints",
    "workloads": (
        "SHAREGPT_TIMES ConversationMixture ConversationModel ExponentialGaps GammaRates Kind LogNormalGaps "
        "ParetoGaps Times fit_conversations sample_conversations sharegpt_like wildchat_like"
    ),
}
"""What stands in which room."""
_GROUPS = ("belief", "policies", "systems")
_PLACES = {name: room for room, names in _ROOMS.items() for name in names.split()}


class _Door(ModuleType):
    """The package, where a function stands in front of the room of its name: `tt.replay` is the function."""

    def __setattr__(self, name: str, value: object) -> None:
        is_room = isinstance(value, ModuleType) and name in _PLACES
        super().__setattr__(name, getattr(value, name) if is_room else value)


def __getattr__(name: str) -> Any:
    """Load what is first asked for."""
    if name in _GROUPS:
        return import_module(f"teltheory.{name}")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"teltheory.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    """List what is not loaded yet too, for completion at the prompt."""
    return sorted({*globals(), *__all__})


sys.modules[__name__].__class__ = _Door

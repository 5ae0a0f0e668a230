"""The columns of the project's tidy tables, for who writes them, what is drawn of them, and who reads them.

Lengths are in tokens, thresholds in milliseconds (`xi_ms`) or tokens (`xi`), `mean`, `low` and `high` a mean over
samples with Student's 95 % interval, which is nan if there are too few samples.
"""

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

from teltheory.paper.tidy import Finite, Flag, TableRow, one_of

POLICIES = ("lru", "threshold-lru", "tlru", "end-aware", "length-aware", "tail-optimized-belady")
Policy = Annotated[str, one_of(*POLICIES)]
Metric = Annotated[str, one_of("p90", "p95", "p99", "above")]
Against = Annotated[str, one_of("lru", "threshold-lru")]


@dataclass(frozen=True)
class RunRow(TableRow):
    """One replay, seen at one threshold: percentiles of TTFT in ms, turns above the SLO, and TEL in tokens."""

    AXES: ClassVar = ("trace", "capacity", "xi_ms", "policy")

    trace: str
    capacity: int
    xi_ms: int
    policy: Policy
    p50: float
    p90: float
    p95: float
    p99: float
    above: int
    tel: int


@dataclass(frozen=True)
class ComparedRow(TableRow):
    """A cell of Tables 1 to 6, in per cent: the paper's number, the mean over our samples and their 95 % range."""

    AXES: ClassVar = ("capacity", ("table", "xi_ms", "metric", "against"))

    table: int
    capacity: int
    xi_ms: int
    metric: Metric
    against: Against
    printed: Finite
    ours: float
    mean_low: float
    mean_high: float
    low: float
    high: float
    agreement: Annotated[str, one_of("inside", "same sign", "off")]


class Averaged(TableRow):
    """A row with a mean over samples and the ends of its interval."""

    mean: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Half the width of the interval; 0 if there is none."""
        return 0.0 if math.isnan(self.high) else self.high - self.mean


@dataclass(frozen=True)
class Average(Averaged):
    """A measure of a policy, averaged over those samples on which it is defined."""

    AXES: ClassVar = ("capacity", "xi_ms", "policy", "measure")

    capacity: int
    xi_ms: int
    policy: Policy
    measure: str
    samples: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Improvement(TableRow):
    """The improvement of T-LRU over another policy in per cent, for a workload of which the paper prints nothing.

    Minus infinity and nan if the other policy has nothing to improve on and T-LRU does.
    """

    AXES: ClassVar = ("capacity", "xi_ms", "metric", "against")

    capacity: int
    xi_ms: int
    metric: Metric
    against: Against
    ours: float
    mean_low: float
    mean_high: float


@dataclass(frozen=True)
class TimedRow(TableRow):
    """The median TTFT of equal requests beside the best line through all points of a series (Figure 3)."""

    ONCE: ClassVar = ("series", "uncached_tokens", "cached_tokens")
    SERIES: ClassVar = ("series",)

    series: str
    points: int
    prompt_tokens: int
    cached_tokens: int
    uncached_tokens: int
    ttft_ms: Finite
    fitted_ms: Finite
    residual_ms: Finite
    r_squared: Finite


@dataclass(frozen=True)
class AtLeast(TableRow):
    """The share, from 0 to 1, of conversations or turns that have at least a value (Figure 4)."""

    ONCE: ClassVar = ("workload", "quantity", "value")
    SERIES: ClassVar = ("workload", "quantity")

    workload: str
    quantity: Annotated[str, one_of("turns", "tokens", "prompt", "response")]
    points: int
    value: int
    share: Finite


@dataclass(frozen=True)
class Adapted(Averaged):
    """A measure of a policy with a fixed or an adaptive threshold, averaged over the samples of a workload.

    `share`, `quantile` and `window` are those of `adaptive.Key`; `measure` is one of `adaptive.MEASURES`, plain or
    after "improvement-" or "regret-".
    """

    WITHIN: ClassVar = ("workload",)
    AXES: ClassVar = ("capacity", ("policy", "share", "quantile", "window", "measure"))

    workload: str
    capacity: int
    policy: Annotated[str, one_of("lru", "fixed", "best-fixed", "adaptive")]
    share: Finite
    quantile: Finite
    window: int
    measure: str
    samples: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class MarginRow(TableRow):
    """T-LRU at a margin max(0, xi - Q-hat) over LRU's P95: percentiles of uncached tokens, means over samples.

    `front` is 1 if no other margin of the same trim order is better in median and P95.
    """

    WITHIN: ClassVar = ("workload",)
    AXES: ClassVar = ("capacity", "trim", "margin")

    workload: str
    capacity: int
    trim: Annotated[str, one_of("round-robin", "least-recent", "eager")]
    margin: Finite
    samples: int
    p50: Finite
    p95: Finite
    p99: Finite
    p50_of_lru: Finite
    p95_of_lru: Finite
    front: Flag


@dataclass(frozen=True)
class Returned(TableRow):
    """A policy that may know who comes back, at a capacity and an SLO; the SLO and TTFT are in seconds.

    `closed` is the share of T-LRU's distance to the optimal TEL that is closed; nan if T-LRU is optimal.
    """

    WITHIN: ClassVar = ("workload",)
    AXES: ClassVar = ("capacity", "slo", "policy")

    workload: str
    capacity: int
    slo: Finite
    xi: int
    q_hat: int
    policy: Annotated[str, one_of("LRU", "T-LRU", "End-Aware", "learnt order", "return-aware", "optimum")]
    tel: int
    optimum: int
    regret: int
    closed: float
    p50: Finite
    p90: Finite
    p95: Finite
    p99: Finite


@dataclass(frozen=True)
class Regret(Averaged):
    """The regret of a policy in per cent of LRU's on the same sample, averaged over samples where LRU has one."""

    WITHIN: ClassVar = ("factor",)
    AXES: ClassVar = ("value", "policy")

    factor: str
    value: Finite
    policy: str
    samples: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class ServedDocuments(TableRow):
    """A RAG server with the requests of a skew, a host and a load.

    `host` is the host over the GPU; `load` the rate over the one at which a server without reuse would compute
    all the time; `rate` and `highest` are requests a second, `mean` and `p95` seconds of TTFT, `hit` the share of
    tokens that were found.
    """

    AXES: ClassVar = ("zipf", "host", "load", "system")

    zipf: Finite
    host: int
    load: Finite
    system: Annotated[str, one_of("none", "gpu-lru", "ragcache")]
    rate: Finite
    mean: Finite
    p95: Finite
    hit: Finite
    highest: Finite


@dataclass(frozen=True)
class BeliefRegret(TableRow):
    """What a policy loses of the optimal saving in the belief MDP, in per cent.

    `turns` ahead, 0 for all of them with a discount; `ratio` of the turn rates; `x` is exp(-gap) between turns.
    """

    WITHIN: ClassVar = ("belief",)
    AXES: ClassVar = ("turns", "ratio", "x", "policy")

    belief: Annotated[str, one_of("paper", "bayes")]
    turns: int
    ratio: int
    x: Finite
    policy: str
    percent: Finite


@dataclass(frozen=True)
class BeliefDecision(TableRow):
    """Whose token is kept: that of the conversation just served, or that of the one silent for some turns."""

    WITHIN: ClassVar = ("belief",)
    AXES: ClassVar = ("ratio", "silent", "policy")

    belief: Annotated[str, one_of("paper", "bayes")]
    ratio: int
    silent: int
    policy: str
    keeps: Annotated[str, one_of("served", "silent", "either")]

"""What is asked of the replicas and when, and what serving it takes.

Arrivals are those of the trace, times `stretch`. Ticks may be *spread*: arrivals with the same time are spread
evenly up to the next time, m of them at t, t + g / m, t + 2 g / m, ...; the last time takes the gap before it.

A request that reuses x_i units of tier i takes

    load    = sum over i of x_i * rho_i * (marginal seconds of a token) * (tokens per unit)
    compute = the latency's TTFT, given the tokens that are computed and those that are reused of any tier

seconds, one after the other, or the longer of both if loading is overlapped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from teltheory.cost.latency import Latency
from teltheory.cost.links import marginal_seconds
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.hints import RESUME, RETAIN, WHAT, Hints
from teltheory.model.numbers import FloatArray, IntArray, readonly, real_number
from teltheory.model.requests import Requests
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace

Ticks: TypeAlias = Literal["raw", "spread"]
TICKS: tuple[Ticks, ...] = get_args(Ticks)


@dataclass(frozen=True, eq=False)
class Work:
    """Requests in order of arrival.

    Attributes
    ----------
    requests : Trace or Forest
        What is asked, with the times at which it comes.
    arrival : ndarray of float64, shape (n,)
        Those times, in seconds.
    session : ndarray of int64, shape (n,)
        What stays together: a trace's conversation, counted in order of first arrival; a forest's tree, which is
        the first block of a path (an empty path has a negative number of its own).
    inputs : ndarray of int64, shape (n,)
        Tokens of each input.
    block_size : int
        Tokens in a unit of the requests.
    """

    requests: Trace | Forest
    arrival: FloatArray
    session: IntArray
    inputs: IntArray
    block_size: int

    def __len__(self) -> int:
        return len(self.arrival)


def work_of(trace: Trace | Forest, stretch: float | Fraction = 1, ticks: Ticks = "raw") -> Work:
    """Return the requests of a trace or a forest, their arrivals stretched, and spread if `ticks` says so."""
    if not (isinstance(trace, Requests) and trace.reuses_prefixes):
        raise ArgumentError("trace", type(trace).__name__, "a Trace or a Forest")
    if trace.arrival is None:
        raise ArgumentError("trace", "no arrival times", "arrival times, in which requests queue")
    if ticks not in TICKS:
        raise ArgumentError("ticks", ticks, "one of " + ", ".join(TICKS))
    factor = real_number("stretch", float(stretch) if isinstance(stretch, Fraction) else stretch, 0)
    arrival = readonly((spread(trace.arrival) if ticks == "spread" else trace.arrival) * factor)
    tokens = readonly(trace.inputs * (trace.block_size // trace.scale))
    sent = replace(trace, arrival=arrival).with_hints(at_speed(trace.hints, factor))
    return Work(sent, arrival, trace.session, tokens, trace.block_size)


def at_speed(hints: Hints | None, factor: float) -> Hints | None:
    """Return hints whose times are multiplied as arrivals are."""
    if hints is None:
        return None
    timed = np.isin(hints.what, [WHAT.index(RETAIN), WHAT.index(RESUME)])
    value = readonly(np.where(timed, hints.value * factor, hints.value))
    done = None if hints.done is None else readonly(hints.done * factor)
    return replace(hints, time=readonly(hints.time * factor), value=value, done=done)


def spread(arrival: FloatArray) -> FloatArray:
    """Return times of which no two are the same, unless all are: see the top of the file."""
    times, first, many = np.unique(arrival, return_index=True, return_counts=True)
    gaps = np.diff(times)
    gaps = np.append(gaps, gaps[-1:] if len(gaps) else np.zeros(len(times)))
    place = np.arange(len(arrival)) - np.repeat(first, many)
    spread_out: FloatArray = np.repeat(times, many) + place * np.repeat(gaps / many, many)
    return spread_out


def span(arrival: FloatArray) -> float:
    """Return the seconds from the first arrival to the last, 0 if there is none."""
    return float(arrival[-1] - arrival[0]) if len(arrival) else 0.0


class Price:
    """What requests take to serve, in seconds.

    Attributes
    ----------
    overlapped : bool
        Whether a request loads and computes at a time.
    load_of_unit : list of float
        Seconds to load a unit of each tier.
    """

    def __init__(self, tiers: Tiers, latency: Latency, block_size: int) -> None:
        if not hasattr(latency, "ttft"):
            raise ArgumentError("latency", latency, "a latency model such as A100_LLAMA2_7B")
        self.latency, self.block_size = latency, block_size
        self.overlapped = tiers.loading == "overlapped"
        token = marginal_seconds(latency) if any(tiers.loads) else Fraction(0)
        self.load_of_unit = [float(load * token * block_size) for load in tiers.loads]

    def load(self, cached: Any) -> FloatArray:
        """Return the seconds that loading takes, given the units reused of each tier; shape (tiers, ...)."""
        seconds: FloatArray = np.zeros(np.shape(cached)[1:])
        for units, each in zip(np.asarray(cached), self.load_of_unit, strict=True):
            seconds = seconds + units * each
        return seconds

    def compute(self, cached: Any, inputs: Any) -> FloatArray:
        """Return the seconds that computing takes, given the units reused of each tier and the input's tokens."""
        reused = np.asarray(cached).sum(axis=0) * self.block_size
        return self.latency.ttft(inputs - reused, reused)

    def service(self, load: Any, compute: Any) -> Any:
        """Return the seconds that both take together."""
        return np.maximum(load, compute) if self.overlapped else load + compute

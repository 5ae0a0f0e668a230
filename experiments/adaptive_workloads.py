"""On what adaptive thresholds are tried: steady workloads, workloads that change half-way, and a real trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

import teltheory as tt
from experiments.paper.grid import Q_HAT
from teltheory.policies.spec import default_estimate
from teltheory.trace import Trace
from teltheory.workloads import Chats, sharegpt_like, wildchat_like

CHAT_CAPACITIES, TRACE_CAPACITIES = (1_000, 4_000, 10_000), (300_000, 1_000_000, 3_000_000)
CHAT_SLO, TRACE_SLO = Fraction(1, 5), Fraction(2)
FACTOR = 3
"""By how much a workload that changes does so."""


@dataclass(frozen=True)
class Scenario:
    """Samples of a workload, and what they are replayed with.

    Attributes
    ----------
    name : str
        In tables.
    sample : callable
        Makes the trace of a seed.
    samples : int
        How many seeds make sense.
    capacities : tuple of int
        In tokens.
    q_hat, xi : int
        Prompt estimate, and the threshold of TEL; in tokens.
    """

    name: str
    sample: Callable[[int], Trace]
    samples: int
    capacities: tuple[int, ...]
    q_hat: int
    xi: int


def scenarios(file: str | None = None) -> dict[str, Scenario]:
    """Return the scenarios by name; `file` adds that of a trace."""
    short, long = 2_000, 20_000
    wildchat, sharegpt = wildchat_like(), sharegpt_like()
    busier = replace(wildchat, seconds_between_starts=wildchat.seconds_between_starts / FACTOR)
    found = [
        chats("wildchat", (wildchat,), short, 40),
        chats("wildchat-20000", (wildchat,), long, 10),
        chats("sharegpt", (sharegpt,), short, 40),
        chats("longer-halfway", (wildchat, scaled(wildchat, FACTOR)), long, 10),
        chats("shorter-halfway", (scaled(wildchat, FACTOR), wildchat), long, 10),
        chats("busier-halfway", (wildchat, busier), long, 10),
    ]
    if file is not None:
        found.append(of_trace("mooncake", tt.read_trace(file)))
    return {scenario.name: scenario for scenario in found}


def chats(name: str, parts: tuple[Chats, ...], turns: int, samples: int) -> Scenario:
    """Return the scenario of workloads that follow each other, with equally many turns of each."""

    def sample(seed: int) -> Trace:
        drawn = [
            part.sample(turns // len(parts), np.random.default_rng((seed, i))) for i, part in enumerate(parts)
        ]
        return one_after_the_other(drawn)

    q_hat = Q_HAT["sharegpt" if name == "sharegpt" else "wildchat"]
    return Scenario(name, sample, samples, CHAT_CAPACITIES, q_hat, tt.A100_LLAMA2_7B.threshold(CHAT_SLO))


def of_trace(name: str, trace: Trace) -> Scenario:
    """Return the scenario of one trace."""
    xi = tt.A100_LLAMA2_7B.threshold(TRACE_SLO)
    return Scenario(name, lambda _: trace, 1, TRACE_CAPACITIES, default_estimate(trace), xi)


def scaled(workload: Chats, factor: float) -> Chats:
    """Return the workload with all prompts and responses that many times as long."""
    prompts = tuple(law.scaled(factor) for law in workload.prompts)
    responses = tuple(law.scaled(factor) for law in workload.responses)
    return replace(workload, prompts=prompts, responses=responses)


def one_after_the_other(traces: list[Trace]) -> Trace:
    """Return the turns of all traces, those of each after those of the ones before, whose conversations end."""
    codes = np.cumsum([0, *(trace.conversations for trace in traces)])
    columns = [
        (trace.code + code, trace.prompt, trace.response) for trace, code in zip(traces, codes, strict=False)
    ]
    return Trace.from_turns(*(np.concatenate(parts) for parts in zip(*columns, strict=True)))

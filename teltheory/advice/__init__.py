"""From a trace and an SLO to a setting: chosen on the first part of the trace, judged on the rest.

An idle server is a queue in which nobody waits. So one choice, one judgement on the rest and one set of sentences
serve both; what differs is the server, which replays where nobody can wait.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from teltheory.advice.advice import Advice, band_of
from teltheory.advice.alone import HeldAlone, hold_alone
from teltheory.advice.cautions import warnings_of
from teltheory.advice.choice import MARGINS, MOST_RUNS, Choice, choose
from teltheory.advice.ends import AnnouncedEnds, ends_of
from teltheory.advice.engines import EngineSetting, engines_of
from teltheory.advice.frontier import Frontier, FrontierPoint, Side
from teltheory.advice.goal import MEDIAN_COST, WORK_COST, CostLimits, Goal
from teltheory.advice.held_out import HeldOut, Judge, Row
from teltheory.advice.in_queue import HeldInQueue, hold_in_queue
from teltheory.advice.planning import Plan, plan
from teltheory.advice.search import Candidate
from teltheory.advice.server import Queueing, Replaying, Server, at_load, in_units
from teltheory.advice.settings import HALF, Settings, start_of_rest
from teltheory.base.progress import Count, Progress, Report, reporting
from teltheory.cost.bootstrap import Estimate
from teltheory.cost.given import LatencyGiven, Model, Size, Units, latency_of, refuse_file, served_size
from teltheory.cost.goals import TEL
from teltheory.cost.latency import Latency
from teltheory.errors import ArgumentError
from teltheory.model.clusters import clustered
from teltheory.model.forest import Forest
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.model.units import Seconds, seconds_of
from teltheory.policies.named import maker_of
from teltheory.policies.policy import AnyPolicy
from teltheory.policies.spec import default_estimate
from teltheory.replay.engine_rules import STRICT, Rules
from teltheory.serving.serve import Serving

__all__ = [
    "MARGINS",
    "Advice",
    "AnnouncedEnds",
    "Candidate",
    "Choice",
    "CostLimits",
    "EngineSetting",
    "Estimate",
    "Frontier",
    "FrontierPoint",
    "Goal",
    "HeldAlone",
    "HeldInQueue",
    "HeldOut",
    "Plan",
    "Row",
    "Side",
    "advise",
    "plan",
]


def advise(
    trace: Trace | Forest,
    capacity: Size | Tiers,
    slo: Seconds,
    latency: LatencyGiven | None = None,
    *,
    goal: str = TEL,
    work_cost: Fraction | None = WORK_COST,
    median_cost: Fraction | None = MEDIAN_COST,
    policy: Callable[[int, int], AnyPolicy] | str | None = None,
    q_hat: Size | None = None,
    first: Fraction = HALF,
    seed: int = 0,
    progress: Progress = None,
    model: Model | None = None,
    kv_bytes: Size | None = None,
    serving: Serving | None = None,
    load: float | Fraction | None = None,
    rules: Rules | str | None = None,
) -> Advice:
    """Choose T-LRU's threshold on the first part of a trace, and judge it on the rest.

    Parameters
    ----------
    trace, capacity, latency, model : as in `Problem`
        At least 40 turns in each part; tiers with `serving`; without any latency it is `A100_LLAMA2_7B`; with an
        estimated one, advice at both ends of its band is in `band`. Lengths that are found are in tokens, of a
        forest too; there TEL is in blocks.
    slo : int, float, Fraction or str
        Seconds to the first token, or text such as ``"200ms"``.
    goal : str
        What is to be small: ``"tel"``, TEL above the SLO; ``"slo"``, the number of turns above it; a percentile of
        TTFT such as ``"p95"``.
    work_cost, median_cost : Fraction or None
        The most that a recommendation may prefill, and the largest P50 of TTFT, in multiples of LRU's, at least 1;
        None for no limit. Below half of the SLO every P50 will do.
    policy : callable or str, optional
        In the place of T-LRU: makes a policy of a threshold above Q-hat and of Q-hat, or of the threshold alone,
        such as ``MyPolicy``; or the short form of one, such as ``"end-aware"``. No engine has a setting for it.
    q_hat : int or str, optional
        Prompt estimate, in the requests' unit, or as text in tokens; the threshold is that plus the margin chosen.
        Left out, T-LRU's setting is the SLO's threshold with the estimate that this leaves (only xi - q_hat
        matters), another policy's estimate the first part's mean prompt that continues a conversation, rounded up.
    first, seed : Fraction, int
        Share of the turns that are the first part, above 0 and below 1; of the bootstrap's draws.
    progress : callable or bool, optional
        Called with the runs of settings done and how many there are, None in a queue; until the setting is chosen
        that is the most that there may be. True shows a bar.
    kv_bytes : int or str, optional
        In the place of `model`: bytes of a token's KV cache, or text such as ``"160KiB"``; `latency` goes with it.
    serving : Serving, optional
        How a loaded server serves the trace: the setting is chosen and judged in its queue then, TEL is in
        seconds, and of tiers it is said which should run T-LRU. An idle server when left out.
    load : float or Fraction, optional
        With `serving`: LRU's load, as `stretch_for` takes it, at whose speed all are served; else the trace's own.

    rules : Rules or str, optional
        As in `Problem`, on an idle server: the whole advice is given under them. Left out, it is given in blocks,
        and beside the setting of each engine stands what it promises and gains under the engine's rules.

    Raises
    ------
    ArgumentError, TraceError
        Wrong arguments, a trace in blocks, with `serving` one without arrivals; a trace that is too short.
    """
    refuse_file(trace)
    model = served_size(model, kv_bytes)
    given: dict[str, Any] = {"goal": goal, "work_cost": work_cost, "median_cost": median_cost, "policy": policy}
    given |= {"q_hat": q_hat, "first": first, "seed": seed, "model": model, "serving": serving, "load": load}
    given["rules"] = ruled = Rules.of(rules)
    units, unit = Units.in_tokens(trace.scale, model, latency, trace), trace.block_size
    aim = Goal.of(goal, seconds_of("slo", slo), latency_of(latency, model))
    memory, limits = units.memory(capacity), CostLimits(work_cost, median_cost)
    estimate, make = None if q_hat is None else units.estimate(q_hat), None if policy is None else maker_of(policy)
    start = start_of_rest(trace, first)
    usual = default_estimate(trace[:start])
    if policy is not None and estimate is None:
        estimate = usual
    settings = Settings(aim.xi, estimate, unit, make)
    trace, called = clustered(trace)
    with reporting(progress, "Trying settings") as report:
        served = at_load(trace, in_units(memory, unit), aim.latency, serving, load)
        asked = (trace, start, in_units(memory, unit), aim.latency, settings)
        server, hold = _serving(asked, served, report, ruled)
        rng = np.random.default_rng(seed)
        choice = choose(server, aim, limits, called, rng)
        tried = choice.to_try(max(aim.xi - usual, 0))
        server.chosen((one.candidate for one in choice.tried), tried)
        judge = Judge.of(server, aim, limits, tried, called, rng)
        held = hold(judge)
        found = Advice(
            goal=aim,
            capacity=memory,
            serving=served,
            load=None if load is None else float(load),
            kind=judge.kind,
            turns=len(trace),
            start=start,
            estimate=estimate,
            choice=choice,
            policies=server.policies(judge.tried),
            held_out=held,
            limits=limits,
            points=judge.points(choice),
            block_size=unit if trace.shared else None,
            shape=units.shape,
            rules=ruled,
        )
        engines, ends = tuple(engines_of(found, server, called, seed)), ends_of(found, server, called, seed)
    told = replace(found, warnings=tuple(warnings_of(trace, found, settings)), engines=engines, ends=ends)
    return replace(told, band=band_of(aim, partial(advise, trace, capacity, slo, **given)))


def _serving(
    asked: tuple[Trace | Forest, int, int | Tiers, Latency, Settings],
    serving: Serving | None,
    report: Report,
    rules: Rules,
) -> tuple[Server, Callable[[Judge], HeldOut]]:
    """Return what settings are tried on, and what judges them there."""
    if serving is None:
        idle = Replaying(*asked, Count(report, MOST_RUNS), rules)
        return idle, partial(hold_alone, idle)
    if rules != STRICT:
        raise ArgumentError("rules", str(rules), "an idle server with them, as queues are not served under any")
    queue = Queueing(*asked, Count(report), serving)
    return queue, partial(hold_in_queue, queue)

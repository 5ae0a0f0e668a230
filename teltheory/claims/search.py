"""Deciding a claim: enumerate small worlds, smallest first; then random cases, shrunk where they refute.

The first size class with a refuting case ends the search, and the smallest case of that class is the
counterexample: fewest turns, then conversations, then tokens, then C, xi, q_hat. One that only the random
cases found is shrunk until no single step makes it smaller.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from zlib import crc32

import numpy as np

from teltheory.claims.case import Case, Values, World
from teltheory.claims.claim import Claim, Effort, Scope, Verdict
from teltheory.instance import Instance


def decide(claim: Claim, effort: Effort = "quick") -> Verdict:
    """Decide a claim.

    Parameters
    ----------
    claim : Claim
        What to decide.
    effort : {"quick", "full"}
        How many cases; bounded by numbers of cases, never by time.

    Returns
    -------
    Verdict
        "refuted" with a counterexample, or "holds" with its scope; "undecided" where no case satisfied the
        hypotheses.
    """
    begin = time.perf_counter()
    tried, found = _enumerate(claim, effort)
    scope = Scope("exhaustive", tried, claim.space.bounds(effort))
    if found is None and claim.space.sample_size(effort):
        seed = crc32(claim.id.encode())
        sampled, found = _sample(claim, effort, seed)
        drawn = {"instances": sampled, "generator": "numpy PCG64", "seed": seed}
        scope = replace(scope, bounds={**scope.bounds, "sampled": drawn})
        if found is not None:
            scope = replace(scope, kind="sampled", instances=sampled)
    seconds = time.perf_counter() - begin
    if found is None:
        return Verdict(claim, "holds" if scope.instances else "undecided", scope, None, seconds)
    if scope.kind == "exhaustive":
        turns, conversations, tokens = found.size()[:3]
        stopped = {"turns": turns, "conversations": conversations, "tokens": tokens}
        scope = replace(scope, bounds={**scope.bounds, "stopped_at": stopped})
    return Verdict(claim, "refuted", scope, found.as_counterexample(claim.values(found) or {}), seconds)


def decide_safely(claim: Claim, effort: Effort = "quick") -> Verdict:
    """Decide a claim; a check that breaks gives the verdict "error" instead of an exception."""
    begin = time.perf_counter()
    try:
        return decide(claim, effort)
    except Exception as error:
        scope = Scope("exhaustive", 0, claim.space.bounds(effort))
        problem = f"{type(error).__name__}: {error}"
        return Verdict(claim, "error", scope, None, time.perf_counter() - begin, problem)


def refutes(claim: Claim, case: Case) -> bool | None:
    """Return whether a case refutes a claim, None where it lies outside the claim's hypotheses."""
    values: Values | None = claim.values(case)
    return None if values is None else not claim.relation(values)


def _enumerate(claim: Claim, effort: Effort) -> tuple[int, Case | None]:
    tried = 0
    for size_class in claim.space.classes(effort):
        refuting: list[Case] = []
        for case in size_class:
            answer = refutes(claim, case)
            tried += answer is not None
            if answer:
                refuting.append(case)
        if refuting:
            return tried, min(refuting, key=Case.size)
    return tried, None


def _sample(claim: Claim, effort: Effort, seed: int) -> tuple[int, Case | None]:
    rng = np.random.default_rng(seed)
    tried = 0
    for _ in range(claim.space.sample_size(effort)):
        case = claim.space.sample(rng)
        answer = None if case is None else refutes(claim, case)
        tried += answer is not None
        if case is not None and answer:
            return tried, shrink(claim, case)
    return tried, None


def shrink(claim: Claim, case: Case) -> Case:
    """Return a refuting case that no single step of `smaller` makes smaller, conversations in order."""
    while True:
        step = next((c for c in smaller(case) if _admissible(c) and refutes(claim, c)), None)
        if step is None:
            return replace(case, world=case.world.canonical())
        case = step


def smaller(case: Case) -> Iterator[Case]:
    """Yield the cases one step smaller: a turn or start less, a length less by half or by one, C, xi, q_hat."""
    turns, initial = case.world.turns, case.world.initial
    for k in range(len(turns)):
        yield replace(case, world=World(turns[:k] + turns[k + 1 :], initial))
    for k in range(len(initial)):
        yield replace(case, world=World(turns, initial[:k] + initial[k + 1 :]))
    for k, (conversation, prompt, response) in enumerate(turns):
        for q, a in (
            (prompt // 2, response),
            (prompt - 1, response),
            (prompt, response // 2),
            (prompt, response - 1),
        ):
            if (q, a) != (prompt, response) and min(q, a) >= 0:
                yield replace(case, world=World((*turns[:k], (conversation, q, a), *turns[k + 1 :]), initial))
    for name in ("capacity", "xi", "q_hat"):
        value = getattr(case, name)
        for less in sorted({value // 2, value - 1}):
            if 0 <= less < value:
                yield replace(case, **{name: less})


def _admissible(case: Case) -> bool:
    try:
        Instance.of(case.world.trace, case.capacity, forced=case.forced, initial=case.world.initial)
    except ValueError:
        return False
    return True

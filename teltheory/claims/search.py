"""Deciding a claim: enumerate small worlds, smallest first; then random cases, shrunk where they refute.

The first size class with a refuting case ends the search, and the smallest case of that class is the
counterexample: fewest turns, then conversations, then tokens, then C, xi, q_hat. One that only the random
cases found is shrunk until no single step makes it smaller. Beside it stands the smallest *natural* one, found in
the same way among the natural cases alone (`teltheory.claims.worlds`).

Where a claim knows a second route to its values, every 100th case and the counterexample are computed both ways.
A claim with a second encoding, compiled, is enumerated by that one; the claim itself is the judge on smaller
bounds and of the counterexample, and where the two disagree there is no verdict (`teltheory.claims.comparison`).

A claim with a rule is a table or figure of the paper. A cell is printed to a tenth of a per cent and measured on
other data than the paper's, so no single cell refutes a table: all are computed and counted, the rule decides
between the counts, and null models that the cells must beat are counted as well.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any
from zlib import crc32

import numpy as np

from teltheory.base.extras import MissingPackageError
from teltheory.base.python_files import ended
from teltheory.claims.claim import C, Claim, Effort, MissingDataError, Proof, Rule, Values, exact_values
from teltheory.claims.comparison import compare, recompute, tally
from teltheory.claims.forests import SmallForests
from teltheory.claims.formal import machine_checked
from teltheory.claims.registry import claim_named
from teltheory.claims.smt import second_opinions
from teltheory.claims.verdict import Scope, ScopeKind, Verdict
from teltheory.claims.worlds import SmallWorlds
from teltheory.errors import ArgumentError

CROSS_CHECK_EVERY = 100
"""Of how many cases one is also computed by a claim's second route."""
MACHINE_CHECKED = "machine-checked"
"""What the bounds of a scope call the theorem in Coq."""
DIGITS = 4
"""Of a number that is not whole, in a cell or a count."""


def decide(claim: Claim[C], effort: Effort = "quick") -> Verdict:
    """Decide a claim; efforts are bounded by numbers of cases, never by time.

    It is "refuted" with a counterexample, or "holds" with its scope; "reproduced" or "not reproduced" if the claim
    has a rule; "undecided" if no case satisfied the hypotheses.
    """
    begin = time.perf_counter()
    verdict = _by_cases(claim, effort) if claim.rule is None else _by_rule(claim, claim.rule, effort)
    return replace(verdict, seconds=time.perf_counter() - begin)


def decide_safely(claim: Claim[C], effort: Effort = "quick") -> Verdict:
    """Decide a claim; a check that breaks or lacks its data gives a verdict that says so, and no exception.

    Raises
    ------
    FileError
        If the claim's file would end the program.
    """
    begin = time.perf_counter()
    nothing = Verdict(claim, "error", Scope("exhaustive", 0, claim.space.bounds(effort)))
    try:
        return decide(claim, effort)
    except (MissingDataError, MissingPackageError) as missing:
        verdict = replace(nothing, verdict="not decidable here", problem=str(missing))
    except SystemExit as error:
        raise ended(claim.file, error) from None
    except Exception as error:
        verdict = replace(nothing, problem=f"{type(error).__name__}: {error}")
    return replace(verdict, seconds=time.perf_counter() - begin)


def decide_named(names: tuple[str, ...], effort: Effort, file: str | None) -> list[tuple[dict[str, Any], bool]]:
    """Decide claims one after another; return their rows, and whether each is as expected."""
    verdicts = [decide_safely(claim_named(name, file), effort) for name in names]
    return [(verdict.as_dict(), verdict.expected) for verdict in verdicts]


def _by_cases(claim: Claim[C], effort: Effort) -> Verdict:
    tried, bounds, found = _enumerated(claim, effort)
    scope = Scope(_kind(claim, found), tried, bounds)
    if found is None and claim.space.sample_size(effort):
        seed = crc32(claim.id.encode())
        sampled, found = _sample(claim, effort, seed)
        drawn = {"instances": sampled, "generator": "numpy PCG64", "seed": seed}
        scope = replace(scope, bounds={**scope.bounds, "sampled": drawn})
        if found is not None:
            scope = replace(scope, kind="sampled", instances=sampled)
    if found is None:
        theorem = machine_checked(claim.id) if claim.file.startswith("proofs_checks/") else {}
        if claim.proof is not None:
            with second_opinions("theorem" not in theorem):
                scope = _with_proof(scope, claim.proof)
        scope = _with_theorem(scope, theorem)
        return Verdict(claim, "holds" if scope.instances else "undecided", scope)
    if scope.kind == "exhaustive":
        scope = replace(scope, bounds={**scope.bounds, "stopped_at": found.measures()})
    return Verdict(claim, "refuted", scope, _told(claim, found), natural=_natural(claim, effort))


def _by_rule(claim: Claim[C], rule: Rule, effort: Effort) -> Verdict:
    """Compute every cell and decide by the rule; "undecided" where there is no cell."""
    cases: list[Any] = [case for size_class in claim.space.classes(effort) for case in size_class]
    found = [(case, values) for case in cases if (values := claim.values(case)) is not None]
    scope = Scope("sampled" if claim.sampled else "exhaustive", len(found), claim.space.bounds(effort))
    if not found:
        return Verdict(claim, "undecided", scope)
    cells = [values for _, values in found]
    counts, nulls = rule.count(cells), []
    for name, null in rule.nulls.items():
        theirs = rule.count(null(cells))
        accepted, beaten = bool(claim.relation(theirs)), rule.beats(counts, theirs)
        nulls.append({"null": name, "counts": _plain(theirs), "accepted": accepted, "beaten": beaten})
    passes = claim.relation(counts) and all(null["beaten"] for null in nulls)
    shown = [
        {"row": case.row, "column": case.column, "shown": case.shown(values), "values": _plain(values)}
        for case, values in found
    ]
    numbers = {"counts": _plain(counts), "error": rule.error, "nulls": nulls, "cells": shown}
    return Verdict(claim, "reproduced" if passes else "not reproduced", scope, numbers=numbers)


def _plain(values: Values) -> dict[str, Any]:
    """Return values as plain data, numbers that are not whole rounded."""
    return {name: _rounded(value) for name, value in values.items()}


def _rounded(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return round(value, DIGITS) + 0.0 if isinstance(value, float) else value


def _told(claim: Claim[C], found: C) -> dict[str, Any]:
    """Return a case that refutes, with its values."""
    return found.as_counterexample(claim.values(found) or {})


def _natural(claim: Claim[Any], effort: Effort) -> dict[str, Any] | None:
    """Look for the smallest natural case that refutes; None if a claim's cases are not natural or otherwise."""
    if not isinstance(claim.space, SmallWorlds | SmallForests) or not any(claim.space.natural_sizes):
        return None
    compiled = claim.compiled and claim.compiled.natural()
    natural = replace(claim, space=claim.space.natural(), compiled=compiled)
    tried, bounds, found = _enumerated(natural, effort)
    example = None if found is None else _told(claim, found)
    return {"counterexample": example, "instances": tried, "bounds": bounds}


def _kind(claim: Claim[C], found: C | None) -> ScopeKind:
    """Return what the cases of a claim are evidence of, before anything is drawn or proved on top."""
    if claim.sampled:
        return "sampled"
    return "certified" if claim.certified and found is None else "exhaustive"


def _with_proof(scope: Scope, proof: Callable[[], Proof]) -> Scope:
    """Return what a verdict rests on that has a proof, or the beginning of one, on top."""
    try:
        proved = proof()
    except (MissingDataError, MissingPackageError) as missing:
        return replace(scope, bounds={**scope.bounds, "proof": {"missing": str(missing)}})
    kind = scope.kind if proved.unproved else "proved"
    facts = {name: value for name, value in asdict(proved).items() if value != ()}
    return replace(scope, kind=kind, bounds={**scope.bounds, "proof": facts})


def _with_theorem(scope: Scope, theorem: dict[str, str]) -> Scope:
    """Return what a verdict rests on whose row is a theorem in Coq, if it is one."""
    if not theorem:
        return scope
    beside = {} if "missing" in theorem else {"beside": scope.kind}
    kind: ScopeKind = "machine-checked" if beside else scope.kind
    return replace(scope, kind=kind, bounds={**scope.bounds, MACHINE_CHECKED: theorem | beside})


def refutes(claim: Claim[C], case: C) -> bool | None:
    """Return whether a case refutes a claim, None if it lies outside the claim's hypotheses."""
    values = exact_values(claim, case)
    try:
        return None if values is None else not claim.relation(values)
    except KeyError as missing:
        raise ArgumentError("relation", missing.args[0], f"one of the values {', '.join(values or ())}") from None


def _enumerated(claim: Claim[C], effort: Effort) -> tuple[int, dict[str, Any], C | None]:
    """Try all cases; return how many satisfied the hypotheses, the bounds, and the smallest one that refutes."""
    if claim.compiled is None:
        tried, found = _enumerate(claim, effort)
        bounds = claim.space.bounds(effort)
        if claim.second is not None:
            bounds |= {"second route": {"by": claim.second.by, "instances": -(-tried // CROSS_CHECK_EVERY)}}
        return tried, bounds, found
    judged, total = compare(claim, effort), tally(claim, effort)
    by_judge = {**claim.space.bounds(effort), "instances": judged.within}
    bounds = {**claim.compiled.worlds.bounds(effort), "compared with plain Python": by_judge}
    return total.within, bounds, total.smallest


def _enumerate(claim: Claim[C], effort: Effort) -> tuple[int, C | None]:
    tried = 0
    for size_class in claim.space.classes(effort):
        refuting: list[C] = []
        for case in size_class:
            answer = refutes(claim, case)
            if answer is not None and tried % CROSS_CHECK_EVERY == 0:
                recompute(claim, case)
            tried += answer is not None
            if answer:
                refuting.append(case)
        if refuting:
            smallest = min(refuting, key=lambda case: case.size())
            recompute(claim, smallest)
            return tried, smallest
    return tried, None


def _sample(claim: Claim[C], effort: Effort, seed: int) -> tuple[int, C | None]:
    rng = np.random.default_rng(seed)
    tried = 0
    for _ in range(claim.space.sample_size(effort)):
        case = claim.space.sample(rng)
        answer = None if case is None else refutes(claim, case)
        tried += answer is not None
        if case is not None and answer:
            return tried, shrink(claim, case)
    return tried, None


def shrink(claim: Claim[C], case: C) -> C:
    """Return a refuting case that no single step makes smaller."""
    while True:
        step = next((c for c in case.smaller() if refutes(claim, c)), None)
        if step is None:
            return case
        case = step

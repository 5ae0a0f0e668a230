"""Theorem 3.1: T-LRU is never worse than LRU (Section 3, Appendices C and E of Zhang et al. 2025).

The theorem is decided for Algorithm 1 as the toolkit runs it: trimming strictly above the budget, all
surplus before any eviction, in rounds. `trimming.py` decides that other orders give the same excess.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from proofs_checks import induction_lru, induction_threshold
from proofs_checks.bounds import judged, of_policies
from teltheory.claims.case import Case, World
from teltheory.claims.claim import Values, claim
from teltheory.claims.compiled_check.space import CompiledWorlds
from teltheory.claims.origin import PMLR, reading, sharpness
from teltheory.claims.registry import run
from teltheory.claims.worlds import SmallWorlds, upper_bounds
from teltheory.policies import LRU, TLRU, ThresholdLRU


def mean_of_all_prompts(world: World, xi: int) -> tuple[int, ...]:
    """Return the mean prompt of the trace where it is whole."""
    return _whole_mean([prompt for _, prompt, _ in world.turns])


def mean_of_continuing_prompts(world: World, xi: int) -> tuple[int, ...]:
    """Return the mean prompt of the turns that continue a conversation where it is whole."""
    return _whole_mean(world.continuing_prompts)


def _whole_mean(prompts: list[int]) -> tuple[int, ...]:
    mean = Fraction(sum(prompts), max(len(prompts), 1))
    return (int(mean),) if mean.denominator == 1 else ()


def is_upper_bound(case: Case) -> bool:
    """Whether no continuing prompt exceeds the estimate."""
    return case.q_hat >= max(case.world.continuing_prompts, default=0)


def t_lru(case: Case) -> TLRU:
    """Return T-LRU with the case's threshold and estimate."""
    return TLRU(case.xi, case.q_hat)


def tels(case: Case) -> Values:
    """Return the TELs of T-LRU and of LRU."""
    return {"T-LRU": case.tel(t_lru(case)), "LRU": case.tel(LRU())}


def dominated(values: Values) -> bool:
    """Whether the first value is at most the second, entry by entry where they are lists."""
    first, second = values.values()
    if isinstance(first, int):
        return bool(first <= second)
    return all(a <= b for a, b in zip(first, second, strict=True))


OPTIONAL = judged(SmallWorlds({}, {}, estimates=upper_bounds, starts=2))
FORCED = replace(OPTIONAL, forced=True)
EMPTY_START = judged(SmallWorlds({}, {}, estimates=upper_bounds))
LARGE_Q = judged(SmallWorlds({}, {}, estimates=lambda world, xi: range(xi, xi + 2), starts=2))
MEAN_OF_ALL = judged(SmallWorlds({}, {}, estimates=mean_of_all_prompts))
MEAN_OF_CONTINUING = judged(SmallWorlds({}, {}, estimates=mean_of_continuing_prompts))


@claim(
    "theorem-31",
    "Theorem 3.1",
    "T-LRU with an estimate of at least every prompt that continues a conversation has a TEL of at most LRU's, "
    "on every trace from the same initial cache.",
    relation=dominated,
    space=OPTIONAL,
    compiled=CompiledWorlds("TEL of T-LRU and LRU", of_policies(OPTIONAL), estimates="upper bounds"),
    proof=induction_lru.optional,
    origin=PMLR,
)
def theorem_31(case: Case) -> Values | None:
    """Compare the two TELs."""
    return tels(case) if is_upper_bound(case) else None


@claim(
    "theorem-31.per-request",
    "Theorem 3.1, as proved in Appendix C",
    "The same holds request by request.",
    relation=dominated,
    space=OPTIONAL,
    compiled=CompiledWorlds("excesses of T-LRU and LRU", of_policies(OPTIONAL), estimates="upper bounds"),
    proof=induction_lru.optional,
    origin=PMLR,
)
def per_request(case: Case) -> Values | None:
    """Compare the excess of every turn."""
    return {"T-LRU": case.excesses(t_lru(case)), "LRU": case.excesses(LRU())} if is_upper_bound(case) else None


@claim(
    "theorem-31.forced",
    "Theorem 3.1 with Appendix E",
    "T-LRU with an upper bound has a TEL of at most LRU's under forced caching.",
    relation=dominated,
    space=FORCED,
    compiled=CompiledWorlds("TEL of T-LRU and LRU", of_policies(FORCED), estimates="upper bounds"),
    proof=induction_lru.forced,
    origin=PMLR,
)
def forced(case: Case) -> Values | None:
    """Compare the two TELs under forced caching."""
    return tels(case) if is_upper_bound(case) else None


@claim(
    "theorem-31.strict",
    "Theorem 3.1, “incurs lower Tail Excess Latency than LRU”, and Section 4.2, “incurs less”",
    "T-LRU with an upper bound has a TEL below LRU's on every trace.",
    relation=lambda values: values["T-LRU"] < values["LRU"],
    space=OPTIONAL,
    origin=reading("lower means strictly lower; the other rows read it as at most, as “no-worse-than-LRU” does"),
)
def strict(case: Case) -> Values | None:
    """Compare the two TELs."""
    return tels(case) if is_upper_bound(case) else None


def has_cutoff(case: Case) -> bool:
    """Whether the estimate is an upper bound and the cutoff xi - q_hat is not negative."""
    return is_upper_bound(case) and case.xi >= case.q_hat


def threshold_lru(case: Case) -> ThresholdLRU:
    """Return Threshold-LRU with the cutoff xi - q_hat."""
    return ThresholdLRU(case.xi - case.q_hat)


@claim(
    "theorem-31.threshold-lru",
    "Section 4.2, generalisation of Theorem 3.1, and Appendix C",
    "Where xi is at least the upper bound, TEL of T-LRU <= TEL of Threshold-LRU(xi - upper bound) <= TEL of LRU.",
    relation=lambda values: values["T-LRU"] <= values["Threshold-LRU"] <= values["LRU"],
    space=EMPTY_START,
    compiled=CompiledWorlds(
        "TEL of T-LRU, Threshold-LRU and LRU", of_policies(EMPTY_START), estimates="upper bounds"
    ),
    proof=induction_threshold.both,
    origin=PMLR,
)
def against_threshold_lru(case: Case) -> Values | None:
    """Compare the three TELs."""
    if not has_cutoff(case):
        return None
    return {
        "T-LRU": case.tel(t_lru(case)),
        "Threshold-LRU": case.tel(threshold_lru(case)),
        "LRU": case.tel(LRU()),
    }


@claim(
    "theorem-31.threshold-lru.first",
    "Section 4.2, generalisation of Theorem 3.1",
    "Where xi is at least the upper bound, TEL of T-LRU <= TEL of Threshold-LRU(xi - upper bound).",
    relation=dominated,
    space=EMPTY_START,
    compiled=CompiledWorlds("TEL of T-LRU and Threshold-LRU", of_policies(EMPTY_START), estimates="upper bounds"),
    proof=induction_threshold.t_lru_against_threshold_lru,
    origin=PMLR,
)
def t_lru_against_threshold_lru(case: Case) -> Values | None:
    """Compare T-LRU with Threshold-LRU."""
    if not has_cutoff(case):
        return None
    return {"T-LRU": case.tel(t_lru(case)), "Threshold-LRU": case.tel(threshold_lru(case))}


@claim(
    "theorem-31.threshold-lru.second",
    "Appendix C",
    "Where xi is at least the upper bound, TEL of Threshold-LRU(xi - upper bound) <= TEL of LRU.",
    relation=dominated,
    space=EMPTY_START,
    compiled=CompiledWorlds("TEL of Threshold-LRU and LRU", of_policies(EMPTY_START), estimates="upper bounds"),
    proof=induction_threshold.threshold_lru_against_lru,
    origin=PMLR,
)
def threshold_lru_against_lru(case: Case) -> Values | None:
    """Compare Threshold-LRU with LRU."""
    if not has_cutoff(case):
        return None
    return {"Threshold-LRU": case.tel(threshold_lru(case)), "LRU": case.tel(LRU())}


@claim(
    "theorem-31.large-q",
    "Section 3, after Theorem 3.1",
    "With an estimate of at least xi, T-LRU is LRU, turn by turn.",
    relation=lambda values: values["T-LRU"] == values["LRU"],
    space=LARGE_Q,
    compiled=CompiledWorlds("T-LRU is LRU", of_policies(LARGE_Q), estimates="from xi"),
    proof=induction_lru.large_q,
    origin=PMLR,
)
def large_q(case: Case) -> Values | None:
    """Compare the uncached lengths."""
    if case.q_hat < case.xi:
        return None
    return {"T-LRU": case.uncached(t_lru(case)), "LRU": case.uncached(LRU())}


@claim(
    "theorem-31.mean-estimate",
    "Theorem 3.1 and Section 4.2's choice of the estimate",
    "The dominance over LRU also holds where the estimate is the mean prompt of the trace.",
    relation=dominated,
    space=MEAN_OF_ALL,
    compiled=CompiledWorlds("TEL with any estimate", of_policies(MEAN_OF_ALL), estimates="mean of all"),
    origin=sharpness("the estimate is an upper bound on the prompts"),
)
def mean_estimate(case: Case) -> Values | None:
    """Compare the two TELs with the mean over all prompts."""
    if mean_of_all_prompts(case.world, case.xi) != (case.q_hat,):
        return None
    return tels(case)


@claim(
    "theorem-31.mean-estimate.continuing",
    "Theorem 3.1 and Section 4.2's choice of the estimate",
    "The dominance also holds where the estimate is the mean prompt of the turns that continue a conversation.",
    relation=dominated,
    space=MEAN_OF_CONTINUING,
    compiled=CompiledWorlds(
        "TEL with any estimate", of_policies(MEAN_OF_CONTINUING), estimates="mean of continuing"
    ),
    origin=sharpness("the estimate is an upper bound on the prompts"),
)
def mean_estimate_continuing(case: Case) -> Values | None:
    """Compare the two TELs with the mean over continuing prompts."""
    if mean_of_continuing_prompts(case.world, case.xi) != (case.q_hat,):
        return None
    return tels(case)


if __name__ == "__main__":
    run(__file__)

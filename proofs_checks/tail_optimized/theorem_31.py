"""Theorem 3.1: T-LRU is never worse than LRU (Section 3, Appendices C and E of Zhang et al. 2025).

The theorem is decided for Algorithm 1 as the toolkit runs it: trimming strictly above the budget, all
surplus before any eviction, in rounds. `trimming.py` decides that other orders give the same excess.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial

from proofs_checks.tail_optimized.instances.bounds import judged, of_policies
from proofs_checks.tail_optimized.lemmas import induction_lru, induction_threshold
from teltheory.claims.case import Case, Policies, World, compared
from teltheory.claims.claim import Claim, Values, rows
from teltheory.claims.compiled.space import CompiledWorlds
from teltheory.claims.origin import PMLR, reading, sharpness
from teltheory.claims.worlds import Estimates, SmallWorlds, upper_bounds
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


def dominated(values: Values) -> bool:
    """Whether the first value is at most the second, entry by entry where they are lists."""
    first, second = values.values()
    if isinstance(first, int):
        return bool(first <= second)
    return all(a <= b for a, b in zip(first, second, strict=True))


def has_cutoff(case: Case) -> bool:
    """Whether the estimate is an upper bound and the cutoff xi - q_hat is not negative."""
    return is_upper_bound(case) and case.xi >= case.q_hat


def threshold_lru(case: Case) -> ThresholdLRU:
    """Return Threshold-LRU with the cutoff xi - q_hat."""
    return ThresholdLRU(case.xi - case.q_hat)


T_LRU: Policies = {"T-LRU": t_lru}
THRESHOLD_LRU: Policies = {"Threshold-LRU": threshold_lru}
BASELINE: Policies = {"LRU": lambda case: LRU()}

OPTIONAL = judged(SmallWorlds({}, {}, estimates=upper_bounds, starts=2))
FORCED = replace(OPTIONAL, forced=True)
EMPTY_START = judged(SmallWorlds({}, {}, estimates=upper_bounds))
LARGE_Q = judged(SmallWorlds({}, {}, estimates=lambda world, xi: range(xi, xi + 2), starts=2))

tels = compared(Case.tel, {**T_LRU, **BASELINE})
tels_with_upper_bound = compared(Case.tel, {**T_LRU, **BASELINE}, is_upper_bound)


def compiled(check: str, space: SmallWorlds, estimates: str = "upper bounds") -> CompiledWorlds:
    """Return the compiled check on the larger worlds of policies."""
    return CompiledWorlds(check, of_policies(space), estimates=estimates)


row = rows(relation=dominated, space=OPTIONAL, origin=PMLR, together="theorem-31")
below_threshold_lru = partial(row, together="theorem-31.threshold-lru", space=EMPTY_START)

theorem_31 = row(
    "theorem-31",
    "T-LRU with an estimate of at least every prompt that continues a conversation has a TEL of at most LRU's, "
    "on every trace from the same initial cache.",
    source="Theorem 3.1",
    proof=induction_lru.optional,
    compiled=compiled("TEL of T-LRU and LRU", OPTIONAL),
)(tels_with_upper_bound)

per_request = row(
    "theorem-31.per-request",
    "The same holds request by request.",
    source="Theorem 3.1, as proved in Appendix C",
    proof=induction_lru.optional,
    compiled=compiled("excesses of T-LRU and LRU", OPTIONAL),
)(compared(Case.excesses, {**T_LRU, **BASELINE}, is_upper_bound))

forced = row(
    "theorem-31.forced",
    "T-LRU with an upper bound has a TEL of at most LRU's under forced caching.",
    source="Theorem 3.1 with Appendix E",
    space=FORCED,
    proof=induction_lru.forced,
    compiled=compiled("TEL of T-LRU and LRU", FORCED),
)(tels_with_upper_bound)

strict = row(
    "theorem-31.strict",
    "T-LRU with an upper bound has a TEL below LRU's on every trace.",
    source="Theorem 3.1, “incurs lower Tail Excess Latency than LRU”, and Section 4.2, “incurs less”",
    relation=lambda values: values["T-LRU"] < values["LRU"],
    origin=reading("lower means strictly lower; the other rows read it as at most, as “no-worse-than-LRU” does"),
)(tels_with_upper_bound)

against_threshold_lru = below_threshold_lru(
    "theorem-31.threshold-lru",
    "Where xi is at least the upper bound, TEL of T-LRU <= TEL of Threshold-LRU(xi - upper bound) <= TEL of LRU.",
    source="Section 4.2, generalisation of Theorem 3.1, and Appendix C",
    relation=lambda values: values["T-LRU"] <= values["Threshold-LRU"] <= values["LRU"],
    proof=induction_threshold.both,
    compiled=compiled("TEL of T-LRU, Threshold-LRU and LRU", EMPTY_START),
)(compared(Case.tel, {**T_LRU, **THRESHOLD_LRU, **BASELINE}, has_cutoff))

t_lru_against_threshold_lru = below_threshold_lru(
    "theorem-31.threshold-lru.first",
    "Where xi is at least the upper bound, TEL of T-LRU <= TEL of Threshold-LRU(xi - upper bound).",
    source="Section 4.2, generalisation of Theorem 3.1",
    proof=induction_threshold.t_lru_against_threshold_lru,
    compiled=compiled("TEL of T-LRU and Threshold-LRU", EMPTY_START),
)(compared(Case.tel, {**T_LRU, **THRESHOLD_LRU}, has_cutoff))

threshold_lru_against_lru = below_threshold_lru(
    "theorem-31.threshold-lru.second",
    "Where xi is at least the upper bound, TEL of Threshold-LRU(xi - upper bound) <= TEL of LRU.",
    source="Appendix C",
    proof=induction_threshold.threshold_lru_against_lru,
    compiled=compiled("TEL of Threshold-LRU and LRU", EMPTY_START),
)(compared(Case.tel, {**THRESHOLD_LRU, **BASELINE}, has_cutoff))

large_q = row(
    "theorem-31.large-q",
    "With an estimate of at least xi, T-LRU is LRU, turn by turn.",
    source="Section 3, after Theorem 3.1",
    relation=lambda values: values["T-LRU"] == values["LRU"],
    space=LARGE_Q,
    proof=induction_lru.large_q,
    compiled=compiled("T-LRU is LRU", LARGE_Q, "from xi"),
)(compared(Case.uncached, {**T_LRU, **BASELINE}, lambda case: case.q_hat >= case.xi))


def mean_row(id: str, statement: str, estimates: Estimates, compiled_estimates: str) -> Claim[Case]:
    """Return the row on the dominance with a mean for the estimate."""
    space = judged(SmallWorlds({}, {}, estimates=estimates))
    return row(
        f"theorem-31.mean-estimate{id}",
        statement,
        source="Theorem 3.1 and Section 4.2's choice of the estimate",
        space=space,
        origin=sharpness("theorem-31", "the estimate is an upper bound on the prompts"),
        compiled=compiled("TEL with any estimate", space, compiled_estimates),
    )(compared(Case.tel, {**T_LRU, **BASELINE}, lambda case: estimates(case.world, case.xi) == (case.q_hat,)))


mean_estimate = mean_row(
    "",
    "The dominance over LRU also holds where the estimate is the mean prompt of the trace.",
    mean_of_all_prompts,
    "mean of all",
)
mean_estimate_continuing = mean_row(
    ".continuing",
    "The dominance also holds where the estimate is the mean prompt of the turns that continue a conversation.",
    mean_of_continuing_prompts,
    "mean of continuing",
)

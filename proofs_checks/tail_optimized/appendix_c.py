"""The steps of the printed proof of Theorem 3.1 (Appendix C of Zhang et al. 2025), one row each, on traces.

1. The proof assumes xi > Q, Q the upper bound, and compares LRU, Threshold-LRU with the cutoff xi - Q, and T-LRU.
2. A conversation with L <= xi - Q costs nothing, and T-LRU caches nothing of it.
3. Where LRU caches at least b = L + Q - xi: X of Threshold-LRU >= X of LRU >= b = X of T-LRU.
4. Where T-LRU caches less than b: X of T-LRU >= X of Threshold-LRU >= X of LRU.

Each step is decided at every turn that continues a conversation, with what the caches then hold. `appendix-c.cut`
is the argument that the page carries out, for one cut from one state; `cut_analysis` proves it for all numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proofs_checks.tail_optimized.lemmas.cut_analysis import cut_proof, short_proof
from proofs_checks.tail_optimized.theorem_31 import BASELINE, is_upper_bound, t_lru, threshold_lru
from teltheory.claims.case import Case, World, compared
from teltheory.claims.claim import Values, claim
from teltheory.claims.origin import OURS, PMLR, repairs
from teltheory.claims.registry import run
from teltheory.claims.worlds import SmallWorlds
from teltheory.policies import LRU, TLRU

SOURCE = "Appendix C, proof of Theorem 3.1"
FULL = {1: 6, 2: 6, 3: 6, 4: 4}


def bounds_below(world: World, xi: int) -> range:
    """Return the upper bounds on the continuing prompts that are below xi."""
    return range(max(world.continuing_prompts, default=0), xi)


TRACES = SmallWorlds({2: 5, 3: 4, 4: 2}, FULL, estimates=bounds_below, samples=500)
ONE_CUT = replace(TRACES, quick={2: 4}, full={2: 7}, starts=2, start_tokens={"quick": 3, "full": 7}, samples=0)
LRU_X, THRESHOLD_X, T_LRU_X, BUDGET = "X of LRU", "X of Threshold-LRU", "X of T-LRU", "L + Q - xi"


def continuing(case: Case, long: bool) -> list[int]:
    """Return the turns that continue a conversation whose past is above xi - Q, or those of the others."""
    seen = {conversation for conversation, _, _ in case.world.initial}
    found = []
    for k, (conversation, prompt, _) in enumerate(case.world.turns):
        past = int(case.instance.total[k]) - prompt
        if conversation in seen and (past > case.xi - case.q_hat) == long:
            found.append(k)
        seen.add(conversation)
    return found


def applies(case: Case) -> bool:
    """Whether Q is an upper bound and xi is above it."""
    return is_upper_bound(case) and case.xi > case.q_hat


def eager(case: Case) -> TLRU:
    """Return T-LRU that trims all surplus after every turn."""
    return TLRU(case.xi, case.q_hat, "eager")


def short_turns(case: Case) -> list[int] | None:
    """Return the turns that continue a conversation of a past up to xi - Q, None where there are none."""
    return (continuing(case, long=False) or None) if applies(case) else None


def caches(case: Case) -> Values | None:
    """Return what the three caches hold of each longer conversation that continues, and its budget."""
    turns = continuing(case, long=True) if applies(case) else []
    if not turns:
        return None
    budgets = [int(case.instance.total[k]) - case.world.turns[k][1] + case.q_hat - case.xi for k in turns]
    held = {LRU_X: LRU(), THRESHOLD_X: threshold_lru(case), T_LRU_X: t_lru(case)}
    found = {name: [case.reuses(each)[k] for k in turns] for name, each in held.items()}
    return {**found, BUDGET: budgets}


def turn_by_turn(values: Values) -> list[tuple[int, int, int, int]]:
    """Return X of LRU, Threshold-LRU and T-LRU, and the budget, of each turn."""
    columns: list[Sequence[int]] = [values[name] for name in (LRU_X, THRESHOLD_X, T_LRU_X, BUDGET)]
    return list(zip(*columns, strict=True))


def all_zero(values: Values) -> bool:
    """Whether every entry of every list is 0."""
    return not any(any(found) for found in values.values())


@claim(
    "appendix-c.short",
    SOURCE,
    "Where xi > Q and L <= xi - Q the next turn's excess is 0 under LRU, Threshold-LRU and T-LRU.",
    relation=all_zero,
    space=TRACES,
    proof=short_proof,
    origin=PMLR,
)
def short(case: Case) -> Values | None:
    """Compute the excess of the turns that continue such conversations."""
    turns = short_turns(case)
    policies = {"LRU": LRU(), "Threshold-LRU": threshold_lru(case), "T-LRU": t_lru(case)} if turns else {}
    return {name: [case.excesses(each)[k] for k in turns or ()] for name, each in policies.items()} or None


@claim(
    "appendix-c.short.uncached",
    SOURCE,
    'There "the costs (i.e., number of uncached tokens)" are 0.',
    relation=all_zero,
    space=TRACES,
    origin=PMLR,
)
def short_uncached(case: Case) -> Values | None:
    """Count the uncached tokens of the same turns."""
    turns = short_turns(case)
    return {"T-LRU": [case.uncached(t_lru(case))[k] for k in turns]} if turns else None


@claim(
    "appendix-c.short.trimmed",
    SOURCE,
    "T-LRU caches nothing of a conversation with L <= xi - Q.",
    relation=all_zero,
    space=TRACES,
    origin=PMLR,
)
def short_trimmed(case: Case) -> Values | None:
    """Look what is reused of such conversations, trimmed on overflow as Algorithm 1 does."""
    turns = short_turns(case)
    return {T_LRU_X: [case.reuses(t_lru(case))[k] for k in turns]} if turns else None


@claim(
    "appendix-c.short.trimmed.eager",
    SOURCE,
    "T-LRU that trims after every turn, overflow or not, caches nothing of a conversation with L <= xi - Q once a "
    "turn has come.",
    relation=all_zero,
    space=TRACES,
    origin=repairs("appendix-c.short.trimmed"),
)
def short_trimmed_eagerly(case: Case) -> Values | None:
    """Look what is reused of such conversations; at the first turn the cache is still the initial one."""
    turns = [k for k in short_turns(case) or () if k]
    return {T_LRU_X: [case.reuses(eager(case))[k] for k in turns]} if turns else None


def first_case(values: Values) -> bool:
    """Whether X of LRU >= b implies X of Threshold-LRU >= X of LRU >= b = X of T-LRU."""
    return all(h >= x and t == b for x, h, t, b in turn_by_turn(values) if x >= b)


first = claim(
    "appendix-c.first-case",
    SOURCE,
    "Where X of LRU >= b = L + Q - xi > 0: X of Threshold-LRU >= X of LRU >= b = X of T-LRU.",
    relation=first_case,
    space=TRACES,
    origin=PMLR,
)(caches)


first_at_least = claim(
    "appendix-c.first-case.at-least",
    SOURCE,
    "Where X of LRU >= b = L + Q - xi > 0: X of Threshold-LRU >= X of LRU >= b and X of T-LRU >= b.",
    relation=lambda values: all(h >= x and t >= b for x, h, t, b in turn_by_turn(values) if x >= b),
    space=TRACES,
    origin=repairs("appendix-c.first-case"),
)(caches)


second = claim(
    "appendix-c.second-case",
    SOURCE,
    "Where X of T-LRU < b = L + Q - xi: X of T-LRU >= X of Threshold-LRU >= X of LRU.",
    relation=lambda values: all(t >= h >= x for x, h, t, b in turn_by_turn(values) if t < b),
    space=TRACES,
    origin=PMLR,
)(caches)


cases = claim(
    "appendix-c.cases",
    SOURCE,
    "One of the two cases applies: X of LRU >= b, or X of T-LRU < b.",
    relation=lambda values: all(x >= b or t < b for x, _, t, b in turn_by_turn(values)),
    space=TRACES,
    origin=PMLR,
)(caches)


third = claim(
    "appendix-c.third-case",
    SOURCE,
    "In the case left out, X of LRU < b <= X of T-LRU: X of Threshold-LRU >= X of LRU, and T-LRU's excess is 0.",
    relation=lambda values: all(h >= x for x, h, t, b in turn_by_turn(values) if x < b <= t),
    space=TRACES,
    origin=repairs("appendix-c.cases"),
)(caches)


cut = claim(
    "appendix-c.cut",
    SOURCE,
    "From one cache state, after one cut, the next turn's excess is smallest under T-LRU and largest under LRU.",
    lambda values: values["T-LRU"] <= values["Threshold-LRU"] <= values["LRU"],
    ONE_CUT,
    cut_proof,
    origin=OURS,
)(
    compared(
        lambda case, policy: case.excesses(policy)[1],
        {"T-LRU": t_lru, "Threshold-LRU": threshold_lru, **BASELINE},
        lambda case: applies(case) and len(case.world.turns) > 1,
    )
)


if __name__ == "__main__":
    run(__file__)

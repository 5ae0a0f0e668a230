"""Whether a larger cache includes a smaller one, and what it reuses in closed form (ours; Mattson et al. 1970).

What a cache holds shows in what later turns reuse, and among the small worlds a trace stands with every turn that
could follow. Budgets depend on the threshold less the estimate alone, so the estimate is 0 throughout.
"""

from collections.abc import Callable
from dataclasses import replace
from operator import le

from proofs_checks.tail_optimized.instances.bounds import judged, of_states
from proofs_checks.tail_optimized.lemmas import induction_rounds, induction_stack
from teltheory.claims.case import Case
from teltheory.claims.claim import Values, rows
from teltheory.claims.compiled.space import CompiledWorlds
from teltheory.claims.worlds import SmallWorlds
from teltheory.policies import LRU, TLRU
from teltheory.policies.policy import AnyPolicy

WITH_THRESHOLD = judged(SmallWorlds({}, {}))
WITHOUT_THRESHOLD = replace(WITH_THRESHOLD, thresholds=lambda _: range(1))


def larger_reuses_no_less(values: Values) -> bool:
    """Whether every turn reuses at least as much with one unit of capacity more."""
    return all(map(le, values["reused"], values["reused, C + 1"]))


def _replayed(case: Case, policy: AnyPolicy) -> dict[str, list[int]]:
    larger = Case(case.world, case.capacity + 1, case.xi, case.q_hat)
    return {"reused": case.reuses(policy), "reused, C + 1": larger.reuses(policy)}


def reused_by_formula(case: Case, budget: Callable[[int], int]) -> list[int]:
    """Return clip(C - S, 0, b) + clip(C - S', 0, L - b) of each turn, from the pasts by recency."""
    past: dict[int, int] = {}  # least recent first
    reused = []
    for conversation, prompt, response in case.world.turns:
        order = list(past)
        more_recent = order[order.index(conversation) + 1 :] if conversation in past else order
        length = past.get(conversation, 0)
        within = budget(length)
        first = sum(budget(past[c]) for c in more_recent)
        second = sum(map(budget, past.values())) + sum(past[c] - budget(past[c]) for c in more_recent)
        low = min(max(case.capacity - first, 0), within)
        reused.append(low + min(max(case.capacity - second, 0), length - within))
        past.pop(conversation, None)
        past[conversation] = length + prompt + response
    return reused


row = rows(
    relation=lambda values: larger_reuses_no_less(values) and values["formula"] == values["reused"],
    space=WITH_THRESHOLD,
)


@row(
    "stack.lru",
    "Under LRU a larger cache includes a smaller one, and a turn reuses clip(C - S, 0, L), S the pasts of the "
    "more recent conversations.",
    source="Mattson et al. 1970, for lengths",
    space=WITHOUT_THRESHOLD,
    proof=induction_stack.lru,
    compiled=CompiledWorlds("inclusion of LRU", of_states(WITHOUT_THRESHOLD), thresholds="zero"),
)
def lru(case: Case) -> Values:
    """Compare two capacities, and the smaller with the formula."""
    return {**_replayed(case, LRU()), "formula": reused_by_formula(case, lambda past: past)}


@row(
    "stack.tlru",
    "Under T-LRU with least-recent trim a larger cache includes a smaller one, and a turn reuses "
    "clip(C - S, 0, b) + clip(C - S', 0, L - b).",
    source="Mattson et al. 1970, for T-LRU",
    proof=induction_stack.t_lru,
    compiled=CompiledWorlds("inclusion of T-LRU", of_states(WITH_THRESHOLD)),
)
def tlru(case: Case) -> Values:
    """Compare two capacities, and the smaller with the formula."""
    replayed = _replayed(case, TLRU(case.xi, 0, "least-recent"))
    return {**replayed, "formula": reused_by_formula(case, lambda past: max(0, past - case.xi))}


@row(
    "stack.tlru-round-robin",
    "Under T-LRU with round-robin trim a larger cache includes a smaller one.",
    source="Mattson et al. 1970, for Algorithm 1",
    relation=larger_reuses_no_less,
    proof=induction_rounds.inclusion,
    compiled=CompiledWorlds("inclusion, round-robin", of_states(WITH_THRESHOLD)),
)
def tlru_round_robin(case: Case) -> Values:
    """Compare two capacities."""
    return _replayed(case, TLRU(case.xi, 0, "round-robin"))

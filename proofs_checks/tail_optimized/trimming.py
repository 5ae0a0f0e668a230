"""In which order surplus is trimmed, when, and how much of it (Sections 3 and 4.2 of Zhang et al. 2025).

`reachable_excesses` follows every way in which an overflow can be taken from the surpluses, so that a row on
"whichever blocks go" is decided for all orders at once, not for a few named ones.

Appendix C's proof trims all surplus; Algorithm 1 trims just enough, and its `if` form one block a conversation.
Just enough keeps "T-LRU <= Threshold-LRU", in whatever order: either no budget is touched, or all surplus goes.
One pass of trimming does not: LRU then evicts although surplus of short conversations is left, which Threshold-
LRU drops.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from proofs_checks.tail_optimized.algorithm_1 import one_pass
from proofs_checks.tail_optimized.instances.bounds import judged, of_policies, of_states
from proofs_checks.tail_optimized.lemmas import induction_threshold, induction_trim
from proofs_checks.tail_optimized.theorem_31 import (
    THRESHOLD_LRU,
    dominated,
    has_cutoff,
    is_upper_bound,
    threshold_lru,
)
from teltheory.claims.case import Case, Policies, compared
from teltheory.claims.claim import Values, claim, rows
from teltheory.claims.compiled.space import CompiledWorlds
from teltheory.claims.origin import reading, sharpness
from teltheory.claims.worlds import JUDGED_BY_BRUTE_FORCE, SmallWorlds, upper_bounds
from teltheory.policies import TLRU, Conversation, EndAwareTLRU, LengthAwareTLRU
from teltheory.policies.policy import TRIMS, Trim

State = tuple[tuple[int, int], ...]
Budget = Callable[[int, int], int]

UPPER_BOUND = judged(SmallWorlds({}, {}, estimates=upper_bounds))
ALL_ORDERS = replace(UPPER_BOUND, samples=0, reach=replace(JUDGED_BY_BRUTE_FORCE, tokens=16))
BELOW_A_PROMPT = judged(
    SmallWorlds({}, {}, estimates=lambda world, xi: range(max(world.continuing_prompts, default=0)))
)
BELOW_IN_ANY_ORDER = replace(BELOW_A_PROMPT, samples=0, reach=ALL_ORDERS.reach)
WITH_STARTS = judged(SmallWorlds({}, {}, estimates=upper_bounds, starts=1))
WITH_STARTS_FORCED = replace(WITH_STARTS, forced=True)


def reachable_excesses(case: Case, budget: Budget, ends: bool) -> tuple[list[int], list[int]]:
    """Follow every order of trimming; return the smallest and the largest excess of each turn.

    Optional caching from an empty start; `budget` takes the past and the turn a conversation had last; `ends`: it
    is dropped right after its last turn.
    """
    states: set[State] = {()}
    last_turn: dict[int, int] = {}
    past: dict[int, int] = {}
    fewest, most = [], []
    turns = case.world.turns
    for k, (theta, prompt, response) in enumerate(turns):
        total = past.get(theta, 0) + prompt
        found = [max(total - dict(state).get(theta, 0) - case.xi, 0) for state in states]
        fewest.append(min(found))
        most.append(max(found))
        past[theta], last_turn[theta] = total + response, k
        returns = not ends or any(c == theta for c, _, _ in turns[k + 1 :])
        arrived = (theta, past[theta] if returns else 0)
        limits = {c: max(0, min(past[c], budget(past[c], last_turn[c]))) for c in past}
        states = {
            after
            for state in states
            for after in _cuts((*(one for one in state if one[0] != theta), arrived), limits, case.capacity)
        }
    return fewest, most


def _cuts(state: State, limits: dict[int, int], capacity: int) -> Iterator[State]:
    """Yield every state after the cut; a state lists (conversation, cached), least recent first."""
    overflow = sum(cached for _, cached in state) - capacity
    surplus = [max(0, cached - limits[c]) for c, cached in state]
    for taken in _takings(surplus, min(max(overflow, 0), sum(surplus))):
        left = max(overflow - sum(taken), 0)
        after = []
        for (c, cached), trimmed in zip(state, taken, strict=True):
            evicted = min(cached - trimmed, left)
            left -= evicted
            after.append((c, cached - trimmed - evicted))
        yield tuple(after)


def _takings(surplus: list[int], amount: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to take `amount` from the surpluses."""
    if not surplus:
        if amount == 0:
            yield ()
        return
    for taken in range(min(surplus[0], amount) + 1):
        for rest in _takings(surplus[1:], amount - taken):
            yield (taken, *rest)


def t_lru_by(trim: Trim) -> Callable[[Case], TLRU]:
    """Return what makes T-LRU with a way of trimming for a case."""
    return lambda case: TLRU(case.xi, case.q_hat, trim)


def next_prompts(case: Case) -> list[int]:
    """Return the prompt that follows each turn in its conversation, 0 if none does."""
    turns = case.world.turns
    return [
        next((prompt for c, prompt, _ in turns[k + 1 :] if c == conversation), 0)
        for k, (conversation, _, _) in enumerate(turns)
    ]


row = rows(source="Section 3 and Appendix G.1")


@row(
    "trim.order-is-free",
    "Where the estimate is an upper bound, or exact (Length-Aware), every turn's excess is the same whichever "
    "surplus blocks go.",
    relation=lambda values: (
        values["fewest"] == values["most"] and values["fewest, exact"] == values["most, exact"]
    ),
    space=ALL_ORDERS,
    origin=reading("blocks above the budget go for free: whichever of them go"),
    proof=induction_trim.optional,
    compiled=CompiledWorlds("all orders", of_states(ALL_ORDERS), estimates="upper bounds"),
)
def order_is_free(case: Case) -> Values | None:
    """Follow every order, for T-LRU and for Length-Aware T-LRU."""
    if not is_upper_bound(case):
        return None
    prompts = next_prompts(case)
    fewest, most = reachable_excesses(case, lambda past, _: past + case.q_hat - case.xi, ends=False)
    fewest_exact, most_exact = reachable_excesses(
        case, lambda past, turn: past + prompts[turn] - case.xi, ends=True
    )
    return {"fewest": fewest, "most": most, "fewest, exact": fewest_exact, "most, exact": most_exact}


def variants(trim: Trim) -> Policies:
    """Return the variants of T-LRU with a way of trimming."""
    return {
        f"T-LRU, {trim}": t_lru_by(trim),
        f"End-Aware, {trim}": lambda case: EndAwareTLRU(case.xi, case.q_hat, trim),
        f"Length-Aware, {trim}": lambda case: LengthAwareTLRU(case.xi, trim),
    }


NAMED: Policies = {name: make for trim in TRIMS for name, make in variants(trim).items()}
named_orders = compared(Case.excesses, NAMED, is_upper_bound)


def same_by_variant(values: Values) -> bool:
    """Whether each variant's excesses are the same for all ways of trimming."""
    by_variant: dict[str, set[tuple[int, ...]]] = {}
    for name, excesses in values.items():
        by_variant.setdefault(name.split(",", maxsplit=1)[0], set()).add(tuple(excesses))
    return all(len(different) == 1 for different in by_variant.values())


trims_agree = row(
    "trim.order-is-free.named",
    "The replay's three ways of trimming give T-LRU and End-Aware T-LRU (estimate an upper bound) and "
    "Length-Aware T-LRU the same excess at every turn, from any initial cache.",
    relation=same_by_variant,
    space=WITH_STARTS,
    proof=induction_trim.optional,
    compiled=CompiledWorlds("named orders", of_states(WITH_STARTS), estimates="upper bounds"),
)(named_orders)

trims_agree_forced = row(
    "trim.order-is-free.named.forced",
    "The same under forced caching.",
    relation=same_by_variant,
    space=WITH_STARTS_FORCED,
    proof=induction_trim.forced,
    compiled=CompiledWorlds("named orders", of_states(WITH_STARTS_FORCED), estimates="upper bounds"),
)(named_orders)

order_below_a_prompt = row(
    "trim.order-is-free.mean",
    "The order is also free (round-robin or least recent first) where the estimate is below some prompt that "
    "continues a conversation.",
    source="Section 3 and Section 4.2's choice of the estimate",
    relation=lambda values: values["round-robin"] == values["least-recent"],
    space=BELOW_A_PROMPT,
    origin=sharpness("theorem-31", "the estimate is an upper bound on the prompts"),
    compiled=CompiledWorlds("two orders below a prompt", of_policies(BELOW_A_PROMPT), estimates="below longest"),
)(
    compared(
        Case.excesses,
        {trim: t_lru_by(trim) for trim in ("round-robin", "least-recent")},
        lambda case: not is_upper_bound(case),
    )
)


@dataclass(frozen=True)
class LatestFirst(TLRU):
    """T-LRU that trims whole surpluses, the conversation that first arrived last going first."""

    trim: Trim = "least-recent"

    def trim_key(self, conversation: Conversation) -> int:
        """Let the conversation that first arrived last go first."""
        return -conversation.first


@row(
    "trim.order-is-free.mean.any-order",
    "The same for all orders in which surplus can go, not only the replay's two.",
    source="Section 3 and Section 4.2's choice of the estimate",
    relation=lambda values: values["fewest"] == values["most"],
    space=BELOW_IN_ANY_ORDER,
    origin=sharpness("theorem-31", "the estimate is an upper bound on the prompts"),
    compiled=CompiledWorlds("all orders below a prompt", of_states(BELOW_IN_ANY_ORDER), estimates="below longest"),
)
def any_order_below_a_prompt(case: Case) -> Values | None:
    """Follow every order; two of them are there to be replayed."""
    if is_upper_bound(case):
        return None
    fewest, most = reachable_excesses(case, lambda past, _: past + case.q_hat - case.xi, ends=False)
    return {
        "fewest": fewest,
        "most": most,
        "least-recent": case.excesses(TLRU(case.xi, case.q_hat, "least-recent")),
        "latest first": case.excesses(LatestFirst(case.xi, case.q_hat)),
    }


eager = row(
    "trim.eager",
    "Where the estimate is an upper bound, trimming always, not only on overflow, gives the same excess at every "
    "turn.",
    source="Section 3",
    relation=lambda values: values["on overflow"] == values["always"],
    space=UPPER_BOUND,
    origin=reading("blocks above the budget go for free: also where nothing overflows"),
    proof=induction_trim.optional,
    compiled=CompiledWorlds("always or on overflow", of_policies(UPPER_BOUND), estimates="upper bounds"),
)(compared(Case.excesses, {"on overflow": t_lru_by("round-robin"), "always": t_lru_by("eager")}, is_upper_bound))

SOME_ORDERS = replace(ALL_ORDERS, quick={1: 3, 2: 3, 3: 4}, full={1: 6, 2: 6, 3: 5, 4: 3})
SPACE = SmallWorlds({1: 4, 2: 4, 3: 5}, {1: 6, 2: 6, 3: 6, 4: 4}, estimates=upper_bounds)


@claim(
    "theorem-31.threshold-lru.partial",
    "Section 4.2, for Algorithm 1's partial trimming",
    "Where xi is at least the upper bound and just enough surplus goes, in whatever order, T-LRU's excess is at "
    "most Threshold-LRU(xi - upper bound)'s at every turn.",
    relation=dominated,
    space=SOME_ORDERS,
    proof=induction_threshold.t_lru_against_threshold_lru,
)
def partial(case: Case) -> Values | None:
    """Compare the largest excess of any order with Threshold-LRU's, turn by turn."""
    if not has_cutoff(case):
        return None
    _, most = reachable_excesses(case, lambda past, _: past + case.q_hat - case.xi, ends=False)
    return {"T-LRU, any order": most, "Threshold-LRU": case.excesses(threshold_lru(case))}


single_pass = claim(
    "theorem-31.threshold-lru.single-pass",
    "Section 4.2, with the `if` form of the longer summary's Algorithm 1",
    "Where xi is at least the upper bound, one pass that trims at most one block of each conversation, and then "
    "LRU, has a TEL of at most Threshold-LRU(xi - upper bound)'s.",
    dominated,
    SPACE,
    origin=reading("the `if` form of v1 together with the sentence on Threshold-LRU, which v1 does not have"),
)(compared(Case.tel, {"single pass": one_pass, **THRESHOLD_LRU}, has_cutoff))

"""In which order surplus is trimmed, and when (Section 3 of Zhang et al. 2025).

`reachable_excesses` follows every way in which an overflow can be taken from the surpluses, so that a row on
"whichever blocks go" is decided for all orders at once, not for a few named ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from proofs_checks.tail_optimized.instances.bounds import judged, of_policies, of_states
from proofs_checks.tail_optimized.lemmas import induction_trim
from proofs_checks.tail_optimized.theorem_31 import is_upper_bound
from teltheory.claims.case import Case, Policies, compared
from teltheory.claims.claim import Values, claim
from teltheory.claims.compiled_check.space import CompiledWorlds
from teltheory.claims.origin import OURS, reading, sharpness
from teltheory.claims.registry import run
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
        limits = {c: max(0, min(past[c], budget(past[c], last_turn[c]))) for c in past}
        states = {
            after
            for state in states
            for after in _cuts(_arrived(state, theta, past[theta] if returns else 0), limits, case.capacity)
        }
    return fewest, most


def _arrived(state: State, theta: int, cached: int) -> State:
    return (*(entry for entry in state if entry[0] != theta), (theta, cached))


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
    """Return the prompt that follows each turn in its conversation, 0 where none does."""
    turns = case.world.turns
    return [
        next((prompt for c, prompt, _ in turns[k + 1 :] if c == conversation), 0)
        for k, (conversation, _, _) in enumerate(turns)
    ]


@claim(
    "trim.order-is-free",
    "Section 3 and Appendix G.1",
    "Where the estimate is an upper bound, or exact (Length-Aware), every turn's excess is the same whichever "
    "surplus blocks go.",
    relation=lambda values: (
        values["fewest"] == values["most"] and values["fewest, exact"] == values["most, exact"]
    ),
    space=ALL_ORDERS,
    compiled=CompiledWorlds("all orders", of_states(ALL_ORDERS), estimates="upper bounds"),
    proof=induction_trim.optional,
    origin=reading("blocks above the budget go for free: whichever of them go"),
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


trims_agree = claim(
    "trim.order-is-free.named",
    "Section 3 and Appendix G.1",
    "The replay's three ways of trimming give T-LRU and End-Aware T-LRU (estimate an upper bound) and "
    "Length-Aware T-LRU the same excess at every turn, from any initial cache.",
    relation=same_by_variant,
    space=WITH_STARTS,
    compiled=CompiledWorlds("named orders", of_states(WITH_STARTS), estimates="upper bounds"),
    origin=OURS,
    proof=induction_trim.optional,
)(named_orders)

trims_agree_forced = claim(
    "trim.order-is-free.named.forced",
    "Section 3 and Appendix G.1",
    "The same under forced caching.",
    relation=same_by_variant,
    space=WITH_STARTS_FORCED,
    compiled=CompiledWorlds("named orders", of_states(WITH_STARTS_FORCED), estimates="upper bounds"),
    origin=OURS,
    proof=induction_trim.forced,
)(named_orders)


order_below_a_prompt = claim(
    "trim.order-is-free.mean",
    "Section 3 and Section 4.2's choice of the estimate",
    "The order is also free (round-robin or least recent first) where the estimate is below some prompt that "
    "continues a conversation.",
    lambda values: values["round-robin"] == values["least-recent"],
    BELOW_A_PROMPT,
    compiled=CompiledWorlds("two orders below a prompt", of_policies(BELOW_A_PROMPT), estimates="below longest"),
    origin=sharpness("the estimate is an upper bound on the prompts"),
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


@claim(
    "trim.order-is-free.mean.any-order",
    "Section 3 and Section 4.2's choice of the estimate",
    "The same for all orders in which surplus can go, not only the replay's two.",
    relation=lambda values: values["fewest"] == values["most"],
    space=BELOW_IN_ANY_ORDER,
    compiled=CompiledWorlds("all orders below a prompt", of_states(BELOW_IN_ANY_ORDER), estimates="below longest"),
    origin=sharpness("the estimate is an upper bound on the prompts"),
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


eager = claim(
    "trim.eager",
    "Section 3",
    "Where the estimate is an upper bound, trimming always, not only on overflow, gives the same excess at every "
    "turn.",
    lambda values: values["on overflow"] == values["always"],
    UPPER_BOUND,
    induction_trim.optional,
    CompiledWorlds("always or on overflow", of_policies(UPPER_BOUND), estimates="upper bounds"),
    origin=reading("blocks above the budget go for free: also where nothing overflows"),
)(compared(Case.excesses, {"on overflow": t_lru_by("round-robin"), "always": t_lru_by("eager")}, is_upper_bound))


if __name__ == "__main__":
    run(__file__)

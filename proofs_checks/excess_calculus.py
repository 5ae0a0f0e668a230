"""What rows on excesses rest on, for all numbers: how (L + Q - X - xi)+ grows in X, its convexity, and the budget.

Each function states an obligation, its docstring in words, that `case_analysis` proves. Where a row speaks of an
expectation the obligation is about each value of the prompt: the mean over any law keeps = and <=.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from proofs_checks.case_analysis import Obligation, indicator, least, numbers, plus, prove

if TYPE_CHECKING:
    from sympy import Expr

Obligations = Mapping[str, Callable[[], Obligation]]


def growth(ahead: Expr, cached: Expr) -> Expr:
    """Return (ahead - (X - 1))+ - (ahead - X)+, ahead being L + Q - xi: what it costs that one token goes."""
    return plus(ahead - (cached - 1)) - plus(ahead - cached)


def score_is_the_growth() -> Obligation:
    """1{L + Q - xi >= X} is the growth, for whole numbers."""
    past, prompt, xi, cached = numbers("L Q xi X", whole=True)
    ahead = past + prompt - xi
    return Obligation(equal=(indicator(ahead - cached) - growth(ahead, cached),))


def growth_above_the_score() -> Obligation:
    """With xi = k + 1 - r, 0 < r < 1, all others whole, the growth is the score + r 1{L + Q - X = k}."""
    past, prompt, k, cached = numbers("L Q k X", whole=True)
    r, _ = numbers("r s")
    beyond, ahead = past + prompt - cached - k, past + prompt - (k + 1 - r)
    there = indicator(beyond) - indicator(beyond - 1)
    return Obligation(
        above=(r, 1 - r),
        equal=(growth(ahead, cached) - indicator(ahead - cached) - r * there,),
        by_sign_of=(beyond - 1, beyond),
    )


def growth_is_not_negative() -> Obligation:
    """Show that the growth is 0 or more, and at most 1."""
    past, prompt, xi, cached = numbers("L Q xi X")
    grown = growth(past + prompt - xi, cached)
    return Obligation(shown=(grown, 1 - grown))


def convexity() -> Obligation:
    """Show that the growth at X is at least that at X + 1."""
    past, prompt, xi, cached = numbers("L Q xi X")
    ahead = past + prompt - xi
    return Obligation(shown=(growth(ahead, cached) - growth(ahead, cached + 1),))


def exchange() -> Obligation:
    """Where the rule kept fewer of i and more of j, another allocation loses nothing by a token of i for one of j.

    Rates times growths: v where the rule took its last token of i, w at what it kept of j in the end, u at the two
    tokens that are exchanged.
    """
    taken, passed_over, kept, given_up, gained = numbers("v_i v_j w_j u_i u_j")
    smallest_went = passed_over - taken
    convex = (kept - passed_over, gained - kept, taken - given_up)
    return Obligation(given=(smallest_went, *convex), shown=(gained - given_up,))


def excess_of_the_budget() -> Obligation:
    """(L + Q - X - xi)+ = (L + Q - min(X, b) - xi)+ for b = (L + Q - xi)+."""
    past, prompt, xi, cached = numbers("L Q xi X")
    ahead = past + prompt - xi
    return Obligation(equal=(plus(ahead - cached) - plus(ahead - least(cached, plus(ahead))),))


def no_excess_within_the_threshold() -> Obligation:
    """If L + Q <= xi and X >= 0 the excess is 0."""
    past, prompt, xi, cached = numbers("L Q xi X")
    ahead = past + prompt - xi
    return Obligation(given=(-ahead, cached), equal=(plus(ahead - cached),))


def no_excess_from_the_budget_on() -> Obligation:
    """If X >= L + Q - xi the excess is 0."""
    past, prompt, xi, cached = numbers("L Q xi X")
    ahead = past + prompt - xi
    return Obligation(given=(cached - ahead,), equal=(plus(ahead - cached),))


def excess_below_the_budget() -> Obligation:
    """If X < L + Q - xi the excess is above 0: for whole numbers it is 1 or more."""
    past, prompt, xi, cached = numbers("L Q xi X", whole=True)
    ahead = past + prompt - xi
    return Obligation(given=(ahead - cached - 1,), shown=(plus(ahead - cached) - 1,))


def budget_within_the_past() -> Obligation:
    """If xi >= Q the budget L + Q - xi is at most L."""
    past, prompt, xi = numbers("L Q xi")
    return Obligation(given=(xi - prompt,), shown=(past - (past + prompt - xi),))


def budget(past: Expr, prompt: Expr, xi: Expr) -> Expr:
    """Return min(L, (L + Q - xi)+)."""
    return least(past, plus(past + prompt - xi))


def budget_of_the_difference() -> Obligation:
    """Show that the budget is the same with xi + d and Q + d."""
    past, prompt, xi, more = numbers("L Q xi d")
    return Obligation(equal=(budget(past, prompt, xi) - budget(past, prompt + more, xi + more),))


def safe_to_evict() -> Obligation:
    """If L >= 0, L less the budget is min(L, (xi - Q)+)."""
    past, prompt, xi = numbers("L Q xi")
    return Obligation(given=(past,), equal=(past - budget(past, prompt, xi) - least(past, plus(xi - prompt)),))


def taken(amount: Expr, before: Expr, wanted: Expr) -> Expr:
    """Return what goes of an amount when so much is wanted of a line, and so much stands before it in the line."""
    return least(amount, plus(wanted - before))


def two_calls_take_what_one_takes() -> Obligation:
    """Of each amount in a line m and then n take what m + n take at once, and leave as much before it."""
    amount, before, first, second = numbers("s S m n")
    went = taken(amount, before, first)
    again = taken(amount - went, before - least(before, first), second)
    return Obligation(
        given=(amount, before, first, second), equal=(went + again - taken(amount, before, first + second),)
    )


def what_stands_before_adds_up() -> Obligation:
    """Show that what m leaves of a line is what it leaves before an amount and of the amount."""
    amount, before, wanted = numbers("s S m")
    left = before + amount - least(before + amount, wanted)
    return Obligation(
        given=(amount, before, wanted),
        equal=(left - (before - least(before, wanted)) - (amount - taken(amount, before, wanted)),),
    )


def excess_within_the_cap() -> Obligation:
    """If 0 <= x <= (total - xi)+ the excess is (total - xi)+ - x."""
    total, xi, cached = numbers("total xi x")
    return Obligation(
        given=(cached, plus(total - xi) - cached), equal=(plus(total - cached - xi) - plus(total - xi) + cached,)
    )


def excess_above_the_cap() -> Obligation:
    """If x >= 0 the excess of x is that of min(x, (total - xi)+)."""
    total, xi, cached = numbers("total xi x")
    capped = least(cached, plus(total - xi))
    return Obligation(given=(cached,), equal=(plus(total - cached - xi) - plus(total - capped - xi),))


def lowering_stays_feasible() -> Obligation:
    """If x >= 0 is at most what (3), (4) or (5) allows, so is min(x, (total - xi)+), and it is 0 or more."""
    total, xi, cached, allowed = numbers("total xi x y")
    capped = least(cached, plus(total - xi))
    return Obligation(given=(cached, allowed - cached), shown=(allowed - capped, capped))


GROWTH: Obligations = {"growth not negative": growth_is_not_negative, "convexity": convexity}
WHOLE_SCORE: Obligations = {"score is the growth": score_is_the_growth}
GREEDY: Obligations = {**GROWTH, "exchange": exchange}
BUDGET: Obligations = {
    "nothing within the threshold": no_excess_within_the_threshold,
    "nothing from the budget on": no_excess_from_the_budget_on,
    "something below the budget": excess_below_the_budget,
}
ANY_LAW = "any law of the prompt with a finite mean, pointwise in Q"
BY_HAND = (
    "by hand: the mean over Q, and that such exchanges, and keeping more, turn any allocation into the rule's"
)

whole_score_proof = partial(prove, WHOLE_SCORE, f"all whole L, X and xi, {ANY_LAW}; by hand: the mean over Q")
real_score_proof = partial(
    prove,
    {"growth above the score": growth_above_the_score},
    f"all whole L and X and real xi that is not whole, {ANY_LAW}; by hand: the mean over Q",
)
convexity_proof = partial(prove, GROWTH, f"all real L, X and xi, {ANY_LAW}; by hand: the mean over Q")
greedy_proof = partial(
    prove, GREEDY, f"all real xi, any rates of 0 or more, any number of conversations, {ANY_LAW}; {BY_HAND}"
)
whole_greedy_proof = partial(
    prove,
    {**WHOLE_SCORE, **GREEDY},
    f"all whole xi, any rates of 0 or more, any number of conversations, {ANY_LAW}; {BY_HAND}",
)
min_proof = partial(prove, {"excess of the budget": excess_of_the_budget}, "all real L, Q, X and xi")
figure_1_proof = partial(prove, BUDGET, "all whole L, Q, X and xi; from uncached = L + Q - X")
long_threshold_proof = partial(
    prove,
    {"budget within the past": budget_within_the_past, "nothing from the budget on": no_excess_from_the_budget_on},
    "all real L, Q and xi",
)
one_parameter_proof = partial(
    prove,
    {"the budget": budget_of_the_difference, "safe to evict": safe_to_evict},
    "all real L >= 0, Q, xi and d; by hand: trimming and eviction look at pasts, caches and budgets alone",
)
calls_proof = partial(
    prove,
    {"two calls": two_calls_take_what_one_takes, "what stands before": what_stands_before_adds_up},
    "any number of conversations and calls, all real amounts; by hand: the cut takes from the beginning of a "
    "line, the surpluses and then what is left of each conversation, both least recent first",
)
COUNTED: Obligations = {"within the cap": excess_within_the_cap, "above the cap": excess_above_the_cap}
counted_proof = partial(
    prove, COUNTED, "any number of turns, all real lengths, xi and x >= 0; by hand: the sum over turns"
)
capped_proof = partial(
    prove,
    {**COUNTED, "lowered": lowering_stays_feasible},
    "any number of turns and conversations, all real lengths, C and xi, whatever bounds x at t = 1; by hand: "
    "the sum over turns, and that (5) bounds nothing by x at an arrival",
)

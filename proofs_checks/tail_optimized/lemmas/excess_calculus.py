"""What rows on excesses rest on, for all numbers: how (L + Q - X - xi)+ grows in X, its convexity, and the budget.

Each obligation has its statement for a name. Where a row speaks of an expectation the obligation is about each
value of the prompt: the mean over any law keeps = and <=.
"""

from functools import partial

from teltheory.claims.smt import prove, stated
from teltheory.claims.terms import Int, choose, equal, indicator, integer, least, positive, reals

PAST, PROMPT, XI, CACHED = reals("L Q xi X")
AHEAD = PAST + PROMPT - XI
WHOLE_PAST, WHOLE_PROMPT, WHOLE_XI, WHOLE_CACHED, K = map(integer, ("L", "Q", "xi", "X", "k"))
WHOLE_AHEAD = WHOLE_PAST + WHOLE_PROMPT - WHOLE_XI


def growth(ahead: Int, cached: Int) -> Int:
    """Return (ahead - (X - 1))+ - (ahead - X)+, ahead being L + Q - xi: what it costs that one token goes."""
    return positive(ahead - (cached - 1)) - positive(ahead - cached)


def excess(cached: Int, ahead: Int = AHEAD) -> Int:
    """Return (L + Q - xi - X)+."""
    return positive(ahead - cached)


SCORE_IS_THE_GROWTH = stated(
    "1{L + Q - xi >= X} is the growth, for whole numbers",
    zero=[indicator(WHOLE_AHEAD >= WHOLE_CACHED) - growth(WHOLE_AHEAD, WHOLE_CACHED)],
)
(R,) = reals("r")
BEYOND = WHOLE_PAST + WHOLE_PROMPT - WHOLE_CACHED - K
FRACTION_AHEAD = WHOLE_PAST + WHOLE_PROMPT - (K + 1 - R)
GROWTH_ABOVE_THE_SCORE = stated(
    "with xi = k + 1 - r, 0 < r < 1, all others whole, the growth is the score + r 1{L + Q - X = k}",
    above=[R, 1 - R],
    zero=[
        growth(FRACTION_AHEAD, WHOLE_CACHED)
        - indicator(FRACTION_AHEAD >= WHOLE_CACHED)
        - choose(equal(BEYOND, 0), R, 0)
    ],
)
CONVEX = [
    stated("the growth is from 0 to 1", shown=[growth(AHEAD, CACHED), 1 - growth(AHEAD, CACHED)]),
    stated("the growth at X is at least that at X + 1", shown=[growth(AHEAD, CACHED) - growth(AHEAD, CACHED + 1)]),
]
TAKEN, PASSED_OVER, KEPT_J, GIVEN_UP, GAINED = reals("v_i v_j w_j u_i u_j")
EXCHANGE = stated(
    "where the rule kept fewer of i and more of j, another allocation loses nothing by a token of i for one of j: "
    "rates times growths, v where the rule took its last token of i, w at what it kept of j, u at the exchanged",
    given=[PASSED_OVER - TAKEN, KEPT_J - PASSED_OVER, GAINED - KEPT_J, TAKEN - GIVEN_UP],
    shown=[GAINED - GIVEN_UP],
)
EXCESS_OF_THE_BUDGET = stated(
    "(L + Q - X - xi)+ = (L + Q - min(X, b) - xi)+ for b = (L + Q - xi)+",
    zero=[excess(CACHED) - excess(least(CACHED, positive(AHEAD)))],
)
NOTHING_FROM_THE_BUDGET_ON = stated(
    "if X >= L + Q - xi the excess is 0", given=[CACHED - AHEAD], zero=[excess(CACHED)]
)
BUDGET = [
    stated("if L + Q <= xi and X >= 0 the excess is 0", given=[0 - AHEAD, CACHED], zero=[excess(CACHED)]),
    NOTHING_FROM_THE_BUDGET_ON,
    stated(
        "if X < L + Q - xi the excess is above 0: for whole numbers it is 1 or more",
        given=[WHOLE_AHEAD - WHOLE_CACHED - 1],
        shown=[excess(WHOLE_CACHED, WHOLE_AHEAD) - 1],
    ),
]
BUDGET_WITHIN_THE_PAST = stated(
    "if xi >= Q the budget L + Q - xi is at most L", given=[XI - PROMPT], shown=[PAST - AHEAD]
)


def budget(past: Int, prompt: Int, xi: Int) -> Int:
    """Return min(L, (L + Q - xi)+)."""
    return least(past, positive(past + prompt - xi))


(MORE,) = reals("d")
ONE_PARAMETER = [
    stated(
        "the budget is the same with xi + d and Q + d",
        zero=[budget(PAST, PROMPT, XI) - budget(PAST, PROMPT + MORE, XI + MORE)],
    ),
    stated(
        "if L >= 0, L less the budget is min(L, (xi - Q)+)",
        given=[PAST],
        zero=[PAST - budget(PAST, PROMPT, XI) - least(PAST, positive(XI - PROMPT))],
    ),
]


def taken(amount: Int, before: Int, wanted: Int) -> Int:
    """Return what goes of an amount when so much is wanted of a line, and so much stands before it in the line."""
    return least(amount, positive(wanted - before))


AMOUNT, BEFORE, M, N = reals("s S m n")
WENT = taken(AMOUNT, BEFORE, M)
CALLS = [
    stated(
        "of each amount in a line m and then n take what m + n take at once",
        given=[AMOUNT, BEFORE, M, N],
        zero=[WENT + taken(AMOUNT - WENT, BEFORE - least(BEFORE, M), N) - taken(AMOUNT, BEFORE, M + N)],
    ),
    stated(
        "what m leaves of a line is what it leaves before an amount and of the amount",
        given=[AMOUNT, BEFORE, M],
        zero=[BEFORE + AMOUNT - least(BEFORE + AMOUNT, M) - (BEFORE - least(BEFORE, M)) - (AMOUNT - WENT)],
    ),
]
TOTAL, REUSED, ALLOWED = reals("total x y")
CAP = positive(TOTAL - XI)
COUNTED = [
    stated(
        "if 0 <= x <= (total - xi)+ the excess is (total - xi)+ - x",
        given=[REUSED, CAP - REUSED],
        zero=[positive(TOTAL - REUSED - XI) - CAP + REUSED],
    ),
    stated(
        "if x >= 0 the excess of x is that of min(x, (total - xi)+)",
        given=[REUSED],
        zero=[positive(TOTAL - REUSED - XI) - positive(TOTAL - least(REUSED, CAP) - XI)],
    ),
]
LOWERED = stated(
    "if x >= 0 is at most what (3), (4) or (5) allows, so is min(x, (total - xi)+), and it is 0 or more",
    given=[REUSED, ALLOWED - REUSED],
    shown=[ALLOWED - least(REUSED, CAP), least(REUSED, CAP)],
)

ANY_LAW = "any law of the prompt with a finite mean, pointwise in Q"
BY_HAND = (
    "by hand: the mean over Q, and that such exchanges, and keeping more, turn any allocation into the rule's"
)
WHOLE = f"all whole L, X and xi, {ANY_LAW}; by hand: the mean over Q"
RATES = f"any rates of 0 or more, any number of conversations, {ANY_LAW}; {BY_HAND}"
GREEDY = [*CONVEX, EXCHANGE]

whole_score_proof = partial(prove, [SCORE_IS_THE_GROWTH], WHOLE)
real_score_proof = partial(
    prove,
    [GROWTH_ABOVE_THE_SCORE],
    f"all whole L and X and real xi that is not whole, {ANY_LAW}; by hand: the mean over Q",
)
convexity_proof = partial(prove, CONVEX, f"all real L, X and xi, {ANY_LAW}; by hand: the mean over Q")
greedy_proof = partial(prove, GREEDY, f"all real xi, {RATES}")
whole_greedy_proof = partial(prove, [SCORE_IS_THE_GROWTH, *GREEDY], f"all whole xi, {RATES}")
min_proof = partial(prove, [EXCESS_OF_THE_BUDGET], "all real L, Q, X and xi")
figure_1_proof = partial(prove, BUDGET, "all whole L, Q, X and xi; from uncached = L + Q - X")
long_threshold_proof = partial(prove, [BUDGET_WITHIN_THE_PAST, NOTHING_FROM_THE_BUDGET_ON], "all real L, Q and xi")
one_parameter_proof = partial(
    prove,
    ONE_PARAMETER,
    "all real L >= 0, Q, xi and d; by hand: trimming and eviction look at pasts, caches and budgets alone",
)
calls_proof = partial(
    prove,
    CALLS,
    "any number of conversations and calls, all real amounts; by hand: the cut takes from the beginning of a "
    "line, the surpluses and then what is left of each conversation, both least recent first",
)
counted_proof = partial(
    prove, COUNTED, "any number of turns, all real lengths, xi and x >= 0; by hand: the sum over turns"
)
capped_proof = partial(
    prove,
    [*COUNTED, LOWERED],
    "any number of turns and conversations, all real lengths, C and xi, whatever bounds x at t = 1; by hand: "
    "the sum over turns, and that (5) bounds nothing by x at an arrival",
)

"""T-LRU on sets of items against LRU: Theorem 3.1 with budgets of each item, and of each set.

docs/proofs-prompt-cache.md has the proofs and the counterexamples by hand.
"""

from collections.abc import Callable
from dataclasses import replace
from operator import le

from proofs_checks.prompt_cache.asked_sets import (
    Asked,
    Sets,
    SmallSets,
    beside_the_item,
    beside_the_set,
    fresh_tokens,
)
from proofs_checks.prompt_cache.lemmas import budgets
from proofs_checks.prompt_cache.plain_sets import (
    TRIMS,
    Budgets,
    own,
    shared,
    shared_from_behind,
    under,
)
from teltheory.claims.claim import Values, rows
from teltheory.claims.origin import sharpness

row = rows(source="T-LRU (Zhang et al. 2025, Theorem 3.1) on sets of modules")
QUICK = {(2, 1): 4, (2, 2): 4, (3, 1): 4, (3, 2): 4, (3, 3): 3, (4, 2): 3}
FULL = {(2, 1): 5, (2, 2): 5, (3, 1): 4, (3, 2): 5, (3, 3): 4, (4, 2): 4, (4, 3): 4}
ITEMS = SmallSets(QUICK, FULL, beside_the_item, ordered=True)
TOGETHER = replace(ITEMS, rests=beside_the_set)
FRESH = replace(ITEMS, rests=fresh_tokens)
OWN = "b = min(s, (s + Q - xi)+) of an item of s tokens"
SHARED = "G = (S + Q - xi)+ of a request's items, S tokens in all, promised to the most recent first"
EVERY = "T-LRU has at most LRU's excess at every request, whichever way it trims"


def against_lru(chosen: Budgets, whole: bool = False) -> Callable[[Sets], Values]:
    """Return the check of the excesses, for each way of trimming."""
    return lambda case: {
        "T-LRU": {trim: under(case, budgets=chosen, trim=trim, whole=whole) for trim in TRIMS},
        "LRU": under(case, whole=whole),
    }


def request_by_request(of: Values) -> bool:
    """Whether T-LRU's excess is at most LRU's at every request."""
    return all(all(map(le, found, of["LRU"])) for found in of["T-LRU"].values())


def in_all(of: Values) -> bool:
    """Whether T-LRU's TEL is at most LRU's."""
    return all(sum(found) <= sum(of["LRU"]) for found in of["T-LRU"].values())


own_budgets = row(
    "prompt-cache.tlru.own",
    f"{OWN}, and Q covers what any request that asks for it again has besides it: {EVERY}.",
    relation=request_by_request,
    space=ITEMS,
    proof=budgets.own_proved,
)(against_lru(own))

own_exact = row(
    "prompt-cache.tlru.own.exact",
    "The same with an estimate of each item's own, what its next request has besides it.",
    relation=request_by_request,
    space=replace(ITEMS, rests=None, known=True),
    proof=budgets.own_proved,
)(against_lru(own))

own_whole = row(
    "prompt-cache.tlru.own.whole",
    "The same where an item is kept whole or not at all, and T-LRU frees those without a budget first.",
    relation=request_by_request,
    space=ITEMS,
)(against_lru(own, whole=True))

own_fresh = row(
    "prompt-cache.tlru.own.fresh",
    "The same where Q covers what requests compute anew, and no more: T-LRU's TEL is at most LRU's.",
    relation=in_all,
    space=FRESH,
    origin=sharpness("prompt-cache.tlru.own", "Q covers the other items of a request too"),
)(against_lru(own))

own_too_small = row(
    "prompt-cache.tlru.own.too-small",
    "The same where Q is one token less than the most that it has to cover: T-LRU's TEL is at most LRU's.",
    relation=in_all,
    space=replace(ITEMS, too_small=True),
    origin=sharpness("prompt-cache.tlru.own", "Q covers what any request that asks for it again has besides it"),
)(against_lru(own))

shared_budgets = row(
    "prompt-cache.tlru.shared",
    f"{SHARED}, and Q covers what any request has besides those of its items that were last asked for together: "
    f"{EVERY}.",
    relation=request_by_request,
    space=TOGETHER,
    proof=budgets.shared_proved,
)(against_lru(shared))

shared_whole = row(
    "prompt-cache.tlru.shared.whole",
    "The same where an item is kept whole or not at all.",
    relation=request_by_request,
    space=TOGETHER,
)(against_lru(shared, whole=True))


def sets_return(asked: Asked) -> bool:
    """Whether two requests ask for the same items, or for none that is the same."""
    return all(one == other or not set(one) & set(other) for one in asked for other in asked)


shared_together = row(
    "prompt-cache.tlru.shared.together",
    f"The same where items always come back together, and Q covers what requests compute anew: {EVERY}.",
    relation=request_by_request,
    space=replace(FRESH, allowed=sets_return),
    proof=budgets.shared_proved,
)(against_lru(shared))

shared_fresh = row(
    "prompt-cache.tlru.shared.fresh",
    "A set's budget where Q covers what requests compute anew, and no more: T-LRU's TEL is at most LRU's.",
    relation=in_all,
    space=FRESH,
    origin=sharpness(
        "prompt-cache.tlru.shared.together", "items always come back together, or Q covers the other items too"
    ),
)(against_lru(shared))

shared_too_small = row(
    "prompt-cache.tlru.shared.too-small",
    "A set's budget where Q is one token less than the most that it has to cover: T-LRU's TEL is at most LRU's.",
    relation=in_all,
    space=replace(TOGETHER, too_small=True),
    origin=sharpness(
        "prompt-cache.tlru.shared", "Q covers what any request has besides items that were last asked for together"
    ),
)(against_lru(shared))

shared_order = row(
    "prompt-cache.tlru.shared.from-behind",
    "A set's budget promised to the least recent item first: T-LRU's TEL is at most LRU's.",
    relation=in_all,
    space=replace(TOGETHER, fresh=False),
    origin=sharpness("prompt-cache.tlru.shared", "the most recent items come first"),
)(against_lru(shared_from_behind))

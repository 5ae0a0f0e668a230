"""Is a policy never worse than another? The search of the ledger, for any two policies.

All worlds up to the bounds are enumerated, smallest first (turns, then conversations, then tokens; then C, xi and
Q-hat), then random ones beyond them: the first in which the policy has the larger TEL is the smallest there is.
That no world within the bounds refutes it proves no more than that; the verdict says what was tried.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from teltheory.claims.case import Case
from teltheory.claims.claim import Claim, Values
from teltheory.claims.search import decide
from teltheory.claims.verdict import Verdict
from teltheory.claims.worlds import SmallWorlds, no_estimate, upper_bounds
from teltheory.errors import ArgumentError
from teltheory.numbers import whole_number
from teltheory.policies.online import LRU
from teltheory.policies.policy import AnyPolicy
from teltheory.replay import check_policy

Family: TypeAlias = Callable[[int, int], AnyPolicy]
"""Makes a policy of xi and Q-hat."""


def never_worse(
    policy: AnyPolicy | Family,
    than: AnyPolicy | Family | None = None,
    *,
    turns: int = 4,
    tokens: int = 5,
    conversations: int = 3,
    forced: bool = False,
    samples: int = 2000,
) -> Verdict:
    """Decide within bounds whether a policy's TEL is at most another's, on every trace.

    Parameters
    ----------
    policy : policy or callable
        The policy, or what makes it of a threshold and an estimate, ``lambda xi, q_hat: ...``; estimates then
        are at least every prompt that continues a conversation.
    than : policy or callable, optional
        The other; LRU when left out.
    turns, tokens, conversations : int
        Bounds of the enumeration, 1 or more: turns, prompts and responses together, conversations.
    forced : bool
        Forced caching.
    samples : int
        Random traces after the enumeration, up to 12 turns.

    Returns
    -------
    Verdict
        "holds" or "refuted"; ``counterexample`` is the smallest trace on which the policy is worse, as plain data
        that `teltheory.claims.case.Case.of` reads, with both TELs as ``values``.

    Raises
    ------
    ArgumentError
        Wrong arguments.
    """
    for name, value in (("turns", turns), ("tokens", tokens), ("conversations", conversations)):
        if whole_number(name, value) < 1:
            raise ArgumentError(name, value, "1 or more")
    ours, other = family(policy), family(LRU() if than is None else than)
    estimates = upper_bounds if callable(policy) or callable(than) else no_estimate
    limits = dict.fromkeys(range(1, turns + 1), tokens)
    space = SmallWorlds(
        limits, limits, estimates=estimates, forced=forced, conversations=conversations, samples=samples
    )

    def values(case: Case) -> Values:
        policies = ours(case.xi, case.q_hat), other(case.xi, case.q_hat)
        return dict(zip(("policy", "other"), map(case.tel, policies), strict=True))

    statement = "The policy has a TEL of at most the other's on every trace."
    return decide(Claim("dominance", "", statement, values, _at_most, space, origin="ours"))


def family(policy: AnyPolicy | Family) -> Family:
    """Return what makes a policy of a threshold and an estimate; one and the same where a policy was given."""
    if callable(policy):
        made: Family = policy
        try:
            check_policy(made(0, 0))
        except TypeError as error:
            raise ArgumentError("policy", policy, f"one that takes xi and q_hat ({error})") from None
        return made
    check_policy(policy)
    fixed: AnyPolicy = policy
    return lambda xi, q_hat: fixed


def _at_most(values: Values) -> bool:
    first, second = values.values()
    return bool(first <= second)

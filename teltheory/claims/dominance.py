"""Is a policy never worse than another? The search of the ledger, for any two policies.

All worlds up to the bounds are enumerated, smallest first (turns, then conversations, then tokens; then C, xi and
Q-hat): the first in which the policy has the larger TEL is the smallest there is. Where there is none, random ones
beyond the bounds follow, and one that refutes is shrunk until no single step makes it smaller. That none refutes
proves no more than that; the verdict says what was tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TypeAlias

from teltheory.base.progress import Count, Progress, reporting
from teltheory.claims.case import Case
from teltheory.claims.claim import Claim, Values
from teltheory.claims.search import decide
from teltheory.claims.verdict import Verdict
from teltheory.claims.worlds import SmallWorlds, no_estimate, upper_bounds
from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.policies.named import family_of, takes_estimate
from teltheory.policies.online import LRU
from teltheory.policies.policy import AnyPolicy
from teltheory.replay import check_policy

Family: TypeAlias = Callable[[int], AnyPolicy] | Callable[[int, int], AnyPolicy]
"""Makes a policy of xi, or of xi and Q-hat."""
STATEMENT = "The policy has a TEL of at most the other's on every trace."


def never_worse(
    policy: AnyPolicy | Family | str,
    than: AnyPolicy | Family | str | None = None,
    *,
    turns: int = 4,
    tokens: int = 4,
    conversations: int = 3,
    forced: bool = False,
    samples: int = 2000,
    progress: Progress = None,
) -> Verdict:
    """Decide within bounds whether a policy's TEL is at most another's, on every trace.

    Parameters
    ----------
    policy, than : policy, str or callable
        The policy and the other, LRU when left out; the short form of one, as ``"tlru"``; or what makes one of a
        threshold, ``lambda xi: ...``, or of a threshold and an estimate, ``lambda xi, q_hat: ...``. An estimate is
        at least every prompt that continues a conversation.
    turns, tokens, conversations : int
        Bounds of the enumeration, 1 or more: turns, prompts and responses together, conversations.
    forced, samples : as in `Problem`, int
        Random traces after the enumeration, up to 12 turns.
    progress : callable or bool, optional
        Called with the instances tried, and None; True shows a bar on standard error.

    Returns
    -------
    Verdict
        "holds" or "refuted"; ``counterexample`` is the smallest trace on which the policy is worse, as plain data
        that `teltheory.claims.case.Case.of` reads, with both TELs; if ``scope.kind`` is "sampled" a random one.
    """
    space = _space(turns, tokens, conversations, forced, samples)
    (ours, estimated), (other, too) = _maker(policy), _maker(LRU() if than is None else than)
    if estimated or too:
        space = replace(space, estimates=upper_bounds)
    with reporting(progress, "Trying traces, smallest first") as report:
        count = Count(report)

        def values(case: Case) -> Values:
            count.step()
            return {"policy": _tel(case, ours(case)), "other": _tel(case, other(case))}

        return decide(Claim("dominance", "", STATEMENT, values, _no_more, space))


def _space(turns: int, tokens: int, conversations: int, forced: bool, samples: int) -> SmallWorlds:
    whole_number("samples", samples)
    for name, value in (("turns", turns), ("tokens", tokens), ("conversations", conversations)):
        if whole_number(name, value) < 1:
            raise ArgumentError(name, value, "1 or more")
    limits = dict.fromkeys(range(1, turns + 1), tokens)
    return SmallWorlds(
        limits,
        limits,
        estimates=no_estimate,
        forced=forced,
        conversations=conversations,
        samples=samples,
        natural_sizes=({}, {}),
    )


def _no_more(tels: Values) -> bool:
    return bool(tels["policy"] <= tels["other"])


def _tel(case: Case, policy: AnyPolicy) -> int:
    if min(case.reuses(policy)) < 0:
        raise ArgumentError("policy", policy, "one that keeps 0 or more of each conversation")
    return case.tel(policy)


def _maker(policy: AnyPolicy | Family | str) -> tuple[Callable[[Case], AnyPolicy], bool]:
    """Return what makes a policy of a case, and whether it looks at the case's estimate."""
    made: Callable[..., AnyPolicy] = family_of(policy)
    estimated = takes_estimate(made)
    try:
        one = made(0, 0) if estimated else made(0)
    except TypeError as error:
        raise ArgumentError("policy", policy, f"one that takes xi, or xi and q_hat ({error})") from None
    check_policy(one)
    try:
        hash(one)
    except TypeError as error:
        raise ArgumentError("policy", one, f"one with a hash, as a frozen dataclass has ({error})") from None
    known = cache(made)
    return lambda case: known(case.xi, case.q_hat) if estimated else known(case.xi), estimated

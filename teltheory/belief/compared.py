"""Policies beside the optimum, as rows: what tables, figures and searches show."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from teltheory.belief.iteration import (
    Solution,
    asked,
    evaluate,
    modified_policy_iteration,
    policy_iteration,
    value_iteration,
)
from teltheory.belief.model import Allocation, BeliefMDP, Policy, Recent, starts
from teltheory.belief.nothing import cost_of_nothing
from teltheory.belief.optimality import ScoreRule
from teltheory.belief.reference import Forgetful
from teltheory.belief.rules import POLICIES
from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray

METHODS = {
    "value-iteration": value_iteration,
    "policy-iteration": policy_iteration,
    "modified-policy-iteration": modified_policy_iteration,
}
LOST = 1e-7
"""A smaller loss of a decision may be that of rounding, and of where sweeps stop."""


def solutions(
    model: BeliefMDP, policies: Sequence[Policy], method: str = "value-iteration", **options: Any
) -> list[Solution]:
    """Return the optimum by a method, then each policy; see `value_iteration`."""
    return [METHODS[method](model, **options), *(evaluate(model, policy, **options) for policy in policies)]


def rows_of(found: Sequence[Solution]) -> list[dict[str, Any]]:
    """Return a row for the optimum and for each policy; bounds are fractions as text."""
    best, nothing = found[0], cost_of_nothing(found[0].slots, found[0].ahead)
    sweeps, kept = best.worth()
    most = kept.copy()
    sweeps.best(most)
    losses = [None if one.choice is None else _seen(best, most - kept[one.choice]) for one in found]
    return [_row(best, one, nothing, lost) for one, lost in zip(found, losses, strict=True)]


def _row(best: Solution, one: Solution, nothing: float, losses: FloatArray | None) -> dict[str, Any]:
    regret = max(best.value - one.value, 0.0)
    between = (best.lower - one.upper, best.upper - one.lower) if one is not best else (Fraction(0), Fraction(0))
    worst = 0 if losses is None else int(losses.argmax())
    loses = losses is not None and bool(losses[worst] > LOST)
    return {
        "policy": one.policy,
        "saving": one.value,
        "lower": str(one.lower),
        "upper": str(one.upper),
        "cost": nothing - one.value,
        "regret": regret,
        "regret_lower": float(max(between[0], Fraction(0))),
        "regret_upper": float(between[1]),
        "percent": 100 * regret / best.value if best.value > 0 else 0.0,
        "loses": 0 if losses is None else int((losses > LOST).sum()),
        "worst": float(losses[worst]) if losses is not None and loses else 0.0,
        "worst_state": told(best.slots.model, *best.slots.known(worst)) if loses else None,
        "states": one.states,
        "sweeps": one.sweeps,
    }


def _seen(best: Solution, losses: FloatArray) -> FloatArray:
    """Return losses of decisions, with turns only of states that nobody is forgotten from before the last turn."""
    slots, ahead = best.slots, best.ahead
    if ahead.turns is not None and ahead.turns > 1:
        seen = len(slots.ways) ** max(slots.silent - ahead.turns, 0)
        losses[np.arange(len(losses)) // len(slots.types) % slots.rests >= seen] = 0
    return losses


def told(model: BeliefMDP, recent: Recent, cached: Allocation) -> list[dict[str, Any]]:
    """Return a state as a model file has it."""
    return [
        {
            "kind": model.kinds[one.kind].name or str(one.kind),
            "turns": one.turns,
            "past": one.past,
            "silent": one.silent,
            "cached": x,
        }
        for one, x in zip(recent.conversations, cached, strict=True)
    ]


def exact_rows(model: BeliefMDP, policies: Sequence[ScoreRule], **options: Any) -> list[dict[str, Any]]:
    """Return each value in fractions, in the finite model, by the reference: for small models."""
    if options.pop("average"):
        raise ArgumentError("exact", "the average", "turns or a discount")
    options.pop("most")
    slots, ahead = asked(model, options.get("discount"), options.get("silent"), options.get("turns"))
    found = {}
    for name, policy in (("optimum", None), *((policy.name, policy) for policy in policies)):
        finite = Forgetful(model, slots.silent, ahead.discount)
        begun = [(p, finite.here(recent, x)) for p, recent, x in starts(model)]
        turns = ahead.turns
        of_turns = (p * finite.value(at, turns, policy) for p, at in begun) if turns else ()
        found[name] = sum(of_turns, Fraction(0)) if turns else finite.best(policy=policy)
    best = found["optimum"]
    return [
        {"policy": name, "saving": str(value), "regret": str(best - value), "percent": _share(best - value, best)}
        for name, value in found.items()
    ]


def _share(part: Fraction, whole: Fraction) -> float:
    return float(100 * part / whole) if whole else 0.0


def read_rule(text: str) -> ScoreRule:
    """Read a policy: lru, tlru, et-lru (index=belief) or et-lru:index=printed."""
    found = POLICIES.get("et-lru:index=belief" if text == "et-lru" else text)
    if found is None:
        raise ArgumentError("policy", text, "one of " + ", ".join(POLICIES))
    return found

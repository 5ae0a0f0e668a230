"""Policies by the short form of the command line, such as ``tlru:xi=2800,q_hat=200``, wherever Python takes one.

Sizes in a short form are tokens, ``xi=200ms`` is a time. A prompt estimate that is left out is the mean prompt of
the turns that continue a conversation, rounded up; a threshold that is left out is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import Parameter, signature
from typing import Any

from teltheory.cost.given import Units
from teltheory.cost.latency_files import MEASURED
from teltheory.errors import ArgumentError
from teltheory.model.units import Time
from teltheory.policies.policy import unread_lengths


def policy_of(policy: Any, trace: Any, units: Units | None = None, xi: int | None = None) -> Any:
    """Return the policy of a short form, in the trace's unit; what is no text, or a sequence with none, unchanged.

    Parameters
    ----------
    policy : str, Policy, or a sequence of them
        Of tiers one for each, or a text such as ``lru+tlru:xi=2800``.
    trace : Trace, Forest or ModuleTrace
        What it is for.
    units : Units, optional
        They have the latency that makes tokens of a threshold in seconds.
    xi : int, optional
        The threshold of a short form without one, in the trace's unit.
    """
    if isinstance(policy, (list, tuple)):
        return type(policy)([policy_of(one, trace, units, xi) for one in policy])
    if hasattr(policy, "told"):
        return policy.around(policy_of(policy.policy, trace, units, xi))
    if not isinstance(policy, str):
        return in_numbers(policy, trace, units)
    from teltheory.policies.spec import DEFAULT_CUTOFF, FOR_SLOS, default_estimate, in_blocks, parse_policies

    spec = parse_policies(policy)
    if not FOR_SLOS.keys().isdisjoint(spec.names):
        raise ArgumentError("policy", policy, "the policy itself, as SLOTLRU(latency=..., slo=...): it has an SLO")
    if xi is None and spec.needs("xi"):
        missing = " or ".join(f"'{policy}{',' if ':' in policy else ':'}xi={xi}'" for xi in ("2800", "200ms"))
        raise ArgumentError("policy", policy, f"its threshold with it, such as {missing}")
    if spec.rules is not None:
        raise ArgumentError("policy", policy, f"the rules beside it: rules={spec.rules!r}")
    latency = (units or Units.of(trace)).own_latency
    if latency is None and any(isinstance(value, Time) for _, value in spec.given):
        names = " or ".join(map(repr, MEASURED))
        raise ArgumentError(
            "policy", policy, f"a threshold in tokens, or the model whose TTFT it is: model={names}"
        )
    estimate = default_estimate(trace) * (trace.block_size // trace.scale)
    built = spec.build((xi or 0) * trace.block_size, estimate, DEFAULT_CUTOFF, latency)
    return in_blocks(built, trace.block_size)


def in_numbers(policy: Any, trace: Any, units: Units | None = None) -> Any:
    """Return a policy whose lengths are numbers in the trace's unit: text is read, an estimate filled in."""
    unread = unread_lengths(policy)
    if not unread:
        return policy
    from teltheory.policies.spec import default_estimate

    known = units or Units.of(trace)
    read = {"xi": known.xi, "q_hat": known.estimate, "cutoff": known.capacity}
    found = {name: read[name](text, name) for name, text in unread.items() if text is not None}
    left_out = {name: -(-default_estimate(trace) // trace.scale) for name in unread.keys() - found.keys()}
    return replace(policy, **found, **left_out)


def takes_estimate(made: Callable[..., Any]) -> bool:
    """Whether the second parameter must be given, or is called q_hat."""
    try:
        parameters = signature(made).parameters.values()
    except ValueError:
        return True
    by_position = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    second = [one for one in parameters if one.kind in by_position][1:2]
    return any(one.name == "q_hat" or one.default is Parameter.empty for one in second)


def family_of(policy: Any) -> Callable[..., Any]:
    """Return what makes a policy of xi, or of xi and q_hat: a callable, a short form, a policy itself."""
    if not isinstance(policy, str):
        return policy if callable(policy) else lambda xi: policy
    from teltheory.policies.spec import parse_policy

    spec = parse_policy(policy)
    if any(isinstance(value, Time) for _, value in spec.given):
        raise ArgumentError("policy", policy, "a threshold in tokens, or none: small traces have no latency")
    if spec.needs("q_hat"):
        return spec.build
    return lambda xi: spec.build(xi, 0)


def maker_of(policy: Any, argument: str = "policy") -> Callable[[int, int], Any]:
    """Return what makes a policy of a threshold and an estimate: a callable, or a short form without its xi.

    A callable may take the threshold alone.
    """
    if not (callable(policy) or isinstance(policy, str)):
        raise ArgumentError(argument, policy, "what makes one of xi and q_hat, or of xi, such as its class")
    if not isinstance(policy, str):
        return policy if takes_estimate(policy) else lambda xi, q_hat: policy(xi)
    from teltheory.policies.spec import parse_policy

    spec = parse_policy(policy)
    if not spec.needs("xi"):
        expected = "a policy whose xi is left to be chosen, such as tlru:trim=eager"
        raise ArgumentError(argument, policy, expected)
    return spec.build

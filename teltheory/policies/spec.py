"""The short form of policies on the command line, such as ``tlru:xi=2800,q_hat=200``.

What a short form leaves out comes from `Defaults`: the threshold from the command, the prompt estimate from the
trace, the cutoff 1024.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.latency import A100_LLAMA2_7B, Latency
from teltheory.numbers import exact_sum
from teltheory.policies.adaptive import AdaptiveTLRU
from teltheory.policies.clairvoyant import Belady, EndAwareTLRU, LengthAwareTLRU, TailOptimizedBelady
from teltheory.policies.online import LRU, SLOTLRU, TLRU, ThresholdLRU
from teltheory.policies.policy import Policy
from teltheory.trace import Trace

POLICIES: dict[str, type[Any]] = {
    "lru": LRU,
    "threshold-lru": ThresholdLRU,
    "tlru": TLRU,
    "end-aware": EndAwareTLRU,
    "length-aware": LengthAwareTLRU,
    "belady": Belady,
    "tail-optimized-belady": TailOptimizedBelady,
}
FOR_SLOS: dict[str, type[Any]] = {"slo-tlru": SLOTLRU}
"""Policies that need a latency model and a threshold in seconds, which the command has and no short form names."""
ON_REQUEST: dict[str, type[Any]] = {"adaptive": AdaptiveTLRU}
"""Policies that no command takes by itself."""
SHARES = ("quantile", "share", "hysteresis")
NAMED = POLICIES | FOR_SLOS | ON_REQUEST

DEFAULT_CUTOFF = 1024


Value: TypeAlias = int | str | Fraction


@dataclass(frozen=True)
class Spec:
    """A policy's name and the parameters that were given.

    Attributes
    ----------
    name : str
        A key of `NAMED`.
    given : tuple of (str, int, str or Fraction)
        Parameters, in the order given.
    """

    name: str
    given: tuple[tuple[str, Value], ...] = ()

    @property
    def text(self) -> str:
        """The short form."""
        parameters = ",".join(f"{key}={value}" for key, value in self.given)
        return f"{self.name}:{parameters}" if parameters else self.name

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all parameters of the policy."""
        named = fields(NAMED[self.name])
        return tuple(f.name for f in named if f.init and f.name not in ("latency", "slo"))

    def needs(self, parameter: str) -> bool:
        """Whether the policy has this parameter and it was left out."""
        return parameter in self.parameters and parameter not in dict(self.given)

    def build(
        self,
        xi: int,
        q_hat: int,
        cutoff: int = DEFAULT_CUTOFF,
        latency: Latency | None = None,
        slo: Fraction | None = None,
    ) -> Policy:
        """Make the policy; the arguments fill in what was left out.

        Raises
        ------
        ArgumentError
            For a policy of `FOR_SLOS` without a latency model or an SLO.
        """
        defaults: dict[str, Value] = {"xi": xi, "q_hat": q_hat, "cutoff": cutoff}
        left_out = {key: value for key, value in defaults.items() if self.needs(key)}
        if self.name in FOR_SLOS:
            if latency is None or slo is None:
                raise ArgumentError("policy", self.text, "thresholds in seconds with it, --slo")
            return SLOTLRU(latency, slo, **{**left_out, **dict(self.given)})  # type: ignore[arg-type]
        policy: Policy = NAMED[self.name](**{**left_out, **dict(self.given)})
        return policy


def parse_policy(text: str) -> Spec:
    """Read a policy's short form.

    Raises
    ------
    ArgumentError
        For an unknown policy or parameter, or a value that is no whole number or share where one is expected.
    """
    name, _, rest = text.partition(":")
    if name not in NAMED:
        raise ArgumentError("policy", name, "one of " + ", ".join(NAMED))
    spec = Spec(name)
    given: dict[str, Value] = {}
    for item in rest.split(",") if rest else ():
        key, equals, value = item.partition("=")
        if not equals or key not in spec.parameters or key in given:
            expected = ", ".join(f"{p}=..." for p in spec.parameters) or "no parameter"
            raise ArgumentError(f"policy {name}", item, f"{expected}, each at most once")
        given[key] = _value(f"policy {name}", key, value)
    spec = Spec(name, tuple(given.items()))
    spec.build(xi=0, q_hat=0, latency=A100_LLAMA2_7B, slo=Fraction(0))
    return spec


def _value(policy: str, key: str, text: str) -> Value:
    if key == "trim":
        return text
    return (_share if key in SHARES else _whole)(f"{policy}, {key}", text)


def _share(argument: str, text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ArgumentError(argument, text, "a share such as 0.95 or 19/20") from None


def _whole(argument: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ArgumentError(argument, text, "a whole number, 0 or more")
    return int(text)


def default_estimate(trace: Trace) -> int:
    """Return the mean prompt of the turns that continue a conversation, rounded up; 0 where none does."""
    prompts = trace.prompt[trace.continuing]
    return -(-exact_sum(np.asarray(prompts)) // len(prompts)) if len(prompts) else 0

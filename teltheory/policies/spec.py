"""The short form of policies on the command line, such as ``tlru:xi=2800,q_hat=200``.

What a short form leaves out comes from the command or the trace: the threshold, the prompt estimate, the cutoff
1024.

Another package adds policies by entry points of the group ``teltheory.policies``: a name, and a frozen dataclass
whose fields are the parameters. Fields called xi, q_hat and cutoff are filled in as the toolkit's own; fields that
are ``int`` or ``Fraction`` are read as such, any other as text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeAlias

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.latency import A100_LLAMA2_7B, Latency
from teltheory.numbers import exact_sum, read_fraction
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
NAMED = POLICIES | FOR_SLOS | ON_REQUEST
GROUP = "teltheory.policies"
"""Entry points of other packages: the name of a policy, and its frozen dataclass."""

DEFAULT_CUTOFF = 1024


Value: TypeAlias = int | str | Fraction


@dataclass(frozen=True)
class Spec:
    """A policy's name and the parameters that were given.

    Attributes
    ----------
    name : str
        A key of `NAMED`, or an entry point of `GROUP`.
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
        named = fields(policy_class(self.name))
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
        policy: Policy = policy_class(self.name)(**{**left_out, **dict(self.given)})
        return policy


def others() -> dict[str, EntryPoint]:
    """Return the policies of other packages by name; a name of the toolkit's own stays its own."""
    return {point.name: point for point in entry_points(group=GROUP) if point.name not in NAMED}


def policy_class(name: str) -> type[Any]:
    """Return the class of a policy.

    Raises
    ------
    ArgumentError
        For an unknown name, or an entry point that cannot be loaded or is no dataclass.
    """
    if name in NAMED:
        return NAMED[name]
    found = others()
    if name not in found:
        raise ArgumentError("policy", name, "one of " + ", ".join((*NAMED, *found)))
    try:
        loaded = found[name].load()
    except Exception as error:
        raise ArgumentError(
            "policy", name, f"an entry point that can be loaded ({found[name].value}: {error})"
        ) from None
    if not (isinstance(loaded, type) and is_dataclass(loaded)):
        raise ArgumentError("policy", name, f"a dataclass as {found[name].value}")
    return loaded


def parse_policy(text: str) -> Spec:
    """Read a policy's short form.

    Raises
    ------
    ArgumentError
        For an unknown policy or parameter, or a value that is no whole number or share where one is expected.
    """
    name, _, rest = text.partition(":")
    kinds = {field.name: _kind(field.type) for field in fields(policy_class(name))}
    spec = Spec(name)
    given: dict[str, Value] = {}
    for item in rest.split(",") if rest else ():
        key, equals, value = item.partition("=")
        if not equals or key not in spec.parameters or key in given:
            expected = ", ".join(f"{p}=..." for p in spec.parameters) or "no parameter"
            raise ArgumentError(f"policy {name}", item, f"{expected}, each at most once")
        given[key] = READERS[kinds[key]](f"policy {name}, {key}", value)
    spec = Spec(name, tuple(given.items()))
    spec.build(xi=0, q_hat=0, latency=A100_LLAMA2_7B, slo=Fraction(0))
    return spec


def _kind(annotation: object) -> str:
    """Return how a field is read: a whole number, a share, or text for anything else."""
    name = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    return name if name in READERS else "str"


def _share(argument: str, text: str) -> Fraction:
    return read_fraction(argument, text, "a share such as 0.95 or 19/20")


def _whole(argument: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ArgumentError(argument, text, "a whole number, 0 or more")
    return int(text)


def _text(argument: str, text: str) -> str:
    return text


READERS: dict[str, Callable[[str, str], Value]] = {"int": _whole, "Fraction": _share, "str": _text}


def default_estimate(trace: Trace) -> int:
    """Return the mean prompt of the turns that continue a conversation, rounded up; 0 where none does."""
    prompts = trace.prompt[trace.continuing]
    return -(-exact_sum(np.asarray(prompts)) // len(prompts)) if len(prompts) else 0

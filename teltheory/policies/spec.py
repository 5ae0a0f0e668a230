"""The short form of policies on the command line, such as ``tlru:xi=2800,q_hat=200``.

What a short form leaves out comes from the command or the trace: the threshold, the prompt estimate, the cutoff
1024.

Another package adds policies by entry points of the group ``teltheory.policies``: a name, and a frozen dataclass
whose fields are the parameters. Fields called xi, q_hat and cutoff are filled in as the toolkit's own; fields that
are ``int``, ``float`` or ``Fraction`` are read as such, any other as text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
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


Value: TypeAlias = int | float | str | Fraction


@dataclass(frozen=True)
class Spec:
    """A policy's name and the parameters that were given.

    Attributes
    ----------
    name : str
        A key of `NAMED`, or an entry point of `GROUP`.
    given : tuple of (str, int, float, str or Fraction)
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
        from_command = ("latency", "slo") if self.name in FOR_SLOS else ()
        return tuple(f.name for f in fields(policy_class(self.name)) if f.init and f.name not in from_command)

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
            For a policy of `FOR_SLOS` without a latency model or an SLO, and for parameters that another package's
            policy lacks or refuses.
        """
        defaults: dict[str, Value] = {"xi": xi, "q_hat": q_hat, "cutoff": cutoff}
        left_out = {key: value for key, value in defaults.items() if self.needs(key)}
        if self.name in FOR_SLOS:
            if latency is None or slo is None:
                raise ArgumentError("policy", self.text, "thresholds in seconds with it, --slo")
            return SLOTLRU(latency, slo, **{**left_out, **dict(self.given)})  # type: ignore[arg-type]
        parameters = {**left_out, **dict(self.given)}
        if self.name not in NAMED:
            return self._of_another_package(parameters)
        policy: Policy = NAMED[self.name](**parameters)
        return policy

    def _of_another_package(self, parameters: Mapping[str, Value]) -> Policy:
        made_by = policy_class(self.name)
        for field in fields(made_by):
            required = field.init and field.default is MISSING and field.default_factory is MISSING
            if required and field.name not in parameters:
                raise ArgumentError("policy", self.text, f"{field.name}=... with it")
        try:
            policy: Policy = made_by(**parameters)
        except (TypeError, ValueError) as error:
            raise ArgumentError("policy", self.text, f"parameters that its class takes ({error})") from None
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
    """Return how a field is read: the name of a type in `READERS`, that of text for anything else."""
    name = annotation.__name__ if isinstance(annotation, type) else str(annotation).rpartition(".")[2]
    return name if name in READERS else "str"


def _share(argument: str, text: str) -> Fraction:
    return read_fraction(argument, text, "a share such as 0.95 or 19/20")


def _number(argument: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ArgumentError(argument, text, "a number such as 2.5")
    return number


def _whole(argument: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ArgumentError(argument, text, "a whole number, 0 or more")
    return int(text)


def _text(argument: str, text: str) -> str:
    return text


READERS: dict[str, Callable[[str, str], Value]] = {
    "int": _whole,
    "float": _number,
    "Fraction": _share,
    "str": _text,
}


def default_estimate(trace: Trace) -> int:
    """Return the mean prompt of the turns that continue a conversation, rounded up; 0 where none does."""
    prompts = trace.prompt[trace.continuing]
    return -(-exact_sum(np.asarray(prompts)) // len(prompts)) if len(prompts) else 0

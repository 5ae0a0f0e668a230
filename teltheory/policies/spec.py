"""The short form of policies on the command line, such as ``tlru:xi=2800,q_hat=200``.

A policy is a dataclass in a module of this package that says its `name`, and what makes one: its fields, or the
classmethod that `made_by` names. What a short form leaves out comes from the command or the trace: the threshold,
the prompt estimate, the cutoff 1024. Whole numbers may be written as sizes are (``q_hat=0.2k``), a threshold as a
time too (``xi=200ms``), and a name in capitals or not, with its hyphens or not. ``mine.py:Class`` is a policy of
a file (`teltheory.policies.own_files`).

Another package adds policies by entry points of the group ``teltheory.policies``: a name, and a frozen dataclass
whose fields are the parameters. Fields called xi, q_hat and cutoff are filled in as the toolkit's own; fields that
are ``int``, ``float`` or ``Fraction`` are read as such, any other as text.
"""

import re
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import cached_property, lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import Parameter, Signature, signature
from pkgutil import walk_packages
from types import ModuleType
from typing import Any, TypeAlias

from teltheory import policies
from teltheory.cost.latency import A100_LLAMA2_7B, Latency
from teltheory.errors import ArgumentError
from teltheory.model.numbers import exact_sum
from teltheory.model.requests import Requests
from teltheory.model.units import Time
from teltheory.policies.own_files import class_in_file, is_in_file, parted
from teltheory.policies.parameters import READERS, Value, kind_of, read_threshold
from teltheory.policies.policy import Policy

__all__ = ["default_estimate", "parse_policy"]


def named_in(package: ModuleType) -> dict[str, type[Any]]:
    """Return the policies of a package by name: the classes of its modules that say a name themselves."""
    modules = [import_module(found.name) for found in walk_packages(package.__path__, f"{package.__name__}.")]
    return {
        vars(kind)["name"]: kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == module.__name__
        if isinstance(vars(kind).get("name"), str)
    }


_FOUND = {name: kind for name, kind in named_in(policies).items() if not hasattr(kind, "on")}
"""Policies of traces and forests; one with `on` is for a trace of applications, which `apps replay` reads."""
ONLINE = ("lru", "fifo", "lfu", "slru", "gdsf", "2q", "s3-fifo", "threshold-lru", "tlru")
CLAIRVOYANT = ("end-aware", "length-aware", "belady", "tail-optimized-belady")
"""Policies that need no file and no fit, and run on traces and forests; none is another one without parameters."""
POLICIES = {name: _FOUND[name] for name in ("lru", "threshold-lru", "tlru", *CLAIRVOYANT)}
"""Policies that a command takes by itself where not all of `ONLINE` run, in the order of its tables."""
FOR_SLOS = {name: kind for name, kind in _FOUND.items() if {"latency", "slo"} <= signature(kind).parameters.keys()}
"""Policies that need a latency model and a threshold in seconds, which the command has and no short form names."""
NAMED = POLICIES | FOR_SLOS | _FOUND
GROUP = "teltheory.policies"
"""Entry points of other packages: the name of a policy, and its frozen dataclass."""

DEFAULT_CUTOFF = 1024
RULES = "rules"
"""What every short form may name beside its parameters: the rules of the cache that the policy has for itself."""
OPTIMA = ("hindsight", "optimum")
NO_POLICY = (
    "a policy: the hindsight optimum is none. replay has the distance to it as regret, curve draws it as "
    "hindsight, and teltheory optimum, or hindsight_optimum in Python, finds it"
)
BETWEEN_TIERS = "+"
IN_TOKENS = ("xi", "q_hat", "cutoff")
"""Parameters that are lengths."""


@dataclass(frozen=True)
class Spec:
    """A policy's name and the parameters that were given, in that order."""

    name: str
    given: tuple[tuple[str, Value], ...] = ()

    @cached_property
    def kind(self) -> type[Any]:
        """The class of the policy."""
        return policy_class(self.name)

    @property
    def text(self) -> str:
        """The short form."""
        parameters = ",".join(f"{key}={value}" for key, value in self.given)
        return f"{self.name}:{parameters}" if parameters else self.name

    @property
    def rules(self) -> str | None:
        """The rules of the cache that the policy has for itself, as text; None if it takes those of the others."""
        found = dict(self.given).get(RULES)
        return None if found is None else str(found)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the policy, alone."""
        return (self.name,)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all parameters of the policy."""
        from_command = ("latency", "slo", "block_size") if self.name in FOR_SLOS else ()
        return tuple(name for name in parameters_of(self.kind) if name not in from_command)

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
        """Make the policy; the arguments fill in what was left out, and a latency model makes seconds tokens."""
        defaults: dict[str, Value] = {"xi": xi, "q_hat": q_hat, "cutoff": cutoff}
        left_out = set(self.parameters) - set(dict(self.given))
        parameters = {key: value for key, value in defaults.items() if key in left_out}
        parameters |= {key: self._in_tokens(value, latency) for key, value in self.given if key != RULES}
        if self.name in FOR_SLOS:
            if latency is None or slo is None:
                raise ArgumentError("policy", self.text, "thresholds in seconds with it, --slo")
            return self._made({**parameters, "latency": latency, "slo": slo})
        for name, parameter in parameters_of(self.kind).items():
            if parameter.default is Parameter.empty and name not in parameters:
                example = getattr(self.kind, "example", "")
                raise ArgumentError("policy", self.text, f"{name}=... with it{example and f', as {example}'}")
        return self._made(parameters)

    def _in_tokens(self, value: Value, latency: Latency | None) -> Value:
        if not isinstance(value, Time):
            return value
        if latency is None:
            raise ArgumentError("policy", self.text, "a threshold in tokens: there is no latency here")
        return latency.threshold(value.seconds)

    def _made(self, parameters: Mapping[str, Any]) -> Policy:
        try:
            policy: Policy = maker(self.kind)(**parameters)
        except (TypeError, ValueError) as error:
            if self.name in NAMED:
                raise
            raise ArgumentError("policy", self.text, f"parameters that its class takes ({error})") from None
        return policy


@dataclass(frozen=True)
class SpecOfEach:
    """A policy for each tier of memory, fastest first, such as ``lru+tlru:xi=200ms``."""

    specs: tuple[Spec, ...]
    rules: None = None

    @property
    def text(self) -> str:
        """The short form."""
        return BETWEEN_TIERS.join(spec.text for spec in self.specs)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the policies."""
        return tuple(spec.name for spec in self.specs)

    @property
    def given(self) -> tuple[tuple[str, Value], ...]:
        """All parameters that were given."""
        return tuple(pair for spec in self.specs for pair in spec.given)

    def needs(self, parameter: str) -> bool:
        """Whether one of the policies has this parameter and it was left out."""
        return any(spec.needs(parameter) for spec in self.specs)

    def build(self, *given: Any) -> tuple[Policy, ...]:
        """Make the policies; see `Spec.build`."""
        return tuple(spec.build(*given) for spec in self.specs)


@dataclass(frozen=True)
class AtHand:
    """A policy in the place of a short form, or its class: then xi, q_hat and cutoff are filled in."""

    policy: Any
    rules: None = None

    @property
    def text(self) -> str:
        """The class's name, or the policy as Python shows it."""
        return self.policy.__name__ if isinstance(self.policy, type) else repr(self.policy)

    def build(self, xi: int, q_hat: int, cutoff: int, *_: Any) -> Policy:
        """Return the policy, or make it; see `Spec.build`."""
        given, made = {"xi": xi, "q_hat": q_hat, "cutoff": cutoff}, isinstance(self.policy, type)
        policy: Policy = self.policy(**_asked(self.policy, given)) if made else self.policy
        return policy


def _asked(kind: type[Any], given: Mapping[str, int]) -> dict[str, int]:
    return {name: given[name] for name in _signature(kind).parameters if name in given}


AnySpec: TypeAlias = Spec | SpecOfEach


def maker(kind: type[Any]) -> Callable[..., Any]:
    """Return what makes a policy of the parameters of its short form."""
    found: Callable[..., Any] = getattr(kind, vars(kind).get("made_by", ""), kind)
    return found


def parameters_of(kind: type[Any]) -> Mapping[str, Parameter]:
    """Return the parameters of a policy's short form."""
    return _signature(maker(kind)).parameters


_signature: Callable[[Any], Signature] = lru_cache(signature)  # a sweep asks for every job


def others() -> dict[str, EntryPoint]:
    """Return the policies of other packages by name, without those whose name the toolkit has itself."""
    return {point.name: point for point in _registered(tuple(sys.path)) if point.name not in NAMED}


@lru_cache
def _registered(_: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Return the policies of all packages on a path, which is read once: each package has a file of its own."""
    return tuple(entry_points(group=GROUP))


def policy_class(name: str) -> type[Any]:
    """Return the class of a policy; one of another package is a dataclass with a name that the toolkit has not."""
    if is_in_file(name):
        return class_in_file(name)
    if name in NAMED:
        for point in (one for one in _registered(tuple(sys.path)) if one.name == name):
            place = f"entry point {point.name} = {point.value} of {point.dist.name if point.dist else 'a package'}"
            raise ArgumentError("policy", name, f"another name in {place}: the toolkit has a policy of this name")
        return NAMED[name]
    found = others()
    if name not in found:
        raise unknown(name, (*NAMED, *found))
    try:
        loaded = found[name].load()
    except Exception as error:
        raise ArgumentError(
            "policy", name, f"an entry point that can be loaded ({found[name].value}: {error})"
        ) from None
    if not (isinstance(loaded, type) and is_dataclass(loaded)):
        raise ArgumentError("policy", name, f"a dataclass as {found[name].value}")
    return loaded


def unknown(name: str, known: Sequence[str]) -> ArgumentError:
    """Return the error for a name that no policy has; the nearest stands first."""
    if usual(name.partition(":")[0]).lower() in OPTIMA:
        return ArgumentError("policy", name, NO_POLICY)
    nearest = "".join(f"{one}, or " for one in get_close_matches(name.partition(":")[0].lower(), known, 1))
    return ArgumentError("policy", name, f"{nearest}one of " + ", ".join(known))


def parse_policy(text: str) -> Spec:
    """Read a policy's short form.

    Raises
    ------
    ArgumentError
        For an unknown policy or parameter, or a value that is not what its parameter takes.
    """
    written, rest = parted(text)
    name = usual(written)
    spec = Spec(name)
    kinds = {RULES: "str"} | {key: kind_of(one.annotation) for key, one in parameters_of(spec.kind).items()}
    given: dict[str, Value] = {}
    for item in rest.split(",") if rest else ():
        key, equals, value = item.partition("=")
        if not equals or key not in (*spec.parameters, RULES) or key in given:
            expected = ", ".join(f"{p}=..." for p in spec.parameters) or "no parameter"
            raise ArgumentError(f"policy {name}", item, f"{expected}, each at most once")
        read = read_threshold if key == "xi" and kinds[key] == "int" else READERS[kinds[key]]
        given[key] = read(f"policy {name}, {key}", value)
    spec = Spec(name, tuple(given.items()))
    spec.build(xi=0, q_hat=0, latency=A100_LLAMA2_7B, slo=Fraction(0))
    return spec


def parse_policies(text: str) -> AnySpec:
    """Read the short form of a policy, or of one for each tier of memory with a plus between them."""
    specs = tuple(map(parse_policy, _between_tiers(text)))
    if len(specs) > 1 and any(spec.rules for spec in specs):
        raise ArgumentError("policy", text, "no rules of a tier: tiers have none")
    return specs[0] if len(specs) == 1 else SpecOfEach(specs)


def _between_tiers(text: str) -> list[str]:
    """Return the short forms between pluses; a plus in a parameter is its own, unless a policy's name follows."""
    first, *rest = re.split(r"\+(?=[a-z./~])", text, flags=re.IGNORECASE)
    found = [first]
    for part in rest:
        name = usual(parted(part)[0])
        if "=" in found[-1] and name not in NAMED and name not in others() and not is_in_file(name):
            found[-1] += BETWEEN_TIERS + part
        else:
            found.append(part)
    return found


def as_spec(policy: Any, read: Callable[[str], AnySpec]) -> Any:
    """Return what makes a policy: of a short form, which is read, of a policy or its class; a spec unchanged."""
    if isinstance(policy, str):
        return read(policy)
    if hasattr(policy, "build"):
        return policy
    if not (is_dataclass(policy) and isinstance(policy, Hashable)):
        raise ArgumentError("policies", policy, "short forms such as 'tlru', or frozen dataclasses")
    return AtHand(policy)


def policy_texts(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the short forms of an option that is repeated, or lists them between commas.

    A comma before a parameter, ``key=value``, belongs to the policy; any other begins the next one.
    """
    found: list[str] = []
    for text in texts:
        first, *rest = text.split(",")
        found.append(first)
        for part in rest:
            if "=" in part.partition(":")[0]:
                found[-1] += f",{part}"
            else:
                found.append(part.strip())
    return tuple(found)


def usual(name: str) -> str:
    """Return a policy's name as it is usually written, whatever its capitals, and T-LRU for tlru."""
    if name.lower() in NAMED or is_in_file(name):
        return name if is_in_file(name) else name.lower()
    found = others()
    near = (one for one in (*found, *NAMED) if _plain(one) == _plain(name))
    return name if name in found else next(near, name)


def _plain(name: str) -> str:
    return name.lower().replace("-", "")


def default_estimate(trace: Requests) -> int:
    """Return the mean prompt of the turns that continue a conversation, rounded up; 0 if none does.

    Of module sets it is the rest of the request, over all items that were used before.

    On a forest a prompt is what of a request's input no earlier request made available, in tokens, and those that
    continue something are the requests with a part that one did.
    """
    prompts = trace.continued_prompts
    return -(-exact_sum(prompts) // len(prompts)) if len(prompts) else 0


def in_blocks(policy: Any, block_size: int) -> Any:
    """Return a policy whose lengths are in tokens as one that counts blocks.

    As `Trace.to_blocks` has it, a prompt estimate is rounded up, a threshold or a cutoff down. Of policies for
    several tiers, each is, and of one that stands around another that one.
    """
    if block_size == 1:
        return policy
    if isinstance(policy, tuple):
        return tuple(in_blocks(each, block_size) for each in policy)
    named = {field.name for field in fields(policy) if field.init}
    if "policy" in named:
        return replace(policy, policy=in_blocks(policy.policy, block_size))
    if "block_size" in named:
        return replace(policy, block_size=block_size)
    if hasattr(policy, "latency"):
        raise ArgumentError("policy", policy.name, "one with a block_size, as its latency counts tokens")
    named &= {*IN_TOKENS}
    lengths = {name: getattr(policy, name) for name in sorted(named)}
    return replace(policy, **{name: _blocks(name, tokens, block_size) for name, tokens in lengths.items()})


def _blocks(name: str, tokens: int, block_size: int) -> int:
    return -(-tokens // block_size) if name == "q_hat" else tokens // block_size

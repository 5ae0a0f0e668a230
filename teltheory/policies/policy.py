"""What a policy is: a small frozen value that says what is worth keeping and what goes first.

At every cut (after each turn) a replay asks the policy, in this order:

1. `drops`: what is not kept at all, overflow or not;
2. `trim`: how surplus goes, which is what a conversation holds above its `budget`: with ``"eager"`` after
   every turn, otherwise only on overflow and only until the cache fits, either whole surpluses in the order
   of `trim_key` (``"least-recent"``) or one unit of each conversation per round (``"round-robin"``); None means
   the latter of private conversations, the former where requests share prefixes (`settled`);
3. `eviction_key`: on the overflow that is left, what goes first.

Conversations with the smallest key go first; among equals the least recent does. A rule sees a
`teltheory.policies.Node`. A rule that is marked `on_arrays` is asked once for all of them by the compiled loops.

A policy that works otherwise has one method, `cut`, instead, which lowers `Node.cached` itself. If that takes more
than the nodes (times, or what was seen so far), it has `bound_to` instead of `cut`: see `TimedPolicy`. A policy
whose rules change with what turns have computed so far has `observing`: see `ObservingPolicy`. One that watches
other caches beside its own has `shadows`: see `WatchingPolicy`. One of forests that remembers what its cache did
has `memory` beside its rules: see `RememberingPolicy`. One that listens to applications has `told`: see `Hinted`
in `teltheory.policies.hinted`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, Protocol, Self, TypeAlias, TypeGuard, get_args

from teltheory.errors import ArgumentError, shown
from teltheory.model.instance import ForestInstance, Instance
from teltheory.model.numbers import whole_number
from teltheory.model.requests import Requests
from teltheory.model.units import is_time, read_tokens
from teltheory.policies.memory import Memory
from teltheory.policies.node import Node, all_but, larger, on_arrays

Trim: TypeAlias = Literal["round-robin", "least-recent", "eager"]
TRIMS: tuple[Trim, ...] = get_args(Trim)
Mark: TypeAlias = Literal["high-water", "resident", "last"]
MARKS: tuple[Mark, ...] = get_args(Mark)
Budgets: TypeAlias = Literal["scaled", "flat"]
BUDGETS: tuple[Budgets, ...] = get_args(Budgets)
Length: TypeAlias = Annotated[Any, "length"]
"""A whole number in the requests' unit; or text, such as ``"2.8k"`` or ``"200ms"``, until requests read it."""
RULES = ("drops", "budget", "trim_key", "eviction_key")
OTHER_WAYS = ("cut", "bound_to", "observing", "shadows", "memory", "told")


def _methods(kind: type) -> list[str]:
    return [name for name, value in vars(kind).items() if callable(value) and name[0] != "_"]


class NotCompiledError(ArgumentError):
    """No compiled loop does what a policy does; the reference runs it."""


class LeastRecentlyUsed:
    """The rules of LRU, on which the other policies build; any value that has them is a policy by rules.

    Derive a frozen dataclass and override what differs, as docs/own-policies.md does. A method whose name is
    nearly that of a rule is an `ArgumentError`, and so is a policy with methods of its own and none of the rules.

    Attributes
    ----------
    trim : {"round-robin", "least-recent", "eager"} or None
        How surplus, what is held above `budget`, goes: a unit of each conversation a round; whole surpluses in the
        order of `trim_key`; all of it after every turn. None is what `settled` makes of it.
    """

    trim: Trim | None = "least-recent"
    _unasked: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        for name in _methods(cls):
            nearest = get_close_matches(name, (*RULES, *OTHER_WAYS), 1, 0.82)
            if nearest not in ([], [name]):
                raise ArgumentError(cls.__name__, name, f"the rule {nearest[0]}, or a name less like it")
        own = [kind for kind in cls.__mro__ if kind not in LeastRecentlyUsed.__mro__]
        rules = {name for kind in own for name in (*vars(kind), *vars(kind).get("__annotations__", ()))}
        is_lru = rules.isdisjoint((*RULES, *OTHER_WAYS))
        cls._unasked = tuple(name for kind in own for name in _methods(kind)) if is_lru else ()

    def __new__(cls, *_: object, **__: object) -> Self:  # noqa: D102
        if cls._unasked:
            rules = f"{', '.join(RULES)}, or {', '.join(OTHER_WAYS)} (docs/own-policies.md)"
            raise ArgumentError(cls.__name__, ", ".join(cls._unasked), f"one of the rules {rules}")
        return super().__new__(cls)

    @on_arrays
    def drops(self, node: Node, /) -> bool:
        """Return whether the conversation is not kept at all: no."""
        return False

    @on_arrays
    def budget(self, node: Node, /) -> int:
        """Return how much is worth keeping, at most the past: all of it."""
        return node.past

    @on_arrays
    def trim_key(self, node: Node, /) -> int:
        """Return the order of trimming, the smallest first: the least recent first."""
        return 0

    @on_arrays
    def eviction_key(self, node: Node, /) -> int:
        """Return the order of eviction, the smallest first: the least recent first."""
        return 0


Policy: TypeAlias = LeastRecentlyUsed


class CuttingPolicy(Protocol):
    """A policy that does the whole cut itself; with an attribute `forgets` that is true, see `cut`."""

    def cut(self, conversations: Sequence[Node], overflow: int) -> None:
        """Lower what is cached by at least `overflow` in all.

        Parameters
        ----------
        conversations : sequence of Node
            All that have arrived so far, least recent first; under forced caching without the arriving one. If
            the policy `forgets`, without those that a cut left nothing of and that have not arrived since.
        overflow : int
            What is cached above the capacity; 0 or less if the cache fits.
        """
        ...


class TimedPolicy(Protocol):
    """A policy whose cuts depend on arrival times, on who a conversation is, or on what was seen so far."""

    def bound_to(self, instance: Instance) -> Callable[[int], Policy | CuttingPolicy]:
        """Return what says for each turn of the instance, counted from 0, how to cut after it."""
        ...


Seen: TypeAlias = tuple[int, Callable[[Node], int]]
"""What a cache in shadow reused of a request, and what says how much it holds of a node after it."""


class WatchingPolicy(Protocol):
    """A policy that watches what other policies would have done so far."""

    def shadows(self, instance: Any) -> Sequence[Policy | TimedPolicy]:
        """Return the policies to replay beside it."""
        ...

    def beside(self, instance: Any) -> Callable[[int, Sequence[Seen]], Policy | CuttingPolicy]:
        """Return what says after each request how to cut, given what each shadow did."""
        ...


class ObservingPolicy(Protocol):
    """A policy whose rules change with what turns have computed so far, and with nothing else."""

    def observing(self) -> Callable[[int], Policy | CuttingPolicy]:
        """Return what takes the uncached length of each turn, in order, and says how to cut after it."""
        ...


class RememberingPolicy(Protocol):
    """A policy of forests, by rules, whose order of eviction depends on what its cache did."""

    def memory(self, instance: ForestInstance) -> Memory:
        """Return what remembers it during one replay."""
        ...


class ListeningPolicy(Protocol):
    """A policy that listens to what applications say of requests (`teltheory.policies.hinted`)."""

    def told(self, requests: Requests) -> Any:
        """Return what hears of requests and events during one replay."""
        ...


AnyPolicy: TypeAlias = (
    Policy | CuttingPolicy | TimedPolicy | WatchingPolicy | ObservingPolicy | RememberingPolicy | ListeningPolicy
)


def has_rules(policy: AnyPolicy) -> TypeGuard[Policy]:
    """Whether a policy works by rules, and does not cut itself, look at times or observe what turns computed."""
    return not any(hasattr(policy, method) for method in OTHER_WAYS)


def runs_on_forests(policy: AnyPolicy) -> TypeGuard[Policy]:
    """Whether a forest is replayed by a policy: it works by rules, with a memory or without."""
    return hasattr(policy, "budget") and not any(hasattr(policy, way) for way in OTHER_WAYS if way != "memory")


def refuse_chains(policy: AnyPolicy) -> None:
    """Raise `ArgumentError` for a policy with a memory, which needs a forest in tiers and on replicas."""
    if hasattr(policy, "memory"):
        raise ArgumentError("trace", "private conversations", f"a Forest in tiers for {policy!r}, as trace.forest")


def memory_of(policy: Any, instance: ForestInstance) -> Memory:
    """Return what a policy remembers with during one replay; `ArgumentError` if that is no `Memory`."""
    memory = policy.memory(instance)
    if not isinstance(memory, Memory):
        raise unlike(policy, "memory returns a Memory", memory)
    return memory


def unlike(policy: object, what: str, found: object) -> ArgumentError:
    """Return the error of a policy whose method returns what it should not."""
    return ArgumentError("policy", policy, f"one whose {what}, not {shown(found, 60)}")


def mark_of(policy: object) -> str:
    """Return what a forest takes for the past of a node: the longest path through it unless the policy says more.

    "high-water" is the longest so far, "resident" the longest since the node was last computed, "last" that of the
    last request, and "next" what the next request through the node will know.
    """
    return str(getattr(policy, "mark", None) or MARKS[0])


def own_loop(policy: AnyPolicy) -> str | None:
    """Return the name of the compiled loop that a policy's class says is its own.

    A derived class is another policy, and has none unless it says so itself.
    """
    return vars(type(policy)).get("loop") if getattr(policy, "has_kernel", True) else None


def prefers_kernel(policy: AnyPolicy) -> bool:
    """Whether long traces take the kernel: all rules are on arrays, or the policy has a loop of its own."""
    on_arrays = (getattr(getattr(policy, rule, None), "on_arrays", False) for rule in RULES)
    return own_loop(policy) is not None or (has_rules(policy) and all(on_arrays))


def tel_safe_budget(past: int, prompt: int, xi: int) -> int:
    """Return b = max(0, L + Q - xi), never more than L (Zhang et al. 2025, Section 1 and Figure 1)."""
    return all_but(past, larger(xi - prompt, 0))


def given_budgets(given: Any) -> Budgets:
    """Return what a policy was given for its budgets in tiers; its rule, if nothing, which copies hand on."""
    if callable(given):
        given = getattr(getattr(given, "__self__", None), "budgets", BUDGETS[0])
    if given not in BUDGETS:
        raise ArgumentError("budget", given, "one of " + ", ".join(BUDGETS))
    return given  # type: ignore[no-any-return]


def trim_left_out(rounds: bool) -> Trim:
    """Return how surplus goes under a policy that does not say so, given whether rounds have a meaning."""
    return "round-robin" if rounds else "least-recent"


def check_trim(trim: object) -> None:
    """Raise `ArgumentError` for what is no way of trimming; None is one that is left out."""
    if trim not in (None, *TRIMS):
        raise ArgumentError("trim", trim, "one of " + ", ".join(TRIMS))


def settled(policy: Any, requests: Requests | None = None, rounds: bool = True) -> Any:
    """Return a policy with a way of trimming: its own, or where it is left out that of the requests.

    Every replay asks this once, before it asks a policy for its rules. Of policies for several tiers, each is
    settled.

    Parameters
    ----------
    policy : Policy or a sequence of them
        What has no `trim` is returned as it is.
    requests : Requests, optional
        Rounds have a meaning if these are private.
    rounds : bool
        Whether they may have one at all: of nodes that go whole they have not.

    Raises
    ------
    ArgumentError
        For round-robin trimming where rounds have no meaning.
    """
    if isinstance(policy, (list, tuple)):
        return type(policy)([settled(one, requests, rounds) for one in policy])
    if unread_lengths(policy):
        expected = "lengths as whole numbers here; Problem, replay and serve read text, and fill in q_hat"
        raise ArgumentError("policy", policy, expected)
    trim = getattr(policy, "trim", TRIMS[1])
    if trim in TRIMS[1:]:
        return policy
    possible = rounds and (requests is None or requests.is_private)
    if trim is None:
        policy = copy(policy)
        object.__setattr__(policy, "trim", trim_left_out(possible))
    elif trim == TRIMS[0] and not possible:
        raise ArgumentError(
            "trim", trim, "least-recent, eager or no trim: rounds are of private conversations alone"
        )
    return policy


def checked_length(name: str, value: Any) -> Any:
    """Return a length of a policy: a whole number, text that requests will read, or no estimate yet."""
    if isinstance(value, str):
        return value if is_time(value) else str(read_tokens(name, value))
    return value if name == "q_hat" and value is None else whole_number(name, value)


def unread_lengths(policy: Any) -> dict[str, str | None]:
    """Return the lengths of a policy that are no numbers yet, by name."""
    names: tuple[str, ...] = _lengths_of(type(policy))  # type: ignore[arg-type]
    given = ((name, getattr(policy, name)) for name in names)
    return {name: value for name, value in given if value is None or isinstance(value, str)}


@lru_cache
def _lengths_of(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind) if one.type in (Length, "Length")) if is_dataclass(kind) else ()


def check_parameters(policy: Any) -> None:
    """Make the lengths among a policy's fields whole numbers, and check its way of trimming."""
    for name in ("xi", "q_hat", "cutoff"):
        if hasattr(policy, name):
            object.__setattr__(policy, name, checked_length(name, getattr(policy, name)))
    check_trim(policy.trim)
    if hasattr(type(policy), "mark") and policy.mark not in (None, *MARKS, "next"):
        raise ArgumentError("mark", policy.mark, "one of " + ", ".join(MARKS))

"""Whether a policy's rules look at turns that are still to come, which no server can do."""

from collections.abc import Iterator
from typing import Any

from teltheory.policies.node import Node
from teltheory.policies.policy import RULES

PASTS = tuple(10**power for power in range(8))
NEXT = ("next", "coming", "ended")
AHEAD = "looks at later turns, as no server can"


class _LookedError(Exception):
    """A rule looked at what it is not to see."""


class _Watched(Node):
    unseen: tuple[str, ...] = ()

    def __getattribute__(self, name: str) -> Any:
        if name in object.__getattribute__(self, "unseen"):
            raise _LookedError
        return super().__getattribute__(name)


def looks_ahead(policy: object) -> bool:
    """Whether a rule of a policy, or of one of several, looks at a node's next turn.

    What is told of the trace itself, as `bound_to` is, isn't seen.
    """
    return looks_at(policy, NEXT)


def looks_at(policy: object, names: tuple[str, ...]) -> bool:
    """Whether a rule of a policy, or of one of several, looks at any of these facts of a node.

    Rules are asked about nodes of several lengths.
    """
    if isinstance(policy, (list, tuple)):
        return any(looks_at(one, names) for one in policy)
    return any(_looks(getattr(policy, rule, None), past, names) for rule in RULES for past in PASTS)


def ahead(name: str, policy: object) -> Iterator[str]:
    """Yield a sentence about a policy, by its name, if it looks ahead."""
    if looks_ahead(policy):
        yield f"{name} {AHEAD}."


def _looks(rule: Any, past: int, names: tuple[str, ...]) -> bool:
    node = _Watched(0, past, past, None, 0, 0, 1, 0.0)
    node.unseen = names
    try:
        rule(node)
    except _LookedError:
        return True
    except Exception:  # what is wrong with a rule is said where it is replayed
        return False
    return False

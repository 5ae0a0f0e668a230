"""Whether a policy's rules look at turns that are still to come, which no server can do."""

from collections.abc import Iterator
from typing import Any

from teltheory.policies.node import Node
from teltheory.policies.policy import RULES

PASTS = tuple(10**power for power in range(8))
AHEAD = "looks at later turns, as no server can"


class _LookedError(Exception):
    """A rule looked at the next turn."""


class _Watched(Node):
    def __getattribute__(self, name: str) -> Any:
        if name in ("next", "coming", "ended"):
            raise _LookedError
        return super().__getattribute__(name)


def looks_ahead(policy: object) -> bool:
    """Whether a rule of a policy, or of one of several, looks at a node's next turn.

    Rules are asked about nodes of several lengths. What is told of the trace itself, as `bound_to` is, isn't seen.
    """
    if isinstance(policy, (list, tuple)):
        return any(map(looks_ahead, policy))
    return any(_looks(getattr(policy, rule, None), past) for rule in RULES for past in PASTS)


def ahead(name: str, policy: object) -> Iterator[str]:
    """Yield a sentence about a policy, by its name, if it looks ahead."""
    if looks_ahead(policy):
        yield f"{name} {AHEAD}."


def _looks(rule: Any, past: int) -> bool:
    try:
        rule(_Watched(0, past, past, None, 0, 0, 1, 0.0))
    except _LookedError:
        return True
    except Exception:  # what is wrong with a rule is said where it is replayed
        return False
    return False

"""Dynamic speculative pipelining: when a server begins a prefill for documents that may not be the answer.

After each stage of the search but the last (RAGCache, Jin et al. 2024, "dynamic speculative pipelining"):

1. If the request's generation has the documents of the moment, it goes on.
2. Else it is cancelled, and another one begins if the server admits it.

After the last stage, if the generation has the documents of the answer, its first token is returned, at once if it
is there already; else the request's generation begins now.

The paper wants the load kept under control and does not say how: whether a generation is admitted is a reading
with a name. `"always"`; `"queue:m"`, if at most m other generations wait or run; `"idle"`, which is `"queue:0"`;
and `"spare"`, which is `"idle"`, and the generation gives the GPU back as soon as one of known documents wants it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal, TypeAlias, get_args

from teltheory.errors import ArgumentError

Interruption: TypeAlias = Literal["at once", "after the iteration"]
INTERRUPTIONS: tuple[Interruption, ...] = get_args(Interruption)
RULES = '"always", "idle", "spare" or "queue:m" with a whole number m, or None'


@dataclass(frozen=True)
class Admission:
    """Up to how many other generations a speculative one begins, and whether it yields to those that are known."""

    others: float
    yields: bool = False

    @classmethod
    def of(cls, rule: str | None) -> Admission | None:
        """Read a rule; None for no speculation."""
        named = {"always": cls(inf), "idle": cls(0), "spare": cls(0, True)}
        if rule is None or rule in named:
            return None if rule is None else named[rule]
        name, _, most = rule.partition(":") if isinstance(rule, str) else ("", "", "")
        if name != "queue" or not (most.isascii() and most.isdigit()):
            raise ArgumentError("speculation", rule, RULES)
        return cls(int(most))

    def admits(self, others: int) -> bool:
        """Return whether a generation begins while so many others wait or run."""
        return others <= self.others

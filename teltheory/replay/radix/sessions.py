"""What sessions claim in a radix tree, as SGLang's `--enable-session-radix-cache` has it.

1. Agents are the sessions; a request of agent -1 has no session, and claims nothing.
2. A request that has ended *claims* the node at the end of its path for its session, and gives up the nearest
   claim that the session has above. So a branch that the session left stays claimed.
3. A node that goes hands its claims to the node above.
4. A close ends all claims of a session. What of the session runs then claims nothing.

Nodes that fewer sessions claim go first, before all else that the policy says. SGLang counts for each node the
claims at it and below it, two on what two branches share; but what goes has nothing below it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from teltheory.model.forest import Forest
from teltheory.model.hints import CLOSE, NO_AGENT, WHAT, Hints
from teltheory.model.numbers import IntArray, readonly


class Sessions(NamedTuple):
    """The session of each request, and the closes, told by the requests that they are about.

    Those that count at request k are ``closed[begin[k] : begin[k + 1]]``.
    """

    session: IntArray
    begin: IntArray
    closed: IntArray

    @classmethod
    def of(cls, forest: Forest, known: bool) -> Sessions:
        """Return the sessions of a forest, none if they are not known."""
        n, hints = len(forest), forest.hints or Hints.of_agents(forest.agents)
        if not known:
            nobody, none = np.full(n, NO_AGENT, np.int64), np.empty(0, np.int64)
            return cls(readonly(nobody), readonly(np.zeros(n + 1, np.int64)), readonly(none))
        agents, session = np.unique(hints.agent, return_inverse=True)
        cut, about = _closes(forest, hints)
        return cls(
            readonly(session.reshape(-1).astype(np.int64) - int((agents == NO_AGENT).any())),
            readonly(np.searchsorted(cut, np.arange(n + 1)).astype(np.int64)),
            readonly(about),
        )

    def closing(self, k: int) -> list[int]:
        """Return the requests whose sessions are closed when request k has come."""
        about: list[int] = self.closed[self.begin[k] : self.begin[k + 1]].tolist()
        return about


def _closes(forest: Forest, hints: Hints) -> tuple[IntArray, IntArray]:
    """Return at which request each close counts, and which request it is about, in order."""
    if forest.arrival is None:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    cut = hints.cuts(forest.arrival)
    counts = (hints.what == WHAT.index(CLOSE)) & ~hints.void(forest.arrival)
    order = np.argsort(cut[counts], kind="stable")
    return cut[counts][order], hints.request[counts][order]


class Claims:
    """The claims of one replay, in its reference; a node has `claims`, the sessions that claim it."""

    def __init__(self, sessions: Sessions) -> None:
        self.session, self.closing = sessions.session.tolist(), sessions.closing
        self.void: set[int] = set()

    def ended(self, k: int, leaf: Any) -> None:
        """Claim the end of a request's path."""
        session = self.session[k]
        if session < 0 or k in self.void or leaf.parent is None or session in leaf.claims:
            return
        for node in leaf.above():
            if session in node.claims:
                node.claims.remove(session)
                break
        leaf.claims.add(session)

    def close(self, about: int, running: range, nodes: list[Any]) -> None:
        """Close the session of a request, given what runs and all nodes."""
        session = self.session[about]
        if session >= 0:
            self.void.update(k for k in running if k <= about and self.session[k] == session)
            for node in nodes:
                node.claims.discard(session)

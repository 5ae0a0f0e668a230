"""Which sessions use a node of a radix tree, as SGLang's `--enable-session-radix-cache` has it.

1. Agents are the sessions; a request of agent -1 has none.
2. A session uses a node once a request of it through the node has ended, as long as the node is there and until
   the session is closed. So it goes on using a branch that it left. What of it runs at the close uses nothing.
3. Nodes with fewer users go first, before all else that the policy says.

SGLang gets there otherwise. A session refers to the end of its path, moves that reference forward along the path,
and hands it to the node above when a node goes; what branches share counts once for each. For what may go, as
nothing is below it, the numbers are the same. `nodes.c` does it that way too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from teltheory.model.forest import Forest
from teltheory.model.hints import CLOSE, NO_AGENT, WHAT, Hints
from teltheory.model.numbers import IntArray, readonly


class RadixSessions(NamedTuple):
    """The session of each request, and the closes, told by the requests that they are about.

    Those that count at request k are ``closed[begin[k] : begin[k + 1]]``.
    """

    session: IntArray
    begin: IntArray
    closed: IntArray

    @classmethod
    def of(cls, forest: Forest, known: bool) -> RadixSessions:
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
    counts = (hints.what == WHAT.index(CLOSE)) & ~hints.void(forest.arrival) & (cut < len(forest))
    order = np.argsort(cut[counts], kind="stable")
    return cut[counts][order], hints.request[counts][order]


class Users:
    """The users of nodes in one replay, for the reference; a node has `users`, a set of sessions."""

    def __init__(self, sessions: RadixSessions) -> None:
        self.session, self.closing = sessions.session.tolist(), sessions.closing
        self.void: set[int] = set()

    def ended(self, k: int, path: Iterable[Any]) -> None:
        """Let the session of a request that has ended use the nodes of its path."""
        if self.session[k] >= 0 and k not in self.void:
            for node in path:
                node.users.add(self.session[k])

    def close(self, about: int, running: Iterable[int], nodes: Iterable[Any]) -> None:
        """Close the session of a request, given what runs and all nodes."""
        session = self.session[about]
        if session >= 0:
            self.void.update(k for k in running if k <= about and self.session[k] == session)
            for node in nodes:
                node.users.discard(session)

"""A router that keeps an application together: prefix caches of the forest under Algorithm 1's affinity.

Parrot's Algorithm 1 (Lin et al. 2024) sends requests that share a prefix to one engine. Here an engine is a
replica with its cache, and what goes together is a group of requests:

1. The first request of a group goes to the replica with the least unfinished work.
2. Every later one goes there too, however much waits there.

With a group for each application its requests find what earlier ones left; with a group for each first node of a
forest's paths all that begin alike are together, across applications. In seconds and queues this is what
`teltheory.serving.serve` measures; the excess of applications is `teltheory.cost.applications` of its outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from teltheory.errors import ArgumentError
from teltheory.model.applications import ApplicationTrace
from teltheory.model.forest import Forest
from teltheory.model.trace import Trace
from teltheory.serving.view import View


@dataclass(frozen=True)
class GroupAffinity:
    """A router: requests of one group are served by one replica. `by_application` makes the groups.

    Parameters
    ----------
    groups : sequence of int, shape (n,)
        Group of each request, any numbers.
    """

    groups: Sequence[int]

    def begin(self, requests: Trace | Forest, replicas: int) -> GroupHomes:
        """Return what chooses during one run."""
        if len(self.groups) != len(requests):
            found = f"groups of {len(self.groups)} requests"
            raise ArgumentError("router", found, f"a group for each of {len(requests)}")
        return GroupHomes(tuple(self.groups), {})


@dataclass
class GroupHomes:
    """The replica of each group so far."""

    groups: tuple[int, ...]
    homes: dict[int, int]

    def choose(self, view: View) -> int:
        """Return the group's replica, the idlest one for the first of it."""
        return self.homes.setdefault(self.groups[view.turn], view.idlest)


def by_application(apps: ApplicationTrace) -> GroupAffinity:
    """Return the router with a group for each application."""
    return GroupAffinity(tuple(apps.application.tolist()))

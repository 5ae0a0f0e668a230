"""Requests as visits to items, which the loop of the three experts and the estimates of who returns look at.

An item of a forest is a piece (`teltheory.replay.trees.visits`); one of a trace is a conversation, all of which a
turn visits. What was there at first are visits of requests before the first one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.errors import ArgumentError
from teltheory.model.instance import ForestInstance, Instance
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.policies.learned.etlru import conversations_of
from teltheory.policies.learned.hazards import Estimates, WatchedVisits, cells, tag_numbers, tags_of
from teltheory.replay.trees.visits import Visits


class Walks(NamedTuple):
    """Items, visits and requests, as ``experts.c`` reads them; the first few requests stand for what was there.

    Attributes
    ----------
    parent, above : ndarray of int64, shape (items,)
        Item above each, -1 if there is none, and the units above it.
    start : ndarray of int64, shape (requests + 1,)
        First visit of each request.
    item, full, mark, rank : ndarray of int64, shape (visits,)
        What is visited; its units that are cached after the visit; how long a past it counts for; and its place by
        recency, of one request the deepest first.
    ask, inputs : ndarray of int64, shape (requests,)
        What requests may reuse, and their inputs, counted as results are.
    """

    parent: IntArray
    above: IntArray
    start: IntArray
    item: IntArray
    full: IntArray
    mark: IntArray
    rank: IntArray
    ask: IntArray
    inputs: IntArray

    @classmethod
    def of_turns(cls, instance: Instance) -> Walks:
        """Return the turns of conversations, those of the initial cache before them."""
        items, starts = conversations_of(instance), np.array(instance.initial, np.int64).reshape(-1, 4)
        codes, pasts, held = starts[:, :3].T
        item, full, mark = np.append(codes, instance.requests.code), np.append(held, instance.past), instance.past
        none, n = np.zeros_like(codes), len(item)
        columns = np.append(pasts, mark), np.arange(n), np.append(none, instance.history)
        tree = np.full(items, -1, np.int64), np.zeros(items, np.int64)
        return cls(*tree, np.arange(n + 1), item, full, *columns, np.append(none, instance.total))

    @classmethod
    def of_paths(cls, instance: ForestInstance) -> Walks:
        """Return the paths of a forest's requests."""
        forest, visits = instance.requests, Visits.of(instance.requests)
        mark = np.array(forest.past[visits.request])
        call("raise_to_largest", len(mark), visits.previous, mark)
        of_visits = visits.piece, visits.length[visits.piece], mark, visits.by_recency
        return cls(visits.parent, visits.above, visits.start, *of_visits, forest.ask, forest.inputs)

    @property
    def sizes(self) -> tuple[int, int]:
        """How many items and visits there are."""
        return len(self.parent), len(self.item)

    def kept(self, xi: int, q_hat: int) -> IntArray:
        """Return what of each visited item T-LRU finds worth keeping."""
        budget = np.minimum(self.mark, np.maximum(self.mark - max(xi - q_hat, 0), 0))
        return np.clip(budget - self.above[self.item], 0, self.full)


def learnt_paths(instance: ForestInstance) -> tuple[Estimates, IntArray, FloatArray]:
    """Return the estimates on a forest, the cell of each visit, and seconds since the first request."""
    watched, prompts = watched_paths(instance)
    return Estimates.of(watched, prompts), watched.cell, watched.time


def watched_paths(instance: ForestInstance) -> tuple[WatchedVisits, IntArray]:
    """Return what the estimates look at, and the prompts of requests that continue something, -1 of others."""
    forest, visits, prompt = instance.requests, Visits.of(instance.requests), instance.total - instance.known
    if forest.arrival is None:
        raise ArgumentError("forest", "no arrival times", "arrival times, from which returns are learnt")
    tag, request = tag_numbers(forest.hints, len(forest)), visits.request
    cell = cells(numbers(visits, len(forest)), prompt[request], tag[request])
    times = np.asarray(forest.arrival - forest.arrival[:1], np.float64)
    watched = WatchedVisits(visits.start, visits.previous, cell, times, tags_of(tag))
    return watched, np.where(instance.known > 0, prompt, -1)


def numbers(visits: Visits, n: int) -> IntArray:
    """Return the number of each visit: of those before to its piece, or of the requests that it continues.

    Those are the requests that ended where the path of the visit's request goes through, each place once.
    """
    hits, first = np.empty(len(visits.piece), np.int64), np.full(len(visits.parent), n)
    call("count_visits", len(hits), visits.previous, hits)
    ends = np.flatnonzero(np.diff(visits.start))
    np.minimum.at(first, visits.piece[visits.start[ends + 1] - 1], ends)
    continued = np.bincount(visits.request, first[visits.piece] < visits.request, n).astype(np.int64)
    return np.maximum(hits - 1, continued[visits.request])

"""A second simulator of a store that all replicas share: instants, and each conversation's units there.

A replica's own tiers are replayed anew for every question; the store is a list of conversations, least recently
written first, of which LRU cuts the end, or a set of prefixes with the instant of their last write.
"""

from fractions import Fraction

from serving.served_by_events import Events

import teltheory as tt
from teltheory.cost.links import marginal_seconds


class Shared(Events):
    """Replicas with tiers of their own and an LRU store beside them."""

    def __init__(self, trace, policy, tiers, replicas, router, latency):
        own = tt.Tiers(tiers.capacities[:-1], tiers.loads[:-1], tiers.mode, tiers.loading)
        super().__init__(trace, policy, own, replicas, router, latency)
        self.room, self.rho = tiers.capacities[-1], tiers.loads[-1]
        self.store, self.guess, self.own = [], {}, {}
        self.expected = [0.0] * replicas
        self.copied = [0] * len(trace)
        self.coming = list(enumerate(trace.arrival.tolist()))

    def run(self):
        while self.coming or any(k is not None for k in self.running):
            instants = [self.ends[r] for r in range(self.replicas) if self.running[r] is not None]
            self.now = min(instants + [time for _, time in self.coming[:1]])
            while self.step():
                pass
        return self

    def step(self):
        """Do the first thing that is to be done now."""
        over = [k for r, k in enumerate(self.running) if k is not None and self.ends[r] == self.now]
        if over:
            return self.finish(min(over))
        ready = [q[0] for r, q in enumerate(self.queue) if q and self.running[r] is None]
        if ready:
            return self.begin(min(ready))
        if self.coming and self.coming[0][1] == self.now:
            return self.arrive(self.coming.pop(0)[0])
        return False

    def finish(self, k):
        self.first_token[k] = self.now
        self.running[self.replica[k]] = None
        self.write(k)
        return True

    def begin(self, k):
        r = self.replica[k]
        self.queue[r].remove(k)
        self.running[r], self.start[k] = k, self.now
        self.cached[k], self.load[k], self.compute[k] = self.priced(k, self.own[k])
        self.ends[r] = self.now + self.service(self.load[k], self.compute[k])
        return True

    def arrive(self, k):
        answers = [self.answer(r, k) for r in range(self.replicas)]
        r = self.replica[k] = self.choice(k, answers)
        cached, self.load[k], self.compute[k] = answers[r]
        self.own[k] = cached[:-1]
        self.sent[r].append(k)
        self.queue[r].append(k)
        return True

    def answer(self, r, k):
        outcome = tt.replay(self.part([*self.sent[r], k]), self.policy, self.capacity)
        return self.priced(k, outcome.cached[:, -1].tolist())

    def priced(self, k, own):
        cached = [*own, max(self.held(k) - sum(own), 0)]
        size, loads = self.trace.block_size, (*self.capacity.loads, self.rho)
        tokens = sum(Fraction(x) * rho for x, rho in zip(cached, loads, strict=True)) * size
        reused = sum(cached) * size
        compute = float(self.latency.ttft(int(self.inputs()[k]) - reused, reused))
        return cached, float(tokens * marginal_seconds(self.latency)), compute

    def held(self, k):
        """Return how much of an input the store holds."""
        if isinstance(self.trace, tt.Forest):
            path, known = self.trace.path(k)[: int(self.trace.ask[k])], {node for node, _ in self.store}
            return next((i for i, node in enumerate(path) if node not in known), len(path))
        of = {theta: units for theta, units, _ in self.store}
        return min(of.get(int(self.trace.code[k]), 0), int(self.trace.history[k]))

    def write(self, k):
        """Write a past, and let LRU cut the store."""
        if isinstance(self.trace, tt.Forest):
            path = self.trace.path(k)
            self.copied[k] = len(set(path) - {node for node, _ in self.store})
            self.store = [one for one in self.store if one[0] not in path]
            self.store += [(node, -depth) for depth, node in sorted(enumerate(path), reverse=True)]
            del self.store[: max(len(self.store) - self.room, 0)]
            return
        theta = int(self.trace.code[k])
        later = [j for j in range(k + 1, len(self.trace)) if self.trace.code[j] == theta]
        if any(self.first_token[j] is not None for j in later):
            return
        self.copied[k] = int(self.trace.past[k]) - self.held(k)
        kept = [one for one in self.store if one[0] != theta] + [(theta, int(self.trace.past[k]), k)]
        over = sum(units for _, units, _ in kept) - self.room
        self.store = []
        for name, units, turn in kept:
            gone = min(max(over, 0), units)
            over -= gone
            self.store += [(name, units - gone, turn)]

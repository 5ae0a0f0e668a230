"""A second simulator of replicas and queues: a heap of events and lists of who waits, every cache replayed anew.

It uses `tt.replay` of what each replica was sent, and of `teltheory.serving` but
a router's options. With times that are
multiples of a power of two both add up without rounding.
"""

import heapq
from dataclasses import replace
from fractions import Fraction

import numpy as np

import teltheory as tt
from teltheory.cost.links import marginal_seconds
from teltheory.serving.cache_aware import CacheAware

FINISH, ARRIVAL = 0, 1


class Events:
    """Replicas, what waits at each, and what happens event by event."""

    def __init__(self, trace, policy, capacity, replicas, router, latency, **options):
        self.trace, self.policy, self.capacity, self.options = trace, policy, capacity, options
        self.replicas, self.router, self.latency = replicas, router, latency
        n = len(trace)
        self.sent = [[] for _ in range(replicas)]
        self.queue = [[] for _ in range(replicas)]
        self.running = [None] * replicas
        self.ends = [0.0] * replicas
        self.replica, self.start, self.first_token = [None] * n, [None] * n, [None] * n
        self.load, self.compute, self.cached = [None] * n, [None] * n, [None] * n
        self.known = [set() for _ in range(replicas)]
        self.heap = [(time, ARRIVAL, k) for k, time in enumerate(trace.arrival.tolist())]

    def run(self):
        heapq.heapify(self.heap)
        while self.heap:
            self.now, kind, k = heapq.heappop(self.heap)
            if kind == FINISH:
                self.first_token[k] = self.now
                self.running[self.replica[k]] = None
                self.begin(self.replica[k])
            else:
                self.arrive(k)
        return self

    def arrive(self, k):
        answers = [self.answer(r, k) for r in range(self.replicas)]
        r = self.replica[k] = self.choice(k, answers)
        self.cached[k], self.load[k], self.compute[k] = answers[r]
        self.sent[r].append(k)
        self.queue[r].append(k)
        self.begin(r)

    def begin(self, r):
        if self.running[r] is None and self.queue[r]:
            k = self.running[r] = self.queue[r].pop(0)
            self.start[k] = self.now
            self.ends[r] = self.now + self.service(self.load[k], self.compute[k])
            heapq.heappush(self.heap, (self.ends[r], FINISH, k))

    def service(self, load, compute):
        overlapped = isinstance(self.capacity, tt.Tiers) and self.capacity.loading == "overlapped"
        return max(load, compute) if overlapped else load + compute

    def unfinished(self, r):
        left = self.ends[r] - self.now if self.running[r] is not None else 0.0
        return left + sum(self.service(self.load[k], self.compute[k]) for k in self.queue[r])

    def answer(self, r, k):
        """Return what a request would reuse of each tier at a replica, and its seconds of load and computing."""
        outcome = tt.replay(self.part([*self.sent[r], k]), self.policy, self.capacity, **self.options)
        cached = np.atleast_2d(outcome.cached)[:, -1].tolist()
        loads = self.capacity.loads if isinstance(self.capacity, tt.Tiers) else (0,)
        size = self.trace.block_size
        tokens = sum(Fraction(x) * rho for x, rho in zip(cached, loads, strict=True)) * size
        inputs = self.inputs()[k] - sum(cached) * size
        compute = float(self.latency.ttft(inputs, sum(cached) * size))
        return cached, float(tokens * marginal_seconds(self.latency)), compute

    def inputs(self):
        return self.trace.inputs if isinstance(self.trace, tt.Forest) else self.trace.total * self.trace.block_size

    def part(self, turns):
        """Return the requests of a replica as a trace of their own: a history is at most what was seen there."""
        at = np.array(turns)
        if isinstance(self.trace, tt.Forest):
            tokens = None if self.trace.tokens is None else self.trace.tokens[at]
            columns = {name: getattr(self.trace, name)[at] for name in ("leaf", "ask", "total", "arrival")}
            return replace(self.trace, tokens=tokens, **columns)
        past, histories = {}, []
        for k in turns:
            theta = int(self.trace.code[k])
            histories.append(min(int(self.trace.history[k]), past.get(theta, 0)))
            past[theta] = int(self.trace.past[k])
        prompts = self.trace.total[at] - np.array(histories)
        columns = self.trace.code[at], prompts, self.trace.response[at], self.trace.arrival[at], histories
        return tt.Trace.from_turns(*columns, block_size=self.trace.block_size)

    def choice(self, k, answers):
        waits = [self.unfinished(r) for r in range(self.replicas)]
        earlier = [j for j in range(k) if self.session(j) == self.session(k)]
        if self.router == "round-robin":
            return k % self.replicas
        if self.router == "least-loaded" or (self.router == "affinity" and not earlier):
            return waits.index(min(waits))
        if self.router == "affinity":
            return self.replica[earlier[0]]
        if isinstance(self.router, CacheAware):
            return self.cache_aware(k)
        if self.router == "hash":
            return mixed(self.session(k)) % self.replicas
        ttft = [
            wait + self.service(load, compute) for wait, (_, load, compute) in zip(waits, answers, strict=True)
        ]
        return ttft.index(min(ttft))

    def cache_aware(self, k):
        """Every prefix that was sent to a replica, token by token."""
        path, options = self.spelt(k), self.router
        loads = self.loads()
        prefixes = [tuple(path[: i + 1]) for i in range(len(path))]
        known = [prefix for prefix in prefixes if any(prefix in sent for sent in self.known)]
        sizes = [len(sent) for sent in self.known]
        tokens = int(self.inputs()[k])
        if max(loads) - min(loads) > options.balance_abs_threshold and (
            max(loads) > options.balance_rel_threshold * min(loads)
        ):
            r = loads.index(min(loads))
        elif known and len(known[-1]) > options.cache_threshold * tokens:
            r = next(r for r in range(self.replicas) if known[-1] in self.known[r])
        else:
            r = sizes.index(min(sizes))
        self.known[r] |= set(prefixes)
        return r

    def loads(self):
        """Return how many requests of each replica have no first token yet."""
        return [len(queue) + (runs is not None) for queue, runs in zip(self.queue, self.running, strict=True)]

    def spelt(self, k):
        """Return the tokens of an input, each by a name of its own."""
        if isinstance(self.trace, tt.Forest):
            size, ask = self.trace.block_size, int(self.trace.ask[k])
            return [(node, i) for node in self.trace.path(k)[:ask] for i in range(size)]
        past = {}
        for j in range(k + 1):
            theta, history = int(self.trace.code[j]), int(self.trace.history[j])
            asked = past.get(theta, [])[:history] + [(j, i) for i in range(int(self.trace.prompt[j]))]
            past[theta] = asked + [(j, -1 - i) for i in range(int(self.trace.response[j]))]
        return asked

    def session(self, k):
        if not isinstance(self.trace, tt.Forest):
            return int(self.trace.code[k])
        path = self.trace.path(k)
        return path[0] if path else -1 - k


def mixed(number):
    """SplitMix64 by Python's integers."""
    most = 2**64 - 1
    z = (number + 0x9E3779B97F4A7C15) & most
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & most
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & most
    return z ^ (z >> 31)

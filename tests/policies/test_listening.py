"""The reference under hints beside the page's definitions: agents with users and latest paths, block by block."""

from dataclasses import dataclass
from itertools import accumulate
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import fewer

import teltheory as tt
from teltheory.policies.hinted import Told

NAMES = ("close", "superseded", "retain", "resume", "priority")
PATHS = [[0], [0, 1], [0, 1, 2], [0, 3], [4], [4, 5], [4, 5, 6], []]


def world_of(rng):
    """Return few agents with few blocks, so that many of their times fall together."""
    n = rng.randint(3, 9)
    column = lambda *values: rng.choices(values, k=n)  # noqa: E731
    arrival = list(accumulate(column(0.0, 1.0, 1.0, 3.0)))
    after = lambda *late: [None if x is None else t + x for t, x in zip(arrival, column(*late), strict=True)]  # noqa: E731
    return {
        "paths": rng.choices(PATHS, k=n),
        "arrival": arrival,
        "agent": column(0, 0, 1, 1, 2, None),
        "done": after(None, 0.0, 1.0),
        "closed_at": after(None, 0.0, 1.0, 2.0),
        "retain_until": after(None, 1.0, 3.0),
        "resume_at": after(None, 1.0, 2.0, 5.0),
        "priority": column(None, 0.0, -1.0, 2.0),
    }


def made(world):
    said = {name: column for name, column in world.items() if name not in ("paths", "arrival")}
    forest = tt.Forest.from_paths(world["paths"], arrival=world["arrival"])
    return forest.with_hints(tt.Hints.of(forest, **said))


class Page:
    """What the page says of agents and blocks, in its own words."""

    def __init__(self, world, use, keep):
        self.world, self.use, self.keep = world, use, keep
        self.users, self.latest, self.requests = {}, {}, {}

    def closed(self, agent, now):
        k = self.latest[agent]
        said, done = self.world["closed_at"][k], self.world["done"][k]
        return said is not None and max(said, done if done is not None else said) <= now

    def ask(self, k, now):
        agent = self.world["agent"][k]
        agent = -1 - k if agent is None else agent
        if agent in self.latest and self.closed(agent, now):
            for users in self.users.values():
                users.discard(agent)
        self.latest[agent] = k
        for block in self.world["paths"][k]:
            self.users.setdefault(block, set()).add(agent)
            self.requests.setdefault(block, []).append(k)

    def on_latest(self, block):
        return [a for a in self.latest if block in self.world["paths"][self.latest[a]]]

    def dead(self, block, now):
        if {"close", "superseded"} <= {*self.use}:
            return all(self.closed(a, now) for a in self.on_latest(block))
        if "close" in self.use:
            return all(self.closed(a, now) for a in self.users[block])
        return "superseded" in self.use and not self.on_latest(block)

    def kept(self, block, now):
        until = [self.world["retain_until"][k] for k in self.requests[block]]
        return "retain" in self.use and max((u for u in until if u is not None), default=now) > now

    def priority(self, block):
        said = [self.world["priority"][k] for k in self.requests[block]]
        given = [p for p in said if p is not None]
        return given[-1] if given and "priority" in self.use else 0

    def distance(self, block, now):
        if "resume" not in self.use:
            return 0
        times = [self.world["resume_at"][self.latest[a]] for a in self.on_latest(block) if not self.closed(a, now)]
        return min((abs(now - t) for t in times if t is not None), default=np.inf)

    def key(self, block, now, safe):
        in_use = [self.kept(block, now) if name == "retain" else self.priority(block) for name in self.use
                  if name in ("retain", "priority")]  # fmt: skip
        between = [*in_use, not safe] if self.keep == "first" else [not safe, *in_use]
        return (not self.dead(block, now), *between, -self.distance(block, now), self.requests[block][-1])


def by_the_page(world, use, keep, capacity, xi, q_hat, forced):
    page, cached, longest, hits = Page(world, use, keep), set(), {}, []
    for k, (path, now) in enumerate(zip(world["paths"], world["arrival"], strict=True)):
        hits.append(next((i for i, block in enumerate(path) if block not in cached), len(path)))
        page.ask(k, now)
        cached |= {*path}
        longest |= {block: max(longest.get(block, 0), len(path)) for block in path}
        pinned = {*path} if forced else set()
        while len(cached) > capacity and not (forced and k == len(world["paths"]) - 1):
            depth = {block: p.index(block) + 1 for p in PATHS for block in p}
            above = {p[i] for p in PATHS for i in range(len(p) - 1) if p[i + 1] in cached}
            leaves = [block for block in cached - pinned if block not in above]
            safe = {b: xi is not None and depth[b] > max(longest[b] + q_hat - xi, 0) for b in leaves}
            cached.remove(min(leaves, key=lambda b: (*page.key(b, now, safe[b]), -depth[b])))
    return hits


def test_the_reference_does_what_the_page_says():
    rng = Random(47)
    for _ in range(fewer(6000, 10)):
        world, use, keep = world_of(rng), rng.sample(NAMES, rng.randint(1, 3)), rng.choice(["first", "after"])
        forced, xi, capacity = rng.random() < 0.2, rng.choice([None, 1, 2]), rng.randint(1, 4)
        capacity = max(capacity, *map(len, world["paths"])) if forced else capacity
        policy = tt.Hinted(tt.LRU() if xi is None else tt.TLRU(xi=xi, q_hat=1), use, keep)
        found = tt.replay(made(world), policy, capacity, forced, engine="reference").cached.tolist()
        assert found == by_the_page(world, use, keep, capacity, xi, 1, forced), (world, policy, capacity, forced)


@given(st.integers(0, 2**32), st.integers(0, 5))
def test_without_hints_in_use_it_is_the_policy(seed, capacity):
    world = world_of(Random(seed))
    for policy in (tt.LRU(), tt.TLRU(xi=1, q_hat=1), tt.policies.LFU(), tt.policies.TTL(2.0)):
        for cache in ("strict", "holes"):
            same = [tt.replay(made(world), one, capacity, cache=cache) for one in (policy, tt.Hinted(policy, ()))]
            assert same[0] == same[1]


@dataclass(frozen=True)
class ToolsFirst(tt.Hint):
    """What an agent that waits for a tool has read goes first."""

    def holds(self, request: Told, now: float) -> bool:
        return request.stop != "tool_use"


def test_an_own_hint_in_ten_lines():
    forest = tt.Forest.from_paths([[1], [2], [1]], arrival=[0, 1, 2])
    forest = forest.with_hints(tt.Hints.of(forest, stop=["end_turn", "tool_use", None]))
    assert tt.replay(forest, tt.Hinted("lru", ToolsFirst()), 1).cached.tolist() == [0, 0, 1]
    assert tt.replay(forest, "lru", 1).cached.tolist() == [0, 0, 0]


def test_a_memory_chooses_among_what_hints_leave_equal():
    forest = tt.Forest.from_paths([[1], [1], [2], [3], [1]], arrival=range(5), agent=[*"AABCA"])
    closed = forest.with_hints(tt.Hints.of(forest, closed_at=[None, 1, None, None, None]))
    assert tt.replay(closed, tt.policies.LFU(), 1).cached.tolist() == [0, 1, 0, 0, 1]
    assert tt.replay(closed, tt.Hinted(tt.policies.LFU(), "close"), 1).cached.tolist() == [0, 1, 0, 0, 0]


def test_conversations_have_hints_too():
    trace = tt.Trace.from_turns([0, 1, 0], [2, 2, 2], [0, 0, 0], [0, 1, 2])
    trace = trace.with_hints(tt.Hints.of(trace, closed_at=[None, 1, None]))
    assert tt.replay(trace, "lru", 2).cached.tolist() == [0, 0, 0]
    assert tt.replay(trace, tt.Hinted("lru", "close"), 2).cached.tolist() == [0, 0, 2]


FOREST = tt.Forest.from_paths([[1], [2], [1]], arrival=[0, 1, 2], agent=[*"ABA"])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: tt.Hinted(tt.Belady()), "policy: .*does not know the future: hints tell it nothing"),
        (lambda: tt.Hinted("lru", "clse"), "use: found 'clse', expected close, superseded, retain, resume, prio"),
        (lambda: tt.Hinted("lru", ("close", "close")), "each hint at most once"),
        (lambda: tt.Hinted("lru", keep="last"), "keep: found 'last', expected 'first' or 'after'"),
        (lambda: tt.Hinted(tt.TLRU(xi=1, q_hat=1, trim="round-robin")), "trim: .*or eager under hints"),
        (lambda: tt.Hinted(tt.ReturnAwareTLRU(xi=1, q_hat=1)), "policy: .*one by rules"),
        (lambda: tt.replay(FOREST, tt.Hinted("belady"), 1), "does not know the future"),
        (lambda: tt.replay(tt.Forest.from_paths([[1]]), tt.Hinted("lru"), 1), "no arrival times"),
        (lambda: tt.replay(FOREST, tt.Hinted("lru"), 1, initial=[(0, 0, 1)]), "initial: .*none, under hints"),
    ],
)  # fmt: skip
def test_what_can_not_be_asked(ask, message):
    with pytest.raises(tt.ArgumentError, match=message):
        ask()

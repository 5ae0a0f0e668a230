"""TensorRT-LLM's priorities, beside queues that are kept as lists: claimed, released, refreshed."""

from itertools import accumulate
from random import Random

import pytest
from replay.instances import by_both_engines, fewer

import teltheory as tt

RULES, LRU = "trtllm:priorities=yes", tt.LRU()


class Queues:
    """Lists of free blocks by priority, as the engine has them, but that leaves alone are taken."""

    def __init__(self):
        self.free = {priority: [] for priority in range(101)}
        self.priority, self.until, self.last = {}, {}, {}

    def claim(self, block, priority, until, request):
        for queue in self.free.values():
            if block in queue:
                queue.remove(block)
        if priority is not None or block not in self.priority:
            self.priority[block] = 35 if priority is None else priority
        self.until[block], self.last[block] = until, request

    def refresh(self, now):
        lasting = [b for p, queue in self.free.items() if p != 35 for b in queue if self.until[b] is not None]
        for block in sorted(lasting, key=lambda b: (self.until[b], self.last[b])):
            if self.until[block] <= now:
                self.free[self.priority[block]].remove(block)
                self.priority[block] = 35
                self.free[35].append(block)

    def taken(self, cached):
        for priority in range(101):
            for block in self.free[priority]:
                if not any(other[:-1] == block for other in cached):
                    self.free[priority].remove(block)
                    del self.priority[block]
                    return block
        return None


def by_queues(paths, arrival, priority, until, capacity):
    pool, cached, before, hits = Queues(), set(), [], []
    for k, path in enumerate(paths):
        blocks = [path[: i + 1] for i in range(len(path))]
        for block in reversed(before):
            pool.free[pool.priority[block]].append(block)
        pool.refresh(arrival[k])
        hits.append(next((i for i, block in enumerate(blocks) if block not in cached), len(blocks)))
        for block in blocks[: hits[-1]]:
            pool.claim(block, priority[k], until[k], k)
        for block in blocks[hits[-1] :]:
            if len(cached) == capacity:
                cached.remove(pool.taken(cached))
            pool.claim(block, priority[k], until[k], k)
            cached.add(block)
        before = blocks
    return hits


def world_of(rng):
    n = rng.randint(2, 14)
    paths = [tuple(rng.choices("ab", k=rng.randint(1, 4))) for _ in range(n)]
    arrival = list(accumulate(rng.choices([0.0, 1.0, 2.0], k=n)))
    later = rng.choices([None, None, 0.0, 1.0, 3.0], k=n)
    until = [None if more is None else t + more for t, more in zip(arrival, later, strict=True)]
    return paths, arrival, rng.choices([None, None, 0, 20, 35, 80], k=n), until, rng.randint(4, 8)


def forest_of(paths, arrival, priority, until):
    blocks = [[path[: i + 1] for i in range(len(path))] for path in paths]
    ids = {block: i for i, block in enumerate(dict.fromkeys(block for path in blocks for block in path))}
    forest = tt.Forest.from_paths([[ids[block] for block in path] for path in blocks], arrival=arrival)
    return forest.with_hints(tt.Hints.of(forest, priority=priority, retain_until=until))


def replayed(*world, policy=LRU, rules=RULES):
    *requests, capacity = world
    return tt.replay(forest_of(*requests), policy, capacity, rules=rules).cached.tolist()


@pytest.mark.parametrize("rules", [RULES, "strict:priorities=yes"])
def test_the_loop_agrees_with_the_reference(rules):
    rng = Random(100)
    for _ in range(fewer(8000, 20)):
        *requests, capacity = world_of(rng)
        running = rng.randint(1, 3) if rules == RULES else 1
        room = capacity + 4 * running - 4
        by_both_engines(forest_of(*requests), LRU, room, rules=rules, running=running)


def test_priorities_are_queues_of_free_blocks():
    rng, other, worlds = Random(35), 0, fewer(8000, 20)
    for _ in range(worlds):
        world = world_of(rng)
        found = replayed(*world)
        assert found == by_queues(*world), world
        other += found != replayed(*world, rules="trtllm")
    assert other > worlds / 10


def test_a_priority_lasts_until_it_is_replaced_or_ends_and_then_its_block_is_recent():
    paths, none = ["a", "b", "c", "a"], [None] * 4
    asked = lambda priority, until=none: replayed(paths, range(4), priority, until, 2)  # noqa: E731
    assert asked(none) == [0, 0, 0, 0]
    assert asked([80, None, None, None]) == [0, 0, 0, 1]
    assert asked([80, None, None, None], [1.5, None, None, None]) == [0, 0, 0, 1]
    assert asked([80, None, None, None], [0.5, None, None, None]) == [0, 0, 0, 0]
    assert asked([35, None, None, None], [1.5, None, None, None]) == [0, 0, 0, 0]
    assert asked([None, 34, None, None]) == [0, 0, 0, 1]
    long = [9, None, None, None, None]
    assert replayed("abcda", range(5), [80, None, None, None, None], long, 2) == [0, 0, 0, 0, 1]
    assert replayed("aabcda", range(6), [80, 0, None, None, None, None], [None] * 6, 2) == [0, 1, 0, 0, 0, 0]
    assert replayed("aabcda", range(6), [80, None, None, None, None, None], [None] * 6, 2)[-1] == 1


def test_what_is_said_after_a_request_has_come_is_not_heard_and_a_block_that_went_forgets():
    forest = tt.Forest.from_paths([[1], [2], [3], [1]], arrival=range(4), agent=[0, 1, 2, 0])
    late = forest.with_hints(forest.hints.with_events(forest, [(0.5, 0, "priority", 80)]))
    assert tt.replay(late, "lru", 2, rules=RULES).cached.tolist() == [0, 0, 0, 0]
    assert replayed("abaca", range(5), [80, 90, None, None, None], [None] * 5, 1) == [0] * 5


def test_hints_that_are_asked_for_stand_before_the_queues():
    forest = tt.Forest.from_paths([[1], [2], [3], [1]], arrival=range(4), agent=[0, 1, 2, 0])
    said = {"priority": [80, None, None, None], "closed_at": [0, None, None, None]}
    told = forest.with_hints(tt.Hints.of(forest, **said))
    assert tt.replay(told, "lru", 2, rules=RULES).cached.tolist() == [0, 0, 0, 1]
    assert tt.replay(told, tt.Hinted("lru", "close"), 2, rules=RULES).cached.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: replayed("ab", range(2), [None, 101], [None] * 2, 2), "priority: found 101.0, expected 0 to"),
        (lambda: replayed("ab", range(2), [1, 1], [None] * 2, 2, policy=tt.TLRU(1, 1)), "expected LRU, which has"),
        (lambda: tt.Rules.of("vllm:priorities=yes"), "priorities: found True, expected .*outlive"),
        (lambda: tt.Rules.of("sglang:priorities=yes"), "priorities: found True"),
    ],
)  # fmt: skip
def test_what_can_not_be_asked(ask, message):
    with pytest.raises(tt.ArgumentError, match=message):
        ask()

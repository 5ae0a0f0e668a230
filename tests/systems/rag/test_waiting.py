"""The queue: who is next against a look at everybody, and nobody overtaken more than the window allows."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from teltheory.systems.rag.generation import STOPPED, Generation
from teltheory.systems.rag.iteration import Iteration
from teltheory.systems.rag.reordering import Reordering
from teltheory.systems.rag.waiting import Waiting

PARENT = [-1, 0, 0, 1, 1, 2, -1, 6]
LENGTH = [2, 3, 1, 1, 4, 2, 5, 1]
DEPTH = [2, 5, 3, 6, 9, 5, 5, 6]
PATHS = [[0], [0, 1], [0, 2], [0, 1, 3], [0, 1, 4], [0, 2, 5], [6], [6, 7]]
STEPS = ("join", "join", "serve", "serve", "enter", "evict", "leave")


class Plain:
    """A queue that looks at everybody, and counts each time somebody is overtaken."""

    def __init__(self, window):
        self.window, self.queue, self.overtaken, self.cached, self.most = window, [], {}, set(), 0

    def tokens(self, leaf):
        tokens = 0
        for node in PATHS[leaf] if leaf >= 0 else []:
            if node not in self.cached:
                break
            tokens = DEPTH[node]
        return tokens

    def priority(self, generation):
        """Return whether it computes nothing, which comes before all that do, and OrderPriority."""
        cached = self.tokens(generation.leaf)
        computed = generation.total - cached
        return (False, Fraction(cached, computed)) if computed else (cached > 0, 0)

    def next(self):
        earliest = min(self.queue, key=lambda g: g.ticket)
        if self.overtaken[earliest] >= self.window:
            return earliest
        return max(self.queue, key=lambda g: (self.priority(g), -g.ticket))

    def serve(self, generation):
        self.queue.remove(generation)
        for other in self.queue:
            self.overtaken[other] += other.ticket < generation.ticket
        self.most = max([self.most, *self.overtaken.values()])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0, 1, 2, 5, 1000]))
@example(7, 2)
@example(9, 1000)
def test_who_is_next_is_who_would_be_after_a_look_at_everybody(seed, window):
    random, plain = Random(seed), Plain(window)
    order = Reordering(PARENT, DEPTH, plain.tokens) if window else None
    queue = Waiting(window, None, order)
    for step in ["join"] * 5 + random.choices(STEPS, k=100):
        node = random.randrange(8)
        if step == "join":
            leaf = random.randrange(-1, 8)
            generation = Generation(0, leaf, (DEPTH[leaf] if leaf >= 0 else 0) + random.randrange(9))
            queue.join(generation, 0.0)
            plain.queue.append(generation)
            plain.overtaken[generation] = 0
        elif step == "enter":
            plain.cached |= {*PATHS[node]}
            if order:
                order.entered(node)
        elif step == "evict":
            plain.cached -= {below for below in range(8) if node in PATHS[below]}
        elif plain.queue and step == "leave":
            generation = plain.queue.pop(random.randrange(len(plain.queue)))
            queue.leave(generation)
        elif plain.queue:
            generation = queue.next(0.0)
            assert generation is plain.next()
            queue.serve(generation)
            plain.serve(generation)
        assert len(queue) == len(plain.queue)
    assert plain.most <= window


def test_patience_ends_overtaking():
    queue = Waiting(1000, 5.0, Reordering(PARENT, DEPTH, lambda leaf: DEPTH[leaf]))
    first, second = Generation(0, -1, 4), Generation(1, 0, 4)
    queue.join(first, 0.0)
    queue.join(second, 1.0)
    queue.order.entered(0)
    assert queue.next(4.0) is second
    assert queue.next(5.0) is first


@pytest.mark.parametrize("queue", [400, 3200])
def test_a_choice_looks_at_few_of_a_long_queue(queue):
    """A popular document comes and goes, and each choice asks the cache about a few nodes, however many wait."""
    looks = []
    parent = [-1] + [0] * queue
    depth = [10] + [11] * queue
    cached = {"root": True}

    def tokens(leaf):
        looks.append(leaf)
        return 10 if cached["root"] and leaf == 0 else 0

    order = Reordering(parent, depth, tokens)
    waiting = Waiting(queue, None, order)
    for k in range(queue):
        waiting.join(Generation(k, 1 + k, 12 + k % 7), 0.0)
    for turn in range(queue // 2):
        order.entered(0)
        assert waiting.next(0.0).total == 12 if turn < queue // 8 else True
        waiting.serve(waiting.next(0.0))
        cached["root"] = False
        waiting.serve(waiting.next(0.0))
        cached["root"] = True
    assert len(looks) <= 3 * queue


def test_an_interrupted_prefill_overtook_nobody_who_joined_after_it():
    waiting, first, second = Waiting(1, None, None), Generation(0, 0, 5), Generation(1, 0, 5)
    waiting.join(first, 0.0)
    waiting.serve(waiting.next(0.0))
    first.state = STOPPED
    waiting.join(second, 1.0)
    assert (waiting.next(1.0), waiting.overtaken) == (second, 0)


def test_an_iteration_moves_forward_what_comes_after_an_interrupted_prefill():
    iteration, first, second = Iteration(10.0), Generation(0, 0, 5), Generation(1, 0, 5)
    iteration.add(first, 2.0)
    iteration.add(second, 3.0)
    assert iteration.drop(first, 11.0) == 1.0
    assert (second.begins, iteration.ends) == (11.0, 14.0)

"""A RAG server in time: searches, a queue of prefills and one GPU, as events of SimPy.

At one instant events happen in this order, and of one kind by request:

1. an iteration of the GPU ends: its first tokens come, and what it computed is cached;
2. the GPU is lost;
3. a failed generation is tried again;
4. a stage of a search ends;
5. an iteration begins, if the GPU is free and somebody waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from heapq import heapreplace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
import simpy
from simpy.events import EventPriority

from teltheory.cost.latency import Latency
from teltheory.model.numbers import FloatArray
from teltheory.systems.rag.faults import Fault, GPULoss, failing
from teltheory.systems.rag.generation import DONE, RUNNING, STOPPED, WAITING, Generation
from teltheory.systems.rag.iteration import Iteration, computed
from teltheory.systems.rag.records import Records
from teltheory.systems.rag.reordering import Reordering
from teltheory.systems.rag.served import RagServed
from teltheory.systems.rag.speculation import Admission
from teltheory.systems.rag.tree import Tree
from teltheory.systems.rag.waiting import Waiting
from teltheory.systems.rag.workload import Workload

if TYPE_CHECKING:
    from teltheory.systems.rag.server import Server

END, LOSS, RETRY, STAGE, BEGIN = range(5)


class _Happening(simpy.Event):
    """Something that happens after a delay; of what is simultaneous the smallest priority comes first."""

    def __init__(self, env: simpy.Environment, delay: float, priority: int, act: Callable[[Any], None]) -> None:
        self.env, self.callbacks = env, [act]
        self._ok, self._value = True, None
        env.schedule(self, EventPriority(priority), max(delay, 0.0))


class Simulation:
    """One run of a server.

    Parameters
    ----------
    workload, server, latency, load, faults
        As for `serve`.
    tree : Tree
        The server's memory.
    """

    def __init__(
        self,
        workload: Workload,
        server: Server,
        tree: Tree,
        latency: Latency,
        load: float,
        faults: Sequence[Fault] = (),
    ) -> None:
        forest = workload.forest
        self.server, self.tree, self.latency, self.load, self.faults = server, tree, latency, load, faults
        self.depth = [*forest.depth.tolist(), 0]
        self.question, self.leaves = workload.question.tolist(), workload.leaves.tolist()
        self.ends = stage_ends(workload, server.searchers).tolist()
        self.admission = Admission.of(server.speculation)
        self.failing = failing(faults, len(workload))
        self.records = Records(workload, server.tiers)
        order = Reordering(forest.parent.tolist(), self.depth, self.tokens) if server.window else None
        self.waiting = Waiting(server.window, server.patience, order)
        self.current: list[Generation | None] = [None] * len(workload)
        self.guess: Generation | None = None
        self.iteration: Iteration | None = None
        self.version, self.woken, self.down_until = 0, False, -inf
        self.env = simpy.Environment(min([0.0, *workload.arrival[:1].tolist()]))

    def run(self) -> RagServed:
        """Run all events; return what came of them."""
        for k in range(len(self.ends)):
            self.search(k, 0 if self.admission else len(self.ends[k]) - 1)
        for loss in self.faults:
            if isinstance(loss, GPULoss):
                self.at(loss.at, LOSS, 0, partial(self.lose, loss))
        self.env.run()
        return self.records.served(self.tree.freed)

    def at(self, time: float, kind: int, request: int, act: Callable[[Any], None]) -> None:
        """Let something happen."""
        priority = kind * (len(self.ends) + 1) + request
        _Happening(self.env, time - self.env.now, priority, act)

    def tokens(self, leaf: int) -> int:
        """Return the tokens of the cached head of a path."""
        return sum(self.tree.found(leaf))

    def search(self, k: int, stage: int) -> None:
        """Let a stage of a request's search end."""
        self.at(self.ends[k][stage], STAGE, k, partial(self.stage_ended, k, stage))

    def stage_ended(self, k: int, stage: int, _: object) -> None:
        """Take the documents that a stage found."""
        if stage + 1 == len(self.ends[k]):
            self.answer(k)
        else:
            self.speculate(k, self.leaves[k][stage])
            self.search(k, stage + 1)

    def speculate(self, k: int, leaf: int) -> None:
        """Begin with documents that may not be the answer, unless they never fit."""
        assert self.admission is not None
        current = self.current[k]
        if current is not None and current.leaf == leaf:
            return
        self.cancel(k)
        running = len(self.iteration.members) if self.iteration else 0
        if self.tree.fits(leaf) and self.admission.admits(len(self.waiting) + running):
            self.records.speculated += 1
            self.guess = self.join(k, leaf)

    def answer(self, k: int) -> None:
        """Take the answer of a search."""
        self.records.found[k], current = self.env.now, self.current[k]
        if current is None or current.leaf != self.leaves[k][-1]:
            self.cancel(k)
            if self.may_try(k):
                self.join_known(k)
            return
        current.confirmed = True
        self.records.used += 1
        if current.state == DONE:
            self.deliver(current)

    def join(self, k: int, leaf: int, confirmed: bool = False, resumes: bool = False) -> Generation:
        """Put a new generation of a request into the queue."""
        generation = Generation(k, leaf, self.depth[leaf] + self.question[k], confirmed, resumes)
        self.current[k] = generation
        self.waiting.join(generation, self.env.now)
        self.wake()
        return generation

    def join_known(self, k: int, resumes: bool = False, _: object = None) -> None:
        """Put the generation for a request's answer into the queue; a spare one is cancelled for it."""
        guess = self.guess
        if self.server.yields and guess and not guess.confirmed and guess.state in (WAITING, RUNNING):
            self.cancel(guess.request)
        self.join(k, self.leaves[k][-1], True, resumes)

    def cancel(self, k: int) -> None:
        """Give up the generation of a request, if it has one."""
        generation, self.current[k] = self.current[k], None
        if generation is None:
            return
        if generation.state == DONE:
            self.records.wasted(generation, generation.seconds)
            return
        self.records.cancelled += 1
        if generation.state == WAITING:
            self.waiting.leave(generation)
        elif self.server.interruption == "at once":
            self.interrupt(generation)
        else:
            generation.abandoned = True

    def interrupt(self, generation: Generation) -> None:
        """Take a generation out of the iteration that runs."""
        assert self.iteration is not None
        spent = self.iteration.drop(generation, self.env.now)
        self.tree.cancel(generation.leaf, generation.request)
        generation.state = STOPPED
        self.records.busy += spent
        self.records.wasted(generation, spent)
        self.schedule_end()

    def wake(self) -> None:
        """Let an iteration begin at this instant, or once the GPU is back."""
        if self.waiting and self.iteration is None and not self.woken:
            self.woken = True
            self.at(max(self.env.now, self.down_until), BEGIN, 0, self.begin)

    def begin(self, _: object) -> None:
        """Begin an iteration with those who are next."""
        self.woken = False
        if self.env.now < self.down_until:
            self.wake()
        if self.woken or self.iteration is not None or not self.waiting:
            return
        self.iteration = Iteration(self.env.now)
        while self.waiting and len(self.iteration.members) < self.server.batch:
            if not self.take(self.waiting.next(self.env.now)):
                break
        self.schedule_end()

    def take(self, generation: Generation) -> bool:
        """Add a generation to the iteration; return whether it has room."""
        assert self.iteration is not None
        k, leaf = generation.request, generation.leaf
        start = self.tree.start(leaf, k, self.question[k], self.env.now)
        if start is None:
            return False
        self.waiting.serve(generation)
        self.records.started(generation, start)
        cached = sum(start.cached)
        prefill = float(self.latency.ttft(generation.total - cached, cached))
        self.iteration.add(generation, prefill + self.server.moved(start) * self.load)
        return True

    def schedule_end(self) -> None:
        """Let the iteration end when its last generation does; at once if it has none."""
        assert self.iteration is not None
        self.version += 1
        if self.iteration.members:
            self.at(self.iteration.ends, END, 0, partial(self.end, self.version))
        else:
            self.iteration = None
            self.wake()

    def end(self, version: int, _: object) -> None:
        """End the iteration, unless it ends at another time by now."""
        if version != self.version:
            return
        assert self.iteration is not None
        ended, self.iteration = self.iteration.members, None
        for generation in ended:
            self.records.busy += generation.seconds
            self.finish(generation)
        self.wake()

    def finish(self, generation: Generation) -> None:
        """End a generation at the end of its iteration."""
        if self.strikes(generation, after_first_token=False):
            self.fail(generation, generation.seconds)
            return
        before = self.tree.written, self.tree.copied
        self.tree.finish(generation.leaf, generation.request)
        self.records.finished(generation, self.tree.written - before[0], self.tree.copied - before[1])
        if self.waiting.order is not None:
            self.waiting.order.entered(generation.leaf)
        generation.state = DONE
        if generation.abandoned:
            self.records.wasted(generation, generation.seconds)
        elif generation.resumes:
            self.records.resumed_seconds += generation.seconds
        elif generation.confirmed:
            self.deliver(generation)

    def deliver(self, generation: Generation) -> None:
        """Return the first token to the user."""
        k, self.current[generation.request] = generation.request, None
        self.records.delivered(generation, self.env.now)
        if self.strikes(generation, after_first_token=True):
            self.records.failures[k] += 1
            self.retry(k, resumes=True)

    def strikes(self, generation: Generation, after_first_token: bool) -> bool:
        """Return whether a generation for the answer of a request is to fail."""
        k = generation.request
        if generation.abandoned or generation.leaf != self.leaves[k][-1]:
            return False
        return (k, self.records.failures[k] + 1, after_first_token) in self.failing

    def fail(self, generation: Generation, spent: float) -> None:
        """End a generation that failed after so many seconds, and try again if it was for the answer."""
        k = generation.request
        self.tree.cancel(generation.leaf, k)
        generation.state = STOPPED
        self.records.lost_seconds += spent
        if generation.abandoned:
            return
        self.current[k] = None
        self.records.failures[k] += generation.leaf == self.leaves[k][-1]
        if generation.confirmed:
            self.retry(k, generation.resumes)

    def retry(self, k: int, resumes: bool) -> None:
        """Try the generation for the answer again after the time-out, unless it failed too often."""
        if self.may_try(k, resumes):
            self.at(self.env.now + self.server.timeout, RETRY, k, partial(self.join_known, k, resumes))

    def may_try(self, k: int, resumes: bool = False) -> bool:
        """Return whether the generation for an answer may begin; if not, the request is given up."""
        if self.records.failures[k] <= self.server.retries:
            return True
        self.records.given_up += not resumes
        return False

    def lose(self, loss: GPULoss, _: object) -> None:
        """Lose what the GPU holds and computes."""
        now = self.env.now
        running = self.iteration.members if self.iteration else []
        self.iteration, self.version = None, self.version + 1
        for generation in running:
            spent = computed(generation, now)
            self.records.busy += spent
            self.fail(generation, spent)
        self.records.lost_tokens += self.tree.lose()
        self.down_until = max(self.down_until, now + loss.down)
        self.wake()


def stage_ends(workload: Workload, searchers: int | None) -> FloatArray:
    """Return when each stage of each search ends, if so many searches run at once; shape (n, stages).

    A search begins when a searcher is free, in order of arrival.
    """
    took = np.cumsum(workload.seconds, axis=1)
    began = list[float](workload.arrival.tolist())
    free = [-inf] * (0 if searchers is None else searchers)
    for k in range(len(began) if free else 0):
        began[k] = max(began[k], free[0])
        heapreplace(free, began[k] + float(took[k, -1]))
    ends: FloatArray = np.array(began).reshape(-1, 1) + took
    return ends

"""Chunked prefill, and decoding beside it: a replica works in iterations instead of one request at a time.

1. An iteration takes up to `chunk` prompt tokens that are not cached, first come, first served: the rest of one
   prompt, then the next. If the chunk is None it takes one prompt, whole. Beside them each request that is being
   answered gets one token.
2. It lasts as long as its prompt tokens take by the latency model, given what is before them; as loading for
   prompts that begin in it (before, or at a time with the prompt tokens if that is overlapped); and as decoding:

       per_request * requests + per_token * (tokens of their contexts), and `step` if there are no prompt tokens

   Parts of several prompts in one iteration take ttft(all their tokens, none cached), and each of them what its
   own past adds, ttft(its tokens, its past) - ttft(its tokens, none cached).
3. The first token of a request is there when the iteration ends that had the last of its prompt; the others come
   one an iteration from then on. At one instant an iteration ends, then requests arrive, then the next begins.
4. With chunk None and no decoding this is the plain engine (if every request takes some time: what takes none is
   over at once there, and here after all that arrive at its instant).

Caches are asked in order of arrival, as in the plain engine: a request finds what those before it leave on its
replica, even if both are in one iteration (their blocks are computed before they are read, layer by layer). An
answer is in the cache from the first token on, and answers that are being made take no memory.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from typing import Any, NamedTuple

import numpy as np

from teltheory.cost.decoding import Decode
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray, whole_number
from teltheory.model.trace import Trace
from teltheory.serving.engine import ServedRows
from teltheory.serving.view import Cache, View
from teltheory.serving.work import Price, Work


@dataclass(frozen=True)
class Chunked:
    """Prompts in chunks, and decoding beside them; see the top of the file.

    Parameters
    ----------
    chunk : int or None
        Most prompt tokens of an iteration, 1 or more; None for one whole prompt.
    decode : Decode or None
        What decoding costs, such as `A100_DECODE`; None if answers are made elsewhere, or at once.
    response : int or None
        Tokens of every answer; None for those of the trace, or of a forest what its paths have after the input.
    """

    chunk: int | None = 512
    decode: Decode | None = None
    response: int | None = None

    def __post_init__(self) -> None:
        if self.chunk is not None and not whole_number("chunk", self.chunk):
            raise ArgumentError("chunk", self.chunk, "1 token or more, or None")
        if self.decode is not None and not isinstance(self.decode, Decode):
            raise ArgumentError("decode", self.decode, "a Decode such as A100_DECODE, or None")
        if self.response is not None:
            whole_number("response", self.response)

    def answers(self, requests: Trace | Forest) -> IntArray:
        """Return the tokens of each answer; shape (n,)."""
        if self.decode is None or self.response is not None:
            return np.full(len(requests), self.response or 0, np.int64)
        return requests.output * requests.block_size


def batching_of(batching: object) -> Chunked:
    """Return a way of batching, checked."""
    if not isinstance(batching, Chunked):
        raise ArgumentError("batching", batching, "Chunked(), or None")
    return batching


@dataclass
class Batched:
    """A request on its replica: what is left of its prompt, what is before that, and what its iterations took."""

    k: int
    arrival: float
    left: int
    before: int
    answer: int
    loads: float
    start: float | None = None
    load: float = 0.0
    compute: float = 0.0
    service: float = 0.0


class Part(NamedTuple):
    """Prompt tokens of a request in an iteration."""

    job: Batched
    tokens: int


class Batcher:
    """A replica, iteration by iteration."""

    def __init__(self, options: Chunked, price: Price) -> None:
        self.chunk, self.decode, self.price = options.chunk, options.decode or Decode(0.0), price
        self.queue: deque[Batched] = deque()
        self.ends: deque[float] = deque()  # of prompts, never falling
        self.answering: list[tuple[int, int]] = []  # the last iteration of each, and its context then
        self.context = self.number = 0
        self.until, self.busy = -inf, 0.0

    def add(self, job: Batched) -> None:
        """Let a request wait."""
        self.queue.append(job)

    def advance(self, now: float) -> None:
        """Run the iterations that begin before an instant."""
        while (self.queue or self.answering) and self._begin() < now:
            self._iterate(*self._parts())

    def work(self, now: float) -> float:
        """Return the seconds until all that wait have their first token, if nothing else comes.

        An iteration that leaves prompts waiting is full, so that nothing that comes changes it: it is run at once.
        """
        while self.queue:
            parts, load = self._parts()
            if parts[-1].job is self.queue[-1] and parts[-1].tokens == self.queue[-1].left:
                return self._begin() + sum(self._seconds(parts, load)) - now
            self._iterate(parts, load)
        return max(self.ends[-1] - now, 0.0) if self.ends else 0.0

    def pending(self, now: float) -> int:
        """Return how many requests have no first token yet."""
        while self.ends and self.ends[0] <= now:
            self.ends.popleft()
        return len(self.ends) + len(self.queue)

    def _begin(self) -> float:
        """Return when the next iteration begins."""
        return self.until if self.answering else max(self.until, self.queue[0].arrival)

    def _parts(self) -> tuple[list[Part], float]:
        """Return the prompt tokens of the next iteration, and what loads for prompts that begin in it take."""
        room, parts = inf if self.chunk is None else self.chunk, list[Part]()
        for job in self.queue:
            if room <= 0 or (self.chunk is None and parts):
                break
            parts.append(Part(job, int(min(job.left, room))))
            room -= parts[-1].tokens
        return parts, sum(part.job.loads for part in parts if part.job.start is None)

    def _seconds(self, parts: Sequence[Part], load: float) -> tuple[float, float]:
        """Return what loads and prompt tokens take, and what decoding takes."""
        decode = len(self.answering) * self.decode.per_request + self.context * self.decode.per_token
        return float(self.price.service(load, self._prefill(parts))), decode + (0.0 if parts else self.decode.step)

    def _iterate(self, parts: Sequence[Part], load: float) -> None:
        """Run the next iteration."""
        begin, (prompts, decode), prefill = self._begin(), self._seconds(parts, load), self._prefill(parts)
        seconds = prompts + decode
        self.until, self.busy = begin + seconds, self.busy + seconds
        for job, tokens in parts:
            job.start = begin if job.start is None else job.start
            job.load, job.compute = job.load + load, job.compute + (prefill + decode)
            job.service += seconds
            job.left, job.before = job.left - tokens, job.before + tokens
        done = [job for job, _ in parts if not job.left]
        for _ in done:
            self.queue.popleft()
        self._answer(done)
        self.number += 1

    def _prefill(self, parts: Sequence[Part]) -> float:
        """Return what prompt tokens take."""
        ttft = self.price.latency.ttft
        if len(parts) < 2:
            return sum(float(ttft(tokens, job.before)) for job, tokens in parts)
        together = float(ttft(sum(tokens for _, tokens in parts)))
        return together + sum(float(ttft(tokens, job.before)) - float(ttft(tokens)) for job, tokens in parts)

    def _answer(self, first: Sequence[Batched]) -> None:
        """Count the tokens of an iteration: one a request that is being answered, and the first of others."""
        self.context += len(self.answering)
        while self.answering and self.answering[0][0] == self.number:
            self.context -= heappop(self.answering)[1]
        for job in first:
            self.ends.append(self.until)
            if job.answer > 1:
                heappush(self.answering, (self.number + job.answer - 1, job.before + job.answer))
                self.context += job.before + 1


def run_in_batches(
    work: Work, caches: Sequence[Cache], choose: Callable[[View], int], price: Price, options: Chunked
) -> ServedRows:
    """Send the requests to the replicas, and serve them in iterations."""
    batches, home, jobs = [Batcher(options, price) for _ in caches], dict[int, int](), list[Batched]()
    rows = ServedRows()
    columns = work.arrival, work.session, work.inputs, options.answers(work.requests)
    for k, (arrival, session, tokens, answer) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        for batch in batches:
            batch.advance(arrival)
        unfinished = [batch.work(arrival) for batch in batches]
        counts = [batch.pending(arrival) for batch in batches]
        replica = choose(View(k, arrival, session, tokens, unfinished, counts, home.get(session), caches, price))
        moved = caches[replica].serve(k)
        cached = sum(moved[0]) * work.block_size
        loads = float(price.load(np.array(moved[0], np.int64)))
        jobs.append(Batched(k, arrival, tokens - cached, cached, answer, loads))
        batches[replica].add(jobs[-1])
        home[session] = replica
        rows.replica.append(replica)
        rows.moved.append(moved)
    return _finished(rows, batches, jobs)


def _finished(rows: ServedRows, batches: Sequence[Batcher], jobs: Sequence[Batched]) -> ServedRows:
    """Serve what is left, and read off the requests when each began and what it took."""
    for batch in batches:
        batch.advance(inf)
    rows.iterated = [batch.busy for batch in batches]
    columns: Any = ((job.start, job.load, job.compute, job.service) for job in jobs)
    for start, load, compute, service in columns:
        rows.start.append(start)
        rows.load.append(load)
        rows.compute.append(compute)
        rows.service.append(service)
    return rows

"""A second simulator of the server: plain loops over time, every queue looked through, no SimPy and no heap.

Of the package it uses the tree, which is judged elsewhere, the latency model, and what a fault is.
"""

from fractions import Fraction

from teltheory.systems.rag.faults import GPULoss


class Prefill:
    """The prefill of a request's documents of one stage."""

    def __init__(self, request, leaf, total, known, place):
        self.request, self.leaf, self.total, self.known, self.place = request, leaf, total, known, place
        self.overtaken, self.status, self.begins, self.seconds, self.cached = 0, "waits", None, None, None
        self.unwanted = self.again = False


class Loop:
    """A server, a workload, and what happens instant by instant."""

    def __init__(self, workload, server, tree, latency, load, faults=()):
        self.workload, self.server, self.tree, self.latency, self.load = workload, server, tree, latency, load
        self.of, self.queue, self.running, self.joined = {}, [], [], 0
        self.events = []
        for k in range(len(workload)):
            time = float(workload.arrival[k])
            for stage in range(workload.stages):
                time += float(workload.seconds[k, stage])
                self.events.append((time, k, stage))
        self.events.sort()
        self.first_token, self.start, self.cached = {}, {}, {}
        self.wasted = self.busy = self.lost = 0.0
        self.losses = sorted((f.at, f.down) for f in faults if isinstance(f, GPULoss))
        self.faults, self.retries, self.failed, self.back = faults, [], [0] * len(workload), 0.0

    def run(self):
        """Go from instant to instant until nothing is left."""
        while self.events or self.running or self.losses or self.retries or self.queue:
            instants = [time for time, *_ in self.events[:1] + self.losses[:1] + sorted(self.retries)[:1]]
            instants += [max(p.begins + p.seconds for p in self.running)] if self.running else []
            instants += [self.back] if self.queue and not self.running else []
            self.now = min(instants)
            self.end_iteration()
            while self.losses and self.losses[0][0] == self.now:
                self.lose(self.losses.pop(0)[1])
            self.try_again()
            while self.events and self.events[0][0] == self.now:
                self.stage(*self.events.pop(0)[1:])
                self.end_iteration()
                self.try_again()
            self.begin_iteration()
        return self

    def try_again(self):
        for retry in sorted(r for r in self.retries if r[0] == self.now):
            self.retries.remove(retry)
            self.join(retry[1], self.answer(retry[1]), True, retry[2])
            self.end_iteration()

    def end_iteration(self):
        if not self.running or max(p.begins + p.seconds for p in self.running) > self.now:
            return
        ended, self.running = self.running, []
        for prefill in ended:
            self.busy += prefill.seconds
            if self.is_struck(prefill, False):
                self.fail(prefill, prefill.seconds)
                continue
            self.tree.finish(prefill.leaf, prefill.request)
            prefill.status = "done"
            if prefill.unwanted:
                self.wasted += prefill.seconds
            elif prefill.known and not prefill.again:
                self.deliver(prefill)

    def deliver(self, prefill):
        self.first_token[prefill.request] = self.now
        self.start[prefill.request], self.cached[prefill.request] = prefill.iteration, prefill.cached
        if self.is_struck(prefill, True):
            self.failed[prefill.request] += 1
            self.retry(prefill.request, True)

    def answer(self, k):
        return int(self.workload.leaves[k, -1])

    def is_struck(self, prefill, after):
        k = prefill.request
        if prefill.unwanted or prefill.leaf != self.answer(k):
            return False
        faults = [f for f in self.faults if not isinstance(f, GPULoss)]
        return any((f.request, f.attempt, f.after_first_token) == (k, self.failed[k] + 1, after) for f in faults)

    def fail(self, prefill, seconds):
        k = prefill.request
        self.tree.cancel(prefill.leaf, k)
        self.lost += seconds
        if not prefill.unwanted:
            del self.of[k]
            self.failed[k] += prefill.leaf == self.answer(k)
            if prefill.known:
                self.retry(k, prefill.again)

    def retry(self, k, again):
        if self.failed[k] <= self.server.retries:
            self.retries.append((self.now + self.server.timeout, k, again))

    def lose(self, down):
        failing, self.running = self.running, []
        for prefill in failing:
            seconds = min(max(self.now - prefill.begins, 0), prefill.seconds)
            self.busy += seconds
            self.fail(prefill, seconds)
        self.tree.lose()
        self.back = max(self.back, self.now + down)

    def stage(self, k, stage):
        leaf, last = int(self.workload.leaves[k, stage]), stage + 1 == self.workload.stages
        if not last and self.server.speculation is None:
            return
        mine = self.of.get(k)
        same = mine is not None and mine.leaf == leaf
        if not same:
            self.drop(k)
            if self.failed[k] <= self.server.retries if last else self.admitted():
                self.join(k, leaf, last)
        elif last:
            mine.known = True
            if mine.status == "done":
                self.deliver(mine)

    def admitted(self):
        others, rule = len(self.queue) + len(self.running), self.server.speculation
        return rule == "always" or others <= (int(rule[6:]) if rule.startswith("queue:") else 0)

    def join(self, k, leaf, known, again=False):
        if known and self.server.speculation == "spare":
            for prefill in [p for p in self.queue + self.running if not p.known]:
                self.drop(prefill.request)
        total = int(self.workload.question[k]) + (int(self.workload.forest.depth[leaf]) if leaf >= 0 else 0)
        self.joined += 1
        self.of[k] = Prefill(k, leaf, total, known, self.joined)
        self.of[k].again = again
        self.queue.append(self.of[k])

    def drop(self, k):
        prefill = self.of.pop(k, None)
        if prefill is None:
            return
        if prefill.status == "done":
            self.wasted += prefill.seconds
        elif prefill in self.queue:
            self.queue.remove(prefill)
        elif self.server.interruption == "after the iteration":
            prefill.unwanted = True
        else:
            self.stop(prefill)

    def stop(self, prefill):
        self.tree.cancel(prefill.leaf, prefill.request)
        spent = min(max(self.now - prefill.begins, 0), prefill.seconds)
        behind = self.running[self.running.index(prefill) + 1 :]
        self.running.remove(prefill)
        for later in behind:
            later.begins -= prefill.seconds - spent
        self.busy, self.wasted = self.busy + spent, self.wasted + spent

    def begin_iteration(self):
        if self.running or self.now < self.back:
            return
        begins = self.now
        while self.queue and len(self.running) < self.server.batch:
            prefill = self.choice()
            k = prefill.request
            found = self.tree.start(prefill.leaf, k, int(self.workload.question[k]), self.now)
            if found is None:
                break
            self.queue.remove(prefill)
            for other in self.queue:
                other.overtaken += other.place < prefill.place
            prefill.cached, cached = found.cached, sum(found.cached)
            moved = found.loaded + (found.copied if self.server.copying == "before" else 0)
            prefill.seconds = float(self.latency.ttft(prefill.total - cached, cached)) + moved * self.load
            prefill.begins, prefill.iteration, prefill.status = begins, self.now, "runs"
            begins += prefill.seconds
            self.running.append(prefill)

    def choice(self):
        earliest = min(self.queue, key=lambda p: p.place)
        if earliest.overtaken >= self.server.window:
            return earliest
        return min(self.queue, key=lambda p: (-self.share(p), p.place))

    def share(self, prefill):
        cached = sum(self.tree.found(prefill.leaf))
        return Fraction(cached, prefill.total) if cached else Fraction(0)

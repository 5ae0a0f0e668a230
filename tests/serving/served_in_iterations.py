"""A second simulator of chunks and decoding: instants, and what is still to be computed or made."""

from copy import deepcopy

from serving.served_by_events import Events


class Replica:
    """Who waits, who is answered, and the iteration that runs."""

    def __init__(self, world):
        self.latency, self.batching, self.overlapped = world.latency, world.batching, world.overlapped
        self.waiting, self.answered, self.running, self.end, self.log, self.busy = [], [], None, None, {}, 0.0

    def finish(self, now):
        """End the iteration that ends now; return who has the first token."""
        if self.running is None or self.end != now:
            return []
        firsts, self.running = self.running, None
        self.answered = [(left - 1, context + 1) for left, context in self.answered if left > 1]
        for one in firsts:
            if one["answer"] > 1:
                self.answered.append((one["answer"] - 1, one["input"] + 1))
        return firsts

    def begin(self, now):
        if self.running is not None or not (self.waiting or self.answered):
            return
        chunk = self.batching.chunk
        room = 10**9 if chunk is None else chunk
        parts, loading, firsts = [], 0.0, []
        for one in list(self.waiting):
            if room == 0 or (chunk is None and parts):
                break
            if one["start"] is None:
                one["start"] = now
                loading += one["loads"]
            count = min(room, one["left"])
            parts.append((count, one["input"] - one["left"]))
            one["left"] -= count
            room -= count
            self.log.setdefault(one["k"], one)["times"].append(None)
            if one["left"] == 0:
                self.waiting.remove(one)
                firsts.append(one)
        prefill = self.prefill(parts)
        decode = self.decoding(bool(parts))
        duration = (max(loading, prefill) if self.overlapped else loading + prefill) + decode
        for one in self.log.values():
            if one["times"] and one["times"][-1] is None:
                one["times"][-1] = (loading, prefill + decode, duration)
        self.running, self.end = firsts, now + duration
        self.busy += duration

    def prefill(self, parts):
        tokens = sum(count for count, _ in parts)
        if len(parts) == 1:
            return float(self.latency.ttft(*parts[0]))
        of_pasts = sum(float(self.latency.ttft(*part) - self.latency.ttft(part[0])) for part in parts)
        return float(self.latency.ttft(tokens)) + of_pasts if parts else 0.0

    def decoding(self, beside_prompts):
        decode = self.batching.decode
        if decode is None:
            return 0.0
        each = sum(decode.per_request + decode.per_token * context for _, context in self.answered)
        return each + (0.0 if beside_prompts else decode.step)

    def unfinished(self, now):
        ahead = deepcopy(self)
        time = now
        while ahead.waiting or ahead.running:
            ahead.begin(time)
            time = ahead.end
            ahead.finish(time)
        return time - now


class Iterations(Events):
    """Replicas that work in iterations."""

    def __init__(self, trace, policy, capacity, replicas, router, latency, batching, answers):
        super().__init__(trace, policy, capacity, replicas, router, latency)
        self.batching, self.answers = batching, answers
        self.overlapped = getattr(capacity, "loading", "additive") == "overlapped"
        self.each = [Replica(self) for _ in range(replicas)]

    def run(self):
        coming = list(enumerate(self.trace.arrival.tolist()))
        while coming or any(each.running is not None for each in self.each):
            instants = [each.end for each in self.each if each.running is not None] + [t for _, t in coming[:1]]
            self.now = min(instants)
            for each in self.each:
                for one in each.finish(self.now):
                    self.first_token[one["k"]] = self.now
            while coming and coming[0][1] == self.now:
                self.arrive(coming.pop(0)[0])
            for each in self.each:
                each.begin(self.now)
        return self

    def arrive(self, k):
        answers = [self.answer(r, k) for r in range(self.replicas)]
        r = self.replica[k] = self.choice(k, answers)
        self.cached[k], loads, _ = answers[r]
        tokens = int(self.inputs()[k])
        left = tokens - sum(self.cached[k]) * self.trace.block_size
        one = {"k": k, "left": left, "input": tokens, "answer": self.answers[k], "loads": loads, "start": None}
        self.each[r].waiting.append({**one, "times": []})
        self.sent[r].append(k)

    def unfinished(self, r):
        return self.each[r].unfinished(self.now)

    def loads(self):
        return [len(each.waiting) + len(each.running or ()) for each in self.each]

    def log(self, k):
        return self.each[self.replica[k]].log[k]

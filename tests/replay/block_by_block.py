"""A judge of the replay, written from CONTRACT.md ("The model") alone: one block at a time, dicts and lists.

It reads a policy's class name and its parameters, and shares nothing else with the library. Where the contract
is silent it follows the decisions written down for users: what is dropped is dropped at every cut, conversations
of the initial cache included; rounds visit the conversations of the initial cache first, as listed; nothing
happens after the last turn; Length-Aware's budget is that of T-LRU with the exact next prompt for the estimate.
"""

from replay.instances import Case

NEVER = float("inf")


class Judge:
    def __init__(self, case: Case, policy: object) -> None:
        self.case, self.policy, self.rule = case, policy, type(policy).__name__
        self.past: dict[int, int] = {}
        self.held: dict[int, int] = {}
        self.recency: list[int] = []  # least recent first
        self.arrived: list[int] = []  # by first arrival
        for conversation, past, cached in case.initial:
            self.past[conversation], self.held[conversation] = past, cached
            self.recency.append(conversation)
            self.arrived.append(conversation)
        self.reused: list[int] = []
        self.histories = self._all_histories()

    def _all_histories(self) -> list[int]:
        if self.case.history is not None:
            return list(self.case.history)
        so_far, histories = dict(self.past), []
        for c, q, a in zip(self.case.conversation, self.case.prompt, self.case.response, strict=True):
            histories.append(so_far.get(c, 0))
            so_far[c] = so_far.get(c, 0) + q + a
        return histories

    def reuses(self) -> list[int]:
        turns = len(self.case.conversation)
        for k in range(turns):
            c, h = self.case.conversation[k], self.histories[k]
            self.held.setdefault(c, 0)
            while self.held[c] > h:
                self.held[c] -= 1
            self.reused.append(self.held[c])
            self.past[c] = h + self.case.prompt[k] + self.case.response[k]
            while self.held[c] < self.past[c]:
                self.held[c] += 1
            self.recency = [other for other in self.recency if other != c] + [c]
            if c not in self.arrived:
                self.arrived.append(c)
            if k + 1 < turns:
                self._cut(k, c)
        return self.reused

    def _cut(self, k: int, arriving: int) -> None:
        spared = {arriving} if self.case.forced else set()
        movable = [c for c in self.recency if c not in spared]
        for c in movable:
            while self._not_kept(c, k) and self.held[c] > 0:
                self.held[c] -= 1
        trim = getattr(self.policy, "trim", "least-recent")
        if trim == "eager":
            for c in movable:
                while self.held[c] > self._budget(c, k):
                    self.held[c] -= 1
        elif trim == "round-robin":
            while self._overflows() and self._round(k, movable):
                pass
        else:
            while self._overflows() and self._trim_one(k, movable):
                pass
        while self._overflows():
            self._evict_one(k, movable)

    def _overflows(self) -> bool:
        return sum(self.held.values()) > self.case.capacity

    def _round(self, k: int, movable: list[int]) -> bool:
        trimmed = False
        for c in self.arrived:
            if c in movable and self.held[c] > self._budget(c, k) and self._overflows():
                self.held[c] -= 1
                trimmed = True
        return trimmed

    def _trim_one(self, k: int, movable: list[int]) -> bool:
        order = movable
        if self.rule in ("Belady", "TailOptimizedBelady"):
            order = [c for c in movable if self._next(c, k) == NEVER]
            order += [c for c in movable if self._next(c, k) != NEVER]
        for c in order:
            if self.held[c] > self._budget(c, k):
                self.held[c] -= 1
                return True
        return False

    def _evict_one(self, k: int, movable: list[int]) -> None:
        holding = [c for c in movable if self.held[c] > 0]
        victim = holding[0]
        if self.rule in ("Belady", "TailOptimizedBelady"):
            for c in holding:
                if self._next(c, k) > self._next(victim, k):
                    victim = c
        self.held[victim] -= 1

    def _next(self, conversation: int, k: int) -> float:
        for later in range(k + 1, len(self.case.conversation)):
            if self.case.conversation[later] == conversation:
                return later
        return NEVER

    def _not_kept(self, conversation: int, k: int) -> bool:
        if self.rule == "ThresholdLRU":
            return self.past[conversation] <= self.policy.cutoff  # type: ignore[attr-defined]
        if self.rule in ("EndAwareTLRU", "LengthAwareTLRU"):
            return self._next(conversation, k) == NEVER
        return False

    def _budget(self, conversation: int, k: int) -> int:
        past, following = self.past[conversation], self._next(conversation, k)
        if self.rule in ("LRU", "ThresholdLRU"):
            return past
        xi: int = self.policy.xi  # type: ignore[attr-defined]
        if self.rule in ("TLRU", "EndAwareTLRU"):
            q_hat: int = self.policy.q_hat  # type: ignore[attr-defined]
            return min(past, max(0, past + q_hat - xi))
        if following == NEVER:
            return 0
        prompt = self.case.prompt[int(following)]
        if self.rule == "LengthAwareTLRU":
            return min(past, max(0, past + prompt - xi))
        assert self.rule in ("Belady", "TailOptimizedBelady")
        history = self.histories[int(following)]
        return min(history, max(0, history + prompt - xi))


def block_by_block(case: Case, policy: object) -> list[int]:
    """What each turn reuses."""
    return Judge(case, policy).reuses()

"""Two replays of a small forest under hints and how they compare: by the reference, and for a check in C."""

from dataclasses import dataclass
from operator import eq, le
from typing import Any

from proofs_checks.hints.compiled import CompiledHints
from proofs_checks.hints.worlds import HintedCase, SmallHints, Use
from teltheory.claims.claim import Values
from teltheory.claims.forest_case import Row
from teltheory.policies import LRU, TLRU, TTL, Hinted
from teltheory.policies.hinted import Telling
from teltheory.policies.memory import Memory
from teltheory.replay import replay_forest


@dataclass(frozen=True)
class FromItsBirth(TTL):
    """A time to live that no use renews: it runs from when a block was computed."""

    def memory(self, instance: Any) -> Memory:
        """Return what forgets."""
        return _Birth(self.seconds, instance.requests.arrival.tolist())


class _Birth(Memory):
    def __init__(self, seconds: float, arrival: list[float]) -> None:
        self.seconds, self.arrival = seconds, arrival

    def expired(self, node: Any, now: float | None) -> bool:
        return now is not None and now - self.arrival[node.since] > self.seconds


def policy_of(case: HintedCase, use: Use, level: int) -> Any:
    """Return the policy of a run; a time to live is what each value is above its request's time, less one."""
    if "hard" in use:
        life = case.told.value[0] - case.told.time[0] - 1
        return FromItsBirth(life) if "unrenewed" in use else TTL(life)
    plain = TLRU(level, 0, "least-recent", case.mark) if level else LRU()
    return Hinted(plain, tuple(one for one in use if one != "after"), "after" if "after" in use else "first")


def missed(case: HintedCase, use: Use, close: Row, level: int) -> list[int]:
    """Return how many blocks of its path each request doesn't find."""
    outcome = replay_forest(case.instance(close, use), policy_of(case, use, level), case.cache, "reference")
    return [end - int(found) for end, found in zip(case.shape.ends, outcome.cached, strict=True)]


def called_dead(case: HintedCase) -> list[int]:
    """Return how many blocks of its path hints had called dead when each request came."""
    use = tuple(one for one in case.told.use if one in ("close", "superseded"))
    telling = Telling(Hinted(LRU(), use), case.forest(case.told.close, use))
    dead = []
    for k, path in enumerate(case.shape.paths):
        dead.append(sum(telling.is_dead(block) for block in path if block in telling.through))
        telling.hear(k, path)
    return dead


def blocks_of_the_agent(case: HintedCase) -> int:
    """Return how many blocks an agent had read by the request whose end is not the same in both runs."""
    ends = zip(case.told.close, case.told.other, strict=True)
    wrong = next((k for k, (one, other) in enumerate(ends) if one != other), len(case.told.agent) - 1)
    before = [case.shape.paths[k] for k in range(wrong + 1) if case.told.agent[k] == case.told.agent[wrong]]
    return len({block for path in before for block in path})


@dataclass(frozen=True)
class HintedPair:
    """Two runs of a case, named, and how and what they compare (`compiled.RELATIONS`, `compiled.COMPARED`)."""

    relation: str
    first: str
    second: str
    compared: str = "misses"

    def values(self, case: HintedCase) -> Values:
        """Return what both miss at each request, or what that exceeds xi by."""
        one = missed(case, case.told.use, case.told.close, case.level)
        other = missed(
            case, case.told.other_use, case.told.other, 0 if self.compared == "excess, LRU" else case.level
        )
        xi = 0 if self.compared == "misses" else case.level + case.estimate
        found: dict[str, Any] = {self.first: [max(0, u - xi) for u in one]}
        found[self.second] = [max(0, u - xi) for u in other]
        if self.relation == "safe":
            found["called dead"] = called_dead(case)
        return found | ({"blocks": blocks_of_the_agent(case)} if self.relation == "in all" else {})

    def holds(self, values: Values) -> bool:
        """Whether they compare as the statement says."""
        first, second = values[self.first], values[self.second]
        if self.relation == "in all":
            return bool(sum(first) <= sum(second) + values["blocks"])
        if self.relation == "safe":
            second = [u + dead for u, dead in zip(second, values["called dead"], strict=True)]
        return all(map(eq if self.relation == "same" else le, first, second))

    def compiled(self, worlds: SmallHints) -> CompiledHints:
        """Return the compiled check."""
        return CompiledHints(self.relation, worlds, self.compared)

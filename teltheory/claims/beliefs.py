"""Cases of the belief MDP: a model, the turns so far, and how many follow; a replay's policies as its rules.

The gaps of a history are among those of the model, so that every state can come up. What was cached at the
history's end is no part of a case: a check looks at every cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, NamedTuple

from teltheory.belief.model import Allocation, Arrival, BeliefKind, BeliefMDP, State, after, aged
from teltheory.belief.model import Policy as Rule
from teltheory.belief.optimality import Decision
from teltheory.belief.tables import Tables
from teltheory.claims.claim import Enumerated, Unshrunk, Values
from teltheory.policies.node import Node
from teltheory.policies.policy import CuttingPolicy, Policy
from teltheory.replay.chains.reference import cut
from teltheory.workloads.laws import Finite

Models = Callable[[], Iterator[BeliefMDP]]


class PastTurn(NamedTuple):
    """A turn of a history: x = exp(-t) of the gap before it, 1 for the first; conversations by first turns.

    `prompt` and `response` are Q and A.
    """

    x: Fraction
    place: int
    kind: int
    prompt: int
    response: int


@dataclass(frozen=True)
class BeliefCase(Unshrunk):
    """A model, a history of one turn or more, and the number of turns that follow."""

    model: BeliefMDP
    steps: tuple[PastTurn, ...]
    turns: int

    @classmethod
    def of(cls, example: Mapping[str, Any]) -> BeliefCase:
        """Return the case that `as_counterexample` wrote down."""
        steps = tuple(PastTurn(Fraction(x), *turn) for x, *turn in example["history"])
        return cls(model_from_dict(example["model"]), steps, example["following"])

    @cached_property
    def state(self) -> State:
        """The state at the end of the history."""
        state = State((), ())
        for step in self.steps:
            state = followed(self.model, state, step)
        return state

    @property
    def feasible(self) -> bool:
        """Whether forced caching, where asked for, can keep every past that may come."""
        return not self.model.forced or longest_past(self.model, self.state, self.turns) <= self.model.capacity

    @property
    def tables(self) -> Tables:
        """The model's tables, shared by the cases of a model."""
        return _tables(self.model)

    def size(self) -> tuple[Any, ...]:
        """Return the order of "smallest": turns, conversations, tokens, C, xi, then the model's own numbers."""
        return (*self.measures().values(), self.model.capacity, self.model.xi, _numbers(self.model), self.steps)

    def measures(self) -> dict[str, int]:
        """Return turns (those of the history and those that follow), conversations and tokens."""
        tokens = sum(step.prompt + step.response for step in self.steps)
        conversations = len({step.place for step in self.steps})
        return {"turns": len(self.steps) + self.turns, "conversations": conversations, "tokens": tokens}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the case and the first cache at which the values differ as plain data."""
        rule, optimal = rule_of(values), "optimal"
        at = next(i for i, (a, b) in enumerate(zip(values[rule], values[optimal], strict=True)) if a != b)
        return {
            "model": model_as_dict(self.model),
            "history": [[str(s.x), s.place, s.kind, s.prompt, s.response] for s in self.steps],
            "following": self.turns,
            **{name: list(values[name][at]) for name in ALLOCATIONS},
            "values": {name: str(values[name][at]) for name in (rule, optimal)},
        }


def followed(model: BeliefMDP, state: State, step: PastTurn) -> State:
    """Return the state after a turn of the history."""
    alive = tuple(aged(model, known, step.x) for known in state.conversations)
    return after(model, state, Arrival(Fraction(1), step.place, step.prompt, step.response, alive, step.kind))


def longest_past(model: BeliefMDP, state: State, turns: int) -> int:
    """Return the longest past that can be available before the last of the next `turns` turns."""
    longest = state.conversations[state.arrived].past
    if turns > 1:
        known = [(model.kinds[k.kind], k.turns, k.past) for k in state.conversations]
        new = [(kind, 0, 0) for kind in model.kinds if model.birth_rate * kind.share]
        for kind, so_far, past in (*known, *new):
            growth = [max(kind.prompt(so_far + i).lengths) + max(kind.response.lengths) for i in range(turns - 1)]
            longest = max(longest, past + sum(growth))
    return longest


ALLOCATIONS = ("cached", "kept", "best")
"""What `costs` lists beside the costs, cache by cache."""


def costs(rule: str, decisions: list[Decision]) -> Values | None:
    """Return what a rule keeps and costs, cache by cache, beside the best; None if nothing had to go."""
    if not decisions:
        return None
    allocations = {name: [getattr(decision, name) for decision in decisions] for name in ALLOCATIONS}
    return allocations | {rule: [one.cost for one in decisions], "optimal": [one.optimal for one in decisions]}


def rule_of(values: Values) -> str:
    """Return the name under which `costs` has the rule's costs."""
    return next(name for name in values if name not in (*ALLOCATIONS, "optimal"))


def optimal_everywhere(values: Values) -> bool:
    """Whether the rule costs no more than the best, at every cache."""
    return bool(values[rule_of(values)] == values["optimal"])


_tables = lru_cache(maxsize=4)(Tables)


def as_replayed(policy: Policy | CuttingPolicy) -> Rule:
    """Return the policy of a replay, such as LRU or T-LRU, which sees no beliefs.

    What goes by first arrival, as round-robin trimming does, goes by the places in the state, which are in the
    order of first turns.
    """

    def keep(model: BeliefMDP, state: State, cached: Allocation) -> Allocation:
        seen = {
            i: Node(first=i, past=state.conversations[i].past, cached=cached[i], next=None) for i in state.recency
        }
        exempt = seen[state.arrived] if model.forced else None
        cut(dict(seen), policy, model.capacity, exempt)
        return tuple(seen[i].cached for i in range(len(cached)))

    return keep


@dataclass(frozen=True)
class AllHistories(Enumerated):
    """Every history up to a length, under each of some models, at either effort; `note` names the models.

    `lengths` has pairs of turns of the history and turns that follow. `conversations` is the most of a history.
    """

    models: Mapping[str, Models]
    lengths: Mapping[str, tuple[tuple[int, int], ...]]
    note: str
    conversations: int = 3

    def classes(self, effort: str) -> Iterator[Iterator[BeliefCase]]:
        """Yield the cases in classes of a number of turns, smallest first."""
        pairs = sorted(self.lengths[effort], key=lambda pair: (sum(pair), pair))
        for turns in sorted({sum(pair) for pair in pairs}):
            yield self._class(effort, [pair for pair in pairs if sum(pair) == turns])

    def _class(self, effort: str, pairs: list[tuple[int, int]]) -> Iterator[BeliefCase]:
        for model in self.models[effort]():
            for past, following in pairs:
                for steps in histories(model, past, self.conversations):
                    yield BeliefCase(model, steps, following)

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what is enumerated."""
        models = list(self.models[effort]())
        return {
            "models": len(models),
            "what": self.note,
            "turns": [list(pair) for pair in self.lengths[effort]],
            "conversations": self.conversations,
            "capacities": sorted({model.capacity for model in models}),
            "thresholds": sorted({model.xi for model in models}),
            "gaps": sorted({_gaps(model) for model in models}),
        }


def histories(model: BeliefMDP, length: int, conversations: int) -> Iterator[tuple[PastTurn, ...]]:
    """Yield every history of a number of turns, conversations numbered by first turns."""
    if length == 0:
        yield ()
        return
    for steps in histories(model, length - 1, conversations):
        for step in next_steps(model, steps, conversations):
            past = sum(s.prompt + s.response for s in (*steps, step) if s.place == step.place)
            if not model.forced or past <= model.capacity:
                yield (*steps, step)


def next_steps(model: BeliefMDP, steps: tuple[PastTurn, ...], conversations: int) -> Iterator[PastTurn]:
    """Yield every turn that can follow."""
    kinds = list({step.place: step.kind for step in steps}.items())
    if len(kinds) < conversations:
        kinds += [(len(kinds), kind) for kind in range(len(model.kinds))]
    turns, following = Counter(step.place for step in steps), list[tuple[int, int, int, int]]()
    for place, k in kinds:
        kind = model.kinds[k]
        following += product((place,), (k,), kind.prompt(turns[place]).lengths, kind.response.lengths)
    for x in [x for x, _ in model.gaps] if steps else [Fraction(1)]:
        yield from (PastTurn(x, *turn) for turn in following)


def model_as_dict(model: BeliefMDP) -> dict[str, Any]:
    """Return a model as plain data, fractions as text."""
    return {
        "capacity": model.capacity,
        "xi": model.xi,
        "birth_rate": str(model.birth_rate),
        "death_rate": model.death_rate,
        "gaps": [[str(x), str(weight)] for x, weight in model.gaps],
        "belief": model.belief,
        "race": model.race,
        "forced": model.forced,
        "kinds": [
            {
                "turn_rate": kind.turn_rate,
                "prompts": [_law(law) for law in kind.prompts],
                "response": _law(kind.response),
                "share": str(kind.share),
                **({} if model.hinges(k) == ((1, model.xi),) else {"hinges": [*map(list, model.hinges(k))]}),
            }
            for k, kind in enumerate(model.kinds)
        ],
    }


def model_from_dict(data: Mapping[str, Any]) -> BeliefMDP:
    """Return the model that `model_as_dict` wrote down."""
    kinds = tuple(
        BeliefKind(
            kind["turn_rate"],
            tuple(map(_law_from_list, kind["prompts"])),
            _law_from_list(kind["response"]),
            Fraction(kind["share"]),
        )
        for kind in data["kinds"]
    )
    gaps = tuple((Fraction(x), Fraction(weight)) for x, weight in data["gaps"])
    return BeliefMDP(**{**data, "birth_rate": Fraction(data["birth_rate"]), "kinds": kinds, "gaps": gaps})


def _law_from_list(outcomes: Iterable[tuple[int, str]]) -> Finite:
    lengths, probabilities = zip(*outcomes, strict=True)
    return Finite(lengths, tuple(map(Fraction, probabilities)))


def _law(law: Finite) -> list[list[int | str]]:
    return [[length, str(p)] for length, p in law.outcomes]


def _gaps(model: BeliefMDP) -> str:
    weights = ", ".join(f"{x} with {weight}" for x, weight in model.gaps)
    return f"race of {weights}" if model.race else weights


def _numbers(model: BeliefMDP) -> tuple[Any, ...]:
    laws = [law for kind in model.kinds for law in (*kind.prompts, kind.response)]
    outcomes = [pair for law in laws for pair in law.outcomes]
    denominators = sum(p.denominator for _, p in outcomes) + sum(x.denominator for x, _ in model.gaps)
    return (len(model.kinds), len(outcomes), len(model.gaps), denominators, repr(model))

"""Private conversations in small tiers: the cases of the rows, each once, smallest first."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import Any, Literal, TypeAlias

from teltheory.claims.claim import Enumerated
from teltheory.claims.listed import ToldCase, told

Row: TypeAlias = tuple[int, ...]
Trace: TypeAlias = tuple[Row, ...]
"""A turn is (conversation, prompt, response), with a fourth number how much of its past it forgets first."""
Estimates: TypeAlias = Literal["upper bounds", "exact", "too small", "none"]
Size: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True)
class Chain(ToldCase):
    """A trace, tiers, and T-LRU's parameters.

    A unit that is loaded from tier i takes loads[i] / parts of the time that computing it takes. Without a q_hat
    the estimate is the prompt that comes next, 0 if none does. Forced, a past stays in tier 0 until the next turn.
    """

    trace: Trace
    capacities: Row
    loads: Row
    parts: int = 4
    xi: int = 0
    q_hat: int | None = 0
    inclusive: bool = False
    forced: bool = False

    def size(self) -> tuple[Any, ...]:
        """Return turns, conversations, tokens, then C, the loads, xi and Q, of equal ones any fixed order."""
        parameters = (self.capacities, self.loads, self.xi, -1 if self.q_hat is None else self.q_hat)
        return (*self.measures().values(), *parameters, self.forced, self.trace)

    def measures(self) -> dict[str, int]:
        """Return turns, conversations and tokens."""
        tokens = sum(turn[1] + turn[2] for turn in self.trace)
        return {"turns": len(self.trace), "conversations": len({turn[0] for turn in self.trace}), "tokens": tokens}

    def as_counterexample(self, values: Any) -> dict[str, Any]:
        """Return the case with its values, which are in parts of a token."""
        facts = {"trace": self.trace, "capacities": self.capacities, "loads": self.loads, "parts": self.parts}
        more = {name: True for name in ("inclusive", "forced") if getattr(self, name)}
        estimate = "the next prompt" if self.q_hat is None else self.q_hat
        return told({**facts, "xi": self.xi, "q_hat": estimate, **more, "values": values})

    @property
    def continuing(self) -> list[int]:
        """Prompts of the turns that continue a conversation."""
        seen, prompts = set(), []
        for theta, prompt, *_ in self.trace:
            prompts += [prompt] if theta in seen else []
            seen.add(theta)
        return prompts


@dataclass(frozen=True)
class SmallChains(Enumerated):
    """All traces up to so many tokens, by the number of turns, with all capacities, some loads and all estimates.

    `least` is what every prompt, response, capacity, threshold and estimate has at least, except that Q may be 0
    where prompts are; `conversations` the most, and `responses` whether there are any.
    """

    quick: Mapping[int, int]
    full: Mapping[int, int]
    loads: tuple[Row, ...] = ((0, 0), (0, 1), (0, 2), (0, 3))
    parts: int = 4
    estimates: Estimates = "upper bounds"
    inclusive: bool = False
    least: int = 0
    conversations: int = 9
    responses: bool = True
    thresholds: bool = True

    def sizes(self, effort: str) -> Iterator[Size]:
        """Yield turns, conversations and tokens of each class."""
        for turns, most in getattr(self, effort).items():
            for conversations in range(1, min(turns, self.conversations) + 1):
                first = self.least * (2 * turns if self.responses else turns)
                yield from ((turns, conversations, tokens) for tokens in range(first, most + 1))

    def classes(self, effort: str) -> Iterator[Iterator[Chain]]:
        """Yield the cases of each class."""
        return (self._cases(*size) for size in self.sizes(effort))

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what is enumerated, in words."""
        most = ", ".join(f"{turns}: {tokens}" for turns, tokens in getattr(self, effort).items())
        loads = ", ".join("/".join(map(str, row)) for row in self.loads)
        few = [f"up to {self.conversations} conversations"] if self.conversations < 9 else []
        few += [] if self.responses else ["no responses"]
        few += [f"numbers from {self.least} on"] if self.least else []
        mode = "inclusive" if self.inclusive else "exclusive"
        what = f"all traces with most tokens by turns {most}; {mode} tiers, loads {loads} in parts of {self.parts}"
        return {"cases": "; ".join([what, *few, f"estimates: {self.estimates}"])}

    def traces(self, turns: int, conversations: int, tokens: int) -> Iterator[Trace]:
        """Yield the traces of a class; the last response changes nothing and is the least."""
        lengths = list(self._lengths(turns, tokens))
        for names in strings(turns):
            if len(set(names)) == conversations:
                for prompts, answers in lengths:
                    yield tuple(zip(names, prompts, answers, strict=True))

    def _lengths(self, turns: int, tokens: int) -> Iterator[tuple[Row, Row]]:
        free = 2 * turns - 1 if self.responses else turns
        given = self.least * (2 * turns if self.responses else turns)
        for numbers in compositions(tokens - given, free):
            more = tuple(self.least + one for one in numbers)
            answers = (*more[turns:], self.least) if self.responses else (0,) * turns
            yield more[:turns], answers

    def _cases(self, *size: int) -> Iterator[Chain]:
        for trace in self.traces(*size):
            for capacities in self.capacities(len(self.loads[0]), size[2]):
                for loads in self.loads:
                    yield from self._parameters(Chain(trace, capacities, loads, self.parts, 0, 0, self.inclusive))

    def capacities(self, tiers: int, tokens: int) -> Iterator[Row]:
        """Yield all capacities: no more than all tokens together."""
        if self.inclusive:
            yield from combinations_with_replacement(range(self.least, tokens + 1), tiers)
            return
        every = product(range(self.least, tokens + 1), repeat=tiers)
        yield from (row for row in every if sum(row) <= tokens)

    def _parameters(self, case: Chain) -> Iterator[Chain]:
        tokens, fixed = case.measures()["tokens"], (case.trace, case.capacities, case.loads, case.parts)
        for xi in range(self.least, tokens + 1) if self.thresholds else (0,):
            for q_hat in self.estimated(case, xi):
                yield Chain(*fixed, xi, q_hat, case.inclusive)

    def estimated(self, case: Chain, xi: int) -> tuple[int | None, ...]:
        """Return the estimates that are tried."""
        if self.estimates == "exact":
            return (None,)
        most = max(case.continuing, default=0)
        if self.estimates == "upper bounds":
            return tuple(range(most, max(most, xi) + 1))
        return tuple(range(self.least, most)) if self.estimates == "too small" else (0,)


def strings(length: int) -> Iterator[Row]:
    """Yield names of conversations by turn, numbered in order of appearance."""
    for names in product(range(length), repeat=length):
        if all(name <= max(names[:k], default=-1) + 1 for k, name in enumerate(names)):
            yield names


def compositions(number: int, parts: int) -> Iterator[Row]:
    """Yield the ways to write a number as so many numbers from 0 on, one after the other."""
    if parts == 0 or number < 0:
        if number == 0:
            yield ()
        return
    if parts == 1:
        yield (number,)
        return
    for first in range(number + 1):
        yield from ((first, *rest) for rest in compositions(number - first, parts - 1))

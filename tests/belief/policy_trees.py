"""The least expected excess of two turns, by trying every policy there is.

A policy is what is kept now, and what is kept after each possible next turn. Of the package only the model's next
turns and the beliefs after them are used.
"""

from fractions import Fraction
from itertools import product
from math import prod

from teltheory.belief.model import Arrival, BeliefMDP, State, after, arrivals


def allowed(model: BeliefMDP, pasts: list[int], cached: list[int], last: int) -> list[list[int]]:
    found = []
    for kept in product(*(range(amount + 1) for amount in cached)):
        if sum(kept) <= model.capacity and (not model.forced or kept[last] == pasts[last]):
            found.append(list(kept))
    return found


def cost(model: BeliefMDP, pasts: list[int], kept: list[int], turn: Arrival) -> int:
    uncached = turn.prompt
    if turn.place < len(pasts):
        uncached += pasts[turn.place] - kept[turn.place]
    return max(uncached - model.xi, 0)


class Tree:
    """What can happen in two turns from a state, with something cached."""

    def __init__(self, model: BeliefMDP, state: State, cached: tuple[int, ...]) -> None:
        self.model, self.pasts = model, [known.past for known in state.conversations]
        self.turns = [(turn, after(model, state, turn)) for turn in arrivals(model, state)]
        self.now = allowed(model, self.pasts, list(cached), state.recency[-1])

    def later(self, kept: list[int], turn: Arrival, then: State) -> list[list[int]]:
        pasts = [known.past for known in then.conversations]
        cached = kept + [0] * (len(pasts) - len(kept))
        cached[turn.place] = pasts[turn.place]
        return allowed(self.model, pasts, cached, turn.place)

    def policies(self) -> int:
        return sum(prod(len(self.later(kept, *next_turn)) for next_turn in self.turns) for kept in self.now)

    def least(self) -> Fraction:
        return min(self.expected(kept, choice) for kept in self.now for choice in self.choices(kept))

    def choices(self, kept: list[int]):
        return product(*(self.later(kept, *next_turn) for next_turn in self.turns))

    def expected(self, kept: list[int], choice: tuple[list[int], ...]) -> Fraction:
        total = Fraction(0)
        for (turn, then), kept_then in zip(self.turns, choice, strict=True):
            pasts = [known.past for known in then.conversations]
            total += turn.probability * cost(self.model, self.pasts, kept, turn)
            for second in self.second(then):
                total += turn.probability * second.probability * cost(self.model, pasts, kept_then, second)
        return total

    def second(self, then: State) -> list[Arrival]:
        if not hasattr(self, "_second"):
            self._second = {}
        if then not in self._second:
            self._second[then] = list(arrivals(self.model, then))
        return self._second[then]

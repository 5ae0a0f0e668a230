"""The belief MDP and ET-LRU a second time, in fractions alone: the judge of rows on any cost and on drawn models.

A model and a history are plain data, as a counterexample tells them; nothing of the package is used. What is known
has a number, by which costs are kept; the costs of a number of turns are whole numbers over what `_over` returns.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import lcm
from typing import Any, TypeAlias

Conversation: TypeAlias = tuple[int, int, Fraction, int]
"""Its kind, its turns so far, its chance to be alive, and its past."""
Known: TypeAlias = tuple[Conversation, ...]
Kept: TypeAlias = tuple[int, ...]
Outcome: TypeAlias = tuple[Fraction, int, int, int, Known]
"""A chance, the place and the kind of who comes, the tokens of its prompt, and what is known then."""


def total(terms: Iterable[Fraction]) -> Fraction:
    """Return a sum of fractions."""
    return sum(terms, Fraction(0))


class Judge:
    """A model at the end of a history; `theta` is the place of the last turn."""

    def __init__(self, model: dict[str, Any], history: list[list[Any]]) -> None:
        self.model, self.capacity, self.mu = model, model["capacity"], model["death_rate"]
        self.births = Fraction(model["birth_rate"])
        self.gaps = [(Fraction(x), Fraction(weight)) for x, weight in model["gaps"]]
        self._numbers, self._met = dict[Known, int](), list[Known]()
        for name in ("_whole_law", "_over", "_keeping", "_least", "cost"):
            setattr(self, name, cache(getattr(self, name)))
        self.silent, self.theta = list[Fraction](), int(history[-1][1])
        known: Known = ()
        for x, place, kind, q, a in history:
            aged = [self.aged(one, Fraction(x)) for one in known]
            self.silent = [past * Fraction(x) for past in self.silent] + [Fraction(1)] * (place == len(aged))
            self.silent[place] = Fraction(1)
            known = self.came(aged, place, kind, q + a)
        self.known = known

    def rate(self, one: Conversation) -> int:
        """Return the turn rate."""
        return int(self.model["kinds"][one[0]]["turn_rate"])

    def chain(self, one: Conversation, x: Fraction) -> tuple[Fraction, Fraction]:
        """Return the chances to be alive and to have ended, both silent for a gap."""
        leaves = self.mu + self.rate(one)
        stays = x**leaves
        return one[2] * stays, 1 - one[2] + one[2] * (1 - stays) * Fraction(self.mu, leaves)

    def aged(self, one: Conversation, x: Fraction) -> Conversation:
        """Return what is known of one after a silent gap."""
        lives, ended = self.chain(one, x)
        belief = lives / (lives + ended) if self.model["belief"] == "bayes" else one[2] * x**self.mu
        return (*one[:2], belief, one[3])

    def came(self, known: Sequence[Conversation], place: int, kind: int, tokens: int) -> Known:
        """Return what is known after a turn."""
        _, turns, _, past = known[place] if place < len(known) else (kind, 0, 0, 0)
        turns = min(turns + 1, len(self.model["kinds"][kind]["prompts"]) - 1)
        return (*known[:place], (kind, turns, Fraction(1), past + tokens), *known[place + 1 :])

    def prompts(self, kind: int, turns: int) -> list[tuple[int, Fraction]]:
        """Return the law of the next prompt."""
        laws = self.model["kinds"][kind]["prompts"]
        return [(q, Fraction(p)) for q, p in laws[min(turns, len(laws) - 1)]]

    def cost(self, kind: int, uncached: int) -> int:
        """Return what uncached tokens cost, token by token."""
        hinges = self.model["kinds"][kind].get("hinges", [[1, self.model["xi"]]])
        return sum(weight for token in range(uncached) for weight, threshold in hinges if threshold <= token)

    def law(self, known: Known) -> list[Outcome]:
        """Return every next turn."""
        found = [one for x, weight in self.gaps for one in self._after(known, x, weight)]
        every = total(one[0] for one in found)
        return [(one[0] / every, *one[1:]) for one in found]

    def _number(self, known: Known) -> int:
        if self._numbers.setdefault(known, len(self._met)) == len(self._met):
            self._met.append(known)
        return self._numbers[known]

    def _whole_law(self, here: int) -> tuple[int, list[tuple[int, int, int, int, int]]]:
        """Return what chances are over, and every next turn, with the number of what is known then."""
        law = self.law(self._met[here])
        below = lcm(*(one[0].denominator for one in law))
        return below, [(int(one[0] * below), *one[1:4], self._number(one[4])) for one in law]

    def _over(self, turns: int, here: int) -> int:
        """Return what the costs of so many turns are over."""
        below, law = self._whole_law(here)
        return below * self._later(turns, [one[4] for one in law])

    def _later(self, turns: int, then: Iterable[int]) -> int:
        return lcm(*(self._over(turns - 1, one) for one in set(then))) if turns > 1 else 1

    def _after(self, known: Known, x: Fraction, weight: Fraction) -> list[Outcome]:
        aged = [self.aged(one, x) for one in known]
        rates = [self.rate(one) * one[2] for one in aged]
        if self.model["race"]:
            weight *= (self.births + sum(rates)) * x**self.births.numerator
            for one in known:
                weight *= sum(self.chain(one, x))
        comes = [(i, one[0], one[1], rate) for i, (one, rate) in enumerate(zip(aged, rates, strict=True))]
        for k, kind in enumerate(self.model["kinds"]):
            comes.append((len(known), k, 0, self.births * Fraction(kind["share"])))
        weight /= self.births + sum(rates)
        return [
            (weight * rate * p * Fraction(p_a), place, kind, q, self.came(aged, place, kind, q + a))
            for place, kind, turns, rate in comes
            for q, p in self.prompts(kind, turns)
            for a, p_a in self.model["kinds"][kind]["response"]
            if rate
        ]

    def allowed(self, known: Known, cached: Kept, theta: int) -> list[Kept]:
        """Return everything that may be kept."""
        ways = (kept for kept in product(*(range(x + 1) for x in cached)) if sum(kept) <= self.capacity)
        return [kept for kept in ways if not self.model["forced"] or kept[theta] == known[theta][3]]

    def keeping(self, kept: Kept, turns: int) -> Fraction:
        """Return the least expected cost of the next turns, if this much is kept before the first."""
        here = self._number(self.known)
        return Fraction(self._keeping(kept, turns, here), self._over(turns, here))

    def _keeping(self, kept: Kept, turns: int, here: int) -> int:
        _, law = self._whole_law(here)
        unit = self._later(turns, (one[4] for one in law))
        return sum(one[0] * self._turn(here, kept, turns, one, unit) for one in law)

    def _turn(self, here: int, kept: Kept, turns: int, outcome: tuple[int, int, int, int, int], unit: int) -> int:
        _, place, kind, q, after = outcome
        known, then = self._met[here], self._met[after]
        held = (*kept, 0)[: len(then)]
        past = known[place][3] if place < len(known) else 0
        now = self.cost(kind, past + q - held[place]) * unit
        if turns == 1:
            return now
        at_hand = (*held[:place], then[place][3], *held[place + 1 :])
        return now + self._least(at_hand, turns - 1, after, place) * (unit // self._over(turns - 1, after))

    def least(self, cached: Kept, turns: int) -> Fraction:
        """Return the least expected cost of the next turns, with this much cached before the cut."""
        here = self._number(self.known)
        return Fraction(self._least(cached, turns, here, self.theta), self._over(turns, here))

    def _least(self, cached: Kept, turns: int, here: int, theta: int) -> int:
        return min(self._keeping(kept, turns, here) for kept in self.allowed(self._met[here], cached, theta))

    def weights(self, index: str) -> list[Fraction]:
        """Return the index of each conversation: belief, printed or next."""
        if index == "next":
            return [total(one[0] for one in self.law(self.known) if one[1] == i) for i in range(len(self.known))]
        decayed = [silent**self.mu for silent in self.silent]
        beliefs = decayed if index == "printed" else [one[2] for one in self.known]
        return [self.rate(one) * belief for one, belief in zip(self.known, beliefs, strict=True)]

    def choices(self, cached: Kept, weights: list[Fraction]) -> list[Kept]:
        """Return every choice of the rule that fills the cache: the least mean cost, weighed by the index."""
        allowed = self.allowed(self.known, cached, self.theta)
        filling = [kept for kept in allowed if sum(kept) == max(map(sum, allowed))]
        found = {kept: total(self._objective(kept, weights)) for kept in filling}
        return [kept for kept, cost in found.items() if cost == min(found.values())]

    def _objective(self, kept: Kept, weights: list[Fraction]) -> Iterator[Fraction]:
        for one, y, weight in zip(self.known, kept, weights, strict=True):
            yield from (weight * p * self.cost(one[0], one[3] + q - y) for q, p in self.prompts(*one[:2]))

"""The exchange lemma behind Theorem D.2, at every state of bounded size and proved for all (ours).

T has C - 1 tokens, and b and all of T score at least as much as a: then keeping T and b costs no more than keeping
T and a, whatever the number of turns that follow. A state is anything that can be known right after a turn,
whether a history leads there or not. `exchange_proof.py` has the proof.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from proofs_checks.tail_optimized.instances import belief_grids as grids
from proofs_checks.tail_optimized.lemmas.exchange_proof import same_law_proof
from teltheory.belief.mdp import Solver
from teltheory.belief.model import NOTHING, Allocation, BeliefMDP, Known, State
from teltheory.belief.optimality import turn_rates
from teltheory.belief.tables import Tables, fits
from teltheory.claims.beliefs import model_as_dict
from teltheory.claims.claim import SecondRoute, Values, claim
from teltheory.claims.listed import Listed, ToldCase, plain
from teltheory.workloads.laws import Finite, fixed


@dataclass(frozen=True)
class Choice(ToldCase):
    """What may be kept at a state with so many turns to come."""

    tables: Tables = field(compare=False)
    state: State
    turns: int

    def score(self, place: int, token: int) -> Fraction:
        """Return lambda pi P(L + Q - xi >= j) of a conversation's token j."""
        known, model = self.state.conversations[place], self.tables.model
        law = model.kinds[known.kind].prompt(known.turns)
        return turn_rates(model, self.state)[place] * law.exactly_at_least(token - known.past + model.xi)

    def exchanges(self) -> Iterator[tuple[Allocation, Allocation]]:
        """Yield T + a and T + b, as prefixes that fill the cache."""
        sizes = [range(1, min(known.past, self.tables.model.capacity) + 1) for known in self.state.conversations]
        scores = [[Fraction(0), *(self.score(i, j) for j in tokens)] for i, tokens in enumerate(sizes)]
        for kept in np.argwhere(fits(self.tables.model, self.state)).tolist():
            last = {i: scores[i][j] for i, j in enumerate(kept) if j}
            if sum(kept) == self.tables.model.capacity and last:
                yield from _exchanges(kept, scores, [i for i, v in last.items() if v == min(last.values())])

    def measures(self) -> dict[str, int]:
        pasts = [known.past for known in self.state.conversations]
        return {"turns": self.turns, "conversations": len(pasts), "tokens": sum(pasts)}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        return {
            "model": model_as_dict(self.tables.model),
            "known": [[known.kind, str(known.alive), known.past] for known in self.state.conversations],
            "following": self.turns,
            "values": plain(values),
        }


def _exchanges(
    kept: list[int], scores: list[list[Fraction]], lowest: list[int]
) -> Iterator[tuple[Allocation, Allocation]]:
    for i, j in product(lowest, range(len(kept))):
        if j != i and kept[j] + 1 < len(scores[j]) and scores[j][kept[j] + 1] >= scores[i][kept[i]]:
            yield tuple(kept), tuple(x + (k == j) - (k == i) for k, x in enumerate(kept))


LAWS = (fixed(0), grids.ZERO_OR_TWO, grids.SELDOM_ONE, fixed(1))
ALIVE = (Fraction(1), grids.HALF, Fraction(1, 5))


@dataclass(frozen=True)
class Size:
    """Every state of some conversations, the last of which has just arrived, with so many turns to come.

    Of how many `LAWS`, up to which past (`longest`), with how many of `ALIVE`.
    """

    conversations: int
    laws: int
    longest: int
    alive: int
    turns: int
    capacities: tuple[int, ...] = (1, 2)
    thresholds: tuple[int, ...] = (0, 1)
    gaps: grids.Gaps = grids.A_HALF
    response: Finite = NOTHING

    def __str__(self) -> str:
        return (
            f"{self.conversations} with {self.laws} laws, pasts up to {self.longest}, {self.alive} beliefs, C of "
            f"{list(self.capacities)}, xi of {list(self.thresholds)}, {self.turns} to come"
        )

    def models(self) -> Iterator[BeliefMDP]:
        """Yield the models: each conversation has a kind, of rate 1 or 3 and with any of the laws."""
        n = self.conversations
        for rates, laws in product(product((1, 3), repeat=n), product(LAWS[: self.laws], repeat=n)):
            kinds = grids.kinds_of(rates, tuple((fixed(2), law) for law in laws), self.response)
            for capacity, xi in product(self.capacities, self.thresholds):
                yield BeliefMDP(capacity, xi, kinds, gaps=self.gaps)

    def states(self) -> Iterator[State]:
        """Yield what may be known."""
        n = self.conversations
        beliefs = product(*([ALIVE[: self.alive]] * (n - 1)), ALIVE[:1])
        for alive, pasts in product(list(beliefs), product(range(1, self.longest + 1), repeat=n)):
            known = (Known(i, 1, *pair) for i, pair in enumerate(zip(alive, pasts, strict=True)))
            yield State(tuple(known), tuple(range(n)))

    def cases(self) -> Iterator[Choice]:
        """Yield all of them."""
        for model in self.models():
            tables = Tables(model)
            for state in self.states():
                yield Choice(tables, state, self.turns)


QUICK = (
    Size(2, 3, 2, 3, 1, gaps=grids.TWO_GAPS),
    Size(2, 3, 2, 3, 2),
    Size(3, 2, 1, 2, 2, (2,), (0,)),
    Size(2, 2, 2, 2, 3, (2,), (1,)),
)
FULL = (
    Size(2, 4, 4, 3, 1, (1, 2, 3), (0, 1, 2), grids.TWO_GAPS),
    Size(2, 4, 3, 3, 2, (1, 2, 3), (0, 1, 2), grids.TWO_GAPS),
    Size(2, 2, 2, 3, 2, response=grids.COIN),
    Size(3, 2, 2, 2, 2, (2,)),
    Size(2, 3, 2, 3, 3, (2,)),
)


def _told(sizes: tuple[Size, ...]) -> dict[str, Any]:
    return {
        "models": len({model for size in sizes for model in size.models()}),
        "what": "every state of conversations of rate 1 or 3: " + "; ".join(map(str, sizes)),
    }


STATES = Listed(lambda sizes: (size.cases() for size in sizes), QUICK, FULL, _told)


def no_dearer(values: Values) -> bool:
    """Whether keeping T + b never costs more than keeping T + a."""
    return all(b <= a for a, b in zip(values["a kept"], values["b kept"], strict=True))


def by_recursion(case: Choice, values: Values) -> Values:
    """Compute the costs state by state with memory."""
    solver = Solver(case.tables.model)
    kept = {"a kept": values["T + a"], "b kept": values["T + b"]}
    return {
        name: [solver.cost_of_keeping(case.state, one, case.turns) for one in every]
        for name, every in kept.items()
    }


@claim(
    "theorem-d2.exchange",
    "Theorem D.2, its proof",
    "The exchange lemma: if T has C - 1 tokens, and b and all of T score at least as much as a, then keeping T "
    "and b costs no more than keeping T and a, for any number of turns to come. Optional caching, the paper's "
    "belief, any turn rates, any law of a conversation's prompts that stays the same from turn to turn.",
    relation=no_dearer,
    space=STATES,
    proof=same_law_proof,
    second=SecondRoute("recursion over states with memory", by_recursion),
)
def exchange(case: Choice) -> Values | None:
    """Compare the two costs at every exchange of a state."""
    pairs = list(case.exchanges())
    costs = case.tables.of_keeping(case.state, case.turns)
    if not pairs:
        return None
    a, b = (list(one) for one in zip(*pairs, strict=True))
    return {"T + a": a, "T + b": b, "a kept": list(map(costs.at, a)), "b kept": list(map(costs.at, b))}

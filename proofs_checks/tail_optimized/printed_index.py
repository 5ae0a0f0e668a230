"""ET-LRU as it is printed, in the true model: it weighs by lambda exp(-mu tau), and the silence is information.

The belief MDP has the posterior, by given gaps or by the race between the conversations, as in
`theorem_d2_bayes.py`. The last row has no gaps: the next turn's law is integrated over all of time.
"""

from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.tail_optimized.instances import belief_grids as grids
from proofs_checks.tail_optimized.instances.belief_grids import Grid, always, both, optimality_row
from proofs_checks.tail_optimized.theorem_d2_bayes import FEW, KNOWN, gaps_and_race
from teltheory.belief.exact_events import exact_next_event, exact_sequences
from teltheory.belief.model import Allocation, BeliefMDP, Known, State, allocations
from teltheory.belief.optimality import et_lru, printed_turn_rates
from teltheory.claims.claim import SecondRoute, Values, claim
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import reading, repairs
from teltheory.policies.learned.posterior import exact_posterior
from teltheory.workloads.laws import fixed

SOURCE = "Theorem D.2, with Definition D.1 in the stochastic conversation model"

ONE_LENGTH = (((grids.FIRST, fixed(1)),), ((grids.FIRST, fixed(2)),))
GAPS = (grids.A_HALF, always("3/4"))
TWO_RATES = Grid(((1, 3),), ONE_LENGTH, (1, 2), (1, 2), GAPS, responses=(fixed(1),), base=grids.BAYES)
printed_index = optimality_row(
    "et-lru.printed-index",
    "ET-LRU that weighs by the printed lambda exp(-mu tau) is optimal in the conversation model, where the "
    "silence of a conversation says that it may have ended.",
    TWO_RATES,
    None,
    "two turn rates, one known length; every prompt, response, C and xi at least 1",
    source=SOURCE,
    rule=grids.by_index("ET-LRU", printed_turn_rates, "best"),
    lengths={"quick": ((2, 1), (3, 1)), "full": ((2, 1), (3, 1), (2, 2))},
    origin=reading("the printed index, and turns that come as in the conversation model"),
)
RANDOM, ZERO = (*grids.PROMPTS["random"], grids.PROMPTS["by-conversation"][1]), (0,)
printed_index_homogeneous = optimality_row(
    "et-lru.printed-index.homogeneous",
    "ET-LRU by the printed index is optimal in the conversation model where turn rates are homogeneous, and "
    "lengths of prompts are known or xi = 0.",
    both(gaps_and_race(KNOWN, (0, 1), wide=False), gaps_and_race(RANDOM, ZERO, wide=False)),
    both(gaps_and_race(KNOWN, (0, 1, 2), wide=True), gaps_and_race(RANDOM, ZERO, wide=True)),
    "homogeneous rates, known lengths or xi = 0",
    source=SOURCE,
    rule=grids.by_index("ET-LRU", printed_turn_rates, "worst"),
    lengths=FEW,
    origin=repairs("et-lru.printed-index"),
)


@dataclass(frozen=True)
class Fast(ToldCase):
    """A fast conversation that is silent, then a slow one: what one token of room is worth at the next turn.

    Every prompt and rate is 1 but the fast one's rate, n + 2, and so are C and xi; exp(-silence) = 1/2. The cost
    is to exceed the least n times.
    """

    n: int

    @property
    def rates(self) -> tuple[int, int]:
        """Turn rates of the two."""
        return (self.n + 2, 1)

    @property
    def model(self) -> BeliefMDP:
        """The model; its gaps are of no matter here."""
        return BeliefMDP(1, 1, grids.kinds_of(self.rates, ((fixed(1),),), fixed(0)), belief="bayes")

    @property
    def state(self) -> State:
        """The state after the slow one's turn."""
        alive = exact_posterior(grids.HALF ** (self.rates[0] + 1), 1, self.rates[0])
        return State((Known(0, 0, alive, 1), Known(1, 0, Fraction(1), 1)), (0, 1))

    @property
    def alive(self) -> tuple[Fraction, ...]:
        """The posteriors."""
        return tuple(known.alive for known in self.state.conversations)

    def cost(self, kept: Allocation, chances: tuple[Fraction, ...]) -> Fraction:
        """Return the expected excess of the next turn; a new conversation's is 0."""
        known = zip(self.state.conversations, kept, chances, strict=True)
        return sum((p * max(one.past + 1 - y - 1, 0) for one, y, p in known), Fraction(0))


EVERY_RATIO = Listed(
    lambda most: ([Fast(n)] for n in range(1, most + 1)),
    50,
    200,
    lambda most: {"n": f"1 to {most}", "cases": "a fast silent conversation and a slow one, one turn to come"},
)


def by_jumps(case: Fast, values: Values) -> Values:
    """Compute the costs from the jump chain over the hidden set of conversations that are alive."""
    law = exact_sequences(case.alive, case.rates, death_rate=1, birth_rate=1, events=1, new_rate=1)
    return _costs(case, (law[0,], law[1,]))


def _costs(case: Fast, chances: tuple[Fraction, ...]) -> Values:
    every = allocations(case.model, case.state, (1, 1))
    kept = et_lru(printed_turn_rates)(case.model, case.state, (1, 1))
    return {"ET-LRU": case.cost(kept, chances), "least": min(case.cost(one, chances) for one in every)}


@claim(
    "et-lru.printed-index.ratio",
    SOURCE,
    "For each n there is a state of the conversation model at which ET-LRU by the printed index costs more than n "
    "times the least, with one turn to come; time is continuous.",
    relation=lambda values: values["ET-LRU"] > values["n"] * values["least"] > 0,
    space=EVERY_RATIO,
    second=SecondRoute("the jump chain over hidden sets", by_jumps),
)
def printed_index_ratio(case: Fast) -> Values:
    """Compute both costs from the exact law of the next turn."""
    return {"n": case.n, **_costs(case, exact_next_event(case.alive, case.rates, 1, 1)[0])}

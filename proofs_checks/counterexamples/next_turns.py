"""Rules that need not be optimal: the least expected excess of the next turns after what they keep, in fractions.

`python next_turns.py ROW` confirms the counterexample of a row; without a row, of all of them.

A conversation has a turn rate and the weights of its prompts' lengths, turn by turn, the last of which stay. Death
rate 1, and the same gap t before every turn. Births have a rate, and each kind is as likely as any other.
"""

import sys
from fractions import Fraction


def below(x):
    return [[n, *y] for n in range(x[0] + 1) for y in below(x[1:])] if x else [[]]


class Row:
    """A counterexample: exp(-t), C, xi, kinds (rate, prompts), and what is known: (kind, silent gaps, past)."""

    def __init__(
        self, decay, capacity, xi, kinds, known, rule, best, turns=2,
        births=1, index="rate", name="ET-LRU", posterior=True, forced=False,
    ):  # fmt: skip
        self.decay, self.capacity, self.xi, self.rule, self.best = decay, capacity, xi, rule, best
        self.turns, self.index, self.name, self.posterior, self.forced = turns, index, name, posterior, forced
        self.births = [(rate, Fraction(births, rate * len(kinds)), 0, prompts) for rate, prompts in kinds]
        self.gaps = [gaps for _, gaps, _ in known]
        self.known = [
            (kinds[k][0], self.alive(kinds[k][0], gaps), past, kinds[k][1][1:]) for k, gaps, past in known
        ]

    def alive(self, rate, gaps):
        """Return the probability to be alive so many gaps after a turn."""
        return self.aged(rate, self.alive(rate, gaps - 1)) if gaps else Fraction(1)

    def aged(self, r, p):
        """Return the probability to be alive after a gap without a turn."""
        if not self.posterior:
            return p * self.decay
        silent = self.decay ** (1 + r)
        return p * silent * (1 + r) / (1 + r - p * r * (1 - silent))

    def excess(self, turns, known, kept):
        """Return the least expected excess of so many turns, if this much is kept before the first."""
        old = [(r, self.aged(r, p), past, laws) for r, p, past, laws in known]
        everyone, held = [*old, *self.births], [*kept, *(0 for _ in self.births)]
        total, cost = sum(r * p for r, p, _, _ in everyone), 0
        for i, (r, p, past, laws) in enumerate(everyone if turns else []):
            for q, weight in laws[0].items():
                chance = r * p / total * Fraction(weight, sum(laws[0].values()))
                then = [*old[:i], (r, 1, past + q, laws[1:] or laws), *old[i + 1 :]]
                at_hand = [*kept[:i], past + q, *kept[i + 1 :]]
                cost += chance * (max(past + q - held[i] - self.xi, 0) + self.later(turns - 1, then, at_hand, i))
        return cost

    def later(self, turns, then, at_hand, i):
        """Return the least excess of later turns over all that can be kept; 0 after the last."""
        front = min(i, len(at_hand) - 1)
        ways = (y for y in below(at_hand) if sum(y) <= self.capacity)
        whole = (y for y in ways if not self.forced or y[front] == at_hand[front])
        return min((self.excess(turns, then, y) for y in whole), default=0) if turns else 0

    def weight(self, i):
        """Return what the rule weighs a conversation by; T-LRU, if nothing is surplus, by recency."""
        rate, alive, _, _ = self.known[i]
        if self.index == "recency":
            return i + 1
        by_rate = {"rate": rate * alive, "next": rate * self.aged(rate, alive)}
        return {**by_rate, "alive": alive, "printed": rate * self.decay ** self.gaps[i]}[self.index]

    def objective(self, kept):
        """Return what the rule minimises."""
        return sum(
            self.weight(i) * Fraction(weight, sum(laws[0].values())) * max(past + q - kept[i] - self.xi, 0)
            for i, (_, _, past, laws) in enumerate(self.known)
            for q, weight in laws[0].items()
        )

    def confirm(self):
        """Show that what the rule keeps costs more than the best."""
        cost, least = (self.excess(self.turns, self.known, kept) for kept in (self.rule, self.best))
        print(f"{self.name} keeps {self.rule}: {cost}, but {self.best} costs {least}")
        assert self.objective(self.rule) < self.objective(self.best)
        assert cost > least


ONE, UP_TO_TWO, UP_TO_THREE, NOTHING = {1: 1}, {1: 1, 2: 1}, {1: 1, 2: 1, 3: 1}, {0: 1}
MOSTLY_ONE, SHORT_OR_LONG = {1: 8, 2: 1}, {1: 8, 2: 1, 3: 1}
KNOWN_LENGTH = [UP_TO_TWO, ONE]
PAPER, FORCED = {"posterior": False}, {"posterior": False, "forced": True}
LIKELY = {"births": 4, "index": "next"}

BAYES, NEXT = "theorem-d2.bayes", "theorem-d2.bayes-next-event"
ROWS = {
    "theorem-d2.turn-law": Row(
        Fraction(9, 20), 2, 1, [(4, [{2: 1}, {0: 1, 1: 1}, NOTHING])],
        [(0, 1, 2), (0, 0, 2)], [0, 2], [1, 1], **PAPER
    ),
    "theorem-d2.forced-heterogeneous": Row(
        Fraction(9, 10), 2, 0, [(1, [UP_TO_TWO, NOTHING]), (3, [UP_TO_TWO, NOTHING])],
        [(1, 2, 2), (1, 1, 1), (0, 0, 1)], [0, 1, 1], [1, 0, 1], **FORCED
    ),
    "theorem-d2.forced-random": Row(
        Fraction(9, 10), 4, 2, [(1, [UP_TO_THREE, ONE]), (1, [UP_TO_THREE, {0: 2, 2: 1}])],
        [(1, 2, 2), (1, 1, 1), (0, 0, 3)], [0, 1, 3], [1, 0, 3], **FORCED
    ),
    f"{BAYES}-random": Row(
        Fraction(1, 2), 1, 1, [(1, [UP_TO_TWO, {0: 2, 1: 1}])], [(0, 1, 2), (0, 0, 1)], [1, 0], [0, 1], 1
    ),
    f"{BAYES}-heterogeneous": Row(
        Fraction(1, 3), 1, 0, [(1, [ONE, NOTHING]), (3, [ONE, NOTHING])],
        [(0, 2, 1), (1, 1, 1), (0, 0, 1)], [0, 1, 1], [1, 0, 1], 1
    ),
    f"{NEXT}.homogeneous.random": Row(
        Fraction(3, 4), 1, 2, [(1, [SHORT_OR_LONG, {0: 1, 1: 2}])],
        [(0, 1, 3), (0, 0, 2)], [1, 0], [0, 1], **LIKELY
    ),
    f"{NEXT}.homogeneous.by-conversation": Row(
        Fraction(13, 20), 1, 2, [(1, [SHORT_OR_LONG, NOTHING]), (1, [SHORT_OR_LONG, {0: 1, 1: 1}])],
        [(0, 1, 3), (1, 0, 2)], [1, 0], [0, 1], **LIKELY
    ),
    f"{NEXT}.heterogeneous.fixed": Row(
        Fraction(5, 7), 1, 1, [(1, [MOSTLY_ONE, NOTHING]), (3, [MOSTLY_ONE, NOTHING])],
        [(1, 1, 2), (0, 0, 2)], [1, 0], [0, 1], **LIKELY
    ),
    f"{NEXT}.heterogeneous.random": Row(
        Fraction(2, 3), 1, 2, [(1, [SHORT_OR_LONG, {0: 1, 1: 2}]), (3, [SHORT_OR_LONG, {0: 1, 1: 2}])],
        [(1, 1, 3), (0, 0, 2)], [1, 0], [0, 1], **LIKELY
    ),
    f"{NEXT}.heterogeneous.by-conversation": Row(
        Fraction(5, 7), 1, 1, [(1, [MOSTLY_ONE, NOTHING]), (3, [MOSTLY_ONE, {0: 1, 1: 1}])],
        [(1, 1, 2), (0, 0, 2)], [1, 0], [0, 1], **LIKELY
    ),
    "corollary.tlru": Row(
        Fraction(1, 2), 1, 1, [(3, KNOWN_LENGTH), (1, KNOWN_LENGTH)], [(0, 1, 2), (1, 0, 2)], [0, 1], [1, 0], 1,
        index="recency", name="T-LRU", **PAPER
    ),
    "paging.ever": Row(
        Fraction(1, 2), 1, 0, [(1, [ONE, NOTHING]), (3, [ONE, NOTHING])],
        [(1, 1, 1), (0, 0, 1)], [0, 1], [1, 0], 1, index="alive", name="the rule", **PAPER
    ),
    "et-lru.printed-index": Row(
        Fraction(1, 2), 1, 1, [(3, KNOWN_LENGTH), (1, KNOWN_LENGTH)], [(0, 1, 2), (1, 0, 2)], [1, 0], [0, 1], 1,
        index="printed"
    ),
}  # fmt: skip

for name in sys.argv[1:] or ROWS:
    ROWS[name].confirm()

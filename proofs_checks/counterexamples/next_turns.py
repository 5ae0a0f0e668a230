"""The least expected excess of the next turns in the conversation model, in fractions; scripts beside it use it.

A conversation: turn rate, probability that it is alive, past, weights of the lengths of its prompts to come. Death
rate 1, and the same gap t before every turn.
"""

from fractions import Fraction


def below(x):
    return [[n, *y] for n in range(x[0] + 1) for y in below(x[1:])] if x else [[]]


class Model:
    """Capacity, threshold, exp(-t), births with their rates, and whether the silence is observed."""

    def __init__(self, capacity, xi, decay, births, posterior=True, forced=False):
        self.capacity, self.xi, self.decay, self.births = capacity, xi, decay, births
        self.posterior, self.forced = posterior, forced

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

    def confirm(self, known, rule, best, turns, name="ET-LRU"):
        """Show that what a rule keeps costs more than the best."""
        costs = [self.excess(turns, known, kept) for kept in (rule, best)]
        print(f"{name} keeps {rule}: {costs[0]}, but {best} costs {costs[1]}")
        assert costs[0] > costs[1]
        if turns > 1:
            assert self.excess(1, known, rule) < self.excess(1, known, best)  # problem (6)

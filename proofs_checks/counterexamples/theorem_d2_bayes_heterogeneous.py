"""With the posterior and two turn rates, ET-LRU need not be optimal.

Row theorem-d2.bayes-heterogeneous.
A conversation: turn rate, probability that it is alive, past, weights of the lengths of its prompts to come.
exp(-t) = 1/3 for every gap t, mu = 1; `excess` is the least expected excess of the next turns.
"""

from fractions import Fraction

XI, GAP, A = 0, Fraction(1, 3), [{1: 1}, {0: 1}]
NEW = [(1, Fraction(1, 2), 0, A), (3, Fraction(1, 6), 0, A)]  # rate times alive is the rate of births


def aged(r, p):
    return p * GAP ** (1 + r) * (1 + r) / (1 + r - p * r * (1 - GAP ** (1 + r)))


def excess(known, kept):
    old = [(r, aged(r, p), past, laws) for r, p, past, laws in known]
    total, cost = sum(r * p for r, p, _, _ in old + NEW), 0
    for i, (r, p, past, laws) in enumerate(old + NEW):
        for q, weight in laws[0].items():
            chance = r * p / total * Fraction(weight, sum(laws[0].values()))
            cost += chance * max(past + q - [*kept, 0, 0][i] - XI, 0)
    return cost


KNOWN = [(1, aged(1, aged(1, 1)), 1, A[1:]), (3, aged(3, 1), 1, A[1:]), (1, 1, 1, A[1:])]
RULE, BEST = [0, 1, 1], [1, 0, 1]
scores = [r * p for r, p, _, _ in KNOWN]
assert scores[0] < min(scores[1], scores[2])  # r P(L + Q - xi >= X)
print(f"ET-LRU keeps {RULE}: {excess(KNOWN, RULE)}, but {BEST} costs {excess(KNOWN, BEST)}")
assert excess(KNOWN, RULE) > excess(KNOWN, BEST)

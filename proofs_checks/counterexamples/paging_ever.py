"""Evicting the page that is least likely ever to return need not be optimal.

Row paging.ever.
A conversation: turn rate, probability that it is alive, past, weights of the lengths of its prompts to come.
exp(-t) = 1/2 for every gap t, mu = 1; `excess` is the least expected excess of the next turns.
"""

from fractions import Fraction

XI, GAP, A = 0, Fraction(1, 2), [{1: 1}, {0: 1}]
NEW = [(1, Fraction(1, 2), 0, A), (3, Fraction(1, 6), 0, A)]  # rate times alive is the rate of births


def excess(known, kept):
    old = [(r, p * GAP, past, laws) for r, p, past, laws in known]
    total, cost = sum(r * p for r, p, _, _ in old + NEW), 0
    for i, (r, p, past, laws) in enumerate(old + NEW):
        for q, weight in laws[0].items():
            chance = r * p / total * Fraction(weight, sum(laws[0].values()))
            cost += chance * max(past + q - [*kept, 0, 0][i] - XI, 0)
    return cost


KNOWN, RULE, BEST = [(3, GAP, 1, A[1:]), (1, 1, 1, A[1:])], [0, 1], [1, 0]
assert KNOWN[0][1] < KNOWN[1][1]  # the first is the least likely to return
print(f"the rule keeps {RULE}: {excess(KNOWN, RULE)}, but {BEST} costs {excess(KNOWN, BEST)}")
assert excess(KNOWN, RULE) > excess(KNOWN, BEST)

"""With the posterior and two turn rates, ET-LRU need not be optimal.

Row theorem-d2.bayes-heterogeneous.
exp(-t) = 1/3 for every gap t; `next_turns` says what a conversation is.
"""

from fractions import Fraction

from next_turns import Model

GAP, A = Fraction(1, 3), [{1: 1}, {0: 1}]
births = [(1, Fraction(1, 2), 0, A), (3, Fraction(1, 6), 0, A)]  # rate times alive is the rate of births
model = Model(1, 0, GAP, births)
KNOWN = [(1, model.aged(1, model.aged(1, 1)), 1, A[1:]), (3, model.aged(3, 1), 1, A[1:]), (1, 1, 1, A[1:])]
RULE, BEST = [0, 1, 1], [1, 0, 1]
scores = [r * p for r, p, _, _ in KNOWN]
assert scores[0] < min(scores[1], scores[2])  # r P(L + Q - xi >= X)
model.confirm(KNOWN, RULE, BEST, turns=1)

"""With the posterior, random prompts and xi > 0, ET-LRU need not be optimal.

Row theorem-d2.bayes-random.
exp(-t) = 1/2 for every gap t; `next_turns` says what a conversation is.
"""

from fractions import Fraction

from next_turns import Model

GAP, A = Fraction(1, 2), [{1: 1, 2: 1}, {0: 2, 1: 1}]
births = [(1, 1, 0, A)]  # rate times alive is the rate of births
model = Model(1, 1, GAP, births)
KNOWN, RULE, BEST = [(1, model.aged(1, 1), 2, A[1:]), (1, 1, 1, A[1:])], [1, 0], [0, 1]
likely = [Fraction(sum(w for q, w in law.items() if n + q > 1), sum(law.values())) for _, _, n, (law,) in KNOWN]
scores = [r * p * chance for (r, p, _, _), chance in zip(KNOWN, likely, strict=True)]
assert scores[1] < scores[0]  # r P(L + Q - xi >= X)
model.confirm(KNOWN, RULE, BEST, turns=1)

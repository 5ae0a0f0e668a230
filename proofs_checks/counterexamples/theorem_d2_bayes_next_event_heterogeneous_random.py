"""ET-LRU by the exact chance to be next need not be optimal: two turn rates, one law of prompts.

Row theorem-d2.bayes-next-event.heterogeneous.random.
exp(-t) = 2/3 for every gap t; `next_turns` says what a conversation is.
"""

from fractions import Fraction

from next_turns import Model

GAP, A = Fraction(2, 3), [{1: 8, 2: 1, 3: 1}, {0: 1, 1: 2}]
births = [(1, 2, 0, A), (3, Fraction(2, 3), 0, A)]  # rate times alive is the rate of births
model = Model(1, 2, GAP, births)
KNOWN, RULE, BEST = [(3, model.aged(3, 1), 3, A[1:]), (1, 1, 2, A[1:])], [1, 0], [0, 1]
model.confirm(KNOWN, RULE, BEST, turns=2)

"""ET-LRU by the exact chance to be next need not be optimal: two turn rates, known lengths.

Row theorem-d2.bayes-next-event.heterogeneous.fixed.
exp(-t) = 5/7 for every gap t; `next_turns` says what a conversation is.
"""

from fractions import Fraction

from next_turns import Model

GAP, A = Fraction(5, 7), [{1: 8, 2: 1}, {0: 1}]
births = [(1, 2, 0, A), (3, Fraction(2, 3), 0, A)]  # rate times alive is the rate of births
model = Model(1, 1, GAP, births)
KNOWN, RULE, BEST = [(3, model.aged(3, 1), 2, A[1:]), (1, 1, 2, A[1:])], [1, 0], [0, 1]
model.confirm(KNOWN, RULE, BEST, turns=2)

"""ET-LRU by the exact chance to be next need not be optimal: one turn rate, two laws of prompts.

Row theorem-d2.bayes-next-event.homogeneous.by-conversation.
exp(-t) = 13/20 for every gap t; `next_turns` says what a conversation is.
"""

from fractions import Fraction

from next_turns import Model

GAP, A, B = Fraction(13, 20), [{1: 8, 2: 1, 3: 1}, {0: 1}], [{1: 8, 2: 1, 3: 1}, {0: 1, 1: 1}]
births = [(1, 2, 0, A), (1, 2, 0, B)]  # rate times alive is the rate of births
model = Model(1, 2, GAP, births)
KNOWN, RULE, BEST = [(1, model.aged(1, 1), 3, A[1:]), (1, 1, 2, B[1:])], [1, 0], [0, 1]
model.confirm(KNOWN, RULE, BEST, turns=2)

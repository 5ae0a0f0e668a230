"""Where the law of prompts changes from turn to turn, ET-LRU need not be optimal.

Row theorem-d2.turn-law.
exp(-t) = 9/20 for every gap t; `next_turns` says what a conversation is.
"""

from fractions import Fraction

from next_turns import Model

GAP, A = Fraction(9, 20), [{2: 1}, {0: 1, 1: 1}, {0: 1}]
births = [(4, Fraction(1, 4), 0, A)]  # rate times alive is the rate of births
model = Model(2, 1, GAP, births, posterior=False)
KNOWN, RULE, BEST = [(4, GAP, 2, A[1:]), (4, 1, 2, A[1:])], [0, 2], [1, 1]
model.confirm(KNOWN, RULE, BEST, turns=2)

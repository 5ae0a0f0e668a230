"""Under forced caching and two laws of prompts, ET-LRU need not be optimal.

Row theorem-d2.forced-random.
exp(-t) = 9/10 for every gap t; `next_turns` says what a conversation is.
"""

from fractions import Fraction

from next_turns import Model

GAP, A, B = Fraction(9, 10), [{1: 1, 2: 1, 3: 1}, {1: 1}], [{1: 1, 2: 1, 3: 1}, {0: 2, 2: 1}]
births = [(1, Fraction(1, 2), 0, A), (1, Fraction(1, 2), 0, B)]  # rate times alive is the rate of births
model = Model(4, 2, GAP, births, posterior=False, forced=True)
KNOWN, RULE, BEST = [(1, GAP**2, 2, B[1:]), (1, GAP, 1, B[1:]), (1, 1, 3, A[1:])], [0, 1, 3], [1, 0, 3]
model.confirm(KNOWN, RULE, BEST, turns=2)

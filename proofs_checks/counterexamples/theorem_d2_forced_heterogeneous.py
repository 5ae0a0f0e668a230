"""Under forced caching and two turn rates, ET-LRU need not be optimal.

Row theorem-d2.forced-heterogeneous.
exp(-t) = 9/10 for every gap t; `next_turns` says what a conversation is.
"""

from fractions import Fraction

from next_turns import Model

GAP, A = Fraction(9, 10), [{1: 1, 2: 1}, {0: 1}]
births = [(1, Fraction(1, 2), 0, A), (3, Fraction(1, 6), 0, A)]  # rate times alive is the rate of births
model = Model(2, 0, GAP, births, posterior=False, forced=True)
KNOWN, RULE, BEST = [(3, GAP**2, 2, A[1:]), (3, GAP, 1, A[1:]), (1, 1, 1, A[1:])], [0, 1, 1], [1, 0, 1]
model.confirm(KNOWN, RULE, BEST, turns=2)

"""Evicting the page that is least likely ever to return need not be optimal.

Row paging.ever.
exp(-t) = 1/2 for every gap t; `next_turns` says what a conversation is.
"""

from fractions import Fraction

from next_turns import Model

GAP, A = Fraction(1, 2), [{1: 1}, {0: 1}]
births = [(1, Fraction(1, 2), 0, A), (3, Fraction(1, 6), 0, A)]  # rate times alive is the rate of births
model = Model(1, 0, GAP, births, posterior=False)
KNOWN, RULE, BEST = [(3, GAP, 1, A[1:]), (1, 1, 1, A[1:])], [0, 1], [1, 0]
assert KNOWN[0][1] < KNOWN[1][1]  # the first is the least likely to return
model.confirm(KNOWN, RULE, BEST, turns=1, name="the rule")

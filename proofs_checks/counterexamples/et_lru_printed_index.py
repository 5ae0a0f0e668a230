"""In the conversation model ET-LRU as printed, with exp(-mu tau) for the belief, need not be optimal.

Row et-lru.printed-index.
A conversation: turn rate, seconds of silence, past. exp(-t) = 1/2 for every gap t, mu = 1; births at rate 1, first
prompts 1 or 2 with equal chances, later prompts and responses 1. `excess` is that of the next turn, a gap later.
"""

from fractions import Fraction

XI, Q, HALF = 1, 1, Fraction(1, 2)
KNOWN = [(3, 1, 2), (1, 0, 2)]


def alive(rate, gaps):
    silent = HALF ** ((1 + rate) * gaps)
    return (1 + rate) * silent / (1 + rate * silent)


def excess(kept):
    rates = [rate * alive(rate, gaps + 1) for rate, gaps, _ in KNOWN]
    known = sum(r * max(past + Q - y - XI, 0) for r, (_, _, past), y in zip(rates, KNOWN, kept, strict=True))
    return (known + HALF * max(1 - XI, 0) + HALF * max(2 - XI, 0)) / (sum(rates) + 1)


RULE, BEST = [1, 0], [0, 1]
printed = [rate * HALF**gaps for rate, gaps, _ in KNOWN]
assert printed[0] > printed[1]  # with Q known, the score of both conversations' first two tokens
print(f"ET-LRU keeps {RULE}: {excess(RULE)}, but {BEST} costs {excess(BEST)}")
assert excess(RULE) > excess(BEST)

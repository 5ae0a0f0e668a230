"""Lemma D.3 with n above the overflow: one token that fits and is sure to be needed goes all the same."""

from fractions import Fraction

past, cached, prompt, xi, capacity, n, rate = 1, 1, 0, 0, 1, 1, Fraction(1)
objective = [rate * max(past + prompt - kept - xi, 0) for kept in range(min(cached, capacity) + 1)]

print("overflow", cached - capacity, "evicted", n, "at", objective[cached - n], "instead of", min(objective))
assert n >= cached - capacity
assert (objective[cached - n], min(objective)) == (Fraction(1), Fraction(0))

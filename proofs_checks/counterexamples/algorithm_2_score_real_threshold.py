"""P(L + Q - xi >= X) is not what the excess grows by where xi is not whole (algorithm-2.score.real-threshold)."""

from fractions import Fraction

past, cached, prompt, xi = 1, 1, 0, Fraction(1, 2)
score = int(past + prompt - xi >= cached)
growth = max(past + prompt - xi - (cached - 1), 0) - max(past + prompt - xi - cached, 0)

print(f"P(L + Q - xi >= X) = {score}, growth = {growth}")
assert growth == Fraction(1, 2) != score

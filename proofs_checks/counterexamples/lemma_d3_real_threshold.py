"""Lemma D.3 with xi = 1/3: Algorithm 2 evicts the wrong one of two tokens, whichever way ties go (none is met)."""

from fractions import Fraction

xi = Fraction(1, 3)
rates = (Fraction(1), Fraction(2, 3))
prompts = ({0: Fraction(1)}, {0: Fraction(1, 2), 1: Fraction(1, 2)})  # length: probability
score, missed, kept = (
    [],
    [],
    [],
)  # of each conversation: its past and what is cached are 1, and there is room for 1
for rate, law in zip(rates, prompts, strict=True):
    score.append(rate * sum(p for q, p in law.items() if 1 + q - xi >= 1))
    missed.append(rate * sum(p * max(1 + q - xi, Fraction(0)) for q, p in law.items()))
    kept.append(rate * sum(p * max(q - xi, Fraction(0)) for q, p in law.items()))
first, second = missed[0] + kept[1], kept[0] + missed[1]  # the objective of (6) where the one or the other goes

print("scores", *score, "so the first goes, at", first, "instead of the second, at", second)
assert score[0] < score[1]
assert (first, second) == (Fraction(8, 9), Fraction(7, 9))

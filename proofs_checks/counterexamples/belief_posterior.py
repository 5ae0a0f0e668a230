"""exp(-mu tau) is not the probability that a conversation, silent for tau seconds, is alive (belief.posterior)."""

from fractions import Fraction

mu = rate = 1  # a second
paper = Fraction(1, 2)  # exp(-mu tau), that is tau = log 2
alive_and_silent = paper * Fraction(1, 2)  # ... times exp(-rate tau): neither died nor turned
died_first = Fraction(mu, mu + rate) * (1 - alive_and_silent)  # of death and turn the first came, and was a death
posterior = alive_and_silent / (alive_and_silent + died_first)

print(f"exp(-mu tau) = {paper}, alive given the silence: {posterior}")
assert posterior == Fraction(2, 5) != paper

"""With two turn rates T-LRU is not optimal, although every prompt has the same known length.

Row corollary.tlru.
Conversations least recent first: turn rate, probability that it is alive before the next turn, past, cached.
Births at rate 1, first prompts 1 or 2 with equal chances, later prompts and responses 1; exp(-t) = 1/2, mu = 1.
"""

from fractions import Fraction

C, XI, Q, HALF = 1, 1, 1, Fraction(1, 2)
KNOWN = [(3, HALF * HALF, 2, 1), (1, HALF, 2, 2)]


def t_lru():
    x = [cached for *_, cached in KNOWN]
    while sum(x) > C:
        surplus = [i for i, (_, _, past, _) in enumerate(KNOWN) if x[i] > max(past + Q - XI, 0)]
        x[(surplus or [i for i, y in enumerate(x) if y])[0]] -= 1
    return x


def excess(kept):
    rates = [rate * alive for rate, alive, _, _ in KNOWN]
    known = sum(r * max(past + Q - y - XI, 0) for r, (_, _, past, _), y in zip(rates, KNOWN, kept, strict=True))
    return (known + HALF * max(1 - XI, 0) + HALF * max(2 - XI, 0)) / (sum(rates) + 1)


RULE, BEST = t_lru(), [1, 0]
print(f"T-LRU keeps {RULE}: {excess(RULE)}, but {BEST} costs {excess(BEST)}")
assert excess(RULE) > excess(BEST)

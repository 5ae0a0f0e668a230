"""Where the law of prompts changes from turn to turn, ET-LRU need not be optimal.

Row theorem-d2.turn-law.
A conversation: turn rate, probability that it is alive, past, weights of the lengths of its prompts to come.
exp(-t) = 9/20 for every gap t, mu = 1; `excess` is the least expected excess of the next turns.
"""

from fractions import Fraction

C, XI, GAP, A = 2, 1, Fraction(9, 20), [{2: 1}, {0: 1, 1: 1}, {0: 1}]
NEW = [(4, Fraction(1, 4), 0, A)]  # rate times alive is the rate of births


def below(x):
    return [[n, *y] for n in range(x[0] + 1) for y in below(x[1:])] if x else [[]]


def excess(turns, known, kept):
    old = [(r, p * GAP, past, laws) for r, p, past, laws in known]
    total, cost = sum(r * p for r, p, _, _ in old + NEW), 0
    for i, (r, p, past, laws) in enumerate(old + NEW if turns else []):
        for q, weight in laws[0].items():
            chance = r * p / total * Fraction(weight, sum(laws[0].values()))
            then = [*old[:i], (r, 1, past + q, laws[1:] or laws), *old[i + 1 :]]
            ways = [y for y in below([*kept[:i], past + q, *kept[i + 1 :]]) if sum(y) <= C]
            later = min(excess(turns - 1, then, y) for y in ways)
            cost += chance * (max(past + q - [*kept, 0, 0][i] - XI, 0) + later)
    return cost


KNOWN, RULE, BEST = [(4, GAP, 2, A[1:]), (4, 1, 2, A[1:])], [0, 2], [1, 1]
assert excess(1, KNOWN, RULE) < excess(1, KNOWN, BEST)  # problem (6)
print(f"ET-LRU keeps {RULE}: {excess(2, KNOWN, RULE)}, but {BEST} costs {excess(2, KNOWN, BEST)}")
assert excess(2, KNOWN, RULE) > excess(2, KNOWN, BEST)

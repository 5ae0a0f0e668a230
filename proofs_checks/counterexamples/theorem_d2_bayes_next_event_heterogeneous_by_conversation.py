"""ET-LRU by the exact chance to be next need not be optimal: two turn rates, two laws of prompts.

Row theorem-d2.bayes-next-event.heterogeneous.by-conversation.
A conversation: turn rate, probability that it is alive, past, weights of the lengths of its prompts to come.
exp(-t) = 5/7 for every gap t, mu = 1; `excess` is the least expected excess of the next turns.
"""

from fractions import Fraction

C, XI, GAP, A, B = 1, 1, Fraction(5, 7), [{1: 8, 2: 1}, {0: 1}], [{1: 8, 2: 1}, {0: 1, 1: 1}]
NEW = [(1, 2, 0, A), (3, Fraction(2, 3), 0, B)]  # rate times alive is the rate of births


def aged(r, p):
    return p * GAP ** (1 + r) * (1 + r) / (1 + r - p * r * (1 - GAP ** (1 + r)))


def excess(turns, known, kept):
    old = [(r, aged(r, p), past, laws) for r, p, past, laws in known]
    total, cost = sum(r * p for r, p, _, _ in old + NEW), 0
    for i, (r, p, past, laws) in enumerate(old + NEW if turns else []):
        for q, weight in laws[0].items():
            chance = r * p / total * Fraction(weight, sum(laws[0].values()))
            then = [*old[:i], (r, 1, past + q, laws[1:] or laws), *old[i + 1 :]]
            held = [k for k, n in enumerate([*kept[:i], past + q, *kept[i + 1 :]]) if n > 0]
            later = min(excess(turns - 1, then, [int(j == k) for j in range(len(then))]) for k in held)
            cost += chance * (max(past + q - [*kept, 0, 0][i] - XI, 0) + later)
    return cost


KNOWN, RULE, BEST = [(3, aged(3, 1), 2, B[1:]), (1, 1, 2, A[1:])], [1, 0], [0, 1]
assert excess(1, KNOWN, RULE) < excess(1, KNOWN, BEST)  # problem (6)
print(f"ET-LRU keeps {RULE}: {excess(2, KNOWN, RULE)}, but {BEST} costs {excess(2, KNOWN, BEST)}")
assert excess(2, KNOWN, RULE) > excess(2, KNOWN, BEST)

"""X of T-LRU >= min(X of LRU, b) before a turn does not give it after the turn by itself (appendix-c.step)."""

from fractions import Fraction

capacity = Fraction(2)
budgets = [1, 1, 1]  # every past is 1 and xi = Q, so nothing is surplus


def kept(cached):
    before = [sum(cached[:k]) for k in range(len(cached))]
    return [min(x, max(capacity - above, 0)) for x, above in zip(cached, before, strict=True)]


lru, t_lru = kept([1, 0, 1]), kept([1, 1, 1])  # the arriving conversation first, then the others by recency
enough = [min(x, b) for x, b in zip(lru, budgets, strict=True)]
print(f"X of T-LRU {[*map(int, t_lru)]}, min(X of LRU, b) {[*map(int, enough)]}")
assert t_lru[2] < enough[2]

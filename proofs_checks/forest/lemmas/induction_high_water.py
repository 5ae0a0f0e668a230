"""T-LRU with high-water marks has at most LRU's excess at each request of every forest: by induction.

State, for each block v at depth d: its place p, how many blocks are more recent (last request, of one path the
shallower first); its mark L; whether T-LRU has it (X), whether LRU has it (Y). A block is surplus if d is more
than its budget (L + Q - xi)+.

Invariant:
1. LRU has the C most recent blocks: Y where p < C;
2. L is at least the length of each path that went through v, and at most its parent's mark;
3. a block that is no surplus and that LRU has is in T-LRU's cache too.

*Initiation*: nothing was read. *Implication*: a block above need and above LRU's hits is no surplus, so by 3 T-LRU
hits it. *Consecution*: a request takes its path to the front of both; other blocks keep their mark and get no more
recent. Then both caches are cut, block by block in the order of recency: a scan that carries how many blocks
T-LRU keeps.

The blocks of running requests, which forced caching exempts, are the most recent ones.
"""

from collections.abc import Iterator

from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import (
    Bool,
    Int,
    choose,
    equal,
    implies,
    indicator,
    integer,
    least,
    positive,
    truth,
)

XI, Q, C = integer("xi"), integer("Q"), integer("C")
THROUGH = truth("through")
"""Whether the request that comes goes through the block."""
NAME = "T-LRU with high-water marks:"


def budget(mark: Int) -> Int:
    """Return (L + Q - xi)+."""
    return positive(mark + Q - XI)


def marked(mark: Int, end: Int, through: Bool) -> Int:
    """Return a mark after a request."""
    return choose(through & (end > mark), end, mark)


def implication() -> Iterator[Obligation]:
    """Yield that what a request can use is no surplus, and that its excess is at most LRU's."""
    d, known, total, L, T, Y = map(integer, ("d", "known", "total", "L", "hits_T", "hits_LRU"))
    assumed = (d <= known, known <= L, total - known <= Q, d <= positive(total - XI))
    yield Obligation(f"{NAME} a block that is known and needed is no surplus", assumed, d <= budget(L))
    hits = least(Y, positive(total - XI)) <= T
    excess = positive(total - T - XI) <= positive(total - Y - XI)
    yield Obligation(f"{NAME} with LRU's hits up to its need a request has no more excess", (hits,), excess)


def marks() -> Iterator[Obligation]:
    """Yield that marks stay what they are: at least each path so far, at most the parent's."""
    end, past, L, M, d = map(integer, ("end", "past", "L", "mark_above", "d"))
    above = truth("through_above")
    after, after_above = marked(L, end, THROUGH), marked(M, end, above)
    longest = (past <= after) & implies(THROUGH, end <= after)
    yield Obligation(f"{NAME} a mark is at least each path through the block", (past <= L,), longest)
    assumed = (L <= M, implies(THROUGH, above))
    yield Obligation(f"{NAME} the parent's mark is no smaller", assumed, after <= after_above)
    leaf_first = implies(d - 1 > budget(M), d > budget(L))
    yield Obligation(f"{NAME} what is below a surplus block is surplus: leaves go first", (L <= M,), leaf_first)


def recency() -> Iterator[Obligation]:
    """Yield that LRU has the C most recent blocks after its cut if it had them before."""
    p, after, overtaken, before = map(integer, ("p", "p_after", "overtaken", "at_hand_before"))
    moved = (overtaken >= 0, implies(~THROUGH, equal(after, p + overtaken)))
    at_hand = THROUGH | (p < C)
    yield Obligation(f"{NAME} LRU has the C most recent blocks at hand", moved, implies(after < C, at_hand))
    kept = at_hand & (before < C)
    counts = (implies(after <= C, equal(before, after)), implies(after > C, before >= C))
    yield Obligation(f"{NAME} its cut keeps these", (*moved, *counts), _same(kept, after < C))


def arrival() -> Iterator[Obligation]:
    """Yield that invariant 3 holds before the cut: a mark changes on the path alone, which both have."""
    d, L, end = map(integer, ("d", "L", "end"))
    X, Y = truth("X"), truth("Y")
    after = marked(L, end, THROUGH)
    before = implies(Y & (d <= budget(L)), X)
    then = implies((Y | THROUGH) & (d <= budget(after)), X | THROUGH)
    yield Obligation(f"{NAME} what LRU has and is no surplus is at hand", (before,), then)


def cut() -> Iterator[Obligation]:
    """Yield invariant 3 after the cut, by a scan from the most recent block on.

    `kept` counts what T-LRU kept of the `p` blocks before. `V` says that something goes that is no surplus: then
    all surplus went, but for exempt blocks (E), and the rest is kept while there is room.
    """
    p, kept = integer("p"), integer("kept")
    X, Y, S, E, V, after = map(truth, ("X", "Y", "surplus", "E", "V", "X_after"))
    rule = implies(V, _same(after, X & (E | (~S & (kept < C))))) & implies(~V & ~S, _same(after, X))
    assumed = (kept <= p, rule, implies(after, X), implies(Y & ~S, X))
    stays = implies(Y & (p < C) & ~S, after)
    yield Obligation(f"{NAME} what LRU keeps and is no surplus T-LRU keeps", assumed, stays)
    carried = kept + indicator(after) <= p + 1
    yield Obligation(f"{NAME} the scan goes on", assumed, carried)


def _same(first: Bool, second: Bool) -> Bool:
    return implies(first, second) & implies(second, first)


def obligations() -> list[Obligation]:
    """Return all obligations."""
    return [*implication(), *marks(), *recency(), *arrival(), *cut()]


def proved() -> Proof:
    """Prove the dominance."""
    covers = (
        "any forest, asks, totals, capacity, threshold and number of running requests, q_hat no less than the new "
        "part of each request that continues a path; steps by hand (docs/proofs-forest.md)"
    )
    return prove(obligations(), covers)

"""A larger cache with holes includes a smaller one if the order of eviction does not depend on the capacity.

X is what a cache of C blocks has, Y what one of C + 1 has. Invariant: Y has all of X, and one block more at most.

*Initiation*: both are empty. *Implication*: what X hits Y hits. *Consecution*: a request adds its path to both,
which makes no other block one more. Then both are cut: a scan over the blocks, what goes last first, that carries
how many each has kept, and the block more.

That strict caches are the same where leaves go first by themselves is for each policy to show, and so is that its
order does not depend on C.
"""

from collections.abc import Iterator

from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import Bool, Int, implies, indicator, integer, truth

C = integer("C")
NAME = "inclusion, any order of eviction:"


def carried(kept: Int, larger: Int, more: Int) -> Bool:
    """Return the scan's invariant: no more is kept of Y than of X and the block more, unless X is full."""
    bounds = (more >= 0) & (more <= 1) & (kept <= C) & (kept <= larger) & (larger <= C + 1)
    return bounds & ((larger <= kept + more) | (kept >= C))


def obligations() -> Iterator[Obligation]:
    """Yield all obligations."""
    x, y, path = map(truth, ("X", "Y", "on_path"))
    kept, larger, more = map(integer, ("kept", "kept_larger", "more"))
    yield Obligation(f"{NAME} a path is added to both", (implies(x, y),), implies(x | path, y | path))
    stays, too, after = x & (kept < C), y & (larger < C + 1), more + indicator(y & ~x)
    assumed = (C >= 0, implies(x, y), carried(kept, larger, more), after <= 1)
    yield Obligation(f"{NAME} what the smaller cache keeps the larger one keeps", assumed, implies(stays, too))
    goes_on = carried(kept + indicator(stays), larger + indicator(too), after)
    yield Obligation(f"{NAME} the scan goes on", assumed, goes_on)
    yield Obligation(f"{NAME} one block more at most", (carried(kept, larger, more),), larger <= kept + 1)


def proved() -> Proof:
    """Prove inclusion."""
    return prove(
        list(obligations()),
        "any forest, capacity and order that does not depend on it; steps by hand (docs/proofs-forest.md)",
    )

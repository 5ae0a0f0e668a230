"""The knowledge tree and its two tiers: matching, placement, swap-out-once, failures, and requests at one time.

docs/proofs-ragcache.md has the proofs, docs/counterexamples-ragcache.md what is cached after each request.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from operator import le
from typing import Any

from proofs_checks.ragcache.plain_tiers import LRU, PGDSF, Rule, TwoTiers, attention, served
from proofs_checks.ragcache.worlds import Asked, Row, Worlds, any_host, flat, listed, one_root, shapes
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import another, reading, sharpness

PAPER = another("RAGCache (Jin et al. 2024), as notes on it report")
EXCLUSIVE, ONCE = "exclusive", "swap-out-once"


def lru(world: Asked) -> LRU:
    """Return LRU."""
    return LRU(world.tree)


def pgdsf(world: Asked) -> PGDSF:
    """Return PGDSF, with costs that grow with what stands before a document."""
    return PGDSF(world.tree, attention)


row = rows(source="Knowledge tree (RAGCache, cache structure)")


@dataclass(frozen=True)
class Matched(ToldCase):
    """A tree, which of its documents are cached, closed towards the root, and a path that is looked for."""

    parent: Row
    cached: Row
    path: Row

    def size(self) -> tuple[Any, ...]:
        """Return the order of "smallest"."""
        return (len(self.parent), len(self.path), self.parent, self.cached, self.path)


def matches(most: int) -> Iterator[Iterator[Matched]]:
    """Yield all trees, what can be cached of them, and every path."""
    return (_matches(nodes) for nodes in range(1, most + 1))


def _matches(nodes: int) -> Iterator[Matched]:
    for parent in sorted({parent for parent, _ in shapes(nodes, nodes)}):
        tree = Asked(parent, (1,) * nodes, (), 0).tree
        for chosen in range(2**nodes):
            cached = tuple(node for node in range(nodes) if chosen >> node & 1)
            if all(parent[node] in {-1, *cached} for node in cached):
                yield from (Matched(parent, cached, path) for path in tree.paths)


@row(
    "ragcache.match",
    "Matching a request with the tree takes O(h), h its height: at most one look-up more than documents are "
    "found, and no more than the request has.",
    relation=lambda of: (
        of["look-ups"] <= min(of["found"] + 1, of["documents"]) and of["found"] == of["longest cached head"]
    ),
    space=Listed(matches, 4, 5, "all trees of up to {} documents, what can be cached of them, and every path"),
    origin=PAPER,
)
def match(case: Matched) -> Values:
    """Walk down the children of what was found, and compare with every head of the path."""
    children: dict[int, set[int]] = {}
    for node in case.cached:
        children.setdefault(case.parent[node], set()).add(node)
    above, found, looked = -1, 0, 0
    for node in case.path:
        looked += 1
        if node not in children.get(above, ()):
            break
        above, found = node, found + 1
    heads = [n for n in range(len(case.path) + 1) if set(case.path[:n]) <= set(case.cached)]
    return {"look-ups": looked, "found": found, "documents": len(case.path), "longest cached head": max(heads)}


def _misplaced(world: Asked, rule: Rule, once: bool) -> int:
    """Count the documents whose parent is in no tier, or below them, after each request, and tiers too full."""
    tiers, wrong = TwoTiers(world, rule, once=once), 0
    for node in world.asked:
        tiers.serve(node)
        both = tiers.gpu | tiers.host
        wrong += sum(world.parent[one] not in {-1, *tiers.gpu} for one in tiers.gpu)
        wrong += sum(world.parent[one] not in {-1, *both} for one in tiers.host)
        wrong += world.tree.tokens(tiers.gpu) > world.gpu
        wrong += world.tree.tokens(tiers.host) > world.host
    return wrong


TIERS = listed(
    Worlds({3: 4, 4: 3, 5: 3}, hosts=any_host, most_documents=3),
    Worlds({2: 5, 3: 5, 4: 4, 5: 4}, hosts=any_host),
    "up to 3 documents (any number at full effort), GPU from the longest path, host from nothing to everything",
)
DEEP = listed(
    Worlds({2: 4, 3: 4, 4: 4, 5: 3}, hosts=any_host),
    Worlds({2: 5, 3: 5, 4: 5, 5: 4, 6: 3}, hosts=any_host),
    "GPU from the longest path, host from nothing to everything",
)


@row(
    "ragcache.placement",
    "Documents in the GPU are parents of those in the host: after each request the parent of a document in the "
    "GPU is in the GPU, that of one in the host is in a tier, and neither tier is too full; LRU and PGDSF, both "
    "modes.",
    relation=lambda of: not any(of.values()),
    space=TIERS,
)
def placement(world: Asked) -> Values:
    """Count what is out of place."""
    return {
        f"{name}, {mode}": _misplaced(world, make(world), mode == ONCE)
        for name, make in (("LRU", lru), ("PGDSF", pgdsf))
        for mode in (EXCLUSIVE, ONCE)
    }


class UpperFirst(LRU):
    """The upper documents go first, and of those of one height the least recently read."""

    def key(self, tier: int, node: int) -> tuple[Any, ...]:
        """Return the order in which documents go from a tier, the smallest first."""
        return (len(self.tree.paths[node]), self.read[node])


@row(
    "ragcache.placement.orphan",
    "A document in the host whose parent was dropped is never of use again.",
    relation=lambda of: not any(of["tokens found of documents that had lost their parent"]),
    space=listed(
        Worlds({3: 4, 4: 4}, most_documents=3, hosts=any_host),
        Worlds({3: 5, 4: 5}, most_documents=3, hosts=any_host),
        "up to 3 documents, any host",
    ),
    origin=sharpness("ragcache.placement", "the host evicts leaves: here it evicts upper documents first"),
)
def orphan(world: Asked) -> Values:
    """Count what is found although a document above it had been dropped while it was in the host."""
    tiers, orphans, found = TwoTiers(world, UpperFirst(world.tree), leaf_first=False), set[int](), []
    for node in world.asked:
        path = world.tree.paths[node]
        reused = orphans & set(path[: tiers.found(node)])
        found.append(world.tree.tokens(reused))
        tiers.serve(node)
        both = tiers.gpu | tiers.host
        orphans = {one for one in tiers.host if one in orphans or world.parent[one] not in {-1, *both}}
    return {"tokens found of documents that had lost their parent": found}


def _accounts(world: Asked, make: Callable[[Asked], Rule]) -> dict[str, tuple[list[int], TwoTiers]]:
    return {mode: served(world, make(world), once=mode == ONCE) for mode in (EXCLUSIVE, ONCE)}


def copies_of(make: Callable[[Asked], Rule]) -> Callable[[Asked], Values]:
    """Return the check that counts the tokens copied to the host in both modes."""
    return lambda world: {mode: tiers.copied for mode, (_, tiers) in _accounts(world, make).items()}


def hits_of(make: Callable[[Asked], Rule]) -> Callable[[Asked], Values]:
    """Return the check that has the tokens that each request finds in both modes."""
    return lambda world: {mode: found for mode, (found, _) in _accounts(world, make).items()}


SMALLER = "exclusive, the host smaller by the GPU"


def bound_of(make: Callable[[Asked], Rule]) -> Callable[[Asked], Values | None]:
    """Return the check of what is found in swap-out-once, and in exclusive mode with a host smaller by the GPU."""

    def values(world: Asked) -> Values | None:
        smaller = replace(world, host=world.host - world.gpu)
        if smaller.host < 0:
            return None
        return {
            SMALLER: served(smaller, make(smaller))[0],
            ONCE: served(world, make(world), once=True)[0],
        }

    return values


def once_copies_no_more(of: Values) -> bool:
    """Whether swap-out-once copies at most what exclusive mode does."""
    return bool(of[ONCE] <= of[EXCLUSIVE])


def no_more(first: str, second: str) -> Callable[[Values], bool]:
    """Return whether no request finds more in the first of two runs."""
    return lambda of: all(map(le, of[first], of[second]))


def flat_with(times: int) -> Listed[Asked]:
    """Return documents of which none stands before another, and a host so many times the GPU."""
    return listed(
        Worlds({3: 5, 4: 6, 5: 7}, 3, 3, lambda world: (times * world.gpu,), flat),
        Worlds({3: 6, 4: 7, 5: 8, 6: 7}, 3, 4, any_host, flat),
        f"no document stands before another, up to 3 of up to 3 tokens, a host of {times} x the GPU (at full "
        "effort up to 4 documents, any host)",
    )


swap = rows(source="Swap out only once (RAGCache)", space=DEEP)
with_pgdsf = rows(source="Swap out only once (RAGCache)")
copies = swap(
    "ragcache.swap-out-once.copies",
    "Swap-out-once moves the least to the host: with LRU it copies at most the tokens that exclusive tiers of the "
    "same sizes do.",
    relation=once_copies_no_more,
    origin=reading("to move the least, which the notes say of its purpose: no more than tiers without copies"),
)(copies_of(lru))

copies_pgdsf = swap(
    "ragcache.swap-out-once.copies.pgdsf",
    "The same with PGDSF.",
    relation=once_copies_no_more,
    origin=reading("least: no more than tiers that hold each document once, with the policy of the paper"),
)(copies_of(pgdsf))

no_loss = swap(
    "ragcache.swap-out-once.no-loss",
    "To keep copies in the host is acceptable: with LRU each request finds what it finds in exclusive tiers.",
    relation=no_more(EXCLUSIVE, ONCE),
    origin=reading("acceptable: not a token less is found"),
)(hits_of(lru))

never_more = swap(
    "ragcache.swap-out-once.hits",
    "With LRU no request finds more in swap-out-once than in exclusive tiers of the same sizes.",
    relation=no_more(ONCE, EXCLUSIVE),
)(hits_of(lru))

never_more_pgdsf = with_pgdsf(
    "ragcache.swap-out-once.hits.pgdsf",
    "The same with PGDSF.",
    space=flat_with(1),
    relation=no_more(ONCE, EXCLUSIVE),
    origin=sharpness(
        "ragcache.swap-out-once.hits", "the order of eviction does not depend on what the host holds"
    ),
)(hits_of(pgdsf))

bound = swap(
    "ragcache.swap-out-once.bound",
    "With LRU each request finds in swap-out-once at least what it finds in exclusive tiers whose host is smaller "
    "by the size of the GPU.",
    relation=no_more(SMALLER, ONCE),
)(bound_of(lru))

bound_pgdsf = with_pgdsf(
    "ragcache.swap-out-once.bound.pgdsf",
    "The same with PGDSF.",
    space=flat_with(2),
    relation=no_more(SMALLER, ONCE),
    origin=sharpness(
        "ragcache.swap-out-once.bound", "the order of eviction does not depend on what the host holds"
    ),
)(bound_of(pgdsf))


BELOW_A_PROMPT = listed(
    Worlds({2: 4, 3: 4, 4: 4}, hosts=any_host, given=one_root),
    Worlds({2: 5, 3: 5, 4: 5, 5: 4}, hosts=any_host, given=one_root),
    "one root, the system prompt",
)
fault = rows(source="Fault tolerance (RAGCache)", space=BELOW_A_PROMPT)


def _found_after_a_loss(world: Asked, *, once: bool, replicas: set[int]) -> tuple[int, int]:
    """Return the tokens in the host after the last request, and those that are found if the GPU is lost then."""
    _, tiers = served(world, LRU(world.tree), once=once)
    both = tiers.host | replicas
    found = [node for node in both if set(world.tree.paths[node]) <= both]
    return world.tree.tokens(both), world.tree.tokens(found)


@fault(
    "ragcache.fault",
    "The GPU holds the upper nodes, so that its failure makes all below them useless: with a system prompt above "
    "all documents nothing in the host is found afterwards, in either mode.",
    relation=lambda of: of[f"found, {EXCLUSIVE}"] == of[f"found, {ONCE}"] == 0,
    origin=PAPER,
)
def loss(world: Asked) -> Values:
    """Lose the GPU after the last request."""
    after = {mode: _found_after_a_loss(world, once=mode == ONCE, replicas=set()) for mode in (EXCLUSIVE, ONCE)}
    return {f"found, {mode}": found for mode, (_, found) in after.items()}


@fault(
    "ragcache.fault.replica",
    "With a copy of the system prompt in the host, all documents of the host are found after a failure.",
    relation=lambda of: of["in the host"] == of["found"],
    origin=reading("some of the upper nodes: the system prompt, as in the paper's example"),
)
def replica(world: Asked) -> Values:
    """Lose the GPU after the last request; the root has a copy beside the host."""
    kept, found = _found_after_a_loss(world, once=True, replicas={0})
    return {"in the host": kept, "found": found}


@dataclass(frozen=True)
class Together(ToldCase):
    """Requests for one document that wait at one time, and how many of them a prefill iteration takes."""

    requests: int
    batch: int


def together(most: int) -> Iterator[list[Together]]:
    """Yield all numbers of requests up to a limit, in batches of any size."""
    return ([Together(n, batch) for batch in range(1, n + 1)] for n in range(1, most + 1))


def found_in_batches(case: Together) -> Values:
    """Serve the iterations one after another; what one computes is in the tree at its end."""
    there, found, left = False, 0, case.requests
    while left:
        found += min(case.batch, left) * there
        left, there = left - min(case.batch, left), True
    return {"find it": found, "all but the first": case.requests - 1}


concurrent = rows(
    source="Architecture (RAGCache): after the first token the tensors go to the controller",
    space=Listed(together, 8, 20, "up to {} requests for one document at one time, in batches of any size"),
)

batches = concurrent(
    "ragcache.concurrent",
    "The tensors of a document can be found only after the first token of the request that computes it: of n "
    "requests for one document that wait together, b an iteration, max(0, n - b) find it.",
    relation=lambda of: of["find it"] == of["max(0, n - b)"],
    origin=reading("requests of one iteration do not find what the others compute"),
)(lambda case: {**found_in_batches(case), "max(0, n - b)": max(0, case.requests - case.batch)})

all_but_one = concurrent(
    "ragcache.concurrent.all-but-one",
    "A document that is in the tree is computed once: of n requests for it that wait together all but the first "
    "find it.",
    relation=lambda of: of["find it"] == of["all but the first"],
    origin=reading("requests of one iteration find what the others compute"),
)(found_in_batches)

"""What runs T-LRU: an LRU engine that marks blocks, and a server that calls the algorithm again and again.

Section 3 of Zhang et al. 2025 ("Lightweight Integration"), Appendix E on forced caching (D in version 1 on arXiv),
and footnote 2 of version 1 on the parameters.

1. *An engine.* Blocks wait in a queue, the least recent first, the end of a prefix before its beginning. Blocks
   above the budget of an arriving conversation are marked as infinitely old: they wait in their own queue, which
   goes first. Of two marked blocks both are infinitely old: the oldest mark goes first, or the latest.
2. *A server that calls again.* A response comes token by token; after each the algorithm takes one token more.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from proofs_checks.tail_optimized.figures_1_2 import FIGURE_2, FIGURE_2_OF_V1
from proofs_checks.tail_optimized.lemmas import induction_trim
from proofs_checks.tail_optimized.lemmas.excess_calculus import calls_proof, one_parameter_proof
from proofs_checks.tail_optimized.theorem_31 import is_upper_bound, t_lru
from proofs_checks.tail_optimized.theorem_b1 import all_equal
from teltheory.claims.case import Case
from teltheory.claims.claim import SecondRoute, Values, claim
from teltheory.claims.origin import BOTH, PMLR, V1, reading, repairs
from teltheory.claims.worlds import Given, Reach, SmallWorlds, upper_bounds
from teltheory.policies import TLRU, Conversation
from teltheory.policies.policy import TRIMS, AnyPolicy, Trim
from teltheory.replay.chains.reference import cut
from teltheory.replay.chains.states import served_turns

OLDEST_FIRST, LATEST_FIRST = "oldest mark first", "latest mark first"
Block = tuple[int, int]


def reused_in_engine(case: Case, *, latest_first: bool = False) -> list[int]:
    """Return what each turn reuses in an engine, optional caching from an empty start.

    Blocks are (conversation, place), in either queue the first to go at the left; `latest_first`: of two marked
    blocks the one that was marked last goes first.
    """
    marked, others, pasts, reused = list[Block](), list[Block](), dict[int, int](), []
    for conversation, prompt, response in case.world.turns:
        before = len(marked) + len(others)
        marked, others = ([block for block in queue if block[0] != conversation] for queue in (marked, others))
        reused.append(before - len(marked) - len(others))
        past = pasts[conversation] = pasts.get(conversation, 0) + prompt + response
        budget = min(past, max(0, past + case.q_hat - case.xi))
        blocks = [(conversation, place) for place in reversed(range(past))]
        free, within = blocks[: past - budget], blocks[past - budget :]
        marked, others = free + marked if latest_first else marked + free, others + within
        over = max(len(marked) + len(others) - case.capacity, 0)
        marked, others = marked[over:], others[max(over - len(marked), 0) :]
    return reused


def in_engines(case: Case) -> Values:
    """Return the largest uncached count under either order of marked blocks."""
    totals = case.instance.total
    orders = {OLDEST_FIRST: False, LATEST_FIRST: True}
    return {name: int((totals - reused_in_engine(case, latest_first=late)).max()) for name, late in orders.items()}


infinitely_old = claim(
    "section-3.infinitely-old",
    "Sections 1 and 3, “mark … as infinitely old”, and Figure 2",
    "An LRU engine that marks the blocks above the budget as infinitely old brings Figure 2's largest uncached "
    "count (C = 100, xi = 160) to 150.",
    relation=lambda values: 150 in values.values(),
    space=Given((FIGURE_2,), "the figure's three turns"),
    origin=PMLR,
    kind="misprint",
)(in_engines)

infinitely_old_in_v1 = claim(
    "section-3.infinitely-old.v1",
    "Sections 1 and 3, “mark … as infinitely old”, and Figure 1 with xi = 150",
    "An LRU engine that marks the blocks above the budget as infinitely old brings the figure's largest "
    "uncached count (C = 100, xi = 150) to 150, whichever marked block goes first.",
    relation=lambda values: set(values.values()) == {150},
    space=Given((FIGURE_2_OF_V1,), "the figure's three turns"),
    origin=V1,
)(in_engines)


@claim(
    "section-3.infinitely-old.least-recent",
    "Section 3, “mark … as infinitely old”",
    "An LRU engine that lets the oldest mark go first is T-LRU that trims whole surpluses, least recent first, "
    "turn by turn.",
    relation=all_equal,
    space=SmallWorlds({1: 4, 2: 4, 3: 3, 4: 2}, {1: 6, 2: 6, 3: 5, 4: 4}, samples=300),
    origin=repairs("section-3.infinitely-old"),
)
def least_recent(case: Case) -> Values:
    """Compare what each turn reuses."""
    policy = TLRU(case.xi, case.q_hat, "least-recent")
    return {"engine": reused_in_engine(case), "least-recent trim": case.reuses(policy)}


@dataclass
class Server:
    """A server under forced caching, empty at the start, that calls T-LRU for at most `most` tokens (None: all).

    `rounds`: surplus goes in Algorithm 1's rounds; otherwise whole surpluses go, least recent first. `pasts` and
    `cached` are in order of first arrival, `recency` is least recent first.
    """

    case: Case
    rounds: bool
    most: int | None
    pasts: dict[int, int] = field(default_factory=dict)
    cached: dict[int, int] = field(default_factory=dict)
    recency: list[int] = field(default_factory=list)

    def serve(self) -> tuple[list[int], list[int]]:
        """Return what each turn reuses, and what is cached of each conversation after it, least recent first."""
        reused, caches, turns = [], [], self.case.world.turns
        for k, (conversation, prompt, response) in enumerate(turns):
            reused.append(self.cached.get(conversation, 0))
            self.pasts[conversation] = self.pasts.get(conversation, 0) + prompt + response
            self.cached[conversation] = self.pasts[conversation]
            self.recency = [c for c in self.recency if c != conversation] + [conversation]
            over = sum(self.cached.values()) - self.case.capacity if k < len(turns) - 1 else 0
            while over > 0:
                wanted = min(over, self.most or over)
                self.call(wanted)
                over -= wanted
            caches += [self.cached[c] for c in self.recency]
        return reused, caches

    def call(self, wanted: int) -> None:
        """Take so many tokens of all but the most recent conversation: surplus first, then by LRU."""
        others = self.recency[:-1]
        if self.rounds:
            in_turn = [c for c in self.cached if c in others]
            while wanted and any(map(self.surplus, in_turn)):
                for c in in_turn:
                    wanted -= self.take(c, min(1, self.surplus(c), wanted))
        else:
            for c in others:
                wanted -= self.take(c, min(self.surplus(c), wanted))
        for c in others:
            wanted -= self.take(c, min(self.cached[c], wanted))

    def surplus(self, conversation: int) -> int:
        """Return what is cached above the budget."""
        past = self.pasts[conversation]
        return max(0, self.cached[conversation] - max(0, past + self.case.q_hat - self.case.xi))

    def take(self, conversation: int, tokens: int) -> int:
        """Take tokens of a conversation; return how many."""
        self.cached[conversation] -= tokens
        return tokens


AT_ONCE, CALLED_AGAIN = "one call", "a call a token"


def caches_after(case: Case, *, rounds: bool) -> Values:
    """Return the caches after every turn, with one call each and with a call a token."""
    return {AT_ONCE: Server(case, rounds, None).serve()[1], CALLED_AGAIN: Server(case, rounds, 1).serve()[1]}


def excesses_of(case: Case, most: int | None) -> list[int]:
    """Return the excess of every turn, in rounds, where a call takes so many tokens at most."""
    totals: list[int] = case.instance.total.tolist()
    reused, _ = Server(case, rounds=True, most=most).serve()
    return [max(total - x - case.xi, 0) for total, x in zip(totals, reused, strict=True)]


@dataclass(frozen=True)
class CalledAgain:
    """T-LRU that is called once for each token above the capacity; a policy that `teltheory.replay` runs."""

    policy: TLRU

    def cut(self, conversations: Sequence[Conversation], overflow: int) -> None:
        """Take one token after the other."""
        for _ in range(overflow):
            held = sum(conversation.cached for conversation in conversations)
            cut({conversation.code: conversation for conversation in conversations}, self.policy, held - 1, None)


def replayed(trim: Trim) -> Callable[[Case, Values], Values]:
    """Return what computes the caches again by the reference replay."""

    def values(case: Case, found: Values) -> Values:
        policy = TLRU(case.xi, case.q_hat, trim)
        return {AT_ONCE: held(case, policy), CALLED_AGAIN: held(case, CalledAgain(policy))}

    return values


def excesses_replayed(case: Case, found: Values) -> Values:
    """Compute the excesses again by the reference replay."""
    return {AT_ONCE: case.excesses(t_lru(case)), CALLED_AGAIN: case.excesses(CalledAgain(t_lru(case)))}


def held(case: Case, policy: AnyPolicy) -> list[int]:
    """Return what is cached of each conversation after each turn of a replay, least recent first."""
    return [one.cached for turn in served_turns(case.instance, policy) for one in turn.held]


FORCED = SmallWorlds(
    {1: 1, 2: 2, 3: 3, 4: 5},
    {1: 4, 2: 4, 3: 5, 4: 6},
    forced=True,
    conversations=3,
    samples=0,
    natural_sizes=({1: 1, 2: 1, 3: 0, 4: 1}, {1: 2, 2: 2, 3: 2, 4: 1}),
    reach=Reach(turns=30, tokens=100),
)
FEWER = replace(FORCED, quick={1: 3, 2: 3, 3: 3, 4: 2})
BY_REPLAY = "the reference replay"


@claim(
    "appendix-e.repeated",
    "Appendix E, “the server can repeatedly call our algorithm to evict more tokens if needed”",
    "Under forced caching, called once for each token of the overflow, Algorithm 1 leaves the cache that one call "
    "leaves.",
    relation=all_equal,
    space=FORCED,
    second=SecondRoute(BY_REPLAY, replayed("round-robin")),
    origin=reading("repeated calls compose: the cut to C in steps is the cut at once"),
)
def repeated(case: Case) -> Values:
    """Compare the caches after every turn; budgets depend on xi - Q alone, so the estimate is 0."""
    return caches_after(case, rounds=True)


@claim(
    "appendix-e.repeated.excess",
    "Appendix E, “the server can repeatedly call our algorithm to evict more tokens if needed”",
    "Under forced caching, called once for each token of the overflow, Algorithm 1 with an upper bound gives "
    "every turn the excess that one call gives.",
    relation=all_equal,
    space=replace(FEWER, estimates=upper_bounds, samples=100),
    second=SecondRoute(BY_REPLAY, excesses_replayed),
    origin=BOTH,
    proof=induction_trim.forced,
)
def repeated_excess(case: Case) -> Values | None:
    """Compare the excess of every turn."""
    if not is_upper_bound(case):
        return None
    return {AT_ONCE: excesses_of(case, None), CALLED_AGAIN: excesses_of(case, 1)}


@claim(
    "appendix-e.repeated.least-recent",
    "Appendix E, for T-LRU that trims whole surpluses",
    "Under forced caching, called once for each token of the overflow, T-LRU that trims whole surpluses, least "
    "recent first, leaves the cache that one call leaves.",
    relation=all_equal,
    space=replace(FEWER, samples=300),
    second=SecondRoute(BY_REPLAY, replayed("least-recent")),
    origin=repairs("appendix-e.repeated"),
    proof=calls_proof,
)
def repeated_least_recent(case: Case) -> Values:
    """Compare the caches after every turn."""
    return caches_after(case, rounds=False)


@claim(
    "remark.one-parameter",
    "Section 1, footnote 2, “Q − ξ can be combined and interpreted as one tunable parameter”",
    "What T-LRU reuses depends on xi and Q through Q - xi alone: it is the same with xi + 1 and Q + 1. Of a "
    "past L it holds the last min(L, (xi - Q)+) blocks to be safe to evict.",
    relation=lambda values: (
        values["xi, Q"] == values["xi + 1, Q + 1"] and values["safe"] == values["min(L, (xi - Q)+)"]
    ),
    space=SmallWorlds({1: 3, 2: 3, 3: 2}, {1: 5, 2: 5, 3: 4, 4: 2}, estimates=lambda *_: range(2), samples=300),
    origin=V1,
    proof=one_parameter_proof,
)
def one_parameter(case: Case) -> Values:
    """Compare what each turn reuses under all ways of trimming, and count what lies above the budgets."""
    pasts = case.instance.past.tolist()
    policy = t_lru(case)
    return {
        "xi, Q": _reused_by_trim(case, case.xi, case.q_hat),
        "xi + 1, Q + 1": _reused_by_trim(case, case.xi + 1, case.q_hat + 1),
        "safe": [past - policy.budget(Conversation(0, past, past, None)) for past in pasts],
        "min(L, (xi - Q)+)": [min(past, max(case.xi - case.q_hat, 0)) for past in pasts],
    }


def _reused_by_trim(case: Case, xi: int, q_hat: int) -> list[int]:
    return [reused for trim in TRIMS for reused in case.reuses(TLRU(xi, q_hat, trim))]

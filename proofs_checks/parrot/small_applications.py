"""Small traces of applications: the cases of the rows, each once, smallest first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, product
from typing import Any, Literal, TypeAlias

from proofs_checks.tiers.chains import Row, compositions, strings
from teltheory.claims.claim import Enumerated
from teltheory.claims.listed import ToldCase, told

Rows: TypeAlias = tuple[Row, ...]
Measure: TypeAlias = Literal["sum", "path"]


@dataclass(frozen=True)
class Applications(ToldCase):
    """Turns of applications, the capacity, the threshold of each application, and what is expected of inputs.

    A turn is (application, conversation, prompt, response); `after` has the earlier turns that it follows beside
    the one before it in its conversation. Its input is expected to be `over` tokens longer than it is.
    """

    turns: Rows
    after: Rows
    capacity: int
    xi: int = 0
    measure: Measure = "sum"
    over: int = 0

    def measures(self) -> dict[str, int]:
        """Return turns, conversations, applications and tokens."""
        application, conversation, prompts, responses = zip(*self.turns, strict=True)
        sizes = {"turns": len(self.turns), "conversations": len(set(conversation))}
        return sizes | {"applications": len(set(application)), "tokens": sum(prompts) + sum(responses)}

    def size(self) -> tuple[Any, ...]:
        """Return turns, conversations, applications, tokens, edges, then the parameters."""
        parameters = (sum(map(len, self.after)), self.capacity, self.xi, abs(self.over), self.turns, self.after)
        return (*self.measures().values(), *parameters)

    def as_counterexample(self, values: Any) -> dict[str, Any]:
        """Return the case with its values."""
        facts = {"requests": self.turns, "after": self.after, "capacity": self.capacity, "xi": self.xi}
        more = {"over": self.over} if self.over else {}
        return told({**facts, "measure": self.measure, **more, "values": values})

    def previous(self, turn: int) -> int:
        """Return the turn before one in its conversation, -1 if there is none."""
        same = (k for k in range(turn) if self.turns[k][1] == self.turns[turn][1])
        return max(same, default=-1)

    @cached_property
    def pasts(self) -> list[int]:
        """The past of each turn's conversation after it."""
        found: list[int] = []
        for k, (_, _, prompt, response) in enumerate(self.turns):
            found.append((found[self.previous(k)] if self.previous(k) >= 0 else 0) + prompt + response)
        return found

    @cached_property
    def totals(self) -> list[int]:
        """The input of each turn."""
        return [past - turn[3] for past, turn in zip(self.pasts, self.turns, strict=True)]

    @cached_property
    def before(self) -> Rows:
        """All turns that each turn follows directly."""
        joined = ({*self.after[k], self.previous(k)} - {-1} for k in range(len(self.turns)))
        return tuple(tuple(sorted(earlier)) for earlier in joined)

    @cached_property
    def paths(self) -> Rows:
        """All paths that no turn before or after them makes longer."""
        ends = [(k,) for k in range(len(self.turns)) if not any(k in earlier for earlier in self.before)]
        return tuple(chain.from_iterable(map(self._backwards, ends)))

    def _backwards(self, path: Row) -> Iterator[Row]:
        earlier = self.before[path[0]]
        if not earlier:
            yield path
        for k in earlier:
            yield from self._backwards((k, *path))

    @cached_property
    def routes(self) -> Rows:
        """What is to stay below the threshold: all turns of each application, or its paths."""
        if self.measure == "path":
            return self.paths
        every = {
            turn[0]: tuple(k for k, other in enumerate(self.turns) if other[0] == turn[0]) for turn in self.turns
        }
        return tuple(every.values())

    def excesses(self, uncached: Sequence[int]) -> dict[int, int]:
        """Return what the heaviest route of each application has above xi."""
        found: dict[int, int] = {}
        for route in self.routes:
            application, above = self.turns[route[0]][0], sum(uncached[k] for k in route) - self.xi
            found[application] = max(found.get(application, 0), above)
        return found


def touches(case: Applications) -> bool:
    """Whether an edge would change nothing: another path has the same ends."""
    return any(
        any(_reaches(case.before, j, other) for other in case.before[k] if other != j)
        for k in range(len(case.turns))
        for j in case.after[k]
    )


def _reaches(before: Rows, early: int, late: int) -> bool:
    return early == late or any(_reaches(before, early, k) for k in before[late])


@dataclass(frozen=True)
class SmallApplications(Enumerated):
    """All traces up to so many tokens, by the number of turns, with all capacities and thresholds.

    Attributes
    ----------
    quick, full : mapping of int to int
        Most tokens by turns.
    measure : {"sum", "path"}
        What an application's excess is.
    edges : bool
        Whether turns follow turns of other conversations, in all ways; or in none.
    over : tuple of int
        By how much expected inputs may be too long.
    few : int
        Most applications.
    responses : bool
        Whether there are responses.
    allowed : callable
        Which cases are tried.
    said : str
        In words, which these are.
    """

    quick: Mapping[int, int]
    full: Mapping[int, int]
    measure: Measure = "sum"
    edges: bool = False
    over: Row = (0,)
    few: int = 9
    responses: bool = True
    allowed: Callable[[Applications], bool] = lambda case: True
    said: str = ""

    def classes(self, effort: str) -> Iterator[Iterator[Applications]]:
        """Yield the cases by turns and tokens."""
        for turns, most in getattr(self, effort).items():
            for conversations in range(1, turns + 1):
                for few in range(1, min(conversations, self.few) + 1):
                    for tokens in range(1, most + 1):
                        yield self._cases(turns, few, conversations, tokens)

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what is enumerated, in words."""
        most = ", ".join(f"{turns}: {tokens}" for turns, tokens in getattr(self, effort).items())
        edges = "all graphs" if self.edges else "no edges between conversations"
        over = ", ".join(map(str, self.over))
        words = [f"most tokens by turns {most}", "all capacities and thresholds", edges, f"inputs over by {over}"]
        words += [f"up to {self.few} applications"] if self.few < 9 else []
        words += [] if self.responses else ["no responses"]
        return {"cases": "; ".join(words + ([self.said] if self.said else []))}

    def _cases(self, turns: int, few: int, conversations: int, tokens: int) -> Iterator[Applications]:
        lengths = list(self._lengths(turns, tokens))
        for names in strings(turns):
            if len(set(names)) == conversations:
                for owners in strings(conversations):
                    if len(set(owners)) == few:
                        owned = tuple(owners[name] for name in names)
                        for prompts, responses in lengths:
                            rows = tuple(zip(owned, names, prompts, responses, strict=True))
                            yield from self._parameters(rows)

    def _lengths(self, turns: int, tokens: int) -> Iterator[tuple[Row, Row]]:
        """Yield prompts and responses; the last response changes nothing."""
        for numbers in compositions(tokens, 2 * turns - 1 if self.responses else turns):
            yield numbers[:turns], (*numbers[turns:], 0) if self.responses else (0,) * turns

    def _parameters(self, rows: Rows) -> Iterator[Applications]:
        for after in self._graphs(rows):
            case = Applications(rows, after, 0, 0, self.measure)
            if any(case.after) and touches(case):
                continue
            most = max(sum(case.totals[k] for k in route) for route in case.routes)
            for capacity in range(case.measures()["tokens"]):
                for xi in range(most):
                    for over in self.over:
                        found = replace(case, capacity=capacity, xi=xi, over=over)
                        if self.allowed(found):
                            yield found

    def _graphs(self, rows: Rows) -> Iterator[Rows]:
        n = len(rows)
        if not self.edges:
            yield ((),) * n
            return
        pairs = [
            (j, k) for j, k in combinations(range(n), 2) if rows[j][0] == rows[k][0] and rows[j][1] != rows[k][1]
        ]
        for chosen in product((False, True), repeat=len(pairs)):
            edges = [pair for pair, taken in zip(pairs, chosen, strict=True) if taken]
            yield tuple(tuple(j for j, end in edges if end == k) for k in range(n))

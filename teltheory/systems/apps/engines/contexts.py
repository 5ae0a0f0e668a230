"""The contexts of one engine, counted exactly: a tree that holds a shared part once (Parrot, Sections 5.3 and 7).

1. A fork begins with the tokens that its parent holds at that moment; what the parent takes later is not its own.
2. Tokens held are the sum of the contexts' own parts, whatever is forked from them.
3. A context goes when it is freed, and not before its forks are gone. An id is used once in the life of an engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from teltheory.systems.apps.faults import CONFLICT, ENGINE, MALFORMED, UNKNOWN, AppError


@dataclass
class Context:
    """One context: its own tokens after the first `begin`, which are those of its parent.

    Attributes
    ----------
    id : int
        Its number.
    parent : Context or None
        What it was forked from.
    begin : int
        Tokens of its parent that it begins with.
    own : list of int
        Token ids after them.
    forks : int
        Contexts forked from it that are there.
    generating : bool
        Whether its end is being generated.
    """

    id: int
    parent: Context | None = None
    begin: int = 0
    own: list[int] = field(default_factory=list)
    forks: int = 0
    generating: bool = False

    @property
    def length(self) -> int:
        """Tokens that it holds, those of its parent included."""
        return self.begin + len(self.own)

    @property
    def tokens(self) -> list[int]:
        """Token ids that it holds, from the first."""
        found: list[list[int]] = []
        context, end = self, self.length
        while end > 0:
            found.append(context.own[: max(0, end - context.begin)])
            end = min(end, context.begin)
            context = context.parent or context
        return [token for part in reversed(found) for token in part]


class Contexts:
    """The contexts of an engine with room for `capacity` tokens.

    Attributes
    ----------
    held, peak : int
        Tokens now, and at most so far.
    filled, generated : int
        Tokens that were ever given and chosen.
    """

    def __init__(self, capacity: int, engine: str = "engine") -> None:
        self.capacity, self.engine = capacity, engine
        self.held = self.peak = self.filled = self.generated = 0
        self._there: dict[int, Context] = {}
        self._used = set[int]()

    def __len__(self) -> int:
        return len(self._there)

    def __getitem__(self, id: int) -> Context:
        """Return a context; `AppError` 404 if there is none."""
        if id not in self._there:
            raise self._fault(UNKNOWN, id, "no context", "one that was filled and not freed")
        return self._there[id]

    def fill(self, tokens: Sequence[int], id: int, parent: int | None = None) -> Context:
        """Put tokens at the end of a context, which is made where it is new.

        Raises
        ------
        AppError
            404: no such parent. 409: an id that was used, a context that is being generated. 502: no room.
        """
        self._need(len(tokens), id)
        context = self._opened(id, parent)
        self._extend(context, tokens)
        self.filled += len(tokens)
        return context

    def begin(self, id: int, parent: int | None = None) -> Context:
        """Open a context to be generated; `AppError` 400 if it holds no token, else as `fill`."""
        if not self[id if parent is None else parent].length:
            raise self._fault(MALFORMED, id, "no token in it", "a fill before it generates")
        context = self._opened(id, parent)
        context.generating = True
        return context

    def append(self, id: int, *tokens: int) -> None:
        """Take tokens that were generated; `AppError` 502 if there is no room for all."""
        self._need(len(tokens), id)
        self._extend(self[id], tokens)
        self.generated += len(tokens)

    def end(self, id: int, drop: int = 0) -> None:
        """Close a context that was generated, without its last `drop` tokens."""
        context = self[id]
        context.generating = False
        del context.own[len(context.own) - drop :]
        self.held -= drop

    def free(self, id: int) -> int:
        """Give up a context and return how many tokens that frees; `AppError` 409 while it has forks."""
        context = self._still(self[id])
        if context.forks:
            raise self._fault(CONFLICT, id, f"a free while it has forks: {context.forks}", "theirs first")
        del self._there[id]
        if context.parent is not None:
            context.parent.forks -= 1
        self.held -= len(context.own)
        return len(context.own)

    def _opened(self, id: int, parent: int | None) -> Context:
        """Return a context to write to: a new one, a fork, or one that is there."""
        if parent is None and id in self._there:
            return self._still(self[id])
        if id in self._used:
            raise self._fault(CONFLICT, id, "an id that was used", "a new one")
        above = None if parent is None else self._still(self[parent])
        context = Context(id, above, above.length if above else 0)
        if above:
            above.forks += 1
        self._used.add(id)
        self._there[id] = context
        return context

    def _still(self, context: Context) -> Context:
        if context.generating:
            raise self._fault(CONFLICT, context.id, "tokens still being generated", "its end first")
        return context

    def _extend(self, context: Context, tokens: Sequence[int]) -> None:
        context.own.extend(tokens)
        self.held += len(tokens)
        self.peak = max(self.peak, self.held)

    def _need(self, tokens: int, id: int) -> None:
        if self.held + tokens > self.capacity:
            found = f"{tokens:,} tokens more than the {self.held:,} that are held"
            raise self._fault(ENGINE, id, found, f"at most {self.capacity:,} in all")

    def _fault(self, code: int, id: int, found: str, expected: str) -> AppError:
        return AppError(code, f"{self.engine}, context {id}", found, expected)

"""The tree of contexts against whole copies of what each context holds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from teltheory.systems.apps import AppError
from teltheory.systems.apps.engines import Contexts

Call = tuple[str, int, int | None, list[int]]
IDS = st.integers(0, 4)
FILLS = st.tuples(st.just("fill"), IDS, st.none() | IDS, st.lists(st.integers(0, 9), max_size=4))
GENERATES = st.tuples(st.just("generate"), IDS, st.none() | IDS, st.lists(st.integers(0, 9), max_size=4))
FREES = st.tuples(st.just("free"), IDS, st.none(), st.just([]))
CALLS = st.lists(FILLS | FILLS | GENERATES | FREES, max_size=20)


class Copies:
    """The judge: every context is a copy of all its tokens; a parent is known by its number alone."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.held, self.used = capacity, 0, set[int]()
        self.whole, self.own, self.parent = dict[int, list[int]](), dict[int, int](), dict[int, int | None]()

    def expected(self, kind: str, id: int, parent: int | None, tokens: list[int]) -> set[int]:
        """Return the codes of errors that a call may have; none: it is right."""
        if kind == "free":
            return {404} if id not in self.whole else {409} if id in self.parent.values() else set()
        above = id if parent is None else parent
        codes = {404} if above not in self.whole and (parent is not None or kind == "generate") else set()
        codes |= {409} if id in self.used and (parent is not None or id not in self.whole) else set()
        codes |= {400} if kind == "generate" and not self.whole.get(above) else set()
        return codes | ({502} if self.held + len(tokens) > self.capacity else set())

    def do(self, kind: str, id: int, parent: int | None, tokens: list[int]) -> None:
        if kind == "free":
            self.held -= self.own.pop(id)
            del self.whole[id], self.parent[id]
            return
        if id not in self.whole:
            self.whole[id], self.own[id] = list(self.whole[parent]) if parent is not None else [], 0
            self.parent[id] = parent
            self.used.add(id)
        self.whole[id] += tokens
        self.own[id] += len(tokens)
        self.held += len(tokens)


def do(contexts: Contexts, kind: str, id: int, parent: int | None, tokens: list[int]) -> None:
    """Make a call."""
    if kind == "fill":
        contexts.fill(tokens, id, parent)
    elif kind == "free":
        contexts.free(id)
    else:
        contexts.begin(id, parent)
        for token in [*tokens, 99]:
            contexts.append(id, token)
        contexts.end(id, drop=1)


def code_of(contexts: Contexts, call: Call) -> int | None:
    """Make a call and return the code of its error, or None."""
    try:
        do(contexts, *call)
    except AppError as error:
        return error.code
    return None


@given(CALLS)
def test_contexts_are_what_copies_of_them_would_be(calls: list[Call]) -> None:
    """Tokens, room and errors."""
    contexts, copies = Contexts(1_000), Copies(1_000)
    for call in calls:
        expected = copies.expected(*call)
        code = code_of(contexts, call)
        assert code in expected if expected else code is None
        if code is None:
            copies.do(*call)
        assert {id: contexts[id].tokens for id in copies.whole} == copies.whole
        assert (len(contexts), contexts.held) == (len(copies.whole), copies.held)
    assert contexts.held <= contexts.peak <= contexts.filled + contexts.generated


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.integers(0, 12))
def test_no_token_is_held_beyond_the_capacity(lengths: list[int], capacity: int) -> None:
    """A fill that does not fit changes nothing."""
    contexts = Contexts(capacity)
    held = 0
    for id, length in enumerate(lengths):
        code = code_of(contexts, ("fill", id, None, [0] * length))
        assert code == (502 if held + length > capacity else None)
        held += 0 if code else length
        assert contexts.held == held == contexts.filled


def three(call: str) -> Any:
    """Return contexts with a parent, a fork and an empty one, and the call that is asked for."""
    contexts = Contexts(10, "A")
    contexts.fill([1, 2, 3], 0)
    contexts.fill([4], 1, parent=0)
    contexts.fill([], 2)
    return {
        "free": lambda: contexts.free(0),
        "unknown parent": lambda: contexts.fill([5], 3, parent=9),
        "unknown": lambda: contexts.free(9),
        "reused": lambda: contexts.fill([5], 1, parent=0),
        "empty": lambda: contexts.begin(2),
        "nothing": lambda: contexts.begin(7),
        "memory": lambda: contexts.fill([0] * 7, 3),
        "generating": lambda: (contexts.begin(1), contexts.fill([5], 3, parent=1)),
        "free generating": lambda: (contexts.begin(1), contexts.free(1)),
        "freed": lambda: (contexts.free(1), contexts.fill([5], 1)),
    }[call]


@pytest.mark.parametrize(
    ("call", "code", "says"),
    [
        ("free", 409, "A, context 0: found a free while it has forks: 1, expected theirs first"),
        ("unknown parent", 404, "A, context 9: found no context, expected one that was filled and not freed"),
        ("unknown", 404, "A, context 9: found no context"),
        ("reused", 409, "A, context 1: found an id that was used, expected a new one"),
        ("empty", 400, "A, context 2: found no token in it, expected a fill before it generates"),
        ("nothing", 404, "A, context 7: found no context"),
        ("memory", 502, "A, context 3: found 7 tokens more than the 4 that are held, expected at most 10 in all"),
        ("generating", 409, "A, context 1: found tokens still being generated, expected its end first"),
        ("free generating", 409, "A, context 1: found tokens still being generated"),
        ("freed", 409, "A, context 1: found an id that was used"),
    ],
)
def test_a_wrong_call_is_said_in_a_line(call: str, code: int, says: str) -> None:
    """Code, engine and context, what was found and what is expected."""
    assert refused(AppError, says, three(call)).code == code


def test_what_a_parent_takes_later_is_not_its_forks() -> None:
    """A fork ends where it was made, and goes on by itself."""
    contexts = Contexts(100)
    contexts.fill([1, 2], 0)
    contexts.fill([3], 1, parent=0)
    contexts.fill([4, 5], 0)
    contexts.fill([6], 2, parent=0)
    assert [contexts[k].tokens for k in range(3)] == [[1, 2, 4, 5], [1, 2, 3], [1, 2, 4, 5, 6]]
    assert contexts.held == contexts.filled == 6

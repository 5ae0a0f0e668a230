from itertools import accumulate
from typing import Any

from hypothesis import strategies as st

import teltheory as tt

Columns = dict[str, Any]

SMALL = st.integers(0, 9)
LABELS = st.integers(-2, 3)
NAMES = st.sampled_from(["b", "a", "", "Zoë"])


def lengths(most: int = 2**40) -> st.SearchStrategy[int]:
    return SMALL | st.integers(0, most)


def turn_columns(
    conversations: st.SearchStrategy[Any] = LABELS,
    length: st.SearchStrategy[int] = SMALL,
    max_turns: int = 14,
) -> st.SearchStrategy[Columns]:
    """Columns of a cumulative trace, without arrival times."""
    rows = st.lists(st.tuples(conversations, length, length), max_size=max_turns)
    return rows.map(lambda turns: _columns(turns, ("conversation", "prompt", "response")))


def given_columns(
    conversations: st.SearchStrategy[Any] = LABELS,
    length: st.SearchStrategy[int] = SMALL,
    max_turns: int = 14,
) -> st.SearchStrategy[Columns]:
    """Columns with histories from 0 to the conversation's past, the past itself often among them."""
    rows = st.lists(st.tuples(conversations, length, length, length), max_size=max_turns)
    return rows.map(
        lambda turns: _with_histories(_columns(turns, ("conversation", "prompt", "response", "history")))
    )


@st.composite
def timed_columns(draw: st.DrawFn, columns: st.SearchStrategy[Columns]) -> Columns:
    """`columns` with arrival times, ties among them."""
    turns = draw(columns)
    n = len(turns["prompt"])
    gaps = draw(st.lists(st.sampled_from([0.0, 0.0, 0.1, 3.0, 1e6]), min_size=n, max_size=n))
    return {**turns, "arrival": list(accumulate(gaps))}


def _columns(turns: list[tuple[Any, ...]], names: tuple[str, ...]) -> Columns:
    return {name: [turn[i] for turn in turns] for i, name in enumerate(names)}


def _with_histories(columns: Columns) -> Columns:
    past: dict[Any, int] = {}
    history = []
    turns = zip(columns["conversation"], columns["prompt"], columns["response"], columns["history"], strict=True)
    for c, q, a, asked in turns:
        history.append(min(asked, past.get(c, 0)))
        past[c] = history[-1] + q + a
    return {**columns, "history": history}


@st.composite
def words(draw):
    """Return what the requests of a forest spell: those that begin alike share the blocks of that beginning."""
    spelt = []
    for _ in range(draw(st.integers(0, 12))):
        begins = draw(st.sampled_from(spelt)) if spelt else []
        fresh = draw(st.lists(st.integers(0, 1), max_size=3))
        spelt.append(begins[: draw(st.integers(0, len(begins)))] + fresh)
    return spelt


def named(words):
    """Return paths of block ids, where an id stands for a block and everything before it."""
    ids = {}
    return [[ids.setdefault(tuple(word[: at + 1]), len(ids)) for at in range(len(word))] for word in words]


@st.composite
def forests(draw):
    """Forests of shared prefixes, with responses, tails and arrival times."""
    spelt = draw(words())
    ask = [draw(st.integers(max(len(word) - 1, 0), len(word))) for word in spelt]
    total = [asked + draw(st.integers(0, 2)) for asked in ask]
    arrival = sorted(draw(st.lists(st.integers(0, 9), min_size=len(spelt), max_size=len(spelt))))
    return tt.Forest.from_paths(named(spelt), ask, total, arrival)


@st.composite
def module_traces(
    draw: st.DrawFn, items: int = 5, requests: int = 10, size: int = 6, unit: int = 1
) -> tt.ModuleTrace:
    """Traces of module sets, lengths in a unit; requests without an item among them."""
    sizes = draw(st.lists(st.integers(1, size), min_size=1, max_size=items))
    asked = draw(st.lists(st.sets(st.integers(0, len(sizes) - 1), max_size=4).map(list), max_size=requests))
    fresh = draw(st.lists(st.integers(0, 3), min_size=len(asked), max_size=len(asked)))
    return tt.ModuleTrace.from_requests(asked, [unit * one for one in sizes], [unit * one for one in fresh])

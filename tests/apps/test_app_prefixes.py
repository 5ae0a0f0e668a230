"""Hashes of prefixes over tokens, the store that confirms its hits, and measures of fairness."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teltheory.apps import Port, Request
from teltheory.apps.fairness import jain, largest_slowdown, slowdowns
from teltheory.apps.prefixes import Prefixes, known_parts, prefix_hashes
from teltheory.errors import ArgumentError

Parts = list[tuple[int, ...]]
TOKENS = st.lists(st.integers(0, 3), max_size=6)
PARTS = st.lists(TOKENS.map(tuple), max_size=4)


def flat(parts: Parts) -> tuple[int, ...]:
    return sum(parts, ())


@given(PARTS, PARTS)
def test_hashes_are_equal_where_the_tokens_are(one: Parts, other: Parts) -> None:
    """Whatever the parts; and each is that of the prompt up to there."""
    hashes = prefix_hashes(one)
    assert [length for _, length in hashes] == [len(flat(one[: k + 1])) for k in range(len(one))]
    assert hashes == tuple(prefix_hashes([flat(one[: k + 1])])[0] for k in range(len(one)))
    same = prefix_hashes([flat(one)]) == prefix_hashes([flat(other)])
    assert same == (flat(one) == flat(other))


def test_hashes_are_of_tokens_not_of_characters() -> None:
    """Two ways to cut one text into tokens are two prefixes; large ids differ; 128 bits of BLAKE2b."""
    assert prefix_hashes([(1, 2)]) != prefix_hashes([(12,)])
    assert prefix_hashes([(1,)]) != prefix_hashes([(1 + 2**32,)]) != prefix_hashes([(1, 1)])
    ((value, length),) = prefix_hashes([(1, 2, 3)])
    assert (value, length) == (0xABCCAD42D03C940BC2B249BF5A4E1E3D, 3)


def test_the_parts_of_a_request_end_where_a_value_is_not_known() -> None:
    """Figure 7: text before the task, then the task, then the text up to the output. A value is text, not a prompt."""
    ports = [Port("task", False, "t"), Port("code", True, "c")]
    request = Request.of(0, "Write {{input:task}}. Code: {{output:code}}!", ports)
    encode = str.encode
    assert known_parts(request, {}, encode) == [tuple(b"Write ")]
    filled = known_parts(request, {"task": "{{input:task}}"}, encode)
    assert filled == [tuple(b"Write "), tuple(b"{{input:task}}"), tuple(b". Code: ")]


@given(st.lists(PARTS, max_size=6), PARTS)
def test_the_longest_prefix_that_is_known_is_found(known: list[Parts], mine: Parts) -> None:
    """Against a search through all pairs of prefixes."""
    store = Prefixes()
    for k, parts in enumerate(known):
        store.add(k, prefix_hashes(parts), flat(parts))
    found = store.longest(prefix_hashes(mine), flat(mine))
    cuts = [flat(mine[: k + 1]) for k in range(len(mine))]
    theirs = {k: [flat(parts[: i + 1]) for i in range(len(parts))] for k, parts in enumerate(known)}
    shared = [cut for cut in cuts if cut and any(cut in prefixes for prefixes in theirs.values())]
    assert (found is None) == (not shared)
    if found is not None:
        assert found.length == len(shared[-1])
        assert list(found.requests) == [k for k, prefixes in theirs.items() if shared[-1] in prefixes]
    for k, parts in enumerate(known):
        store.remove(k, prefix_hashes(parts))
    assert len(store) == 0


def test_a_hit_is_confirmed_by_comparing_tokens() -> None:
    """A hash of other tokens, or of another length, is no hit; without tokens it is trusted."""
    store = Prefixes()
    store.add("first", ((7, 2),), (1, 2, 3))
    assert store.longest(((7, 2),), (1, 2)) is not None
    assert store.longest(((7, 2),), (1, 9)) is None
    assert store.longest(((7, 3),), (1, 2, 3)) is None
    assert store.longest(((7, 2),)) is not None
    store.add("collides", ((7, 2),), (4, 5))
    found = store.longest(((7, 2),), (1, 2))
    assert found is not None
    assert found.requests == ("first",)


def test_contexts_are_kept_and_dropped() -> None:
    """By engine; the view of an engine follows; nothing is left."""
    store, hashes = Prefixes(), prefix_hashes([(1, 2), (3,)])
    held = store.on("a")
    store.keep("a", 10, hashes, (1, 2, 3))
    store.keep("a", 11, hashes, (1, 2, 3))
    store.keep("b", 20, hashes[:1])
    store.keep("b", 21, ())
    assert set(held) == {hashes[1][0]}
    found = store.longest(hashes, (1, 2, 3))
    assert found is not None
    assert (found.length, found.contexts, found.requests) == (3, {"a": 10}, ())
    store.drop("a", 11, hashes)
    assert set(held) == {hashes[1][0]}
    store.drop("a", 10, hashes)
    store.drop("a", 10, hashes)
    store.drop("b", 20, hashes[:1])
    assert (len(store), set(held), store.longest(hashes)) == (0, set(), None)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(1, 5))
def test_jains_index_is_between_1_over_n_and_1(values: list[int], factor: int) -> None:
    """1 exactly where all are equal; the unit does not matter; floats agree."""
    index = jain(values)
    assert Fraction(1, len(values)) <= index <= 1
    assert (index == 1) == (len(set(values)) == 1)
    assert jain([factor * value for value in values]) == index
    assert math.isclose(jain([float(value) for value in values]), index)


def test_slowdowns_and_the_largest() -> None:
    assert jain([1, 0, 0, 0]) == Fraction(1, 4)
    assert jain([3, 1]) == Fraction(4, 5)
    assert slowdowns([3, 4], [2, 4]) == [Fraction(3, 2), 1]
    assert largest_slowdown([3.0, 4.0], [2.0, 4.0]) == 1.5
    assert (largest_slowdown([], []), jain([])) == (1, 1)


@pytest.mark.parametrize(("times", "alone", "found"), [([1], [], "alone: found 0"), ([1], [0], "alone: found 0")])
def test_wrong_times_are_named(times: list[int], alone: list[int], found: str) -> None:
    with pytest.raises(ArgumentError, match=found):
        slowdowns(times, alone)
    with pytest.raises(ArgumentError, match="values: found -1"):
        jain([-1])

"""Replacing a module's text: what moves, what is stale; without a model."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from teltheory.systems.modules import BYTES, NO_ROLES, Item, layout, read_schema
from teltheory.systems.modules.items import encoding
from teltheory.systems.modules.runtime.replacing import moved, stale_items, with_text

PARTS = ["Plan. ", "In ", " days", "Big. ", "Ruins. ", "Sea! ", "End. "]
WAYS = ["alone", "ancestors", "whole"]
TEXT = st.text("abc", min_size=1, max_size=9)


def schema(parts):
    root, stay, days, city, rome, oslo, end = parts
    union = f'<union><module name="rome">{rome}</module><module name="oslo">{oslo}</module></union>'
    return read_schema(
        f'<schema name="s">{root}<module name="stay">{stay}<parameter name="n" length="3"/>{days}</module>'
        f'<module name="city">{union}{city}</module><module name="end">{end}</module></schema>',
        NO_ROLES,
    )


PATHS = {
    (): [0],
    ("stay",): [1, 2],
    ("city",): [3],
    ("city", "rome"): [4],
    ("city", "oslo"): [5],
    ("end",): [6],
}
ITEMS = [Item((path,), way) for way in WAYS for path in PATHS]
ITEMS += [Item((("stay",), ("city", "rome")), way) for way in WAYS]


@given(st.lists(st.tuples(st.sampled_from(list(PATHS)), st.tuples(TEXT, TEXT)), min_size=1, max_size=4))
def test_what_fits_leaves_all_starts_and_what_does_not_is_the_changed_schema_laid_out(changes):
    parts = list(PARTS)
    now = layout(schema(parts), BYTES)
    for path, texts in changes:
        before = now
        new = texts[: len(PATHS[path])]
        rooms = room_by_hand(before, path)
        for k, text in zip(PATHS[path], new, strict=True):
            parts[k] = text
        now = with_text(before, path, new if len(new) > 1 else new[0])
        fits = all(len(text) <= room for text, room in zip(new, rooms, strict=True))
        laid = layout(schema(parts), BYTES)
        assert [piece.tokens for piece in now.pieces] == [piece.tokens for piece in laid.pieces]
        if fits:
            assert not moved(before, now)
            assert now.spans == before.spans
        else:
            assert now.pieces == laid.pieces
            assert now.spans == laid.spans
        stale = stale_items(before, now, ITEMS)
        assert set(stale) == {item for item in ITEMS if read(before, item) != read(now, item)}
        if fits:
            assert {item.paths for item in stale if item.way == "alone"} <= {
                item.paths for item in ITEMS if path in item.paths
            }


def room_by_hand(laid, path):
    """The rooms of a module's texts, from the starts of what follows each in the source."""
    start = {piece.path: piece.start for piece in laid.pieces}
    own = [piece for piece in laid.own[path] if piece.parameter is None]
    ends = {
        (): [laid.spans[("stay",)].start],
        ("stay",): [start_of_parameter(laid), laid.spans[("city",)].start],
        ("city",): [laid.spans[("end",)].start],
        ("city", "rome"): [laid.spans["city", "rome"].start + laid.spans["city", "rome"].length],
        ("city", "oslo"): [laid.spans["city", "oslo"].start + laid.spans["city", "oslo"].length],
        ("end",): [laid.length],
    }
    assert start[path] == own[-1].start
    return [end - piece.start for piece, end in zip(own, ends[path], strict=True)]


def start_of_parameter(laid):
    return next(piece.start for piece in laid.pieces if piece.parameter == "n")


def read(laid, item):
    one = encoding(laid, item)
    seen = one.positions <= one.positions[one.keep].max()
    return one.tokens[seen].tolist(), one.positions[seen].tolist(), one.keep[seen].tolist()


def test_a_shorter_text_leaves_a_gap_that_a_longer_one_may_take_again():
    first = layout(schema(PARTS), BYTES)
    short = with_text(first, ("city", "rome"), "R.")
    again = with_text(short, ("city", "rome"), "Romans.")
    assert [one.own["city", "rome"][0].tokens for one in (short, again)] == [tuple(b"R."), tuple(b"Romans.")]
    assert not moved(first, short)
    assert not moved(short, again)
    grown = with_text(again, ("city", "rome"), "Romans, and more.")
    assert moved(again, grown)
    assert grown.length == first.length + len("Romans, and more.") - len("Ruins. ")


def test_white_space_at_the_ends_is_one_space_as_in_a_schema():
    new = with_text(layout(schema(PARTS), BYTES), ("end",), "\n\n A \t")
    assert np.array_equal(new.own[("end",)][0].tokens, list(b" A "))

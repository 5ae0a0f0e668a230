"""Prompts: one that was resolved by hand, and laws on random prompts of random schemas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from systems.modules.pml.plain_pml import resolved, spaced

from teltheory.errors import ArgumentError
from teltheory.systems.modules import BYTES, layout, plan, read_prompt, read_schema, resolve
from teltheory.systems.modules.items import Item, encoding, size
from teltheory.systems.modules.pml import programs
from teltheory.systems.modules.pml.prompt import Stretch, stretches

TRIP = layout(
    read_schema(
        "<schema name='trip'>Hi<module name='plan'>for <parameter name='days' length='4'/>.<union>"
        "<module name='sea'>swim</module><module name='hills' cache='false'>climb</module></union></module>"
        "<module name='bye'>!</module></schema>"
    ),
    BYTES,
)
PLAN, SEA, HILLS, BYE = ("plan",), ("plan", "sea"), ("plan", "hills"), ("bye",)


def asked(source):
    return resolve(read_prompt(f"<prompt schema='trip'>{source}</prompt>"), TRIP)


def test_a_prompt_that_was_resolved_by_hand():
    found = asked("<bye/><plan days='3 d'><hills/></plan> Go")
    assert found.paths == ((), PLAN, HILLS, BYE)
    assert found.kept == ((), PLAN, BYE)
    assert stretches(found) == [
        Stretch(0, 2, "kept", ()),
        Stretch(2, 4, "kept", PLAN),
        Stretch(6, 3, "argument", PLAN, "days"),
        Stretch(9, 1, "gap"),
        Stretch(10, 1, "kept", PLAN),
        Stretch(11, 5, "text", HILLS),
        Stretch(16, 1, "kept", BYE),
        Stretch(17, 3, "new"),
    ]
    assert (found.total, found.new) == (19, 11)


def test_a_gap_is_left_by_what_is_not_imported_and_at_the_end_of_a_union():
    kinds = [(one.start, one.length) for one in stretches(asked("<plan><sea/></plan>Go")) if one.kind == "gap"]
    assert kinds == [(6, 4), (15, 2)]
    assert [one.kind for one in stretches(asked("Go"))] == ["kept", "gap", "new"]


@given(resolved())
def test_no_two_tokens_of_a_prompt_have_one_position(made):
    found, _, _ = made
    taken = [np.arange(one.start, one.start + one.length) for one in stretches(found)]
    positions = np.concatenate([*taken, []])
    assert np.array_equal(np.sort(positions), np.arange(len(positions)))
    assert len(positions) == max(found.layout.length, *(one.start + one.length for one in stretches(found)), 0)


@given(resolved())
def test_kept_and_new_tokens_are_all_tokens_of_what_was_imported(made):
    found, imports, text = made
    own = found.layout.own
    expected = len(found.layout.tokenizer.encode(spaced(text))) if text.strip() else 0
    waiting = [((), one) for one in imports]
    paths = [()]
    while waiting:
        above, one = waiting.pop()
        path = (*above, one.tag)
        paths.append(path)
        waiting += [(path, inner) for inner in one.parts]
        expected += sum(len(found.layout.tokenizer.encode(value)) for value in one.attributes.values())
    assert set(paths) == set(found.paths)
    expected += sum(len(piece.tokens) for path in paths for piece in own[path] if piece.parameter is None)
    assert found.total == expected
    assert found.total - found.new == sum(size(found.layout, item) for item in plan(found).items)


@given(resolved())
def test_an_argument_stands_in_its_parameter_and_new_text_after_the_schema(made):
    found, _, text = made
    rooms = {(piece.path, piece.parameter): piece for piece in found.layout.pieces}
    for one in found.fresh:
        if one.parameter is not None:
            room = rooms[one.path, one.parameter]
            assert one.start == room.start
            assert len(one.tokens) <= len(room.tokens)
        elif one.path is None:
            assert one.start == found.layout.length
            assert one.tokens == tuple(found.layout.tokenizer.encode(spaced(text)))
        else:
            assert not found.layout.spans[one.path].cache


@given(resolved(), st.sampled_from(["alone", "ancestors", "whole"]))
def test_an_encoding_keeps_the_own_text_of_its_item_at_its_positions(made, way):
    found, _, _ = made
    for item in plan(found, way).items:
        one = encoding(found.layout, item)
        assert (np.diff(one.positions) > 0).all()
        pieces = [piece for path in item.paths for piece in found.layout.own[path] if piece.parameter is None]
        assert one.tokens[one.keep].tolist() == [token for piece in pieces for token in piece.tokens]
        where = [piece.start + k for piece in pieces for k in range(len(piece.tokens))]
        assert one.positions[one.keep].tolist() == where
        assert one.keep.sum() == size(found.layout, item)


def seen(item):
    return set(encoding(TRIP, item).positions.tolist())


def test_what_an_encoding_sees():
    room = {6, 7, 8, 9}
    own, sea = {2, 3, 4, 5, 10} | room, {11, 12, 13, 14}
    assert seen(Item((PLAN,))) == own
    assert seen(Item((SEA,))) == sea
    assert seen(Item((SEA,), "ancestors")) == {0, 1} | own | sea
    assert seen(Item((BYE,), "ancestors")) == {0, 1, 16}
    assert seen(Item((BYE,), "whole")) == {0, 1, 16} | own | sea
    assert seen(Item((SEA, BYE))) == sea | {16}


def test_an_encoding_sees_no_text_that_is_not_cached():
    source = "<schema name='s'><module name='u' cache='false'>no</module><module name='m'>yes</module></schema>"
    one = encoding(layout(read_schema(source), BYTES), Item((("m",),), "whole"))
    assert bytes(one.tokens.tolist()) == b"yes"


def test_a_scaffold_replaces_its_members_if_all_are_imported():
    both, one = asked("<plan><sea/></plan><bye/>"), asked("<bye/>")
    names = [[item.paths for item in plan(found, scaffolds=[(BYE, PLAN)]).items] for found in (both, one)]
    assert names == [[((),), (PLAN, BYE), (SEA,)], [((),), (BYE,)]]
    assert [item.paths for item in plan(one, scaffolds=[((), BYE, PLAN)]).items] == [((),), (BYE,)]
    first = plan(both, scaffolds=[(PLAN, BYE), (SEA, BYE)]).items
    assert [item.paths for item in first] == [((),), (PLAN, BYE), (SEA,)]


@pytest.mark.parametrize("scaffold", [(), (("none",),), (SEA, HILLS), (HILLS,)])
def test_a_scaffold_that_no_prompt_could_use_is_refused(scaffold):
    refused(ArgumentError, "scaffold: found", lambda: plan(asked("Go"), scaffolds=[scaffold]))


def test_a_way_that_is_not_there_is_refused():
    refused(ArgumentError, "way: found 'near'", lambda: plan(asked("Go"), "near"))


@given(resolved())
def test_the_order_of_imports_changes_nothing(made):
    found, imports, text = made
    turned = programs.prompt("s", *imports[::-1], text).to_pml()
    assert resolve(read_prompt(turned), found.layout) == found

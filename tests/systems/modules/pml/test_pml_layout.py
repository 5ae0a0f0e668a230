"""Layouts: the public schemas as counted, schemas counted by hand, and laws on random schemas."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.modules.pml.plain_pml import THREES, TOKENIZERS, placed, schemas, spaced, written

from teltheory.systems.modules import BYTES, CHATML, LLAMA2, NO_ROLES, layout, read_schema
from teltheory.systems.modules.pml import programs
from teltheory.systems.modules.pml.reading import one_space
from teltheory.systems.modules.pml.schema import Module, Parameter, Text, Union
from teltheory.workloads import data_folder

PUBLIC = {
    "schema_persona": ("persona", 3264, 575),
    "schema_persona_long": ("persona", 8003, 1328),
    "code_generation_bookstore": ("code-generation-bookstore", 3740, 868),
    "schema_mbti": ("mbti", 3929, 713),
    "parameterized_prompts": ("travel", 1385, 239),
}
"""Names, and positions in bytes and in SmolLM2's tokens, with ChatML's role text."""
TEMPLATES = st.sampled_from([CHATML, LLAMA2, NO_ROLES])


def public(name):
    return read_schema(data_folder() / "pml_examples" / f"{name}.xml")


@pytest.mark.parametrize("file", PUBLIC)
def test_public_schemas_have_the_bytes_that_were_counted(file):
    name, length, _ = PUBLIC[file]
    found = layout(public(file), BYTES)
    assert (found.schema.name, found.length) == (name, length)


HAND = {
    # one position a byte; a module begins where the text before it ends
    "<schema name='s'>ab<module name='m'>cde</module>f</schema>": {(): (0, 6), ("m",): (2, 3)},
    # the union is as long as its longest member, which is not the first
    "<schema name='s'>a<union><module name='x'>b</module><module name='y'>cde</module></union>f</schema>": {
        (): (0, 5),
        ("x",): (1, 1),
        ("y",): (1, 3),
    },
    # a parameter of 4 between texts of 1 and 2, and a union nested in a member of a union
    (
        "<schema name='s'><union><module name='x'>a<parameter name='p' length='4'/>bc<union>"
        "<module name='u'>d</module><module name='v'>ef</module></union></module>"
        "<module name='y'>g</module></union><module name='z'>h</module></schema>"
    ): {(): (0, 10), ("x",): (0, 9), ("x", "u"): (7, 1), ("x", "v"): (7, 2), ("y",): (0, 1), ("z",): (9, 1)},
    # white space: one position before and after the module, one inside it, one as the text between two modules
    "<schema name='s'>\n  <module name='m'>\n\n</module> \t <module name='n'> a  b </module></schema>": {
        (): (0, 9),
        ("m",): (1, 1),
        ("n",): (3, 6),
    },
    # roles: "<|im_start|>user\n" is 17 bytes, "<|im_end|>\n" is 11, and its line break is one space at the end
    "<schema name='s'><user>Hi<module name='m'>a</module></user></schema>": {(): (0, 31), ("m",): (19, 1)},
    # nothing at all
    "<schema name='s'><module name='m'/></schema>": {(): (0, 0), ("m",): (0, 0)},
}


@pytest.mark.parametrize("source", HAND)
def test_layouts_that_were_counted_by_hand(source):
    spans = layout(read_schema(source), BYTES).spans
    assert {path: (span.start, span.length) for path, span in spans.items()} == HAND[source]


def test_a_token_may_reach_over_the_border_of_a_role_and_never_over_that_of_a_module():
    joined = layout(read_schema("<schema name='s'>ab<user>cd</user></schema>", NO_ROLES), THREES)
    apart = layout(read_schema("<schema name='s'>ab<module name='m'>cd</module></schema>"), THREES)
    assert [len(piece.tokens) for piece in joined.pieces] == [2]
    assert [len(piece.tokens) for piece in apart.pieces] == [1, 1]


@given(schemas(), TOKENIZERS, TEMPLATES)
def test_a_second_layout_agrees(parts, tokenizer, roles):
    found = layout(read_schema(programs.program("s", *written(parts)).to_pml(), roles), tokenizer)
    length, rows = placed(parts, tokenizer, roles, 0)
    modules = {path: (start, size, cache) for path, kind, start, size, cache in rows if kind == "module"}
    modules[()] = (0, length, True)
    assert {path: (span.start, span.length, span.cache) for path, span in found.spans.items()} == modules
    texts = [(path, start, tuple(tokenizer.encode(text))) for path, kind, start, _, text in rows if kind == "text"]
    rooms = [(path, start, size, name) for path, kind, start, size, name in rows if kind == "parameter"]
    pieces = found.pieces
    assert [(one.path, one.start, one.tokens) for one in pieces if one.parameter is None] == texts
    parameters = [one for one in pieces if one.parameter is not None]
    assert [(one.path, one.start, len(one.tokens), one.parameter) for one in parameters] == rooms


def size_of(child, path, found):
    """Return where a child of a module begins and how long it is; of a union by each of its members."""
    if isinstance(child, Module):
        span = found.spans[*path, child.name]
        return [(span.start, span.length)]
    return [size_of(member, path, found)[0] for member in child.members] if isinstance(child, Union) else []


@given(schemas(), TOKENIZERS)
def test_children_stand_one_after_another_and_a_union_is_as_long_as_its_longest_member(parts, tokenizer):
    found = layout(read_schema(programs.program("s", *written(parts)).to_pml()), tokenizer)

    def check(module, path):
        at, pieces = found.spans[path].start, iter(found.own[path])
        for child in module.children:
            if isinstance(child, Text | Parameter):
                piece = next(pieces)
                assert piece.start == at
                at += len(piece.tokens)
                continue
            places = size_of(child, path, found)
            assert {start for start, _ in places} == {at}
            at += max(length for _, length in places)
            for inner in child.members if isinstance(child, Union) else [child]:
                check(inner, (*path, inner.name))
        assert at == found.spans[path].start + found.spans[path].length

    check(found.schema, ())


@given(schemas(), TOKENIZERS)
def test_a_module_is_cached_if_it_and_all_around_it_are(parts, tokenizer):
    found = layout(read_schema(programs.program("s", *written(parts)).to_pml()), tokenizer)
    said = {(): True}

    def note(module, path):
        for one in module.modules():
            said[*path, one.name] = one.cache
            note(one, (*path, one.name))

    note(found.schema, ())
    for path, span in found.spans.items():
        assert span.cache == all(said[path[:depth]] for depth in range(len(path) + 1))


@given(schemas())
def test_each_union_has_one_default(parts):
    found = layout(read_schema(programs.program("s", *written(parts)).to_pml()), BYTES)
    defaults = Counter(span.union for span in found.spans.values() if span.union and span.default)
    assert set(defaults.values()) <= {1}
    assert set(defaults) == {span.union for span in found.spans.values() if span.union}


@given(schemas(), TOKENIZERS)
def test_a_placeholder_is_the_scaffold_and_then_unknown_tokens(parts, tokenizer):
    found = layout(read_schema(programs.program("s", *written(parts)).to_pml()), tokenizer)
    rows = {}

    def note(module, path):
        rows.update({(path, name): one for name, one in module.parameters().items()})
        for one in module.modules():
            note(one, (*path, one.name))

    note(found.schema, ())
    for piece in found.pieces:
        if piece.parameter is not None:
            parameter = rows[piece.path, piece.parameter]
            scaffold = list(tokenizer.encode(parameter.scaffold))
            assert list(piece.tokens[: len(scaffold)]) == scaffold
            assert set(piece.tokens[len(scaffold) :]) <= {tokenizer.unknown}


@given(st.text(st.sampled_from(" \n\t\u00a0\u2003ab\x1f")))
def test_a_run_of_white_space_at_either_end_is_one_space(text):
    assert one_space(text) == spaced(text) == one_space(one_space(text))
    assert one_space(text).split() == text.split()

"""Readings of a forest, against the same said of paths."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from strategies import named
from strategies import words as spelling

import teltheory as tt
from teltheory.model.readings import with_last_blocks, with_outputs, without_last_token

SIZE = 4


@st.composite
def inputs(draw):
    """Paths of inputs in words, tokens in no full block, outputs, conversations."""
    words = draw(spelling())
    few = st.lists(st.integers(0, 9), min_size=len(words), max_size=len(words))
    rest, outputs, conversation = draw(few), draw(few), [c % 2 for c in draw(few)]
    return words, [SIZE * len(w) + r % SIZE for w, r in zip(words, rest, strict=True)], outputs, conversation


def made(words, tokens):
    return tt.Forest.from_paths(named(words), block_size=SIZE, tokens=tokens)


def spelled(forest, words):
    """What the path of each request spells, by the words that its nodes are of."""
    spell = {}
    first = made(words, [SIZE * len(word) for word in words])
    for k, word in enumerate(words):
        spell |= dict(zip(first.path(k), word, strict=True))
    return [[spell[node] for node in forest.path(k)] for k in range(len(forest))]


@given(inputs(), st.booleans())
def test_outputs_are_what_the_first_request_after_shows(case, apart):
    words, tokens, outputs, conversation = case
    expected = [list(word) for word in words]
    shown = set()
    for later, word in enumerate(words):
        before = [
            (len(words[k]), k)
            for k in range(later)
            if len(words[k]) and list(words[k]) == list(word[: len(words[k])])
            and not (apart and conversation[k] != conversation[later])
        ]  # fmt: skip
        if not before:
            continue
        length, k = max(before)
        if length < len(word) and k not in shown:
            shown.add(k)
            expected[k] = list(word[: max(min((tokens[k] + outputs[k]) // SIZE, len(word)), length)])
    forest = with_outputs(made(words, tokens), outputs, conversation if apart else None)
    assert spelled(forest, words) == expected
    assert forest.ask.tolist() == forest.total.tolist() == [len(word) for word in words]
    assert forest.inputs.tolist() == tokens


@given(inputs())
def test_the_last_token_and_the_last_block(case):
    words, tokens, _, _ = case
    forest = made(words, tokens)
    asked = [min(len(w), max(t - 1, 0) // SIZE) for w, t in zip(words, tokens, strict=True)]
    assert without_last_token(forest).ask.tolist() == asked
    assert without_last_token(forest).total.tolist() == forest.total.tolist()
    assert with_last_blocks(forest).total.tolist() == [-(-t // SIZE) for t in tokens]
    for read in (without_last_token(forest), with_last_blocks(forest)):
        assert read.inputs.tolist() == tokens
        assert np.array_equal(read.leaf, forest.leaf)


def test_an_answer_that_comes_back_was_cached():
    forest = tt.Forest.from_paths([[1], [1, 2, 3, 4], [1, 5]], block_size=SIZE, tokens=[5, 16, 8])
    read = with_outputs(forest, [7, 0, 0])
    assert (forest.known.tolist(), read.known.tolist()) == ([0, 1, 1], [0, 3, 1])
    assert read.past.tolist() == [3, 4, 2]
    assert with_outputs(forest, [7, 0, 0], [0, 1, 0]).past.tolist() == [2, 4, 2]


def test_wrong_arguments_are_named():
    forest = tt.Forest.from_paths([[1], [1, 2]])
    refused(tt.TraceError, "outputs: found '1 values', expected 2", with_outputs, forest, [1])
    refused(tt.TraceError, "outputs: found -1, expected 0 tokens or more", with_outputs, forest, [1, -1])
    turns = tt.Trace.from_turns([0, 0], [3, 4], [1, 1]).forest
    with pytest.raises(tt.TraceError, match=r"^forest: found nodes of several units|'nodes of several units'"):
        with_outputs(turns, [1, 1])

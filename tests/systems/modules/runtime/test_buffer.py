"""The buffer: memory of one prompt after another, and the limits of a model's positions."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from small_models import POSITIONS, small_model

from teltheory.errors import ArgumentError
from teltheory.systems.modules import BYTES, NO_ROLES, layout, plan, read_prompt, read_schema, resolve
from teltheory.systems.modules.runtime import KV, Buffer, answer, decode, encode, prefill
from teltheory.systems.modules.runtime.kv import KVShape

pytestmark = pytest.mark.model


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(0, 300), max_size=4), min_size=1, max_size=3))
def test_what_is_added_stands_there_in_order_after_each_reset(prompts):
    buffer = Buffer(KVShape(2, 3, 4, torch.float32, "cpu"))
    for lengths in prompts:
        buffer.reset()
        parts = [KV(torch.rand(2, 3, n, 4), torch.rand(2, 3, n, 4), np.arange(n)) for n in lengths]
        for part in parts:
            buffer.add([part])
        everything = buffer.last(buffer.used)
        if parts:
            assert torch.equal(everything.keys, torch.cat([part.keys for part in parts], 2))
            assert torch.equal(everything.values, torch.cat([part.values for part in parts], 2))
        assert everything.positions.tolist() == [k for n in lengths for k in range(n)]
        assert len(everything) == sum(lengths) <= buffer.room
        assert buffer.nbytes == buffer.keys.nbytes + buffer.values.nbytes


def prompt_of(model, text, length=0):
    source = f'<module name="m">abc<parameter name="p" length="{length or 1}"/></module>'
    laid = layout(read_schema(f'<schema name="s">{source}</schema>', NO_ROLES), BYTES)
    return plan(resolve(read_prompt(f'<prompt schema="s"><m/>{text}</prompt>', NO_ROLES), laid))


def served(model, planned, buffer=None):
    return prefill(model, planned, encode(model, planned.resolved.layout, planned.items), buffer)


def test_a_step_of_decoding_moves_nothing_and_the_next_prompt_has_the_same_memory():
    model = small_model("llama")
    buffer = model.buffer(200)
    before = buffer.keys.data_ptr()
    first = served(model, prompt_of(model, "x" * 100), buffer)
    said = decode(model, first, 20)
    assert said == decode(model, first, 20)
    second = served(model, prompt_of(model, "y"), buffer)
    assert second.tokens == 4
    assert buffer.keys.data_ptr() == before
    refused(ArgumentError, "prefilled: found 'a buffer that serves another prompt'", decode, model, first, 1)


def test_more_positions_than_the_model_has_are_refused_in_one_line():
    model = small_model("gpt2")
    assert served(model, prompt_of(model, "x" * (POSITIONS - 4))).next == POSITIONS
    refused(ArgumentError, "prompt: found 513", lambda: served(model, prompt_of(model, "x" * (POSITIONS - 3))))
    refused(ArgumentError, "schema: found 513", lambda: served(model, prompt_of(model, "x", POSITIONS - 2)))
    last = served(model, prompt_of(model, "x" * (POSITIONS - 4)))
    assert len(decode(model, last, 1)) == 1
    refused(ArgumentError, "tokens: found 513, expected at most 512", decode, model, last, 2)
    assert served(small_model("bloom"), prompt_of(model, "x" * POSITIONS)).next == POSITIONS + 4


def test_passes_that_make_no_sense_are_refused():
    model = small_model("gpt2")
    one, two = np.array([1]), np.array([1, 2])
    for tokens, positions in ((one, two), (one[:0], one[:0]), (np.array([256]), one), (-one, one), (one, -one)):
        with pytest.raises(ArgumentError):
            model.forward(tokens, positions)


def test_an_answer_says_what_was_at_hand_and_what_was_encoded():
    model = small_model("gpt2")
    planned = prompt_of(model, "xyz", 5)
    kept = encode(model, planned.resolved.layout, planned.items)
    at_hand, anew = (answer(model, planned, known, 4) for known in (kept, {}))
    assert (at_hand.kept, at_hand.fresh, at_hand.encoded, at_hand.gaps) == (3, 3, 0, 5)
    assert (anew.kept, anew.fresh, anew.encoded, anew.gaps) == (0, 3, 3, 5)
    assert at_hand.tokens == anew.tokens
    assert at_hand.text == BYTES.decode(at_hand.tokens)
    refused(ArgumentError, "kept: found 'nothing for m'", prefill, model, planned, {})

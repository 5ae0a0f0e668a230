"""Everything imported, encoded as a whole, without parameters: the plain model's own generation."""

import pytest
import torch

from teltheory.systems.modules import layout, plan, read_prompt, read_schema, resolve
from teltheory.systems.modules.runtime import decode, encode, prefill
from teltheory.systems.modules.runtime.smollm2_weights import read

pytestmark = pytest.mark.model

SCHEMA = """<schema name="facts"><system>You answer with one word.</system><user>Facts:
<module name="france">France is in Europe. <module name="river">The Seine flows there. </module></module>
<module name="peru">Peru is in America.</module></user></schema>"""
PROMPT = """<prompt schema="facts"><peru/><france><river/></france>
<user>What is the capital of France?</user><assistant></assistant></prompt>"""


def test_a_whole_schema_goes_on_as_the_plain_model_does(smollm2):
    laid = layout(read_schema(SCHEMA), smollm2.tokenizer)
    prompt = resolve(read_prompt(PROMPT), laid)
    planned = plan(prompt, "whole")
    prefilled = prefill(smollm2, planned, encode(smollm2, laid, planned.items))
    found = decode(smollm2, prefilled, 32)
    pieces = [*laid.pieces, *prompt.fresh]
    tokens = [token for piece in sorted(pieces, key=lambda piece: piece.start) for token in piece.tokens]
    plain = read(torch.float32)
    ids = plain.generate(torch.tensor([tokens]), max_new_tokens=32, do_sample=False, eos_token_id=2)
    expected = [token for token in ids[0, len(tokens) :].tolist() if token != 2]
    assert found == expected
    assert "Paris" in smollm2.tokenizer.decode(found)

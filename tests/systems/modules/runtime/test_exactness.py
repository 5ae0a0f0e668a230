"""Cached inference is one pass under the mask that its definition gives, for every class of models."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from one_pass import judged
from prompts_at_random import planned
from small_models import CONFIGURATIONS, small_model

from teltheory.systems.modules import BYTES, CHATML, NO_ROLES, layout, plan, read_prompt, read_schema, resolve
from teltheory.systems.modules.runtime import decode, encode, prefill

pytestmark = pytest.mark.model

TRIP = """<schema name="trip"><system>You are a guide.</system><user>
<module name="plan">Plan a trip of <parameter name="days" length="12" scaffold="some days"/> for
<parameter name="who" length="6"/>. <union>
<module name="city">Go to <union><module name="rome">Rome, with ruins. </module>
<module name="oslo">Oslo, by the sea, where it rains. </module></union>by train. </module>
<module name="sea">Go to the sea. </module></union>Be brief. </module>
<module name="now" cache="false">It is May. </module>
<module name="money">Money is short. </module></user></schema>"""
ASKED = """<prompt schema="trip"><money/><now/><plan days="three days"><city><oslo/></city></plan>
<user>What first?</user><assistant></assistant></prompt>"""
PLAN, CITY, OSLO, MONEY = ("plan",), ("plan", "city"), ("plan", "city", "oslo"), ("money",)
TOGETHER = {"alone": [[OSLO, CITY], [(), MONEY]], "ancestors": [[PLAN, MONEY]], "whole": ()}
"""Scaffolds that are used with each way here; prompts at random have any."""


def trip(tokenizer, way, roles):
    """A prompt with arguments, one short and one left out, a nested union, text that is not kept, and gaps."""
    laid = layout(read_schema(TRIP, roles), tokenizer)
    return plan(resolve(read_prompt(ASKED, roles), laid), way, TOGETHER[way])


def check(model, plan, near, dtype):
    prefilled = prefill(model, plan, encode(model, plan.resolved.layout, plan.items))
    assert prefilled.next > prefilled.tokens
    found = decode(model, prefilled, 32)
    expected = judged(model.module, plan, found[:-1], dtype)
    assert (prefilled.logits - expected[0]).abs().max() <= near
    assert found == expected.argmax(-1).tolist()


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("way", TOGETHER)
def test_32_tokens_of_a_small_model_are_those_of_one_pass(name, way):
    check(small_model(name), trip(BYTES, way, NO_ROLES), 1e-4, torch.float64)


@pytest.mark.parametrize("way", TOGETHER)
def test_32_tokens_of_smollm2_are_those_of_one_pass(smollm2, way):
    unending = replace(smollm2, tokenizer=replace(smollm2.tokenizer, end=None))
    check(unending, trip(smollm2.tokenizer, way, CHATML), 1e-3, torch.float32)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_any_prompt_of_any_schema_is_one_pass_under_its_mask(name):
    model = small_model(name)
    buffer = model.buffer()

    @settings(max_examples=15)
    @given(planned(BYTES), st.integers(0, 3))
    def holds(plan, more):
        kept = encode(model, plan.resolved.layout, plan.items)
        prefilled = prefill(model, plan, kept, buffer)
        found = decode(model, prefilled, 1 + more)
        expected = judged(model.module, plan, found[:-1])
        assert (prefilled.logits - expected[0]).abs().max() <= 1e-4
        assert found == expected.argmax(-1).tolist()

    holds()

"""What a cache for a schema does for prompts: answers do not depend on what is kept, where, and beside whom."""

from dataclasses import replace

import pytest
import torch
from one_pass import judged
from refusals import refused
from small_models import CONFIGURATIONS, small_model

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.policies import GDSF, LFU, LRU, TLRU
from teltheory.systems.modules import BYTES, layout, plan, read_prompt, read_schema, resolve
from teltheory.systems.modules.items import size
from teltheory.systems.modules.runtime import PromptCache, answer
from teltheory.systems.modules.traces import module_trace

pytestmark = pytest.mark.model

SCHEMA = """<schema name="trip">You plan trips.<module name="city">The city is large.
<union><module name="rome">Rome has ruins. </module><module name="oslo">Oslo has a fjord. </module></union>
</module>
<module name="stay">Stay <parameter name="days" length="6"/> days.</module>
<module name="now" cache="false">It is May. </module></schema>"""
PROMPTS = [
    '<prompt schema="trip"><city><rome/></city><stay days="two"/> What to see?</prompt>',
    '<prompt schema="trip"><now/><city><oslo/></city> What to eat?</prompt>',
    '<prompt schema="trip"><stay/></prompt>',
    '<prompt schema="trip"> Hello</prompt>',
    '<prompt schema="trip"><city><oslo/></city></prompt>',
]
WAYS = ["alone", "ancestors", "whole"]
TOGETHER = [[("city",), ("city", "rome")]]


def cache_of(model, way="alone", **settings):
    return PromptCache(model, layout(read_schema(SCHEMA), model.tokenizer), way, TOGETHER, **settings)


def plain(model, cache, source, tokens):
    """The answer without a store, each item encoded for the prompt."""
    resolved = resolve(read_prompt(source), cache.layout)
    return answer(model, plan(resolved, cache.way, cache.scaffolds), {}, tokens)


def same(served, expected, near):
    assert served.tokens == expected.tokens
    torch.testing.assert_close(served.logits, expected.logits, atol=near, rtol=0)
    assert served.kept + served.encoded == expected.kept + expected.encoded
    assert (served.fresh, served.gaps) == (expected.fresh, expected.gaps)


POLICIES = {"alone": LRU(), "ancestors": GDSF(), "whole": TLRU(xi=30, q_hat=10)}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("fast", "slow"), [(None, None), (60, 70), (20, 90), (0, 0)])
def test_answers_are_those_without_a_store(way, fast, slow):
    model = small_model("llama")
    fast, slow = (None if one is None else one * model.token_bytes for one in (fast, slow))
    cache = cache_of(model, way, fast=fast, slow=slow, policy=POLICIES[way])
    for source in [*PROMPTS, *PROMPTS[::-1]]:
        served = cache.answer(source, tokens=4)
        same(served, plain(model, cache, source, 4), 1e-4)
        assert served.kept == sum(size(cache.layout, item) for item in served.found)
        assert all(cache.store.used[tier] <= most for tier, most in cache.store.budgets.items())


@pytest.mark.parametrize("policy", [LRU(), LFU(), TLRU(xi=30, q_hat=10)], ids=lambda policy: policy.name)
def test_a_cache_reuses_what_the_replay_of_its_log_does(policy):
    model, capacity = small_model("llama"), 80
    cache = cache_of(model, fast=capacity * model.token_bytes, slow=0, policy=policy)
    log = [PROMPTS[k] for k in (0, 1, 0, 3, 2, 4, 1, 1, 2, 0)]
    trace = module_trace(cache.layout, [read_prompt(one) for one in log], scaffolds=TOGETHER)
    replayed = tt.replay(trace, policy, capacity, cache="whole", forced=True)
    assert [cache.answer(one, tokens=1).kept for one in log] == replayed.cached.tolist()


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_batch_is_its_prompts_one_by_one(name):
    model = small_model(name)
    for way in WAYS:
        cache = cache_of(model, way)
        for served, source in zip(cache.batch(PROMPTS, tokens=3), PROMPTS, strict=True):
            planned = plan(cache.resolved(source), way, cache.scaffolds)
            logits = judged(model.module, planned, served.tokens)
            torch.testing.assert_close(served.logits.double(), logits[0], atol=1e-4, rtol=0)
            assert served.tokens == logits[: len(served.tokens)].argmax(dim=-1).tolist()
        tokens = 32 if way == "alone" else 4
        for prompts in (PROMPTS, [PROMPTS[4], PROMPTS[4]]):
            for served, source in zip(cache.batch(prompts, tokens), prompts, strict=True):
                same(served, plain(model, cache, source, tokens), 1e-4)


def test_a_batch_of_smollm2_is_its_prompts_one_by_one(smollm2):
    cache = cache_of(smollm2, "ancestors")
    for served, source in zip(cache.batch(PROMPTS[:2], tokens=32), PROMPTS, strict=False):
        same(served, plain(smollm2, cache, source, 32), 1e-3)


WORDS = ["Oslo is cold. ", "It has a fjord.", "O", "Oslo has so much that this text is longer than it was. "]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("path", [("city", "oslo"), ("city",), (), ("now",)])
def test_after_a_replacement_all_is_as_in_a_new_cache(way, path):
    model = small_model("llama")
    cache = cache_of(model, way)
    cache.encode_all()
    for text in WORDS:
        parts = [piece for piece in cache.layout.own[path] if piece.parameter is None]
        done = cache.replace(path, [text, *["and."] * (len(parts) - 1)])
        new = PromptCache(model, cache.layout, way, TOGETHER)
        for source in PROMPTS:
            served = cache.answer(source, tokens=4)
            assert served.encoded == 0
            same(served, new.answer(source, tokens=4), 1e-4)
        assert done.encoded == done.stale


def test_a_replaced_module_alone_is_encoded_anew_unless_another_read_it_or_moves():
    model, own = small_model("llama"), [("city", "rome")]
    stale = {}
    for way in WAYS:
        cache = cache_of(model, way)
        cache.encode_all()
        done = cache.replace(("city", "rome"), "Rome!")
        assert not done.moved
        stale[way] = [item.paths for item in done.stale]
        grown = cache.replace(("city", "rome"), "Rome has ruins, and more of them than any other city. ")
        assert grown.moved
        assert ("stay",) in [path for item in grown.encoded for path in item.paths]
    assert stale["alone"] == stale["ancestors"] == [tuple(own), (("city",), ("city", "rome"))]
    everything = [((),), (("city",),), tuple(own), (("stay",),), (("city",), ("city", "rome"))]
    assert stale["whole"] == everything, "the schema and the city have white space behind Rome"


def test_a_scaffold_whose_modules_are_named_in_any_order_is_stale_with_each_of_them():
    model, laid = small_model("llama"), layout(read_schema(SCHEMA), BYTES)
    cache = PromptCache(model, laid, scaffolds=[TOGETHER[0][::-1] * 2])
    cache.answer(PROMPTS[0], tokens=1)
    cache.replace(("city", "rome"), "Rome!")
    same(cache.answer(PROMPTS[0], tokens=4), plain(model, cache, PROMPTS[0], 4), 1e-4)
    cache.encode_all()
    assert cache.answer(PROMPTS[0], tokens=1).encoded == 0


def test_text_without_a_token_is_no_item():
    """Some tokenizers make nothing of the white space between modules."""
    nothing = replace(BYTES, encode=lambda text: list(text.strip().encode()))
    model = replace(small_model("llama"), tokenizer=nothing)
    cache = PromptCache(
        model, layout(read_schema('<schema name="s"> <module name="a">b</module> </schema>'), nothing)
    )
    cache.encode_all()
    cache.replace(("a",), "c")
    assert [item.name for item in cache.store.items()] == ["a"]


def test_a_prompt_of_the_layout_before_is_refused():
    cache = cache_of(small_model("llama"))
    before = cache.resolved(PROMPTS[0])
    cache.replace(("city", "rome"), "Rome!")
    refused(ArgumentError, "resolved against another layout", cache.answer, before)


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        (("paris",), "Hi", "path: found 'paris', expected a module of the schema trip"),
        (("stay",), "Hi", "text: found '1 texts', expected 2, the parts of 'stay'"),
        (("city", "rome"), "", "text: found '', expected a token or more in each"),
        (("city", "rome"), "x" * 600, "schema: found 665, expected at most 512, the positions of llama"),
    ],
)
def test_what_cannot_be_replaced_is_said_and_changes_nothing(path, text, line):
    cache = cache_of(small_model("llama"))
    before = cache.layout
    refused(ArgumentError, line, cache.replace, path, text)
    assert cache.layout is before


def test_a_scaffold_of_what_is_not_kept_is_refused():
    model = small_model("llama")
    laid = layout(read_schema(SCHEMA), model.tokenizer)
    refused(ArgumentError, "scaffolds: found 'now'", PromptCache, model, laid, scaffolds=[[("now",), ("city",)]])

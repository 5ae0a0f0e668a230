"""What a cache for a schema does for prompts, by a model: answers do not depend on what is kept, and where."""

import pytest

from teltheory.modules import layout, plan, read_prompt, read_schema, resolve
from teltheory.modules.runtime import PromptCache, answer

pytestmark = pytest.mark.model

SCHEMA = """<schema name="trip">You plan trips.<module name="city">The city is large.
<union><module name="rome">Rome has ruins. </module><module name="oslo">Oslo has a fjord. </module></union></module>
<module name="stay">Stay <parameter name="days" length="6"/> days.</module></schema>"""
PROMPTS = [
    '<prompt schema="trip"><city><rome/></city><stay days="two"/> What to see?</prompt>',
    '<prompt schema="trip"><city><oslo/></city> What to eat?</prompt>',
    '<prompt schema="trip"><stay days="ten"/> Where?</prompt>',
]


@pytest.mark.parametrize("way", ["alone", "ancestors", "whole"])
@pytest.mark.parametrize(("fast", "slow"), [(None, None), (1_000_000, 2_000_000), (700_000, 0), (0, 0)])
def test_answers_are_those_without_a_store(smollm2, way, fast, slow):
    laid = layout(read_schema(SCHEMA), smollm2.tokenizer)
    cache = PromptCache(smollm2, laid, way, [[("city",), ("city", "rome")]], fast, slow)
    for source in [*PROMPTS, *PROMPTS]:
        plain = answer(smollm2, plan(resolve(read_prompt(source), laid), way, cache.scaffolds), {}, tokens=4)
        served = cache.answer(source, tokens=4)
        assert served.tokens == plain.tokens
        assert (served.logits - plain.logits).abs().max() <= 1e-4
        assert served.kept + served.encoded == plain.encoded
        assert served.kept == sum(size for item, size in cache._sizes(served.found).items())

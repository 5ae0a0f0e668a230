"""Where answers begin, and prompts of drawn tokens."""

from hypothesis import given
from hypothesis import strategies as st

from teltheory.systems.modules import BYTES, CHATML, LLAMA2, NO_ROLES, read_prompt
from teltheory.systems.modules.answers import opened
from teltheory.systems.modules.bench import GAP, MODULE, BenchCell, drawn_prompts


def test_an_answer_begins_after_what_the_user_said():
    asked = read_prompt('<prompt schema="s"><a/> <user>Why?</user> </prompt>')
    assert opened(asked).text.endswith("Why?<|im_end|>\n<|im_start|>assistant\n")
    assert opened(asked, CHATML, "Because").text == opened(asked).text + "Because"


def test_text_that_no_role_ends_is_continued():
    for roles in (CHATML, NO_ROLES, LLAMA2):
        said = read_prompt('<prompt schema="s"><a/>Once upon</prompt>', roles)
        assert opened(said, roles) == said
        alone = read_prompt('<prompt schema="s"><a/></prompt>', roles)
        assert opened(alone, roles) == alone
    llama = read_prompt('<prompt schema="s"><user>Why?</user></prompt>', LLAMA2)
    assert opened(llama, LLAMA2).text.strip() == "Why?[/INST]"


@given(st.integers(0, 600), st.integers(1, 50), st.integers(0, 5))
def test_a_drawn_prompt_has_its_tokens_and_a_gap_behind_each_module(kept, fresh, seed):
    made, other = drawn_prompts(BYTES, 256, BenchCell(kept, fresh), seed, 2)
    asked, modules = made.resolved, -(-kept // MODULE)
    assert (asked.total - asked.new, asked.new, len(made.items)) == (kept, fresh, modules)
    assert asked.layout.length == kept + modules * GAP
    assert other.items == made.items
    assert other.resolved.layout is asked.layout
    (again,) = drawn_prompts(BYTES, 256, BenchCell(kept, fresh), seed)
    assert again.resolved.layout.pieces == asked.layout.pieces
    assert again.resolved.fresh == asked.fresh

"""Tasks by code: their right answers are found by somebody who reads the notes with expressions of his own."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teltheory.errors import ArgumentError
from teltheory.systems.modules import BYTES, layout, read_prompt, read_schema, resolve
from teltheory.systems.modules.tasks import KINDS, in_one_module, tasks

SEEDS = st.integers(0, 10**6)


def answer(task):
    """What a careful reader answers, from the text that the prompt imports alone."""
    notes, question = "".join(task.notes), task.opening
    if task.kind == "key":
        colour = re.fullmatch(r"The (\w+) box has the number", question)[1]
        return re.search(rf"The {colour} box has the number (\d+)\.", notes)[1]
    if task.kind == "persona":
        name = re.fullmatch(r"(\w+) lives in", question)[1]
        return re.search(rf" {name} lives in (\w+) and", notes)[1]
    if task.kind == "two-hop":
        sister = question.partition("'")[0]
        brother = re.search(rf" {sister}'s brother is (\w+)\.", notes)[1]
        return re.search(rf" {brother} lives in (\w+)\.", notes)[1]
    if task.kind == "union":
        city = re.fullmatch(r"The guide in (\w+) is", question)[1]
        return re.search(rf"The guide in {city} is (\w+)\.", notes)[1]
    function = re.fullmatch(r"assert (\w+)\(\) ==", question)[1]
    return re.search(rf"def {function}\(\): return (\d+);", notes)[1]


@given(SEEDS)
def test_the_right_candidate_is_what_the_notes_say(seed):
    for task in tasks(len(KINDS), seed):
        assert task.candidates[task.right] == answer(task)
        assert len(set(task.candidates)) == len(task.candidates)


@given(SEEDS)
def test_prompts_import_their_facts_and_the_notes_are_their_texts(seed):
    for task in tasks(len(KINDS), seed):
        found = resolve(read_prompt(task.prompt), layout(read_schema(task.schema), BYTES))
        assert found.paths == ((), *task.facts)
        own = found.layout.own
        told = [BYTES.decode([t for piece in own[path] for t in piece.tokens]) for path in task.facts]
        assert told == list(task.notes)
        one = in_one_module(task)
        joined = resolve(read_prompt(one.prompt), layout(read_schema(one.schema), BYTES))
        assert joined.total == found.total == joined.layout.length + joined.new


def test_the_same_seed_gives_the_same_tasks_and_another_gives_others():
    assert tasks(20, 7) == tasks(30, 7)[:20] != tasks(20, 8)
    assert [task.kind for task in tasks(10, 0, ["code", "key"])] == ["code", "key"] * 5
    with pytest.raises(ArgumentError, match="kind: found 'riddle', expected one of key, persona"):
        tasks(1, 0, ["riddle"])


@pytest.mark.parametrize("kind", KINDS)
def test_no_place_of_the_right_answer_is_preferred(kind):
    made = tasks(600, 1, [kind])
    places = {task.right for task in made}
    for place in places:
        share = sum(task.right == place for task in made) / len(made)
        assert abs(share - 1 / len(places)) < 5 * (0.25 / len(made)) ** 0.5

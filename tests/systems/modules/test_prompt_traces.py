"""Traces of a schema and a log of prompts: items, sizes, fresh tokens and their order, counted by hand."""

import json

import numpy as np
import pytest
from refusals import refused

import teltheory as tt
from teltheory.systems.modules import BYTES, layout, read_prompt, read_schema
from teltheory.systems.modules.drawing import draw_prompts
from teltheory.systems.modules.traces import module_trace, read_prompts
from teltheory.workloads import fixed

SCHEMA = read_schema(
    '<schema name="trip">Go.'
    '<module name="plan">Plan<parameter name="days" length="4"/>'
    '<union><module name="sea">sea!!</module><module name="hill">hills</module></union></module>'
    '<module name="late" cache="false">late</module><module name="none"></module></schema>'
)
LAYOUT = layout(SCHEMA, BYTES)
PROMPTS = [
    '<prompt schema="trip"><plan days="10"><sea/></plan><none/>why?</prompt>',
    '<prompt schema="trip"><late/></prompt>',
    '<prompt schema="trip"><plan><hill/></plan></prompt>',
]


def traced(*scaffolds):
    return module_trace(LAYOUT, [read_prompt(prompt) for prompt in PROMPTS], "alone", scaffolds)


def test_what_is_kept_and_what_is_fresh():
    trace = traced()
    assert trace.names == ("plan/hill", "plan/sea", "plan", "(schema)")
    assert trace.sizes.tolist() == [5, 5, 4, 3]
    assert [trace.items(k).tolist() for k in range(3)] == [[1, 2, 3], [3], [0, 2, 3]]
    assert trace.fresh.tolist() == [2 + 4, 4, 0]
    assert trace.total.tolist() == [18, 7, 12]


def test_a_scaffold_replaces_its_members_where_all_are_imported():
    trace = traced([("plan",), ("plan", "sea")])
    assert sorted(trace.names) == ["(schema)", "plan", "plan+plan/sea", "plan/hill"]
    named = [[trace.names[item] for item in trace.items(k)] for k in range(3)]
    assert [set(names) for names in named] == [
        {"plan+plan/sea", "(schema)"},
        {"(schema)"},
        {"plan/hill", "plan", "(schema)"},
    ]
    assert trace.total.tolist() == traced().total.tolist()


def test_modules_are_more_recent_than_those_inside_them():
    """Under LRU a parent is there whenever its child is, whatever the capacity."""
    for capacity in range(15):
        outcome = tt.replay(traced(), tt.LRU(), capacity)
        assert outcome.cached.tolist()[1] == min(capacity, 3)


def test_a_log_of_prompts_is_read_and_its_mistakes_are_named(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps({"prompt": one, "arrival": k}) + "\n" for k, one in enumerate(PROMPTS)))
    prompts, arrivals = read_prompts(log)
    assert arrivals == [0, 1, 2]
    assert module_trace(LAYOUT, prompts, arrival=arrivals).total.tolist() == [18, 7, 12]
    for row, message in (
        ({"prompt": "<prompt"}, "line 1, prompt: text, line 1: found"),
        ({"prompt": 3}, "line 1: found the fields .*, expected prompt"),
        ({"prompt": PROMPTS[0], "time": 3}, "line 1: found the fields"),
    ):
        log.write_text(json.dumps(row) + "\n")
        refused(tt.FileError, rf"log\.jsonl, {message}", read_prompts, log)
    log.write_text(json.dumps({"prompt": PROMPTS[0], "arrival": 1}) + "\n" + json.dumps({"prompt": PROMPTS[0]}))
    refused(tt.FileError, "arrival: found 1, expected 2, one in every line, or none", read_prompts, log)
    with pytest.raises(tt.FileError, match="prompt 0: text, line 1, <nope>"):
        module_trace(LAYOUT, [read_prompt('<prompt schema="trip"><nope/></prompt>')])


def test_drawn_prompts_fit_their_schema():
    sources = draw_prompts(SCHEMA, 400, fixed(3), np.random.default_rng(0), zipf=0, again=0.5)
    trace = module_trace(LAYOUT, [read_prompt(source) for source in sources])
    assert set(trace.fresh.tolist()) == {4 + len("word word word ")}
    assert (np.diff(trace.offsets) == 3).all()
    sea = np.sum(trace.members == trace.names.index("plan/sea"))
    assert 150 < sea < 250

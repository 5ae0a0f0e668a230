import json
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teltheory as tt
from teltheory.formats import chaining
from teltheory.formats.blocks import RequestBlocks
from teltheory.formats.chaining import Hashed, find_parents
from teltheory.formats.reading import ChainingReport
from teltheory.formats.records import Record

LAST = 10**6
RECORD = Record(None, "", {})


@dataclass(frozen=True)
class Request:
    """Seconds, tokens in and out, and what blocks hold; the last is none of the full blocks."""

    arrival: float
    input_length: int
    output_length: int
    hash_ids: list


def chain(requests):
    found = Hashed(RequestBlocks(1, content=True))
    for r in requests:
        leaf = found.blocks.add(RECORD, r.hash_ids[:-1], len(r.hash_ids))
        found.add(r.arrival, r.input_length, r.output_length, leaf, r.hash_ids[-1])
    return chaining.chain(found)


def parents_by_definition(paths):
    found = []
    for k, path in enumerate(paths):
        fitting = [j for j in range(k) if len(paths[j]) and list(paths[j]) == list(path[: len(paths[j])])]
        found.append(max(fitting, key=lambda j: (len(paths[j]), j), default=None))
    return found


def parents_by_lookup(paths):
    """The same in linear time: look each prefix up, longest first."""
    latest = {}
    found = []
    for k, path in enumerate(map(tuple, paths)):
        prefixes = (path[:size] for size in range(len(path), 0, -1))
        found.append(next((latest[prefix] for prefix in prefixes if prefix in latest), None))
        if path:
            latest[path] = k
    return found


def check_formulas(trace, requests, parents):
    past = {}
    conversation = []
    for k, (request, parent) in enumerate(zip(requests, parents, strict=True)):
        c, h = len(past), 0
        if parent is not None:
            c, source = conversation[parent], requests[parent]
            h = min(source.input_length + source.output_length, past[c], request.input_length)
        conversation.append(c)
        past[c] = request.input_length + request.output_length
        assert (trace.conversation[k], trace.history[k]) == (c, h), k
        assert trace.prompt[k] == request.input_length - h, k
        assert trace.response[k] == request.output_length, k
        assert trace.total[k] == request.input_length, k
        assert trace.past[k] == past[c], k
    assert len(trace) == len(requests)
    assert trace.arrival.tolist() == [request.arrival for request in requests]


def asked(*ids, tokens=100, answer=10):
    """A request whose last id, the one that is dropped, stands for itself."""
    return Request(0.0, tokens, answer, [*ids, LAST])


def strangers(count):
    """Requests that nobody continues, so that no id of the others stands in more than 1 % of all."""
    return [Request(0.0, 1, 1, [LAST + 1 + i]) for i in range(count)]


@given(st.lists(st.lists(st.integers(0, 2), max_size=4), max_size=12))
def test_parents_follow_the_definition(paths):
    blocks = RequestBlocks(1, content=True)
    ends = [blocks.add(RECORD, path, len(path)) for path in paths]
    expected = parents_by_definition(paths)
    found = find_parents(blocks, ends, np.zeros(len(blocks.reads()), np.bool_))
    assert [None if parent < 0 else parent for parent in found] == expected
    assert parents_by_lookup(paths) == expected


@pytest.mark.parametrize(("requests", "shared"), [(301, False), (300, False), (299, True), (200, True)])
def test_an_id_in_more_than_one_percent_of_all_requests_is_dropped(requests, shared):
    system_prompt = 7
    mine = [
        asked(system_prompt, tokens=10),
        asked(system_prompt, 5, tokens=500),
        asked(system_prompt, 6, tokens=500),
    ]
    trace = chain([*mine, *strangers(requests - 3)])
    assert trace.report.shared_ids == (2 if shared else 0)
    assert trace.conversation.tolist()[:3] == ([0, 1, 2] if shared else [0, 0, 0])


def test_the_report_counts():
    requests = [
        asked(1, 2, tokens=1000, answer=50),
        asked(1, 2, 3, tokens=2000, answer=50),
        asked(1, 2, 4, tokens=900, answer=50),
        asked(1, 2, 4, 5, tokens=940, answer=0),
        asked(6, tokens=1),
        asked(6, 7, tokens=500),
    ]
    trace = chain([*requests, *strangers(594)])
    report = trace.report
    expected = ChainingReport(
        requests=600,
        chained=4,
        conversations=596,
        continued_conversations=2,
        longest_conversation=4,
        branches=1,
        shorter_children=1,
        edited=2,
        shortened_histories=2,
        shared_ids=0,
    )
    assert replace(report, shared_ids=0) == expected
    assert report.as_dict()["branches"] == 1


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 2), max_size=4), st.integers(0, 30), st.integers(0, 30)), max_size=8
    )
)
def test_a_chained_trace_follows_the_stated_formulas(turns):
    mine = [
        Request(float(k // 3), tokens, answer, [*ids, LAST + k]) for k, (ids, tokens, answer) in enumerate(turns)
    ]
    late = [replace(request, arrival=9.0, hash_ids=[10 * LAST + i]) for i, request in enumerate(strangers(801))]
    requests = [*mine, *late]
    parents = parents_by_definition([ids for ids, _, _ in turns]) + [None] * len(late)
    check_formulas(chain(requests), requests, parents)


def test_the_real_trace_has_the_published_counts(mooncake_trace):
    trace = mooncake_trace
    counts = trace.report.as_dict()
    published = {
        "requests": 12031,
        "chained": 3974,
        "conversations": 8057,
        "continued_conversations": 2012,
        "longest_conversation": 43,
        "branches": 28,
        "shorter_children": 10,
        "shared_ids": 1,
    }
    assert {name: counts[name] for name in published} == published
    assert round(100 * counts["edited"] / counts["chained"]) == 11
    turns = Counter(trace.conversation.tolist())
    assert (len(trace), int(trace.continuing.sum()), trace.conversations) == (12031, 3974, 8057)
    assert sum(count > 1 for count in turns.values()) == 2012
    assert max(turns.values()) == 43


def test_the_real_trace_follows_the_stated_formulas(mooncake):
    with mooncake.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    names = ("input_length", "output_length", "hash_ids")
    requests = [Request(row["timestamp"] / 1000, *(row[name] for name in names)) for row in rows]
    counts = Counter(i for request in requests for i in set(request.hash_ids))
    popular = {i for i, count in counts.items() if 100 * count > len(requests)}
    paths = [[i for i in request.hash_ids[:-1] if i not in popular] for request in requests]
    parents = parents_by_lookup(paths)
    trace = tt.read_trace(mooncake, format="mooncake")
    check_formulas(trace, requests, parents)

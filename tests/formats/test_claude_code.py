"""Recorded sessions of coding agents: nested agents, ids local to a session, starts that are assumed."""

import json
from collections import Counter

import numpy as np
import pytest
from formats.files import wrong_files
from refusals import refused

import teltheory as tt
from teltheory.workloads import Times

STARTS = Times(None, rate=0.01, seed=3)


def asked(t, ids, extra=0, out=10, **more):
    entry = {"t": t, "type": "n", "model": "m", "in": 4 * len(ids) + extra, "out": out, "hash_ids": ids}
    return entry | {"stop": "tool_use"} | more


def agent(t, seconds, requests, kind="Explore"):
    return {"t": t, "type": "subagent", "subagent_type": kind, "duration_ms": 1000 * seconds, "requests": requests}


def session(requests, **more):
    return {"id": "s", "block_size": 4, "hash_id_scope": "local", "requests": requests} | more


NESTED = session(
    [
        asked(0.0, [1, 2], extra=3),
        agent(20.0, 15, [asked(0.0, [7, 8], type="s", stop=""), asked(9.0, [7, 8, 9], stop="end_turn")]),
        agent(25.0, 20, [asked(1.0, [7, 5])], "Plan"),
        asked(30.0, [1, 2, 3]),
        asked(40.0, [1, 4], out=0, model="other"),
    ]
)


@pytest.fixture
def one(tmp_path):
    def write(*sessions, name="s.jsonl"):
        file = tmp_path / name
        file.write_text("".join(json.dumps(s) + "\n" for s in sessions))
        return file

    return write


def test_agents_that_end_later_begin_together(one):
    trace = tt.read_trace(one(NESTED, name="s.json"))
    assert trace.report.format == "claude-code"
    assert trace.arrival.tolist() == [0, 5, 6, 14, 30, 40]
    assert trace.conversation.tolist() == [0, 1, 2, 1, 0, 0]
    assert trace.total.tolist() == trace.blocks.inputs.tolist() == [11, 8, 8, 12, 12, 8]
    assert trace.history.tolist() == [0, 0, 0, 12, 12, 4]
    assert trace.response.tolist() == [10, 10, 10, 10, 10, 0]
    assert trace.blocks.ask.tolist() == [2, 2, 2, 3, 3, 2]
    assert trace.blocks.known.tolist() == [0, 0, 1, 2, 2, 1]
    hints = trace.hints
    assert trace.blocks.hints == hints == trace.forest.hints
    assert hints.kind == ("n", "Explore", "Plan", "Explore", "n", "n")
    assert hints.stop == ("tool_use", "", "tool_use", "end_turn", "tool_use", "tool_use")
    assert (hints.agent.tolist(), hints.parent.tolist()) == ([0, 1, 2, 1, 0, 0], [-1, 0, 0, 0, -1, -1])
    assert (hints.names, hints.done, len(hints.events)) == (None, None, 0)
    named = json.loads(json.dumps(NESTED))
    named["requests"][1] |= {"agent_id": "x"}
    named["requests"][2] |= {"agent_id": "y"}
    again = tt.read_trace(one(named, name="s.json"))
    assert again.hints.names == ("s", "s/x", "s/y")
    assert again.hints.named(again.hints.parent) == [None, "s", "s", "s", None, None]
    assert dict(trace.report.odd) == {"requests of another model than the first of their agent": 1}
    assert trace.report.told == ()


def shifted(entries, seconds):
    """The same requests whose times, and those of agents in them, are so much later; agents began then, too."""
    return [
        entry | {"t": entry["t"] + seconds}
        if "hash_ids" in entry
        else entry | {"requests": shifted(entry["requests"], seconds + entry["t"] - entry["duration_ms"] / 1000)}
        for entry in entries
    ]


def test_agents_whose_times_are_those_of_the_session_are_read_alike(one):
    inner, [first, *others] = agent(9.0, 4, [asked(1.0, [7, 6])]), NESTED["requests"]
    deep = [first, agent(10.5, 10, [asked(0.0, [7, 8]), inner]), *others, agent(70.0, 1, [])]
    by_agent, by_session = session(deep), session(shifted(deep, 0.0))
    expected = tt.read_trace(one(by_agent, name="a.json"))
    assert expected.arrival.tolist() == [0, 0.5, 5, 6, 6.5, 14, 30, 40]
    assert {*zip(expected.hints.agent.tolist(), expected.hints.parent.tolist(), strict=True)} == {
        (0, -1), (1, 0), (2, 1), (3, 0), (4, 0)
    }  # fmt: skip
    unsaid = [entry | {"requests": entry.get("requests")} for entry in by_session["requests"]]
    for made in (by_session, session(unsaid)):
        assert tt.read_trace(one(made, name="b.json")) == expected


def test_tools_and_system_prompts_are_in_every_input_of_their_agent(one):
    nested = agent(20.0, 15, [asked(0.0, [7, 8]), asked(9.0, [7, 8, 9])]) | {"tool_tokens": 3, "system_tokens": 1}
    made = session([asked(0.0, [1, 2]), nested, asked(30.0, [1, 2, 3])], tool_tokens=5)
    trace = tt.read_trace(one(made, name="s.json"))
    assert dict(trace.report.told) == {"tools": 2 * 5 + 2 * 3, "system prompts": 2}
    assert trace.report.as_dict()["told"] == {"tools": 16, "system prompts": 2}
    with pytest.raises(tt.FileError, match=r"the object, tool_tokens: found -1, expected a whole number from 0"):
        tt.read_trace(one(made | {"tool_tokens": -1}, name="s.json"))


def test_a_history_is_all_before_if_all_its_blocks_come_back(one):
    turns = asked(0, [1, 2], extra=1, out=5), asked(1, [1, 2, 3, 4, 5]), asked(2, [1, 2])
    bare = [asked(3, [9], hash_ids=None)] * 2
    trace = tt.read_trace(one(session([*turns, *bare, turns[2] | {"t": 4}]), name="s.json"))
    assert (trace.history.tolist(), trace.blocks.known.tolist()) == ([0, 14, 8, 0, 0, 0], [0, 2, 2, 0, 0, 2])


def test_ids_are_local_to_a_session_unless_it_says_global(one):
    two = [session([asked(0, [1, 2])]), session([asked(0, [2, 1])])]
    trace = tt.read_trace(one(*two), times=STARTS)
    assert trace.blocks.known.tolist() == [0, 0]
    assert trace.blocks.nodes == 4
    unsaid = [without(made, "hash_id_scope") for made in two]
    assert tt.read_trace(one(*unsaid), times=STARTS).blocks == trace.blocks
    same = [
        session([asked(0, [1, 2])], hash_id_scope="global"),
        session([asked(0, [1, 3])], hash_id_scope="global"),
    ]
    assert tt.read_trace(one(*same), times=STARTS).blocks.known.tolist() == [0, 1]


def test_starts_of_several_sessions_are_an_assumption_that_the_user_names(one):
    file = one(NESTED, NESTED)
    with pytest.raises(
        tt.ArgumentError, match=r"^times: found None, expected an assumption: .*delays:rate=0.1, as"
    ):
        tt.read_trace(file)
    with pytest.raises(tt.ArgumentError, match=r"^times: found .*as claude-code has the times in a session"):
        tt.read_trace(file, times=Times(tt.ExponentialGaps(3), rate=1))
    trace = tt.read_trace(file, times=STARTS)
    assert trace.report.times.startswith("assumed: sessions start at 0.01 a second (Poisson), seed 3; in them")
    starts = STARTS.arrivals(np.ones(2, np.int64), delays=np.empty(0))
    inside = np.array([0, 5, 6, 14, 30, 40])
    assert np.allclose(trace.arrival, np.sort(np.concatenate([start + inside for start in starts])))
    again = file.with_suffix(".csv")
    tt.write_trace(trace, again)
    assert tt.read_trace(again) == trace


def without(fields, name):
    return {key: value for key, value in fields.items() if key != name}


def one_object(path, row):
    path.write_text(row if isinstance(row, str) else json.dumps(row))
    return path


test_what_is_wrong_is_named_with_its_place = wrong_files(
    "s.json",
    (session([asked(0, [1, 2]), asked(1, [3, 2])]), "the object, requests[1], hash_ids: found 2, expected it"),
    (session([asked(5, [1]), asked(4, [1])]), "the object, requests[1], t: found 4, expected 5 or later"),
    (session([agent(9, 5, [asked(-1, [1])])]), "the object, requests[0], requests[0], t: found -1.0"),
    (session([asked(0, [1], extra=9)]), "the object, requests[0], hash_ids: found 1, expected 3 or 4 ids for 13"),
    (session([asked(0, [1]) | {"in": None}]), "the object, requests[0], in: found nothing"),
    (session([5]), "the object, requests[0]: found 5, expected a request: an object"),
    (session({}), "the object, requests: found {}, expected a list of requests"),
    (session([], block_size=0.5), "the object, block_size: found 0.5, expected a whole number above 0"),
    (without(session([asked(0, [1])]), "block_size"), "the object, block_size: found nothing, expected the"),
    (session([], hash_id_scope="file"), "the object, hash_id_scope: found 'file', expected local or global"),
    ('{"requests": [', "the object: found no JSON ("),
    ('{"requests": []} 5', "the object: found no JSON ("),
    write=one_object,
    format="claude-code",
)


def test_sessions_of_two_scopes_are_an_error(one):
    file = one(session([]), session([], hash_id_scope="global"))
    refused(tt.FileError, "line 2, hash_id_scope: found 'global'", tt.read_trace, file, times=STARTS)


def test_sessions_of_two_block_sizes_are_an_error(one):
    file = one(session([]), session([], block_size=8))
    refused(tt.FileError, "line 2, block_size: found 8, expected 4, as before", tt.read_trace, file, times=STARTS)
    with pytest.raises(tt.FileError, match=r"line 1, block_size: found 4, expected 8, as given$"):
        tt.read_trace(file, times=STARTS, blocks=8)
    bare = one(without(NESTED, "block_size"), name="bare.json")
    assert tt.read_trace(bare, "claude-code", blocks=4).blocks.block_size == 4


@pytest.fixture
def recorded(shared):
    return shared("claude_code_sessions")


def test_the_recorded_sessions_have_their_counts(recorded):
    trace = tt.read_trace(recorded, times=STARTS)
    forest = trace.blocks
    rows = [json.loads(file.read_text()) for file in sorted(recorded.iterdir())]
    entries = [[r, *r.get("requests", [])] for row in rows for r in row["requests"]]
    requests = [r for group in entries for r in group if "requests" not in r]
    assert (len(rows), trace.conversations, len(trace)) == (26, 32, 712)
    assert (forest.nodes, int(forest.ask.sum()), forest.block_size) == (66_878, 816_735, 64)
    assert len(requests) == len(forest)
    assert int(forest.inputs.sum()) == sum(r["in"] for r in requests)
    assert int(forest.ask.sum()) == sum(len(r["hash_ids"]) for r in requests)
    hints = trace.hints
    assert Counter(hints.stop) == Counter(r["stop"] for r in requests)
    assert Counter(hints.kind) == {"n": 356, "s": 300, "Explore": 45, "Plan": 11}
    assert sorted(np.round(hints.done - trace.arrival, 6)[~np.isnan(hints.done)].tolist()) == sorted(
        r["api_time"] for r in requests if r.get("api_time") is not None
    )
    assert {trace.conversation[k] for k in range(712)} == {*range(32)}
    assert len({*zip(hints.agent.tolist(), trace.conversation.tolist(), strict=True)}) == len(hints.names) == 32
    started = {*zip(hints.named(hints.agent), hints.named(hints.parent), strict=True)}
    assert sum(parent is None for _, parent in started) == 26
    assert {(agent.rpartition("/")[0], parent) for agent, parent in started if parent} == {
        (parent, parent) for _, parent in started if parent
    }


def test_agents_of_a_session_are_one_cluster_and_chained_requests_name_none(one, tmp_path):
    file = one(NESTED, session([asked(0.0, [1, 2])]), name="s.jsonl")
    forest = tt.read_trace(file, times=tt.workloads.Times(None, 1e-6)).blocks
    assert sorted(forest.cluster.tolist()) == [0] * 6 + [1]
    assert len(set(forest[:3].cluster.tolist())) == 1
    chained = tmp_path / "m.jsonl"
    chained.write_text('{"timestamp": 0, "input_length": 600, "output_length": 1, "hash_ids": [1, 2]}\n')
    assert tt.read_trace(chained).blocks.cluster is None

"""Hints of files: envelopes beside a trace, fields of logs, sessions of SGLang; what is wrong is one line."""

import numpy as np
import pytest
from formats.files import lines
from refusals import refused

import teltheory as tt
from teltheory.formats.arrivals import with_arrivals
from teltheory.formats.kv_hints import with_recorded

NAMED = tt.Trace.from_turns(["a", "b", "a"], [4, 4, 4], [0, 0, 0], [0.0, 5.0, 10.0])
CLOSED = {"action_id": "1", "action_type": "kv.deref", "action_version": "1.0", "payload": {}}


def message(time, *actions, session="a", **more):
    envelope = {"protocol_version": "0.1", "message_id": "m", "actions": list(actions)}
    return {"time": time, "session_id": session, **envelope, **more}


def action(kind, **payload):
    return {"action_id": "1", "action_type": kind, "action_version": "1.0", "payload": payload}


def read(tmp_path, *messages, trace=NAMED):
    return with_recorded(trace, lines(tmp_path / "hints.jsonl", messages)).hints


def test_actions_are_events_about_the_latest_request_of_the_session(tmp_path):
    hints = read(
        tmp_path,
        message(2, action("kv.retain", duration=60, priority=3), action("kv.fetch", block_hashes=[1])),
        {"time": "6500ms", "kv_hints": message(0, action("resume", resume_in="2s"), session=None), "agent": "b"},
        message(12, CLOSED, action("kv.close", session_id="b"), action("kv.demote")),
    )
    assert hints.events == [
        (2, "a", "priority", 3), (2, "a", "retain", 62), (6.5, "b", "resume", 8.5),
        (12, "a", "close", None), (12, "b", "close", None), (12, "a", "demote", None),
    ]  # fmt: skip
    assert hints.request.tolist() == [0, 0, 1, 2, 1, 2]
    assert hints.said[1:] == (
        "recorded in hints.jsonl: priority 1, retain 1, resume 1, close 2, demote 1; left out: kv.fetch 1",
    )


@pytest.mark.parametrize(
    ("payload", "events"),
    [
        ({"priority": 5}, [("priority", 5), ("retain", np.inf)]),
        ({"ttl": 3}, [("retain", 5)]),
        ({"directives": [{"start": 0, "priority": 9}, {"covers_output": True, "priority": 2, "duration": 7}]},
         [("priority", 9), ("retain", np.inf)]),
        ({"directives": [{"priority": 0}]}, [("priority", 0), ("retain", 2)]),
        ({"value": 10, "ttl_seconds": 60, "claim_id": "x"}, [("priority", 10), ("retain", 62)]),
        ({"value": None, "claim_id": "x"}, [("priority", 0), ("retain", 2)]),
        ({"token_range_retention_configs": [{"token_start": 0, "priority": 80, "duration_ms": 1500},
                                            {"token_start": 8, "priority": 90, "duration_ms": 500}]},
         [("priority", 90), ("retain", 3.5)]),
    ],
)  # fmt: skip
def test_retention_is_read_as_its_proposals_say_it(payload, events, tmp_path):
    for kind in ("kv.retain", "vllm.set_priority"):
        assert [event[2:] for event in read(tmp_path, message(2, action(kind, **payload))).events] == events


def test_the_later_of_two_resume_times_counts_and_a_line_says_so(tmp_path):
    hints = read(tmp_path, *(message(2, action("kv.resume", resume_at=t)) for t in (7, 7, 9, 8)))
    assert [event.value for event in hints.events] == [7, 7, 9, 8]
    assert hints.said[1] == "2 of the events contradict one of the same instant: the later line counts"


WRONG = {
    "line 1, actions[0], session_id: found 'z', expected an agent that has a request": [
        message(2, CLOSED, session="z"),
    ],
    "line 2, actions[0], time: found 4.0, expected a time from its request on": [
        message(0, CLOSED), message(4, CLOSED, session="b"),
    ],
    "line 1, time: found '12', expected": [message("12", CLOSED)],
    "line 1, time: found nothing": [{"actions": []}],
    "line 1, session_id: found nothing, expected the agent": [message(2, CLOSED, session=None)],
    "line 1, actions: found 3, expected a list": [message(2) | {"actions": 3}],
    "line 1, actions[0]: found 3, expected an action": [message(2, 3)],
    "line 1, actions[0], action_type: found nothing": [message(2, {"payload": {}})],
    "line 1, actions[0], payload: found 3, expected an object": [message(2, action("x.close") | {"payload": 3})],
    "line 1, actions[0], resume_in: found nothing": [message(2, action("resume"))],
    "line 1, actions[1], duration: found '60', expected": [message(2, CLOSED, action("kv.retain", duration="60"))],
    "line 1, actions[0], directives: found 3, expected a list": [message(2, action("kv.retain", directives=3))],
}  # fmt: skip


@pytest.mark.parametrize("said", WRONG)
def test_a_wrong_message_is_named(said, tmp_path):
    file = lines(tmp_path / "hints.jsonl", WRONG[said])
    refused(tt.FileError, f"{file}, {said}", with_recorded, NAMED, file)
    undated = tt.Trace.from_turns([0], [1], [0])
    refused(tt.FileError, "expected a trace with arrival times", with_recorded, undated, file)


ROW = {"session": "a", "input": 9, "output": 0, "at": "2026-01-01T00:00:05"}
COLUMNS = {"conversation": "session", "total": "input", "response": "output", "arrival": "at"}


def log(tmp_path, *rows, columns=COLUMNS, **more):
    return tt.read_trace(lines(tmp_path / "log.jsonl", rows), columns=columns, **more)


def test_fields_of_a_log_are_hints_on_its_own_clock(tmp_path):
    first = ROW | {"at": "2026-01-01T00:00:00", "agent": "x", "who": "chat", "done": "2026-01-01T00:00:01"}
    config = {"token_range_retention_configs": [{"token_start": 0, "priority": 80, "duration_ms": 2000}]}
    second = ROW | {"agent": "y", "parent_agent": "x", "kv_cache_retention_config": config}
    trace = log(tmp_path, second, first, columns=COLUMNS | {"kind": "who"})
    assert trace.hints.names == ("x", "y")
    assert trace.hints.kind == ("chat", "")
    assert trace.hints.done.tolist()[0] == 1
    assert trace.hints.parent.tolist() == [-1, 0]
    assert trace.hints.events == [(5, "y", "retain", 7), (5, "y", "priority", 80)]
    assert trace.report.assumed[0].endswith("total=input, agent, parent_agent, kind=who, done.")
    refused(tt.ArgumentError, "columns: found 'stop=why'", log, tmp_path, first, columns=COLUMNS | {"stop": "why"})


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [ROW, ROW | {"closed_at": "2026-01-01T00:00:04"}],
            "line 2, closed_at: found '2026-01-01T00:00:04', expected 0.0 or later, its arrival",
        ),
        ([ROW | {"closed_at": 4}], "line 1, closed_at: found 4, expected a date and time in ISO 8601"),
        ([ROW | {"parent_agent": "z"}], "line 1, parent_agent: found 'z', expected an agent that has a request"),
    ],
)
def test_wrong_hints_of_a_log_are_named(rows, said, tmp_path):
    refused(tt.FileError, said, log, tmp_path, *rows)


def test_hints_without_times_are_named(tmp_path):
    row = {name: value for name, value in ROW.items() if name != "at"} | {"closed_at": 4}
    columns = {name: field for name, field in COLUMNS.items() if name != "arrival"}
    said = "line 1, closed_at: found 4, expected arrival times, from which hints count"
    refused(tt.FileError, said, log, tmp_path, row, columns=columns)
    own = lines(tmp_path / "own.jsonl", [{"conversation": 0, "prompt": 1, "response": 0, "closed_at": 4}])
    refused(tt.FileError, said, tt.read_trace, own)
    refused(
        tt.ArgumentError, "times: found", log, tmp_path, ROW | {"closed_at": ROW["at"]}, times=tt.Times(None, 1.0)
    )


def test_hints_move_with_their_requests():
    hints = tt.Hints.of(
        NAMED, done=[1, 6, 11], resume_at=[8, None, None], closed_at=[None, 7, None], priority=[1, 2, 3]
    )
    moved = with_arrivals(NAMED.with_hints(hints), [0.0, 100.0, 101.0]).hints
    assert moved.done.tolist() == [1, 101, 102]
    assert moved.events == [
        (0, 0, "resume", 8), (0, 0, "priority", 1), (100, 1, "priority", 2), (101, 0, "priority", 3),
        (102, 1, "close", None),
    ]  # fmt: skip
    assert with_arrivals(NAMED, [0.0, 1.0, 2.0]).hints is None

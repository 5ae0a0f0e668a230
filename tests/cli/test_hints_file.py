"""Hints beside a trace: what commands read of them, and what they say was recorded."""

import json

import teltheory as tt

ENVELOPE = {"protocol_version": "0.1", "message_id": "m"}
ACTIONS = [{"action_type": "kv.close", "payload": {}}, {"action_type": "kv.fetch", "payload": {}}]
NAMED = tt.Trace.from_turns(["a", "b", "a"], [4, 4, 4], [0, 0, 0], [0.0, 5.0, 10.0])


def test_commands_read_hints_and_say_what_was_recorded(tmp_path, output, refused, run_json):
    trace, hints, converted = tmp_path / "t.csv", tmp_path / "hints.jsonl", tmp_path / "u.jsonl"
    tt.write_trace(NAMED, trace)
    hints.write_text(json.dumps({"time": 2, "session_id": "a", **ENVELOPE, "actions": ACTIONS}))
    assert "\nHints: none; assumed: each conversation is taken for an agent.\n" in output(
        "trace", "describe", trace
    )
    told = output("trace", "describe", trace, "--hints-file", hints)
    assert "\nHints, assumed: each conversation is taken for an agent.\n" in told
    assert "\nHints, recorded in hints.jsonl: close 1; left out: kv.fetch 1.\n" in told
    data = run_json("trace", "describe", trace, "--hints-file", hints)["hints"]
    assert (data["agents"], data["events"]) == (2, {"close": 1})
    assert [f"Hints, {one}." in told for one in data["said"]] == [True, True]
    output("trace", "convert", trace, converted, "--hints-file", hints)
    again = tt.read_trace(converted)
    assert again.hints == tt.read_trace(trace, hints=hints).hints
    assert again.hints.said == ("recorded: 2 agents, closed_at 1",)
    hints.write_text(json.dumps({"time": 4, "session_id": "b", **ENVELOPE, "actions": ACTIONS}))
    wrong = refused("trace", "describe", trace, "--hints-file", hints)
    assert "hints.jsonl, line 1, actions[0], time: found 4.0, expected a time from its request on" in wrong

"""TraceLab's steps: when a step arrives, and what the provider had cached."""

from formats.files import SLOW, columns, lines, wrong_files

import teltheory as tt


def event(second, kind):
    return {"event_type": kind, "timestamp": f"2026-06-01T05:40:{second:02}Z"}


def step(session, second, total, cached, out, *events):
    """A step that a user's message begins, unless other events are given."""
    counts = {"input_tokens_total": total, "prefix_tokens": cached, "output_tokens": out}
    return {"session_id": session} | counts | {"timing_events": list(events) or [event(second, "user_message")]}


ROWS = [
    step("claude:a", 0, 100, 0, 20, event(0, "user_message"), event(3, "tool_call"), event(9, "tool_result")),
    step("claude:a", 0, 150, 96, 30, event(4, "tool_result"), event(6, "tool_result"), event(8, "text")),
    step("codex:b", 5, 90, 64, 5),
]


def test_a_step_arrives_when_its_input_is_ready(tmp_path):
    trace = tt.read_trace(lines(tmp_path / "t.jsonl", ROWS))
    assert (trace.report.format, trace.names) == ("tracelab", ("claude:a", "codex:b"))
    assert [trace.arrival.tolist(), *columns(trace)[1:]] == [[0, 5, 6], [100, 90, 30], [20, 5, 30], [0, 0, 120]]
    assert "The server had 160 of 340 input tokens cached, the histories are 120" in trace.report.assumed[2]


def test_of_other_events_the_first_counts(tmp_path):
    many = [event(8, "user_message"), event(9, "reasoning"), event(10, "user_message"), event(11, "tool_call")]
    undated = [{"event_type": "user_message", "timestamp": None}, event(4, "text")]
    called = [event(7, "tool_call"), event(9, "tool_result")]
    events = [event(0, "text")], [event(5, "reasoning"), event(6, "text")], called, many, undated
    rows = [step(str(k), 0, 10, 0, 1, *some) for k, some in enumerate(events)]
    trace = tt.read_trace(lines(tmp_path / "t.jsonl", rows))
    assert [*zip(trace.arrival.tolist(), trace.labels, strict=True)] == [
        *zip([0, 4, 5, 7, 10], "04123", strict=True)
    ]


def test_a_step_without_a_time_is_left_out_and_counted(tmp_path):
    file = lines(tmp_path / "t.jsonl", [*ROWS, step("a", 0, 9, 0, 1) | {"timing_events": None}])
    trace, drawn = tt.read_trace(file), tt.read_trace(file, times=SLOW)
    assert (len(trace), dict(trace.report.odd)["steps without a time, left out"]) == (3, 1)
    assert sorted(drawn.total.tolist()) == [90, 100, 150]


test_what_is_wrong_is_named_with_its_place = wrong_files(
    "t.jsonl",
    ([ROWS[0], ROWS[1] | {"timing_events": ["x"]}], "line 2, timing_events: found ['x'], expected a list"),
    ([step("a", 0, 9, 10, 1)], "line 1, prefix_tokens: found 10, expected at most 9, the whole input"),
)

"""Logs of engines: vLLM's KV-cache events, SGLang's requests."""

from formats.files import lines, wrong_files
from refusals import refused

import teltheory as tt


def stored(hashes, parent=None, **more):
    event = {"type": "BlockStored", "block_hashes": hashes, "parent_block_hash": parent, "block_size": 2}
    return event | {"token_ids": [7] * (2 * len(hashes)), "lora_id": None, "medium": "GPU"} | more


EVENTS = [
    [10.0, [stored(["a", "b"]), {"type": "AllBlocksCleared"}], None],
    {"ts": 10.5, "events": [stored(["c", "d"], "b"), stored(["x"], "b", medium="CPU")]},
    [11.0, [["BlockStored", ["e"], "d", [7, 7], 2, None], stored(["z"], "a", group_idx=1)]],
    [11.5, [stored([5, 6], "a")]],
    [12.0, [stored(["f", "g"], "e"), ["BlockRemoved", ["a", "b"]]]],
    [20.0, [stored(["h", "i"], "g")]],
    [21.0, [stored(["a", "b"]), stored(["q"], 6)]],
]


def test_stores_that_follow_each_other_are_one_request(tmp_path):
    trace = tt.read_trace(lines(tmp_path / "kv.jsonl", EVENTS), "vllm-events")
    forest = trace.blocks
    assert trace.arrival.tolist() == [10, 11.5, 20, 21, 21]
    assert trace.total.tolist() == forest.inputs.tolist() == [8, 6, 18, 4, 8]
    assert trace.response.tolist() == [6, 0, 0, 0, 0]
    assert trace.conversation.tolist() == [0, 1, 0, 2, 1]
    assert trace.history.tolist() == [0, 0, 14, 0, 6]
    assert (forest.ask.tolist(), forest.past.tolist()) == ([4, 3, 9, 2, 4], [7, 3, 9, 2, 4])
    assert forest.known.tolist() == [0, 1, 7, 2, 3]
    assert (forest.block_size, forest.nodes) == (2, 12)
    assert dict(trace.report.odd) == {
        "blocks removed": 2,
        "stores in another medium than the GPU, left out": 1,
        "stores of other cache groups, left out": 1,
        "times that all blocks were cleared": 1,
    }


def test_objects_tell_the_format(tmp_path):
    file = lines(tmp_path / "kv.jsonl", [EVENTS[1] | {"events": [stored(["a"])]}])
    trace = tt.read_trace(file)
    assert (trace.report.format, trace.total.tolist()) == ("vllm-events", [2])


test_what_is_wrong_in_events_is_named_with_its_place = wrong_files(
    "kv.jsonl",
    ([[1.0, [stored(["b"], "a")]]], "line 1, events[0], parent_block_hash: found 'a', expected a block that an"),
    ([[1.0, [stored(["a", "b"]), stored(["b"])]]], "line 1, events[1], block_hashes: found 'b', expected it"),
    ([[1.0, [stored(["a"]), stored(["b"], block_size=4)]]], "line 1, events[1], block_size: found 4, expected 2"),
    ([[1.0, [stored([1.5])]]], "line 1, events[0], block_hashes: found [1.5], expected a list of hashes"),
    ([[1.0, [stored(["a"], block_size=0)]]], "line 1, events[0], block_size: found 0, expected a whole number"),
    ([[1.0, [{"type": "Other"}]]], "line 1, events[0]: found {'type': 'Other'}, expected one of BlockStored"),
    ([[None, []]], "line 1, ts: found nothing"),
    ([[1.0, 5]], "line 1, events: found 5, expected a list of events"),
    format="vllm-events",
)


test_a_given_block_size_is_that_of_the_events = wrong_files(
    "kv.jsonl", (EVENTS, "line 1, events[0], block_size: found 2, expected 16"), format="vllm-events", blocks=16
)


def finished(rid, second, asked, answer, **more):
    meta = {"prompt_tokens": len(asked), "completion_tokens": len(answer), "e2e_latency": 0.5}
    meta["finish_reason"] = {"type": "stop"}
    stamp = f"2026-01-01T00:00:{second:06.3f}"
    obj, out = {"rid": rid, "text": None, "input_ids": asked}, {"output_ids": answer, "meta_info": meta}
    return {"timestamp": stamp, "event": "request.finished", "rid": rid, "obj": obj, "out": out} | more


def received(rid, second):
    return {"timestamp": f"2026-01-01T00:00:{second:06.3f}", "event": "request.received", "rid": rid, "obj": {}}


REQUESTS = [
    received("a", 1),
    received("b", 2.25),
    finished("a", 3, [1, 2, 3], [4, 5, 6]),
    finished("b", 4, [1, 2, 9, 9], [8]),
    finished("c", 6, [1, 2, 3, 4, 5, 6, 7], []),
    {"timestamp": "2026-01-01T00:00:09", "event": "profile", "rid": None},
    received("d", 8),
]


def test_requests_go_on_from_each_other_by_their_blocks(tmp_path):
    trace = tt.read_trace(lines(tmp_path / "s.jsonl", REQUESTS), blocks=2)
    assert trace.report.format == "sglang"
    assert trace.arrival.tolist() == [0, 1.25, 4.5]
    assert "0 is 2026-01-01T00:00:01" in trace.report.times
    assert (trace.total.tolist(), trace.response.tolist()) == ([3, 4, 7], [3, 1, 0])
    assert (trace.conversation.tolist(), trace.history.tolist()) == ([0, 1, 0], [0, 0, 6])
    forest = trace.blocks
    assert (forest.ask.tolist(), forest.past.tolist(), forest.known.tolist()) == ([1, 2, 3], [3, 2, 3], [0, 1, 3])
    assert trace.hints.stop == ("stop",) * 3
    assert dict(trace.report.odd) == {
        "lines that are no request, left out": 1,
        "requests that were not finished, left out": 1,
    }


def test_sessions_are_agents_that_a_line_may_close(tmp_path):
    rows = [row | {"obj": row["obj"] | {"session_id": row["rid"]}} for row in REQUESTS[2:4]]
    third = finished("c", 6, [1, 2, 3, 4, 5, 6, 7], [])
    third["obj"]["session_params"] = {"id": "a"}
    closes = [
        {"timestamp": f"2026-01-01T00:00:{second:02}", "event": "close_session", **more}
        for second, more in ((5, {"session_id": "a"}), (9, {"obj": {"session_id": "b"}}), (9, {"session_id": "z"}),
                             (1, {"session_id": "b"}), (9, {}))
    ]  # fmt: skip
    plain = finished("d", 7, [5, 5], [])
    trace = tt.read_trace(lines(tmp_path / "s.jsonl", [*rows, third, plain, *closes]), blocks=2)
    hints = trace.hints
    assert hints.named(hints.agent) == ["a", "b", "a", None]
    assert (trace.arrival.tolist(), hints.done.tolist()) == ([0, 1, 3, 4], [0.5, 1.5, 3.5, 4.5])
    assert hints.events == [(2.5, "a", "close", None), (6.5, "b", "close", None)]
    assert hints.said == ("recorded: 2 agents, why 4 of 4 responses ended, when 4 of 4 ended, closed_at 2",)
    assert dict(trace.report.odd)["closes of sessions that had not asked, left out"] == 3


def test_texts_need_a_tokenizer_and_a_block_size_is_needed(tmp_path):
    row = finished("a", 3, [1, 2], [3])
    row["obj"] = {"text": "aaaabbbb"}
    row["out"] = row["out"] | {"text": "cccc", "output_ids": None}
    file = lines(tmp_path / "s.jsonl", [row])
    refused(tt.ArgumentError, "blocks: found None, expected the tokens per block, such as 16", tt.read_trace, file)
    refused(tt.FileError, "line 1, obj.input_ids: found nothing", tt.read_trace, file, blocks=1)
    refused(tt.ArgumentError, "system: found 'hello'", tt.read_trace, file, blocks=1, system="hello")
    trace = tt.read_trace(file, blocks=1, tokenizer="characters/4", system="ssss")
    assert (trace.total.tolist(), trace.response.tolist(), trace.blocks.past.tolist()) == ([3], [1], [4])


def changed(part, **fields):
    row = finished("a", 3, [1, 2], [3])
    row[part] = row[part] | fields
    return row


test_what_is_wrong_in_requests_is_named_with_its_place = wrong_files(
    "s.jsonl",
    ([changed("obj", input_ids=[1, "...", 2])], "line 1, obj.input_ids: found [1, '...', 2], expected a list of"),
    ([changed("obj", input_ids=[1])], "line 1, out.meta_info.prompt_tokens: found 2, expected 1, as many as ids"),
    ([changed("out", output_ids=[])], "line 1, out.meta_info.completion_tokens: found 1, expected 0, as many as"),
    ([finished("a", 3, [1, 2**63], [])], f"line 1, ids of tokens: found {2**63}, expected numbers below 2**63"),
    ([changed("out", meta_info=5)], "line 1, out, meta_info: found 5, expected an object"),
    ([finished("a", 3, [1], [], obj=None)], "line 1, obj: found nothing"),
    ([finished("a", 3, [1], [], timestamp="x")], "line 1, timestamp: found 'x', expected a time in ISO 8601"),
    format="sglang",
    blocks=1,
)

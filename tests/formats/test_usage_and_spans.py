"""Usage records of APIs, and OpenTelemetry's spans: small files of our own in their forms."""

import re
from functools import reduce

import pytest
from formats.files import lines, wrong_files
from refusals import refused

import teltheory as tt


def openai(session, second, asked, cached, answered, **more):
    usage = {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}
    usage["prompt_tokens_details"] = {"cached_tokens": cached, "audio_tokens": 0}
    return {"id": "chatcmpl-1", "created": 1_700_000_000 + second, "usage": usage, "session_id": session} | more


def responses(session, second, asked, cached, answered, **more):
    usage = {"input_tokens": asked, "output_tokens": answered, "input_tokens_details": {"cached_tokens": cached}}
    return {"created_at": 1_700_000_000 + second, "response": {"usage": usage}, "session_id": session} | more


def anthropic(session, second, asked, cached, answered, **more):
    usage = {"input_tokens": asked - cached - (asked - cached) // 2, "output_tokens": answered}
    usage |= {"cache_read_input_tokens": cached, "cache_creation_input_tokens": (asked - cached) // 2}
    return {"timestamp": f"2023-11-14T22:13:{20 + second}Z", "usage": usage, "session_id": session} | more


def flat(session, second, asked, cached, answered, **more):
    usage = {"prompt_tokens": asked, "completion_tokens": answered, "cached_tokens": cached}
    return usage | {"timestamp": 1_700_000_000_000 + 1000 * second, "metadata": {"session_id": session}} | more


def span(session, second, asked, cached, answered, operation="chat", names=("input", "output"), **more):
    usage = {f"gen_ai.usage.{name}_tokens": tokens for name, tokens in zip(names, (asked, answered), strict=True)}
    values = usage | {"gen_ai.usage.cache_read.input_tokens": cached} | more
    found = [{"key": name, "value": {"intValue": str(tokens)}} for name, tokens in values.items()]
    texts = {"gen_ai.conversation.id": session, "gen_ai.operation.name": operation}
    found += [{"key": name, "value": {"stringValue": text}} for name, text in texts.items() if text]
    start = str(1_700_000_000_000_000_000 + second * 10**9)
    return {"traceId": "ab", "name": operation, "startTimeUnixNano": start, "attributes": found}


def exported(*spans):
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "chat"}}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}


REQUESTS = [("a", 0, 100, 0, 20), ("b", 5, 90, 64, 10), ("a", 9, 150, 112, 30)]
FORMS = {"openai": openai, "responses": responses, "anthropic": anthropic, "flat": flat}
CACHED = (
    "The server had 176 of 340 input tokens cached, the histories are 120; in 1 of 3 requests it had more than"
)


@pytest.mark.parametrize("form", FORMS)
def test_usage_says_the_whole_input_and_what_was_cached(form, tmp_path):
    trace = tt.read_trace(lines(tmp_path / "u.jsonl", [FORMS[form](*one) for one in reversed(REQUESTS)]))
    assert trace.report.format == "usage"
    assert (trace.names, trace.conversation.tolist()) == (("a", "b"), [0, 1, 0])
    assert (trace.total.tolist(), trace.response.tolist()) == ([100, 90, 150], [20, 10, 30])
    assert trace.history.tolist() == [0, 0, 120]
    assert (trace.arrival - trace.arrival[0]).tolist() == [0, 5, 9]
    assert any(line.startswith(CACHED) for line in trace.report.sentences())


def test_a_field_that_is_named_takes_the_place_of_the_usual_ones(tmp_path):
    asked = zip(REQUESTS, (100, 90, 31), (0, 4000, 8000), strict=True)
    file = lines(tmp_path / "u.jsonl", [openai(*one, new=new, ms=ms) for one, new, ms in asked])
    trace = tt.read_trace(file, columns={"prompt": "new", "arrival_ms": "ms"})
    assert (trace.prompt.tolist(), trace.history.tolist()) == ([100, 90, 31], [0, 0, 120])
    assert trace.arrival.tolist() == [0, 4, 8]


@pytest.mark.parametrize("names", [("input", "output"), ("prompt", "completion")])
def test_spans_are_requests_if_they_ask_a_model(names, tmp_path):
    operations = (None, "chat", "generate_content" if "input" in names else "text_completion")
    asked = [span(*one, operation=how, names=names) for one, how in zip(REQUESTS, operations, strict=True)]
    agent = span("a", 0, 250, 112, 50, operation="invoke_agent")
    other = {"name": "GET /", "startTimeUnixNano": "5", "attributes": []}
    file = lines(tmp_path / "spans.jsonl", [exported(asked[2], agent), exported(other), exported(*asked[:2])])
    trace = tt.read_trace(file)
    assert (trace.report.format, trace.names) == ("otel", ("a", "b"))
    assert (trace.total.tolist(), trace.history.tolist()) == ([100, 90, 150], [0, 0, 120])
    assert trace.arrival.tolist() == [0, 5, 9]
    assert dict(trace.report.odd)["spans that are no request to a model, left out"] == 2
    assert any(line.startswith(CACHED) for line in trace.report.sentences())


CONVERSATIONS = ("conversation_id", "session_id", "conversation", "thread_id", "session", "chat_id")
TIMES = ("timestamp", "created_at", "created", "time", "start_time", "request_time", "arrival", "response.created")
HELD = ("prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens", "cached_tokens")


def everywhere(*names):
    return [place + name for place in ("usage.", "response.usage.", "response.body.usage.", "") for name in names]


USUAL = {
    "conversation": [*CONVERSATIONS, *(f"metadata.{name}" for name in CONVERSATIONS), "user_id", "user"],
    "total": everywhere("prompt_tokens", "input_tokens"),
    "response": everywhere("completion_tokens", "output_tokens"),
    "arrival": [*TIMES, "ts", "datetime"],
    "cached_tokens": everywhere(*HELD, "cache_read_input_tokens"),
}


def record(names):
    """Return a record with 7 in every field; a name with dots goes down into objects."""
    made = {}
    for *parents, last in (name.split(".") for name in names):
        reduce(lambda place, parent: place.setdefault(parent, {}), parents, made)[last] = 7
    return made


@pytest.mark.parametrize("role", USUAL)
def test_of_the_usual_names_the_first_that_a_record_has_is_read(role, tmp_path):
    others = [some[0] for other, some in USUAL.items() if other != role]
    for i, name in enumerate(USUAL[role]):
        file = lines(tmp_path / "u.jsonl", [record([*others, *USUAL[role][i:]])])
        columns = tt.read_trace(file, format="usage").report.sentences()[2]
        assert re.search(rf"[ =]{re.escape(name)}[,;.]", columns.partition("not read")[0]), (name, columns)


def without_session(row, **more):
    return {name: value for name, value in row.items() if name != "session_id"} | more


def test_a_record_without_a_conversation_is_one_line_that_says_what_to_do(tmp_path):
    file = lines(tmp_path / "u.jsonl", [without_session(openai(*one), tenant="t") for one in REQUESTS])
    e = refused(tt.FileError, "columns: found id, created", tt.read_trace, file)
    assert "name its field: --columns conversation=FIELD" in str(e)
    trace = tt.read_trace(file, columns={"conversation": "tenant"})
    assert (trace.names, trace.history.tolist()) == (("t",), [0, 90, 100])
    file = lines(tmp_path / "u.jsonl", [openai(*REQUESTS[0]), without_session(openai(*REQUESTS[1]))])
    refused(tt.FileError, "line 2, conversation: found nothing", tt.read_trace, file)
    file = lines(tmp_path / "u.jsonl", [without_session(openai(*one), user="u") for one in REQUESTS])
    assert "Columns: conversation=user, " in tt.read_trace(file).report.sentences()[2]


TOKENS = "gen_ai.usage.{}input_tokens: found"
test_what_is_wrong_is_one_line_with_its_place = wrong_files(
    "log.jsonl",
    ([{"resourceSpans": [5]}], "line 1, resourceSpans: found [5], expected a list of objects"),
    ([exported({"attributes": [7]})], "line 1, spans.attributes: found [7], expected a list of objects"),
    ([exported({"attributes": [{"key": 7}]})], "line 1, attributes: found {'key': 7}, expected objects with a"),
    ([exported(span("a", 0, -1, 0, 5))], f"line 1, span 1, {TOKENS.format('')} '-1', expected a whole"),
    ([exported(span(None, 0, 1, 0, 5))], "columns: found traceId, name, startTimeUnixNano,"),
    ([exported(span("a", 0, 1, 2, 5))], f"line 1, span 1, {TOKENS.format('cache_read.')} 2, expected at"),
    ([openai("a", 0, 100, 101, 1)], "line 1, usage.prompt_tokens_details.cached_tokens: found 101, expected at"),
)

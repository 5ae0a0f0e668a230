import json

import pytest
from systems.apps.server.app_server import called

from teltheory.systems.apps.engines.tiny import TinyEngine

CHAT = {"model": "tiny", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 5}
TEXT = {"model": "tiny", "prompt": "Hello", "max_tokens": 5}


def events(answer):
    """Return the data of a stream's events, of which the last says that it is done."""
    assert answer.headers["content-type"].startswith("text/event-stream")
    *lines, done, last = answer.text.split("\n\n")
    assert (done, last) == ("data: [DONE]", "")
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def test_a_completion_is_the_engine_s_and_says_what_it_took(server):
    answer = server.post("completions", TEXT)
    assert (answer["object"], answer["model"], answer["id"][:5]) == ("text_completion", "tiny", "cmpl-")
    (choice,) = answer["choices"]
    assert (choice["index"], choice["finish_reason"], len(choice["text"])) == (0, "length", 5)
    assert answer["usage"] == {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}


def test_a_chat_is_a_prompt_with_a_line_a_message(server):
    messages = [
        {"role": "system", "content": "Be {{input:x}} brief."},
        {"role": "user", "content": [{"type": "text", "text": "{{out"}, {"type": "text", "text": "put:y}}"}]},
        {"role": "assistant", "content": "Yes", "name": "it"},
        {"role": "user", "content": "Why?"},
    ]
    answer = server.post("chat/completions", CHAT | {"messages": messages})
    prompt = "system: Be {{input:x}} brief.\nuser: {{output:y}}\nassistant: Yes\nuser: Why?\nassistant: "
    flat = server.post("completions", TEXT | {"prompt": prompt})
    (choice,) = answer["choices"]
    assert choice["message"] == {"role": "assistant", "content": flat["choices"][0]["text"], "refusal": None}
    assert (answer["object"], answer["usage"]) == ("chat.completion", flat["usage"])


def test_several_prompts_and_what_is_left_out(server):
    both = server.post("completions", {"prompt": ["a", "b"], "max_tokens": 3})
    for k, prompt in enumerate("ab"):
        own = server.post("completions", {"prompt": prompt, "max_tokens": 3})["choices"][0]
        assert both["choices"][k] == own | {"index": k}
    assert server.post("completions", {"prompt": "a"})["usage"]["completion_tokens"] <= 256


def test_an_answer_that_ends_by_itself(server):
    whole = server.post("completions", TEXT | {"max_tokens": 12})["choices"][0]["text"]
    stop = whole[4:6]
    cut = server.post("completions", TEXT | {"max_tokens": 12, "stop": stop})["choices"][0]
    assert (cut["text"], cut["finish_reason"]) == (whole[: whole.index(stop)], "stop")


def test_streams(server):
    whole = server.post("chat/completions", CHAT)
    said = events(server.client.post("/v1/chat/completions", json=CHAT | {"stream": True}))
    text, end = (event["choices"][0] for event in said)
    assert text["delta"] == {"role": "assistant", "content": whole["choices"][0]["message"]["content"]}
    assert (text["finish_reason"], end["delta"], end["finish_reason"]) == (None, {}, "length")
    assert {event["object"] for event in said} == {"chat.completion.chunk"}
    with_usage = {"stream": True, "stream_options": {"include_usage": True}}
    *said, last = events(server.client.post("/v1/completions", json=TEXT | with_usage))
    assert (
        "".join(event["choices"][0]["text"] for event in said)
        == server.post("completions", TEXT)["choices"][0]["text"]
    )
    assert (last["choices"], last["usage"]["total_tokens"]) == ([], 10)


def test_models_are_listed():
    class Other(TinyEngine):
        model = "other"

    with called(engines=[TinyEngine(), Other(), TinyEngine()]) as caller:
        listed = caller.client.get("/v1/models").json()
        assert [model["id"] for model in listed["data"]] == ["tiny", "other"]
        assert caller.post("completions", TEXT | {"model": "other"})["model"] == "other"
        assert caller.fault("completions", TEXT | {"model": "third"})[0] == 404


def test_fields_that_change_nothing_are_passed_over(server):
    plain = server.post("completions", TEXT)["choices"]
    more = {"user": "me", "seed": 3, "n": 1, "top_p": 1.0, "logprobs": None, "echo": False, "best_of": 1}
    assert server.post("completions", TEXT | more)["choices"] == plain


REFUSED = {
    "two answers": {"n": 2},
    "some of the probability": {"top_p": 0.5},
    "tools": {"tools": [{"type": "function"}]},
    "probabilities": {"logprobs": True},
    "a form": {"response_format": {"type": "json_object"}},
    "a field that nobody knows": {"reasoning_effort": "high"},
    "no messages": {"messages": []},
    "an image": {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]},
    "another role": {"messages": [{"role": "tool", "content": "x"}]},
    "no content": {"messages": [{"role": "user", "content": None}]},
    "a call in a message": {"messages": [{"role": "assistant", "content": "x", "tool_calls": [{}]}]},
    "a stream that is a text": {"stream": "true"},
    "no tokens": {"max_tokens": 0},
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_engines_here_cannot_do(server, case):
    assert server.fault("chat/completions", CHAT | REFUSED[case])[0] == 400
    assert server.fault("chat/completions", CHAT | {"stream": True} | REFUSED[case])[0] == 400


def test_prompts_that_are_none(server):
    for prompt, code in (([], 400), ([1, 2], 400), (None, 400), (["a"] * 101, 413), ("x" * 70_000, 413)):
        assert server.fault("completions", TEXT | {"prompt": prompt})[0] == code
    assert server.fault("completions", TEXT | {"prompt": ""})[0] == 400


def test_tokens_by_the_newer_name(server):
    body = {"model": "tiny", "messages": CHAT["messages"], "max_completion_tokens": 3}
    assert server.post("chat/completions", body)["usage"]["completion_tokens"] == 3

import json
import socket

import httpx
import pytest
from systems.apps.server.app_server import Gateway, fault_of
from systems.apps.server.test_server_socket import write_snake_game
from waiting import wait_for

from experiments.gateway_upstream import PIECES, USAGE
from teltheory.systems.apps.engines.remote import RemoteEngine
from teltheory.systems.apps.server import Limits, application
from teltheory.systems.apps.server.client import RemoteSession
from teltheory.systems.apps.sessions import Manager

HELLO = [{"role": "user", "content": "Hello"}]
CHAT = {"model": "m", "messages": HELLO}


ASKED = {
    "one message": ("chat/completions", CHAT),
    "four messages": ("chat/completions", {"model": "m", "messages": HELLO * 4}),
    "temperature and seed": ("chat/completions", CHAT | {"temperature": 0.7, "seed": 3}),
    "top_p, JSON mode and what nobody knows": (
        "chat/completions",
        CHAT | {"top_p": 0.5, "response_format": {"type": "json_object"}, "new_field": [1, {"a": None}]},
    ),
    "tools": (
        "chat/completions",
        {
            "model": "m",
            "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
            "messages": [*HELLO, {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}],
        },
    ),
    "token ids": ("completions", {"model": "m", "prompt": [1, 2, 3], "max_tokens": 4}),
    "several prompts of token ids": ("completions", {"model": "m", "prompt": [[1], [2, 3]]}),
    "texts": ("completions", {"model": "m", "prompt": ["a", "b"]}),
    "braces": ("chat/completions", {"model": "m", "messages": [{"role": "user", "content": "{{input:x}}"}]}),
    "no model": ("completions", {"prompt": "a"}),
    "half a character": ("completions", {"prompt": "a\ud800"}),
}


@pytest.mark.parametrize("case", ASKED)
def test_a_body_is_one_call_and_passes_byte_by_byte(two, case):
    path, body = ASKED[case]
    sent = json.dumps(body, indent=1).encode()
    headers = {"content-type": "application/json"}
    answer = two.client.post(f"{two.url}/v1/{path}", content=sent, headers=headers)
    assert answer.status_code == 200, answer.text
    ((at, data, _),) = [call for server in two.servers for call in server.calls]
    assert (at, data) == (f"/v1/{path}", sent)
    assert answer.json()["usage"] == USAGE
    assert answer.json()["choices"][0]["finish_reason"] == "length"


def test_a_stream_has_the_pieces_of_the_engine(two):
    answer = two.post(CHAT | {"stream": True})
    *pieces, done, end = answer.text.split("\n\n")
    assert (len(pieces), done, end, sum(two.calls)) == (PIECES, "data: [DONE]", "", 1)
    last = json.loads(pieces[-1].removeprefix("data: "))
    assert (last["choices"][0]["finish_reason"], last["usage"]) == ("tool_calls", USAGE)


def test_pieces_come_one_by_one(gateway, client):
    with (
        gateway(upstream={"each": 60.0}) as two,
        client.stream("POST", f"{two.url}/v1/chat/completions", json=CHAT | {"stream": True}) as answer,
    ):
        assert b"w0" in next(answer.iter_raw())


def test_a_client_that_leaves_ends_the_call_upstream(gateway):
    with gateway(upstream={"each": 60.0}) as two:
        for stream in (True, False):
            with pytest.raises(httpx.ReadTimeout):
                two.post(CHAT | {"stream": stream}, timeout=0.2)
        wait_for(lambda: sum(server.ended for server in two.servers) == 2)


def test_chats_without_a_common_prefix_and_with_a_short_one_spread(gateway):
    for system in ([], [{"role": "system", "content": "Be brief and kind. " * 20}]):
        with gateway() as two:
            own = [{"role": "user", "content": f"{k} " * 300} for k in range(50)]
            bodies = [{"model": "m", "messages": [*system, message]} for message in own]
            assert set(two.many(bodies)) == {200}
            assert sum(two.calls) == 50
            assert max(two.calls) <= 30


def test_a_long_system_message_that_all_share_binds_nobody(two):
    system = {"role": "system", "content": "The rules of this house are these. " * 300}
    bodies = [{"model": "m", "messages": [system, {"role": "user", "content": f"Q{k}"}]} for k in range(30)]
    assert set(two.many(bodies, 4)) == {200}
    assert max(two.calls) <= 20


def test_later_turns_go_where_their_prefix_lies(two):
    conversations = [[{"role": "user", "content": f"tenant {k} " * 400}] for k in range(12)]
    for turn in range(3):
        bodies = [{"model": "m", "messages": messages} for messages in conversations]
        assert set(two.many(bodies, 3)) == {200}
        for messages in conversations:
            messages += [{"role": "assistant", "content": "hello"}, {"role": "user", "content": f"{turn} " * 200}]
    firsts = [sum(not hit for hit in server.hits) for server in two.servers]
    assert sorted(firsts) in ([5, 7], [6, 6])
    assert sum(firsts) == 12


def test_an_error_of_the_engine_stays_its_own(two):
    for server in two.servers:
        server.fault = (400, "context length exceeded")
    answer = two.post(CHAT)
    assert (answer.status_code, answer.json()) == (400, {"error": {"message": "context length exceeded"}})
    assert sum(two.calls) == 1


def test_engines_that_are_busy(two):
    two.servers[0].fault = (429, "slow down")
    assert [two.post(CHAT).status_code for _ in range(5)] == [200] * 5
    two.servers[1].fault = (429, "slow down")
    answer = two.post(CHAT)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "7")
    assert answer.json()["error"]["message"] == "slow down"


def test_an_engine_that_dies_in_mid_stream_is_told(two):
    for server in two.servers:
        server.dies = 3
    answer = two.post(CHAT | {"stream": True})
    *pieces, last, _ = [event for event in answer.text.split("\n\n") if event.strip()] + [""]
    assert len(pieces) == 3
    assert json.loads(last.removeprefix("data: "))["error"]["kind"] == "engine"
    assert sum(two.calls) == 1


def test_an_engine_that_is_down(two, listen):
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
    gone, there = RemoteEngine(nobody, "m", name="gone"), RemoteEngine(two.url, "m", name="there")
    one = Gateway(listen(application(Manager([gone, there]))), [], two.client)
    assert [one.post(CHAT).status_code for _ in range(4)] == [200] * 4
    said = one.get("health").json()
    assert {engine["name"]: engine["up"] for engine in said["engines"]} == {"gone": False, "there": True}
    none = Gateway(listen(application(Manager([RemoteEngine(nobody, "m", name="gone")]))), [], two.client)
    code, message = fault_of(none.post(CHAT))
    assert (code, "gone" in message) == (502, True)


def test_capacity_binds_and_the_rest_waits(gateway):
    with gateway(upstream={"each": 0.01}, latency_capacity=4_000, capacity=4_000) as two:
        bodies = [CHAT | {"max_tokens": 300} for _ in range(12)]
        assert set(two.many(bodies)) == {200}
        assert [server.most for server in two.servers] == [3, 3]
        assert fault_of(two.post(CHAT | {"max_tokens": 2_000}))[0] == 413


def test_more_than_may_wait(gateway):
    with gateway(Limits(chats=2), 1, {"each": 0.02}, capacity=2_000) as one:
        found = one.many([CHAT | {"max_tokens": 300} for _ in range(8)])
    assert set(found) == {200, 429}


def test_models(two):
    assert two.get("v1/models/m").json()["id"] == "m"
    assert fault_of(two.get("v1/models/x"))[0] == 404
    assert fault_of(two.post(CHAT | {"model": "other"}))[0] == 404
    assert fault_of(two.post({"model": "m"}))[0] == 400


def test_a_body_that_is_too_large_is_read_and_refused(gateway):
    with gateway(Limits(body=1_000)) as two:
        code, message = fault_of(two.post({"model": "m", "messages": [{"role": "user", "content": "x" * 10**6}]}))
    assert (code, "at most 1,000 bytes" in message) == (413, True)


def test_figure_7_beside_ordinary_chats(two):
    with RemoteSession(two.url) as session:
        assert two.post(CHAT).status_code == 200
        assert write_snake_game(session) == ("hello", "hello")
        assert two.post(CHAT).status_code == 200
    assert sum(two.calls) == 4


def test_a_chat_in_which_variables_stand(two):
    with RemoteSession(two.url) as session:
        session.set("task", 'a "game" {{input:x}}')
        body = {"model": "m", "messages": [{"role": "user", "content": "Do {{input:task}}, {{output:y}}"}]}
        assert two.post(body | {"session_id": session.id}).status_code == 200
        assert fault_of(two.post(body | {"session_id": "none"}))[0] == 404
        assert fault_of(two.post(body | {"session_id": 3}))[0] == 400
        unknown = {"model": "m", "messages": [{"role": "user", "content": "{{input:other}}"}]}
        assert fault_of(two.post(unknown | {"session_id": session.id}))[0] == 404
    (sent,) = [json.loads(data) for server in two.servers for _, data, _ in server.calls]
    assert sent == {
        "model": "m",
        "messages": [{"role": "user", "content": 'Do a "game" {{input:x}}, {{output:y}}'}],
    }


def test_clients_of_others_run_unchanged(two):
    openai = pytest.importorskip("openai")
    hub = pytest.importorskip("huggingface_hub")
    with openai.OpenAI(base_url=f"{two.url}/v1", api_key="none") as client:
        assert [model.id for model in client.models.list()] == ["m"]
        answer = client.chat.completions.create(model="m", messages=HELLO, seed=1)
        assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == ("hello", "length")
        assert answer.usage.prompt_tokens_details.cached_tokens == 512
        stream = client.chat.completions.create(model="m", messages=HELLO, stream=True)
        assert "".join(piece.choices[0].delta.content for piece in stream).split() == [f"w{k}" for k in range(10)]
        assert client.completions.create(model="m", prompt=[1, 2, 3]).choices[0].text == "hello"
        two.servers[0].fault = two.servers[1].fault = (400, "too long")
        with pytest.raises(openai.BadRequestError, match="too long"):
            client.chat.completions.create(model="m", messages=HELLO)
        two.servers[0].fault = two.servers[1].fault = None
    client = hub.InferenceClient(base_url=f"{two.url}/v1", api_key="none", token=None)
    assert client.chat_completion(HELLO, model="m").choices[0].message.content == "hello"
    said = [piece.choices[0].delta.content for piece in client.chat_completion(HELLO, model="m", stream=True)]
    assert len(said) == 10

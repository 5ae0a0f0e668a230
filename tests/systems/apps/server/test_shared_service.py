"""What the server promises to each of many clients."""

import asyncio
import socket
from threading import Event

import pytest
from systems.apps.server.app_server import called, fault_of, submission
from systems.apps.server.test_relay import CHAT

from teltheory.systems.apps.engines.tiny import TinyEngine
from teltheory.systems.apps.server import Door, Limits, application
from teltheory.systems.apps.sessions import Manager
from teltheory.systems.apps.workers import Workers

HEAD = b"GET /health HTTP/1.1\r\nHost: x\r\n"


def ends(raw):
    """Whether the other side ends a connection."""
    try:
        return raw.recv(100) == b""
    except ConnectionError:
        return True


@pytest.fixture
def served(listen):
    """Serve a tiny engine."""

    return lambda limits=None, door=None: listen(application(Manager([TinyEngine()]), limits, door), limits=limits)


def test_a_head_must_come_in_time(served, client):
    url = served(Limits(heading=0.2))
    port = int(url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), 10) as raw:
        raw.sendall(HEAD)
        assert ends(raw)
        assert client.get(f"{url}/health").status_code == 200
    with socket.create_connection(("127.0.0.1", port), 10) as raw:
        raw.sendall(HEAD + b"\r\n" + HEAD)
        assert b"".join(iter(lambda: raw.recv(4_096), b"")).startswith(b"HTTP/1.1 200")


def test_slow_clients_keep_nobody_out(served, client):
    url = served(Limits(connections=8))
    port = int(url.rpartition(":")[2])
    slow = [socket.create_connection(("127.0.0.1", port), 10) for _ in range(20)]
    for raw in slow:
        raw.sendall(HEAD)
    for _ in range(5):
        assert client.get(f"{url}/health", timeout=5).status_code == 200
    assert sum(map(gone, slow)) >= 12
    for raw in slow:
        raw.close()


def gone(raw):
    """Whether a connection was ended, without waiting for it."""
    raw.settimeout(0.01)
    try:
        return ends(raw)
    except TimeoutError:
        return False


def test_so_many_are_answered_at_a_time(gateway):
    with gateway(Limits(answering=4), 1, {"first": 0.5}) as one:
        found = one.many([CHAT] * 12)
        assert (found.count(200), found.count(429)) == (4, 8)
        one.servers[0].first = 0
        assert one.post(CHAT).status_code == 200


def test_names_and_tokens(served, client):
    url = served(door=Door(("127.0.0.1", "a.example"), "secret"))
    for host, code in (("127.0.0.1", 401), ("a.example:80", 401), ("b.example", 421), ("", 421)):
        found, message = fault_of(client.get(f"{url}/v1/models", headers={"host": host}))
        assert (found, "secret" in message) == (code, False)
    for said in ("Bearer other", "Basic secret", "secret", "Bearer"):
        assert fault_of(client.get(f"{url}/v1/models", headers={"authorization": said}))[0] == 401
    for path in ("/v1/models", "/metrics"):
        assert client.get(url + path, headers={"authorization": "Bearer secret"}).status_code == 200
    assert client.get(f"{url}/health").status_code == 200
    assert fault_of(client.get(f"{url}/metrics"))[0] == 401


def test_a_session_has_so_many_bytes():
    with called(Limits(session=1_000)) as caller:
        session = caller.session()
        caller.set(session, "a", "x" * 900)
        assert caller.fault("set", {"session_id": session, "semantic_var_id": "b", "value": "x" * 101})[0] == 413
        caller.set(session, "b", "x" * 60)
        caller.submit(session, "P {{input:a}} {{output:c}}", "a c*", tokens=100)
        caller.get(session, "c")
        assert caller.fault("submit", submission(session, "x" * 9 + "{{output:d}}", "d*"))[0] == 413
        caller.set(caller.session(), "a", "x" * 900)


def test_all_sessions_and_chats_have_so_many_bytes(gateway):
    with called(Limits(session=1_000, memory=1_500)) as caller:
        sessions = [caller.session(), caller.session()]
        caller.set(sessions[0], "a", "x" * 900)
        fault = {"session_id": sessions[1], "semantic_var_id": "a", "value": "x" * 900}
        assert caller.fault("set", fault)[0] == 429
        caller.post("session", {"session_id": sessions[0]}, "DELETE")
        caller.set(sessions[1], "a", "x" * 900)
    with gateway(Limits(memory=1_500)) as two:
        assert fault_of(two.post(CHAT | {"user": "x" * 1_500}))[0] == 429
        assert two.post(CHAT).status_code == 200


def test_nobody_waits_for_the_patterns_of_another():
    order, gate = [], Event()

    def work(name, blocked=False):
        order.append(name)
        if blocked:
            assert gate.wait(10)

    async def three():
        workers, one, other = Workers(), asyncio.Lock(), asyncio.Lock()
        greedy = [asyncio.create_task(workers.run(one, work, f"one {k}", True)) for k in range(20)]
        await asyncio.sleep(0.05)
        await asyncio.wait_for(workers.run(other, work, "other"), 5)
        assert order == ["one 0", "other"]
        gate.set()
        await asyncio.gather(*greedy)
        workers.close()
        assert order[2:] == [f"one {k}" for k in range(1, 20)]

    asyncio.run(three())


def test_what_prometheus_reads(two):
    for _ in range(3):
        two.post(CHAT)
    two.servers[0].fault = two.servers[1].fault = (400, "no")
    two.post(CHAT)
    text = two.get("metrics").text
    lines = dict(line.rpartition(" ")[::2] for line in text.splitlines() if not line.startswith("#"))
    for status, count in ((200, 3), (400, 1)):
        chats = [k for k in lines if k.startswith("teltheory_chats_total{") and f'status="{status}"' in k]
        assert sum(float(lines[k]) for k in chats) == count
    assert all('counted="bytes/4"' in k for k in lines if k.startswith("teltheory_prompt_tokens_total"))
    assert (lines["teltheory_waiting"], lines['teltheory_up{engine="remote 0"}']) == ("0.0", "1.0")


def test_tokens_by_the_engine_s_tokenizer(gateway):
    with gateway(count=lambda text: 7) as two:
        two.post(CHAT)
        lines = two.get("metrics").text.splitlines()
    (counted,) = [line for line in lines if line.startswith("teltheory_prompt_tokens_total{")]
    assert ('counted="tokenizer"' in counted, counted[-4:]) == (True, " 7.0")

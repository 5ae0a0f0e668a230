import asyncio
import socket

import httpx
import pytest
from refusals import refused
from waiting import wait_for

from teltheory.errors import ArgumentError
from teltheory.systems.apps import AppError, Port, Sampling
from teltheory.systems.apps.blocking import BlockingManager
from teltheory.systems.apps.engines.tiny import TinyEngine
from teltheory.systems.apps.functions import Input, Output, semantic_function
from teltheory.systems.apps.server import Limits, application
from teltheory.systems.apps.server.client import RemoteSession
from teltheory.systems.apps.server.listening import address, bound, listening
from teltheory.systems.apps.sessions import Manager


@semantic_function(sampling=Sampling(max_tokens=24))
def write_python_code(task: Input, code: Output):
    """You are an expert software engineer. Write python code of {{input:task}}. Code: {{output:code}}"""


@semantic_function(sampling=Sampling(max_tokens=16))
def write_test_code(task: Input, code: Input, test: Output):
    """You are an experienced QA engineer. Test {{input:task}}. Code: {{input:code}}. Test: {{output:test}}"""


def write_snake_game(session):
    """Figure 7 of the paper."""
    task = session.variable("a snake game", "task")
    code = write_python_code(session, task)
    test = write_test_code(session, task, code)
    return code.get("latency"), test.get("latency")


@pytest.fixture
def engine():
    return TinyEngine(name="only")


@pytest.fixture
def url(engine, listen):
    return listen(application(Manager([engine])))


def test_figure_7_on_a_socket_is_figure_7_in_one_program(url, engine):
    with RemoteSession(url) as session:
        found = write_snake_game(session)
    with BlockingManager([TinyEngine()]) as manager, manager.session() as session:
        assert found == write_snake_game(session)
    assert [len(text) for text in found] == [24, 16]
    assert len(engine.contexts) == engine.contexts.held == 0


def test_an_error_is_the_same_error_on_both_sides(url):
    with RemoteSession(url) as session:
        for action, code in (
            (lambda: session.get("nobody"), 404),
            (lambda: session.get("nobody", "speed"), 400),
            (lambda: [session.set("v", "x") for _ in range(2)], 409),
            (lambda: session.submit("P {{output:x", [Port("x", True, "x")]), 400),
            (lambda: session.submit("P {{output:x}}", [Port("x", True, "x", "no")]), 400),
            (lambda: session.submit("P {{output:x}}", [Port("x", True, "x")], "large"), 404),
            (lambda: session.submit("P {{output:x}}", [Port("x", True, "x")], None, Sampling(10**6)), 413),
        ):
            with pytest.raises(AppError) as error:
                action()
            assert error.value.code == code
            assert str(error.value).count(": found ") == str(error.value).count(", expected ") == 1
    session.close()


def test_a_server_that_is_none():
    with bound("127.0.0.1", 0) as at:
        nobody = address(at)
    with pytest.raises(AppError) as error:
        RemoteSession(nobody)
    assert error.value.code == 502
    answers = iter([httpx.Response(200, text="hello"), httpx.Response(500, json={"error": {"code": 500}})])
    transport = httpx.MockTransport(lambda request: next(answers))
    for _ in range(2):
        with pytest.raises(AppError) as error:
            RemoteSession("http://here", transport=transport)
        assert error.value.code == 502


class Endless(TinyEngine):
    """An engine that goes on until it is told to stop."""

    asked = ended = 0

    async def generate(self, sampling, context_id, parent=None):
        self.asked += 1
        try:
            await asyncio.Event().wait()
        finally:
            self.ended += 1


def sent(url, path, body, length):
    """Return a connection by which a head and a body went, which need not have as many bytes as the head says."""
    host, _, port = url.removeprefix("http://").partition(":")
    raw = socket.create_connection((host, int(port)), timeout=10)
    head = f"POST /v1/{path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n"
    raw.sendall(f"{head}\r\n{body}".encode())
    return raw


def test_a_client_that_hangs_up_ends_what_it_waits_for(listen):
    url = listen(application(Manager([engine := Endless()])))
    with sent(url, "completions", '{"prompt": "x"}', 15):
        wait_for(lambda: engine.asked)
        assert not engine.ended
    wait_for(lambda: engine.ended and engine.contexts.held == len(engine.contexts) == 0)
    assert engine.asked == engine.ended == 1


def test_the_end_of_a_server_ends_its_sessions():
    engine = Endless()
    with listening(application(Manager([engine]))) as url:
        session = RemoteSession(url)
        session.submit("P {{output:x}}", [Port("x", True, "x")])
        wait_for(lambda: engine.asked)
    assert (engine.ended, engine.contexts.held) == (1, 0)
    with pytest.raises(AppError):
        session.close()


def test_gets_at_once(url):
    with RemoteSession(url) as session:
        task = session.variable(name="task")
        code = write_python_code(session, task)
        assert session.gets({}) == []
        refused(AppError, "no value was set", session.gets, {code.id: "throughput"}, timeout=0.05)
        task.set("a game")
        assert session.gets({task.id: "latency", code.id: "throughput"}) == ["a game", code.get("throughput")]


def test_a_body_that_stops_coming(client, listen):
    url = listen(application(Manager([TinyEngine()]), Limits(reading=0.1)))
    with sent(url, "session", "{", 50) as raw:
        assert raw.recv(4096).startswith(b"HTTP/1.1 504")
    assert client.get(f"{url}/v1/models").status_code == 200


def test_addresses_that_cannot_be_had(url):
    port = int(url.rpartition(":")[2])
    for host, at in (("127.0.0.1", port), ("203.0.113.1", 0), ("127.0.0.1", 70_000), ("ä" * 70, 0)):
        refused(ArgumentError, r"address: found .*, expected one that is free", bound, host, at)


def test_variables_of_a_remote_session_have_ids_of_their_own(url):
    with RemoteSession(url) as session:
        ids = [session.variable(name=name).id for name in "aab"]
    assert len(set(ids)) == 3
    assert all(id.startswith(name) for id, name in zip(ids, "aab", strict=True))

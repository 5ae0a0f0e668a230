"""A remote engine against a small server on a real socket."""

import asyncio
import socket
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from completions import Completions, Reply, served
from refusals import refused

from teltheory.errors import ArgumentError
from teltheory.systems.apps import AppError, Port, Request, Sampling
from teltheory.systems.apps.engines import Kept, RemoteEngine
from teltheory.systems.apps.running import Ran, run

KEY = "a-key-nobody-sees"


@pytest.fixture
def server() -> Iterator[tuple[str, Completions]]:
    """A server, and the model behind it."""
    with served() as (url, model):
        yield url, model


def closed(engine: RemoteEngine, work: Coroutine[Any, Any, Any]) -> Any:
    """Do something and close the connections."""

    async def both() -> Any:
        try:
            return await work
        finally:
            await engine.close()

    return asyncio.run(both())


async def two_forks(engine: RemoteEngine) -> list[str]:
    """Fill a prompt of sixteen letters and let two forks go on."""
    await engine.fill(engine.encode("system prompt 16"), 0)
    await asyncio.gather(engine.fill(engine.encode("Ann"), 1, 0), engine.fill(engine.encode("Robert"), 2, 0))
    outputs = [await engine.generate(Sampling(9, stop=(".",)), id) for id in (1, 2)]
    await engine.free(1)
    return [engine.decode(output) for output in outputs]


@pytest.mark.parametrize("chat", [False, True])
def test_forks_are_completions_of_their_texts(server: tuple[str, Completions], chat: bool) -> None:
    """Fill asks for one token, generate for its most; the server counts what it had cached."""
    url, model = server
    engine = RemoteEngine(url + "/v1/", "m", fills=True, key=KEY, chat=chat)
    assert closed(engine, two_forks(engine)) == ["<19>", "<22>"]
    bodies = [body for _, body, _ in model.asked]
    prompts = [body["messages"][0]["content"] if chat else body["prompt"] for body in bodies]
    ann, robert = "system prompt 16Ann", "system prompt 16Robert"
    assert sorted(prompts) == sorted(["system prompt 16", ann, robert, ann, robert])
    assert [body["max_tokens"] for body in bodies] == [1, 1, 1, 9, 9]
    assert [body.get("stop") for body in bodies] == [None, None, None, ["."], ["."]]
    assert {path for path, _, _ in model.asked} == {"/v1/chat/completions" if chat else "/v1/completions"}
    assert model.asked[0][2]["Authorization"] == f"Bearer {KEY}"
    assert (engine.usage.calls, engine.usage.prompt, engine.usage.cached) == (5, 16 + 2 * (19 + 22), 4 * 16)
    assert engine.contexts[2].tokens == engine.encode(robert + "<22>")
    assert len(engine.contexts) == 2


def test_a_fork_is_sent_after_its_parents_fill(server: tuple[str, Completions]) -> None:
    """So that it finds the prefix, although both were asked for at once."""
    url, model = server
    model.delay = 0.05
    engine = RemoteEngine(url, "m", fills=True)

    async def at_once() -> list[int]:
        calls = engine.fill(engine.encode("x" * 80), 0), engine.fill(engine.encode("y" * 8), 1, 0)
        return await asyncio.gather(*calls)

    assert closed(engine, at_once()) == [80, 8]
    assert [len(body["prompt"]) for _, body, _ in model.asked] == [80, 88]


def test_a_request_runs_on_a_server(server: tuple[str, Completions]) -> None:
    """Two requests of one template: the second is sent as what it adds."""
    url, model = server
    ports = [Port("task", False, "t"), Port("code", True, "c")]
    request = Request.of(0, "Write code for this task: {{input:task}} Code: {{output:code}}", ports)
    engine = RemoteEngine(url, "m", fills=True)
    kept = Kept(engine)

    async def both() -> list[Ran]:
        return [await run(request, {"task": task}, kept) for task in ("a snake", "tetris")]

    first, second = closed(engine, both())
    assert [engine.decode(ran.outputs[0]) for ran in (first, second)] == ["<40>", "<39>"]
    assert (first.forked, second.forked) == (0, 26)
    assert len(model.asked) == 4 + 3


def test_fills_may_be_left_to_the_generation(server: tuple[str, Completions]) -> None:
    """Then one call is made for an output, of the whole text; none at all where no token is asked for."""
    url, model = server
    engine = RemoteEngine(url, "m")
    assert closed(engine, two_forks(engine)) == ["<19>", "<22>"]
    assert [len(body["prompt"]) for _, body, _ in model.asked] == [19, 22]
    assert closed(engine, engine.generate(Sampling(0), 3, 0)) == []
    assert len(model.asked) == 2


def test_a_server_that_reports_no_cached_tokens(server: tuple[str, Completions]) -> None:
    """What is cached stays unknown, and all counts as computed."""
    url, model = server
    model.reports = False
    engine = RemoteEngine(url, "m", fills=True)
    assert closed(engine, engine.fill(engine.encode("x" * 16), 0)) == 16
    assert closed(engine, engine.fill(engine.encode("y"), 1, 0)) == 17
    assert engine.usage.cached is None


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (lambda reply: (500, b"out of \x1b[31mmemory"), "HTTP 500: 'out of "),
        (lambda reply: (401, f"no such key: {KEY}".encode()), "HTTP 401: 'no such key: ***'"),
        (lambda reply: (302, b""), "HTTP 302"),
        (lambda reply: (200, b"<html>"), "'<html>'"),
        (lambda reply: (200, {"choices": []}), "choices"),
        (lambda reply: (200, {"choices": [{"text": 7}]}), "choices"),
        (lambda reply: (200, [1]), "[1]"),
        (lambda reply: (200, {"choices": [{"text": "a"}], "usage": {"prompt_tokens": "many"}}), "many"),
        (lambda reply: (200, {"choices": [{"text": "a"}], "usage": {"prompt_tokens": -1}}), "-1"),
        (lambda reply: (200, b"[" * 100_000), "[[["),
    ],
)
def test_a_wrong_answer_is_said_in_a_line(
    server: tuple[str, Completions], fault: Callable[[Reply], Reply], says: str
) -> None:
    """502, with the engine, the address and the beginning of what was found; the key is not shown."""
    url, model = server
    model.fault = fault
    engine = RemoteEngine(url, "m", fills=True, key=KEY)
    kept = Kept(engine)
    with pytest.raises(AppError) as caught:
        closed(engine, run(Request.of(0, "a {{output:b}}", [Port("b", True, "b")]), {}, kept))
    assert caught.value.code == 502
    assert str(caught.value).startswith(f"engine m at {url}: found ")
    assert says in str(caught.value)
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert (len(engine.contexts), kept.held) == (0, 0)


def test_a_server_that_takes_too_long(server: tuple[str, Completions]) -> None:
    """504, and the engine goes on afterwards; so does a fork of what failed."""
    url, model = server
    model.delay = 0.4
    engine = RemoteEngine(url, "m", fills=True, timeout=0.05)

    async def late() -> list[Any]:
        calls = engine.fill(engine.encode("abc"), 0), engine.generate(Sampling(2), 1, 0)
        ended = await asyncio.gather(*calls, return_exceptions=True)
        model.delay = 0.0
        return [*ended, await engine.generate(Sampling(2), 2, 0)]

    first, second, output = closed(engine, late())
    assert [first.code, second.code] == [504, 504]
    assert "no answer within 0.05 s" in str(first)
    assert engine.decode(output) == "<3"


def test_nobody_at_the_address() -> None:
    """502."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        engine = RemoteEngine(f"http://127.0.0.1:{free.getsockname()[1]}", "m", fills=True, name="far")
        with pytest.raises(
            AppError, match=r"engine far at .*: found no answer \(.*\), expected a server"
        ) as caught:
            closed(engine, engine.fill([97], 0))
    assert caught.value.code == 502


@pytest.mark.parametrize(
    "url", ["nowhere", "ftp://host", "http://", "http://user:secret@host", "http://a?key=secret", "http://a:b", ""]
)
def test_an_address_that_is_none(url: str) -> None:
    """The error shows no credentials."""
    caught = refused(ArgumentError, "http://localhost:8000", RemoteEngine, url, "m")
    assert "secret" not in str(caught)


@pytest.mark.parametrize("key", ["", "a\nb", "ключ"])
def test_a_key_that_is_none(key: str) -> None:
    """It is not shown."""
    refused(ArgumentError, "printable ASCII", RemoteEngine, "http://host", "m", key=key)

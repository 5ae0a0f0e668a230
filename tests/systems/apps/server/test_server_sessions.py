import asyncio

import pytest
from systems.apps.server.app_server import called, submission

from teltheory.errors import ArgumentError
from teltheory.systems.apps import AppError
from teltheory.systems.apps.engines.tiny import TinyEngine
from teltheory.systems.apps.server import Limits
from teltheory.systems.apps.server.sessions import Sessions
from teltheory.systems.apps.sessions import Manager, Session


def code(action):
    """Return the code of the error of something that is awaited."""
    with pytest.raises(AppError) as error:
        asyncio.run(action)
    return error.value.code


def test_a_session_sees_nothing_of_another(server):
    one, other = server.session(), server.session()
    server.submit(one, "A {{input:a}}{{output:x}}", "a x*")
    server.set(one, "a", "secret")
    assert len(server.get(one, "x")) == 4
    for variable in "ax":
        body = {"session_id": other, "semantic_var_id": variable, "criteria": "latency"}
        assert server.fault("get", body)[0] == 404
    server.submit(other, "B {{input:a}}{{output:x}}", "a x*")
    server.set(other, "a", "mine")
    assert server.get(other, "a") == "mine"
    assert server.get(one, "a") == "secret"


def test_closing_ends_what_one_session_does_and_no_other(server):
    one, other = server.session(), server.session()
    for session in (one, other):
        server.submit(session, "A {{output:x}}", "x*", tokens=30)
    server.post("session", {"session_id": one}, "DELETE")
    get = {"semantic_var_id": "x", "criteria": "latency"}
    assert server.fault("get", {"session_id": one, **get})[0] == 410
    assert server.fault("submit", submission(one, "P {{output:z}}", "z*"))[0] == 410
    assert server.fault("set", {"session_id": one, "semantic_var_id": "q", "value": ""})[0] == 410
    assert server.fault("session", {"session_id": one}, "DELETE")[0] == 410
    server.session()
    assert server.fault("get", {"session_id": one, **get})[0] == 410
    assert server.fault("session", {"session_id": "never"}, "DELETE")[0] == 404
    assert len(server.get(other, "x")) == 30


def test_bounds_of_sessions():
    with called(Limits(sessions=2, requests=2, sets=1)) as caller:
        session, other = caller.session(), caller.session()
        assert caller.fault("session", {})[0] == 409
        assert caller.fault("completions", {"prompt": "x"})[0] == 409
        caller.post("session", {"session_id": other}, "DELETE")
        assert caller.post("completions", {"prompt": "x", "max_tokens": 1})["choices"]
        for name in "xy":
            caller.submit(session, f"P {{{{output:{name}}}}}", f"{name}*")
        found, message = caller.fault("submit", submission(session, "P {{output:z}}", "z*"))
        assert (found, message.endswith("at most 2")) == (413, True)
        caller.set(session, "v", "x")
        body = {"session_id": session, "semantic_var_id": "w", "value": "x"}
        assert caller.fault("set", body)[0] == 413


def test_sessions_that_nobody_uses_are_closed():
    now = [0.0]

    async def story():
        async with Manager([TinyEngine()]) as manager:
            sessions = Sessions(manager, Limits(idle=10), lambda: now[0])
            left, visited, used = [(await sessions.open()).id for _ in range(3)]
            now[0] = 9
            async with sessions.using(visited):
                pass
            async with sessions.using(used):
                now[0] = 15
                new = (await sessions.open()).id
                found = [await there(sessions, id) for id in (left, visited, used, new)]
                now[0] = 40
                await sessions.open()
                return found, [await there(sessions, id) for id in (left, visited, used, new)]

    async def there(sessions, id):
        try:
            async with asyncio.timeout(1):
                return id in sessions._open
        except AppError as error:
            return error.code

    assert asyncio.run(story()) == ([False, True, True, True], [False, False, True, False])


def test_idle_sessions_are_closed_once_and_not_while_somebody_comes_back(monkeypatch):
    """Two that open sessions find the same idle ones, and closing one takes its time."""
    now, close = [0.0], Session.close

    async def slowly(session):
        await asyncio.sleep(0)
        await close(session)

    async def story():
        async with Manager([TinyEngine()]) as manager:
            sessions = Sessions(manager, Limits(idle=10), lambda: now[0])
            _, second, back = [(await sessions.open()).id for _ in range(3)]
            now[0] = 15
            opening = [asyncio.ensure_future(sessions.open()) for _ in range(2)]
            await asyncio.sleep(0)
            async with sessions.using(back) as session:
                await asyncio.gather(*opening)
                return second in sessions._open, session.closed

    monkeypatch.setattr(Session, "close", slowly)
    assert asyncio.run(story()) == (False, False)


def test_limits_that_let_nothing_through():
    for limit in ("body", "waiting"):
        with pytest.raises(ArgumentError, match=f"{limit}: found 0, expected more than 0"):
            Limits(**{limit: 0})


def test_a_session_of_one_request_is_closed_whatever_happens():
    async def story(fault):
        async with Manager([TinyEngine()]) as manager:
            sessions = Sessions(manager, Limits())
            try:
                async with sessions.one() as session:
                    if fault:
                        raise ArithmeticError
            except ArithmeticError:
                pass
            async with sessions.using(session.id):
                raise AssertionError

    assert code(story(fault=False)) == code(story(fault=True)) == 410

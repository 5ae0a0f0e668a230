"""Sessions: what goes wrong is a code and one line, and reaches nothing else."""

import asyncio
from collections.abc import Callable

import pytest
from refusals import refused
from scripted_engine import Scripted, call, outcome

from teltheory.errors import ArgumentError
from teltheory.systems.apps import AppError, Port, Sampling
from teltheory.systems.apps.queues import Placing
from teltheory.systems.apps.sessions import Manager, Session


def test_closing_a_session_ends_its_requests_alone() -> None:
    """Two sessions run the same prompt, so that the second waits for what the first fills; the first is closed."""

    async def main(ticks: int) -> None:
        engine = Scripted(lambda text: "x", steps=5)
        async with Manager([engine]) as manager:
            first, second = manager.session(), manager.session()
            for session in (first, second):
                call(session, "a", [], ["x"])
                call(session, "b", ["x"], ["y"])
            lost = asyncio.ensure_future(outcome(first.get("y")))
            kept = asyncio.ensure_future(outcome(second.get("y")))
            for _ in range(ticks):
                await asyncio.sleep(0)
            await first.close()
            found = await lost
            assert found == "x" or (isinstance(found, AppError) and found.code == 410)
            assert await kept == "x"
            await second.close()
            assert (len(engine.contexts), engine.contexts.held) == (0, 0)

    for ticks in range(40):
        asyncio.run(main(ticks))


def test_a_close_that_is_cancelled_leaves_nobody_waiting_and_no_context() -> None:
    """A second close waits for what the first began."""

    async def main(ticks: int) -> None:
        engine = Scripted(lambda text: "x", steps=5)
        async with Manager([engine]) as manager:
            session = manager.session()
            call(session, "a", [], ["x"])
            lost = asyncio.ensure_future(outcome(session.get("x")))
            for _ in range(ticks):
                await asyncio.sleep(0)
            closing = asyncio.ensure_future(session.close())
            await asyncio.sleep(0)
            closing.cancel()
            await session.close()
            assert (len(engine.contexts), engine.contexts.held) == (0, 0)
            found = await asyncio.wait_for(lost, 5)
            assert found == "x" or (isinstance(found, AppError) and found.code == 410)

    for ticks in range(20):
        asyncio.run(main(ticks))


def test_a_failing_transform_fails_its_variable_and_what_is_below() -> None:
    """Of two outputs the other one is there; request, variable and step are named to everybody below."""

    async def main() -> None:
        engine = Scripted(lambda text: "no JSON")
        async with Manager([engine]) as manager:
            session = manager.session()
            call(session, "first", [], ["x", "y"], x="strip|json:code")
            call(session, "second", ["x"], ["z"])
            call(session, "third", ["z", "never"], ["u"])
            call(session, "fourth", ["y"], ["w"], y="upper")
            assert await session.get("y") == await session.get("w") == "no JSON"
            assert engine.log[-1] == "fourth:<NO JSON><"
            for variable in ("x", "z", "u"):
                with pytest.raises(AppError) as raised:
                    await session.get(variable, timeout=5)
                assert raised.value.code == 422
                assert raised.value.place == "request first, variable 'x', transform 'json:code'"
            call(session, "late", ["u"], ["v"])
            assert isinstance(await outcome(session.get("v", timeout=5)), AppError)

    asyncio.run(main())


def test_what_a_client_does_wrong_is_a_code_and_one_line() -> None:
    """And the session goes on as if nothing had been."""
    x, y = Port("x", True, "x"), Port("y", True, "y")
    wrong: list[tuple[int, str, Callable[[Session], object]]] = [
        (400, "unterminated", lambda s: s.submit("a{{x}}", [Port("x", True, "n", "regex:(")])),
        (400, "max_tokens 0", lambda s: s.submit("a{{y}}", [y], sampling=Sampling(0))),
        (400, "temperature -1", lambda s: s.submit("a{{y}}", [y], sampling=Sampling(temperature=-1))),
        (400, "temperature nan", lambda s: s.submit("a{{y}}", [y], sampling=Sampling(temperature=float("nan")))),
        (404, "model 'other'", lambda s: s.submit("a{{y}}", [y], model="other")),
        (409, "two producers", lambda s: s.submit("a{{x}}", [x])),
        (409, "a cycle", lambda s: call(s, "r", ["x"], ["in"])),
        (409, "a cycle", lambda s: s.submit("a{{p}}{{q}}", [Port("p", False, "r"), Port("q", True, "r")])),
        (400, "nothing before its first output", lambda s: s.submit("{{y}}", [y])),
        (409, "a value that a client set", lambda s: call(s, "r", [], ["set"])),
        (409, "a value for what request a produces", lambda s: s.set("x", "1")),
        (409, "a second value", lambda s: s.set("set", "1")),
        (413, "2,000|2000", lambda s: s.submit("a{{y}}", [y], sampling=Sampling(2001))),
    ]

    async def main() -> None:
        async with Manager([Scripted(capacity=2000)]) as manager:
            session = manager.session()
            session.set("set", "value")
            call(session, "a", ["in"], ["x"])
            for code, said, act in wrong:
                assert refused(AppError, said, act, session).code == code

    asyncio.run(main())


def test_what_is_asked_for_wrongly_is_a_code_and_one_line() -> None:
    """Unknown variables and criteria, another criterion, a time-out that names what is missing, what is closed."""

    async def main() -> None:
        async with Manager([Scripted()]) as manager:
            session, other = manager.session(), manager.session()
            call(session, "a", ["in"], ["x"])
            asked = [
                (400, "criterion 'fast', expected one of throughput, latency", session.get("x", "fast")),
                (404, "no request that produces it, and no value", session.get("y")),
                (404, "no request that produces it, and no value", session.get("in")),
                (404, "no request that produces it, and no value", other.get("x")),
                (504, "none after 0.01 s; no value was set for 'in'", session.get("x", "ttft", timeout=0.01)),
                (409, "criterion 'latency' after 'ttft'", session.get("x", "latency", timeout=5)),
            ]
            for code, said, get in asked:
                found = await outcome(get)
                assert isinstance(found, AppError)
                assert (found.code, said in str(found)) == (code, True)
            session.set("in", "text")
            assert await session.get("x", "ttft") == "[9]"
            await session.close()
            await session.close()
            for act in (lambda: session.set("u", ""), session.variable, lambda: call(session, "b", [], ["y"])):
                assert refused(AppError, "a closed session", act).code == 410

    asyncio.run(main())


def test_a_value_that_makes_a_prompt_too_large_fails_that_request() -> None:
    """The size is known when the inputs are there; others go on."""

    async def main() -> None:
        async with Manager([Scripted(capacity=100)]) as manager:
            session = manager.session()
            call(session, "a", ["in"], ["x"])
            call(session, "b", [], ["y"])
            session.set("in", "t" * 60)
            found = await outcome(session.get("x"))
            assert isinstance(found, AppError)
            assert (found.code, found.place) == (413, "request a")
            assert await session.get("y") == "[3]"

    asyncio.run(main())


def test_a_fault_of_an_engine_names_the_request() -> None:
    """Also where the engine says itself what is wrong; what else uses the engine goes on."""

    def says(text: str) -> str:
        if text.startswith("a"):
            raise AppError(502, "gpu 3", "no power", "some")
        return "x"

    async def main() -> None:
        engine = Scripted(says)
        async with Manager([engine]) as manager:
            session = manager.session()
            call(session, "a", [], ["x"])
            call(session, "b", [], ["y"])
            found = await outcome(session.get("x"))
            assert str(found) == "request a, gpu 3: found no power, expected some"
            assert await session.get("y") == "x"

    asyncio.run(main())


def test_rules_that_are_none_are_refused_and_a_broken_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that nobody waits for ever."""
    for wrong in ({"ties": "any"}, {"reading": "any"}, {"affinity": "any"}):
        with pytest.raises(ArgumentError):
            Placing(**wrong)

    async def main() -> None:
        async with Manager([Scripted()]) as manager:
            session = manager.session()
            call(session, "a", [], ["x"])
            monkeypatch.setattr(Placing, "placed", lambda *_: 1 / 0)
            found = await outcome(session.get("x", timeout=5))
            assert "request a: found ZeroDivisionError" in str(found)

    asyncio.run(main())

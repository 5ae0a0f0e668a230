"""Sessions: values against a plain evaluation, failures against what is below, contexts counted, who goes when."""

import asyncio
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_engine import SHORT, Scripted, call, outcome

from teltheory.systems.apps import AppError, Port, Sampling
from teltheory.systems.apps.queues import Placing
from teltheory.systems.apps.sessions import Manager


def said_of(text: str) -> str:
    """Return what the engine of these tests says after a text."""
    return f"{sum(text.encode()) % 997}"


Plan = list[tuple[list[int], int]]


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Return, for each request, which earlier requests and set variables (negative) it uses, and its outputs."""
    size = draw(st.integers(1, 6))
    return [
        (draw(st.lists(st.integers(-2, k - 1), max_size=3, unique=True)), draw(st.integers(1, 2)))
        for k in range(size)
    ]


def variables(plan: Plan, used: int, k: int) -> str:
    """Return what request k uses of request `used`, or the set variable."""
    return f"s{-used}" if used < 0 else f"v{used}.{k % plan[used][1]}"


def judged(plan: Plan, given: Mapping[str, str], broken: set[int]) -> dict[str, str | None]:
    """Return every variable by plain evaluation, request by request; None: it fails."""
    values: dict[str, str | None] = dict(given)
    for k, (uses, outputs) in enumerate(plan):
        text, failed = f"r{k}:", k in broken
        for used in uses:
            value = values[variables(plan, used, k)]
            failed |= value is None
            text += f"<{value}>"
        for j in range(outputs):
            text += "<" if j == 0 else "><"
            values[f"v{k}.{j}"] = None if failed else said_of(text)
            text += said_of(text)
    return values


@given(plans(), st.randoms(use_true_random=False), st.sets(st.integers(0, 5), max_size=2), st.integers(1, 3))
def test_values_are_those_of_a_plain_evaluation_and_failures_reach_what_is_below(
    plan: Plan, random: object, broken: set[int], engines: int
) -> None:
    """Whatever the order of submits and sets; and no context is left in the end."""

    def says(text: str) -> str:
        if any(text.startswith(f"r{k}:") for k in broken):
            raise OSError("power cut")
        return said_of(text)

    async def main() -> None:
        there = [Scripted(says, f"e{k}", steps=k) for k in range(engines)]
        given_values = {"s1": "one", "s2": "two {{output:x}}"}
        async with Manager(there) as manager:
            session = manager.session()
            steps: list[Callable[[], None]] = [
                lambda k=k, uses=uses, n=n: call(  # type: ignore[misc]
                    session, f"r{k}", [variables(plan, used, k) for used in uses], [f"v{k}.{j}" for j in range(n)]
                )
                for k, (uses, n) in enumerate(plan)
            ]
            steps += [lambda v=v, text=text: session.set(v, text) for v, text in given_values.items()]  # type: ignore[misc]
            random.shuffle(steps)  # type: ignore[attr-defined]
            for step in steps:
                step()
                if random.random() < 0.5:  # type: ignore[attr-defined]
                    await asyncio.sleep(0)
            expected = judged(plan, given_values, broken)
            for variable, value in expected.items():
                found = await outcome(session.get(variable, "throughput", timeout=5))
                if value is None:
                    assert isinstance(found, AppError)
                    assert found.code == 502
                    assert found.place in {f"request r{k}" for k in broken}
                    assert "OSError: 'power cut'" in str(found)
                else:
                    assert found == value
        assert [(len(engine.contexts), engine.contexts.held) for engine in there] == [(0, 0)] * engines

    asyncio.run(main())


def test_an_application_at_a_time_and_its_next_request_before_the_next_application() -> None:
    """Four times A -> B where one request has room: 0 4 1 5 2 6 3 7 by number over all applications."""

    async def main() -> list[str]:
        engine = Scripted(lambda text: "x", capacity=70)
        async with Manager([engine]) as manager:
            sessions = [manager.session() for _ in range(4)]
            for k, session in enumerate(sessions):
                call(session, f"{k}", [], ["a"])
            for k, session in enumerate(sessions):
                call(session, f"{k + 4}", ["a"], ["b"])
            await asyncio.gather(*(session.get("b") for session in sessions))
        assert engine.most == 1
        return [text[0] for text in engine.log]

    assert asyncio.run(main()) == list("04152637")


def test_the_next_request_goes_first_also_after_transforms() -> None:
    """Its inputs are transformed before who is next is asked; a search takes a process, and the others go on."""

    async def order(transforms: str) -> list[str]:
        engine = Scripted(lambda text: "x", capacity=70)
        async with Manager([engine]) as manager:
            sessions = [manager.session() for _ in range(2)]
            for k, session in enumerate(sessions):
                call(session, f"{k}", [], ["a"])
                call(session, f"{k + 2}", ["a"], ["b"], a=transforms)
            await asyncio.gather(*(session.get("b") for session in sessions))
        return [text[0] for text in engine.log]

    assert asyncio.run(order("strip|upper")) == list("0213")
    assert asyncio.run(order("regex:x"))[:2] == list("01")


def test_contexts_that_are_merely_kept_take_no_room_and_spare_none() -> None:
    """Who forks from one counts with all its tokens, so that nothing is placed where it would not fit."""

    async def main() -> int:
        engine = Scripted(lambda text: "x", capacity=560, steps=9)
        async with Manager([engine]) as manager:
            session = manager.session()
            call(session, "a", [], ["x"], "long " * 80)
            call(session, "b", [], ["y"], "else " * 40)
            await session.get("x")
            await session.get("y")
            for k in range(2):
                call(session, "a", [], [f"x{k}"], "long " * 80)
                call(session, "b", [], [f"y{k}"], "else " * 40)
            engine.most = 0
            await session.gets(dict.fromkeys(["x0", "x1", "y0", "y1"], "throughput"))
            assert engine.contexts.peak <= engine.capacity
        return engine.most

    assert asyncio.run(main()) == 2


@pytest.mark.parametrize(("criterion", "most"), [("throughput", 8), ("latency", 2)])
def test_a_get_for_latency_bounds_what_runs_beside_it(criterion: str, most: int) -> None:
    """Eight results of one session each, 51 tokens per request, where 110 is the most for latency."""

    async def main() -> int:
        engine = Scripted(lambda text: "x", capacity=1000, latency_capacity=110, steps=9)
        async with Manager([engine]) as manager:
            sessions = [manager.session() for _ in range(8)]
            for session in sessions:
                call(session, "a", [], ["x"], "1234567")
            await asyncio.gather(*(session.get("x", criterion) for session in sessions))
        return engine.most

    assert asyncio.run(main()) == most


def test_labels_are_deduced_again_when_a_get_or_a_request_is_new() -> None:
    """For whoever still waits."""

    async def main() -> None:
        async with Manager([Scripted()]) as manager:
            session = manager.session()
            call(session, "a", ["in"], ["x"])
            assert session.label(0) == "throughput"
            asked = [asyncio.ensure_future(session.get("x", "tpot"))]
            await asyncio.sleep(0)
            assert session.label(0) == "tpot"
            call(session, "b", ["x"], ["y"])
            asked.append(asyncio.ensure_future(session.get("y", "ttft")))
            await asyncio.sleep(0)
            assert (session.label(0), session.label(1)) == ("tpot", "ttft")
            session.set("in", "text")
            await asyncio.gather(*asked)

    asyncio.run(main())


def test_of_two_that_wait_the_first_of_the_graph_goes_first() -> None:
    """Even if its input came after the other was ready."""

    async def main() -> list[str]:
        engine = Scripted(lambda text: "x", capacity=70, steps=9)
        async with Manager([engine]) as manager:
            session = manager.session()
            call(session, "first", [], ["x"])
            call(session, "second", ["in"], ["y"])
            call(session, "third", [], ["z"])
            for _ in range(4):
                await asyncio.sleep(0)
            session.set("in", "i")
            await session.gets(dict.fromkeys("xyz", "latency"))
        return [text.partition(":")[0] for text in engine.log]

    assert asyncio.run(main()) == ["first", "second", "third"]


@pytest.mark.parametrize(
    ("rules", "most"), [(Placing(sharing=True), 4), (Placing(sharing=False), 1), ("parrotserve", 1)]
)
def test_what_requests_share_takes_room_once(rules: Placing | str, most: int) -> None:
    """Four users of one long prompt, two of them later; two would be too large without that."""

    async def main() -> int:
        engine = Scripted(lambda text: "x", capacity=700, steps=30)
        async with Manager([engine], rules=rules) as manager:
            sessions = [manager.session() for _ in range(4)]
            for k, session in enumerate(sessions):
                session.set("in", str(k))
                call(session, "a", ["in"], ["x"], "long " * 80)
                for _ in range(8 * (k % 2)):
                    await asyncio.sleep(0)
            await asyncio.gather(*(session.get("x", "throughput") for session in sessions))
        assert engine.contexts.peak <= engine.capacity
        return engine.most

    assert asyncio.run(main()) == most


def test_a_task_group_goes_to_one_engine_and_its_consumer_is_alone() -> None:
    """Sixteen maps and a reduce on four engines; without groups the maps are spread."""

    async def main(groups: bool) -> list[int]:
        there = [Scripted(lambda text: "x", f"e{k}", 1000, 100) for k in range(4)]
        async with Manager(there, rules=Placing(groups=groups)) as manager:
            session = manager.session()
            for k in range(16):
                call(session, f"{k}", [], [f"m{k}"])
            call(session, "reduce", [f"m{k}" for k in range(16)], ["all"])
            await session.get("all")
        return sorted(sum(text[0].isdigit() for text in engine.log) for engine in there)

    assert asyncio.run(main(True)) == [0, 0, 0, 16]
    assert asyncio.run(main(False)) == [4, 4, 4, 4]


def test_groups_of_two_applications_are_two() -> None:
    """Each goes to an engine of its own, although requests of both have the same numbers."""

    async def main() -> list[int]:
        there = [Scripted(lambda text: "x", f"e{k}") for k in range(2)]
        async with Manager(there) as manager:
            sessions = [manager.session() for _ in range(2)]
            for session in sessions:
                for k in range(3):
                    call(session, f"{session.number}", [], [f"m{k}"], f"map {k}")
                call(session, "reduce", ["m0", "m1", "m2"], ["all"])
            await asyncio.gather(*(session.get("all") for session in sessions))
        return [sum("map" in text for text in engine.log) for engine in there]

    assert asyncio.run(main()) == [3, 3]


def test_a_prefix_is_filled_once_across_sessions_and_stays_while_one_is_open() -> None:
    """Two sessions with one prompt share all of it; a third that comes after both closed fills it again."""

    async def main() -> list[int]:
        engine, filled = Scripted(), []
        async with Manager([engine]) as manager:
            first, second = manager.session(), manager.session()
            for session in (first, second):
                call(session, "a", [], ["x"], "some prompt")
                await session.get("x")
                filled.append(engine.contexts.filled)
            await first.close()
            assert len(engine.contexts) > 0
            await second.close()
            assert len(engine.contexts) == 0
            third = manager.session()
            call(third, "a", [], ["x"], "some prompt")
            await third.get("x")
            return [*filled, engine.contexts.filled]

    once = len("asome prompt:<>")
    assert asyncio.run(main()) == [once, once, 2 * once]


def test_what_was_generated_is_shared_and_freed_too() -> None:
    """A later prompt that begins with prompt and output of an earlier one forks after them."""

    async def main() -> tuple[int, int]:
        engine = Scripted(lambda text: "Z")
        async with Manager([engine]) as manager:
            session = manager.session()
            session.submit("say {{output:x}}", [Port("x", True, "x")], sampling=SHORT)
            said = await session.get("x")
            before = engine.contexts.filled
            ports = [Port("x", False, "x"), Port("y", True, "y")]
            session.submit("say {{input:x}}{{output:y}}", ports, sampling=SHORT)
            assert (said, await session.get("y")) == ("Z", "Z")
            filled = engine.contexts.filled - before
            await session.close()
            return filled, len(engine.contexts)

    assert asyncio.run(main()) == (0, 0)


def test_a_request_goes_to_an_engine_of_its_model() -> None:
    """In a cluster of two models, each with its own size."""

    async def main() -> None:
        small, large = (
            Scripted(lambda text: "s", "e0", 100, 100, "small"),
            Scripted(lambda text: "l", model="large"),
        )
        async with Manager([small, large]) as manager:
            session = manager.session()
            for k, model in enumerate(["large", "large", "small"]):
                session.submit("a{{x}}!", [Port("x", True, f"x{k}")], model, SHORT)
            assert await session.gets(dict.fromkeys(["x0", "x1", "x2"], "latency")) == ["l", "l", "s"]
            with pytest.raises(AppError, match="at most 100"):
                session.submit("a{{x}}", [Port("x", True, "x3")], "small", Sampling(101))

    asyncio.run(main())


def test_values_are_inserted_as_they_are() -> None:
    """Nothing in a value is a placeholder, neither set nor generated."""

    async def main() -> list[str]:
        engine = Scripted(lambda text: "{{input:task}}")
        async with Manager([engine]) as manager:
            session = manager.session()
            call(session, "a", ["task"], ["x"])
            call(session, "b", ["x"], ["y"])
            session.set("task", "{{output:x}}{{")
            await session.get("y")
        return engine.log

    assert asyncio.run(main()) == ["a:<{{output:x}}{{><", "b:<{{input:task}}><"]

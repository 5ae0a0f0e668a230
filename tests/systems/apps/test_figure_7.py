"""Figure 7 of the seed, and other applications, on an engine that really runs."""

import asyncio
from functools import cache

from teltheory.systems.apps import Sampling
from teltheory.systems.apps.blocking import BlockingManager
from teltheory.systems.apps.engines.tiny import TinyEngine
from teltheory.systems.apps.functions import semantic_function
from teltheory.systems.apps.sessions import Manager

SHORT = Sampling(max_tokens=12)


@semantic_function(
    "You are a software engineer. Write Python of {{input:task}}. Code: {{output:code}}", sampling=SHORT
)
def write_python_code(task): ...


@semantic_function(
    "You are a QA engineer. You test code of {{input:task}}. Code: {{input:code}}. Test: {{output:test}}",
    sampling=SHORT,
)
def write_test_code(task, code): ...


@cache
def alone(prompt: str) -> str:
    """Return what an engine says after a prompt, in a context that nothing shares."""
    engine = TinyEngine()

    async def main() -> str:
        await engine.fill(engine.encode(prompt), 0)
        return engine.decode(await engine.generate(SHORT, 0))

    return asyncio.run(main())


def test_figure_7_says_what_two_separate_calls_say() -> None:
    """With and without an event loop; each prompt is filled once, and no context is left."""
    code = alone("You are a software engineer. Write Python of a snake game. Code: ")
    prompt = f"You are a QA engineer. You test code of a snake game. Code: {code}. Test: "
    test = alone(prompt)

    async def main(engine: TinyEngine) -> list[str]:
        async with Manager([engine]) as manager:
            session = manager.session()
            task = session.variable("a snake game")
            code = write_python_code(session, task)
            test = write_test_code(session, task, code)
            return await asyncio.gather(code.get("latency"), test.get("latency"))

    engine = TinyEngine()
    assert asyncio.run(main(engine)) == [code, test]
    assert (len(engine.contexts), engine.contexts.held) == (0, 0)
    with BlockingManager([TinyEngine()]) as manager, manager.session() as session:
        written = write_python_code(session, "a snake game")
        tested = write_test_code(session, "a snake game", written)
        assert session.gets({written.id: "latency", tested.id: "latency"}) == [code, test]


def test_users_of_one_prompt_share_it_token_by_token() -> None:
    """Five sessions with one long text say what they would say alone, and fill it once."""
    text = "You are a helpful assistant that answers in a word, politely, and never lies. " * 2

    @semantic_function(text + "Question: {{input:question}} Answer: {{output:answer}}", sampling=SHORT)
    def ask(question): ...

    async def main(engine: TinyEngine) -> list[str]:
        async with Manager([engine]) as manager:
            answers = [ask(manager.session(), f"what is {k}?") for k in range(5)]
            return await asyncio.gather(*(answer.get("throughput") for answer in answers))

    engine = TinyEngine()
    found = asyncio.run(main(engine))
    assert found == [alone(f"{text}Question: what is {k}? Answer: ") for k in range(5)]
    assert engine.contexts.filled == len(f"{text}Question: ") + 5 * len("what is 0? Answer: ")
    assert len(engine.contexts) == 0


def test_a_session_that_is_closed_while_it_fills_a_prefix_leaves_others_as_they_are() -> None:
    """At whatever step: the other one, which waits for that prefix, says what it would say alone."""
    expected = alone("You are a software engineer. Write Python of a snake game. Code: ")

    async def main(steps: int) -> None:
        engine = TinyEngine(chunk=16)
        async with Manager([engine]) as manager:
            first, second = manager.session(), manager.session()
            lost = write_python_code(first, "a snake game")
            kept = write_python_code(second, "a snake game")
            waiting = asyncio.ensure_future(kept.get("throughput"))
            lost_too = asyncio.ensure_future(lost.get("throughput"))
            while engine.steps < steps:
                await asyncio.sleep(0)
            await first.close()
            assert await waiting == expected
            await asyncio.gather(lost_too, return_exceptions=True)
            await second.close()
            assert (len(engine.contexts), engine.contexts.held) == (0, 0)

    for steps in range(9):
        asyncio.run(main(steps))

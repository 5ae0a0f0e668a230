"""Semantic functions, LangChain's templates, and the face that waits."""

import asyncio
import threading
from types import SimpleNamespace
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scripted_engine import Scripted

from teltheory.systems.apps import AppError, Sampling, parse
from teltheory.systems.apps.blocking import BlockingManager
from teltheory.systems.apps.functions import Input, Output, SemanticFunction, semantic_function
from teltheory.systems.apps.langchain import from_langchain
from teltheory.systems.apps.sessions import Manager


@semantic_function("Write {{input:task}}: {{output:code}}")
def write_code(task):
    raise AssertionError("a body is never run")


@semantic_function("Test {{input:code}} of {{input:task}}: {{output:test}} and {{output:verdict}}")
def write_test(task, code, verdict: Annotated[str, Output("strip|lower")]): ...


@semantic_function
def loud(text: Annotated[str, Input("upper")], answer: Output) -> None:
    """Say {{text}}
    loud: {{answer}}
    """


def test_a_call_submits_and_its_outputs_go_on_to_the_next() -> None:
    """Texts and variables are arguments, by place or by name; several outputs come in the order of the prompt."""

    async def main() -> list[str]:
        engine = Scripted(lambda text: " Yes ")
        async with Manager([engine]) as manager:
            session = manager.session()
            task = session.variable("a game")
            code = write_code(session, task)
            test, verdict = write_test(session, code=code, task=task)
            shout = loud(session, verdict)
            assert await asyncio.gather(code.get(), test.get(), verdict.get()) == [" Yes ", " Yes ", "yes"]
            assert await shout.get("throughput") == " Yes "
        return engine.log

    assert asyncio.run(main()) == [
        "Write a game: ",
        "Test  Yes  of a game: ",
        "Test  Yes  of a game:  Yes  and ",
        "Say YES\nloud: ",
    ]


def test_an_output_may_be_given_so_that_its_consumer_comes_first() -> None:
    """And a variable of the session is set by its handle."""

    async def main() -> None:
        async with Manager([Scripted()]) as manager:
            session = manager.session()
            answer, text = session.variable(name="answer"), session.variable()
            code = write_code(session, answer)
            loud(session, text, answer=answer)
            text.set("hi")
            assert await code.get() == "[12]"
            assert await answer.get() == "[13]"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("values", "named", "said"),
    [
        ((), {}, "missing a required argument: 'task', expected write_code(task)"),
        (("a", "b"), {}, "too many arguments"),
        (("a",), {"task": "b"}, "two values for 'task'"),
        (("a",), {"other": "b"}, "unexpected keyword argument 'other'"),
        ((3,), {}, "argument 'task': found a int, expected a text or a variable"),
    ],
)
def test_a_wrong_call_is_named(values: tuple[object, ...], named: dict[str, object], said: str) -> None:
    """And nothing was submitted."""

    async def main() -> None:
        async with Manager([Scripted()]) as manager:
            session = manager.session()
            assert refused(AppError, said, lambda: write_code(session, *values, **named)).code == 400


def test_a_variable_of_another_session_is_refused() -> None:
    """Its id may mean something else here."""

    async def main() -> None:
        async with Manager([Scripted()]) as manager:
            session, other = manager.session(), manager.session()
            with pytest.raises(AppError, match="a variable of another session") as raised:
                write_code(session, other.variable("x"))
            assert raised.value.code == 404
            refused(AppError, "found a str, expected a variable", loud, session, "text", answer="no variable")

    asyncio.run(main())


def test_a_function_that_is_not_its_prompt_is_refused() -> None:
    """Where it is written, not where it is called."""
    with pytest.raises(AppError, match="no parameter for placeholder 'b'"):
        semantic_function("{{input:a}}{{input:b}}{{output:c}}")(lambda a: None)
    with pytest.raises(AppError, match="parameter 'd' without a placeholder"):
        semantic_function("{{input:a}}{{output:c}}")(lambda a, d: None)
    refused(AppError, "a prompt without an output", lambda: semantic_function("{{input:a}}")(lambda a: None))

    for name in ("class", "my-task"):
        with pytest.raises(AppError, match=f"input '{name}', expected a name that a parameter can have"):
            SemanticFunction.of(f"{{{{input:{name}}}}}{{{{output:c}}}}", "f")

    def contrary(a: Output) -> None: ...

    with pytest.raises(AppError, match="Output for input placeholder 'a'"):
        semantic_function("{{input:a}}{{output:c}}")(contrary)


def test_model_and_sampling_are_those_of_the_function() -> None:
    """They go with every call."""

    @semantic_function("{{input:a}}{{output:b}}", model="scripted", sampling=Sampling(2))
    def short(a): ...

    async def main() -> None:
        async with Manager([Scripted(lambda text: "12345")]) as manager:
            session = manager.session()
            assert await short(session, "x").get() == "12"
            assert session.graph.requests[0].model == "scripted"

    asyncio.run(main())


PLAIN = st.text("ab{}: ", max_size=6)


@given(st.lists(st.tuples(PLAIN, st.sampled_from("pqr")), max_size=4), PLAIN, st.dictionaries(st.just("q"), PLAIN))
def test_a_langchain_template_says_what_python_says(
    pieces: list[tuple[str, str]], end: str, partial: dict[str, str]
) -> None:
    """The text with every input in its place is what `str.format` makes, also where texts have braces."""
    escaped = [(text.replace("{", "{{").replace("}", "}}"), name) for text, name in pieces]
    template = "".join(f"{text}{{{name}}}" for text, name in escaped)
    template += end.replace("{", "{{").replace("}", "}}") + "."
    error = ""
    try:
        made = from_langchain({"template": template, "partial_variables": partial}, "t")
    except AppError as raised:
        error = str(raised)
    if error:
        assert "twice" in error
        return
    values = {name: f"<{name}>" for _, name in pieces} | partial
    parts = parse(made.prompt)
    rendered = "".join(part if isinstance(part, str) else values.get(part.name, "") for part in parts)
    assert rendered == template.format(**values)


def test_a_langchain_template_is_an_object_or_what_is_written_of_one() -> None:
    """Partial variables are texts or functions; the output's transforms stand for a parser."""
    prompt = SimpleNamespace(
        template="On {day}: {{{{{question}",
        input_variables=["question"],
        partial_variables={"day": lambda: "Monday"},
    )
    function = from_langchain(prompt, "ask", Output("json:answer"), sampling=Sampling(50))
    assert isinstance(function, SemanticFunction)

    async def main() -> None:
        engine = Scripted(lambda text: '{"answer": 42}')
        async with Manager([engine]) as manager:
            assert await function(manager.session(), question="what?").get() == "42"
        assert engine.log == ["On Monday: {{what?"]

    asyncio.run(main())
    cases: list[tuple[object, str]] = [
        ("{x}", "a text"),
        ({"template": "{x}", "template_format": "jinja2"}, "'jinja2', expected 'f-string'"),
        ({"template": "{x!r}"}, "a name alone"),
        ({"template": "{x.y}"}, "a name alone"),
        ({"template": "{"}, "for each input"),
        ({}, "a text"),
    ]
    for template, said in cases:
        assert refused(AppError, said, from_langchain, template, "t").code == 400


def test_a_face_without_an_event_loop_does_the_same() -> None:
    """Requests go on while the program does other things; closing frees all and ends the thread."""
    threads, engine = threading.active_count(), Scripted()
    with BlockingManager([engine]) as manager:
        with manager.session() as session, manager.session() as other:
            task = session.variable("a game")
            code = write_code(session, task)
            assert session.gets({code.id: "latency"}) == [code.get()] == ["[14]"]
            assert write_code(other, "a game").get() == "[14]"
            assert session.id != other.id
            refused(AppError, "a variable of another session", write_code, other, task)
            refused(AppError, "a second value", task.set, "again")
            with pytest.raises(AppError, match=r"none after 0\.01 s"):
                write_code(session, session.variable()).get(timeout=0.01)
        refused(AppError, "a closed session", code.get)
        assert len(engine.contexts) == 0
    manager.close()
    assert threading.active_count() == threads


def test_what_a_closed_manager_is_asked_for_is_refused() -> None:
    """Closing a session again, or after its manager, is none."""
    with BlockingManager([Scripted()]) as manager, manager.session() as session:
        variable = session.variable("text")
        manager.close()
        session.close()
        for asked in (manager.session, variable.get, session.fresh, lambda: variable.set("again")):
            assert refused(AppError, "a closed manager", asked).code == 410

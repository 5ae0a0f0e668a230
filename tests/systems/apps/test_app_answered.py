"""Applications of files, run side by side."""

import asyncio
from dataclasses import replace

import pytest

from teltheory.systems.apps import AppError, Graph, Port, Request, Sampling
from teltheory.systems.apps.answering import answer, prompt_tokens
from teltheory.systems.apps.engines.tiny import TinyEngine
from teltheory.systems.apps.records import Application
from teltheory.systems.apps.sessions import Manager, Session

FEW = Sampling(max_tokens=3)
FIRST = Request(0, ("Write ", Port("t", False, "task"), ": ", Port("a", True, "a")), None, FEW, "first")
SECOND = Request(1, ("Test ", Port("a", False, "a"), ": ", Port("b", True, "b")), None, FEW, "second")
BOTH = Application("both", Graph.of([FIRST, SECOND]), {"task": "a game"}, {"b": "latency"})


def answered(*applications):
    """Return what became of applications on one tiny engine, and the engine."""
    engine = TinyEngine()

    async def main():
        async with Manager([engine]) as manager:
            return await answer(applications, manager)

    return asyncio.run(main()), engine


def test_every_variable_is_there_and_no_context_is_left():
    """As many tokens are filled in as prompts have, if nothing is shared."""
    (found,), engine = answered(BOTH)
    assert (found.values.keys(), found.failures) == ({"task", "a", "b"}, {})
    assert prompt_tokens(BOTH, found, engine.encode) == engine.contexts.filled == len("Write a game: Test : ") + 3
    assert len(engine.contexts) == 0


def test_what_the_file_does_not_get_has_no_say(monkeypatch):
    """It is asked for by throughput; so labels are those of the file's gets."""
    asked = {}
    get = Session.get

    def noted(self, variable, criteria="latency", timeout=None):
        asked[variable] = criteria
        return get(self, variable, criteria, timeout)

    monkeypatch.setattr(Session, "get", noted)
    answered(BOTH)
    assert asked == {"a": "throughput", "b": "latency"}


def test_a_failure_is_told_where_it_reaches():
    """Its own variable, those below, and no other; what did not run is no prompt that was filled in."""
    broken = replace(FIRST, parts=(*FIRST.parts[:-1], Port("a", True, "a", "json:x")))
    beside = Request(2, ("Beside", Port("c", True, "c")), None, FEW, "beside")
    one = Application("broken", Graph.of([broken, SECOND, beside]), BOTH.values, {"b": "latency"})
    (found, other), engine = answered(one, BOTH)
    assert (found.failures.keys(), found.values.keys()) == ({"a", "b"}, {"task", "c"})
    assert {fault.code for fault in found.failures.values()} == {422}
    assert prompt_tokens(one, found, engine.encode) == len("Beside")
    assert not other.failures


def test_a_value_that_is_missing_is_named():
    """Before anything runs."""
    with pytest.raises(AppError, match="application both: found no value of task") as raised:
        answered(replace(BOTH, values={}))
    assert raised.value.code == 404

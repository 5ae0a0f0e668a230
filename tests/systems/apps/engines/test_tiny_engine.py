"""The tiny engine: forks against flat runs, batches, stops, errors and cancelled callers."""

import asyncio
import warnings
from collections.abc import Coroutine
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teltheory.systems.apps import AppError, Sampling
from teltheory.systems.apps.engines.tiny import END, TinyEngine, chosen

PROMPT = "Write one line for the reader named so: "
LONG = "".join(chr(97 + k * k % 26) for k in range(200))
NAMES = ("Ann:", "Bob:", "Eve:")
TEXTS = st.text("abc ", min_size=1, max_size=12)


async def three(engine: TinyEngine, sampling: Sampling, fork: bool) -> list[list[int]]:
    """Run three prompts side by side, as forks of what they share or each by itself."""
    if fork:
        await engine.fill(engine.encode(PROMPT), 0)

    async def one(id: int, name: str) -> list[int]:
        await engine.fill(engine.encode(name if fork else PROMPT + name), id, 0 if fork else None)
        return await engine.generate(sampling, id)

    return await asyncio.gather(*(one(id, name) for id, name in enumerate(NAMES, 1)))


@pytest.mark.parametrize("sampling", [Sampling(10), Sampling(30), Sampling(30, 0.8), Sampling(60, 1.0, ("e",))])
def test_three_forks_are_three_flat_runs(sampling: Sampling) -> None:
    """Token by token; what is shared is computed once: 82 tokens and not 162, as in the prototype."""
    forks, flat = TinyEngine(), TinyEngine()
    outputs = asyncio.run(three(forks, sampling, fork=True))
    assert outputs == asyncio.run(three(flat, sampling, fork=False))
    assert len({tuple(output) for output in outputs}) > 1
    assert flat.computed - forks.computed == 2 * len(PROMPT)
    assert [engine.contexts.filled for engine in (forks, flat)] == [52, 132]
    if sampling == Sampling(10):
        assert (forks.computed, flat.computed) == (forks.contexts.held, flat.contexts.held) == (82, 162)


@settings(max_examples=20)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(1, 9))
def test_a_batch_is_its_requests_one_by_one(texts: list[str], chunk: int) -> None:
    """Continuous batching and the size of chunks change no token, but the number of steps."""

    async def one(engine: TinyEngine, id: int, text: str) -> list[int]:
        await engine.fill(engine.encode(text), id)
        return await engine.generate(Sampling(3), id)

    async def batch(engine: TinyEngine) -> list[list[int]]:
        return await asyncio.gather(*(one(engine, id, text) for id, text in enumerate(texts)))

    together, alone = TinyEngine(chunk=chunk), TinyEngine()
    assert asyncio.run(batch(together)) == [asyncio.run(one(alone, id, text)) for id, text in enumerate(texts)]
    assert together.computed == alone.computed == together.contexts.filled + together.contexts.generated
    longest = max(-(-len(text) // chunk) for text in texts)
    assert longest <= together.steps <= longest + 4


def test_a_fork_waits_for_what_its_parent_is_still_asked_for() -> None:
    """A fork of a context that is being filled, through an empty one, and one more of a fork that generates."""

    async def chained(engine: TinyEngine) -> list[int]:
        filling = asyncio.create_task(engine.fill(engine.encode(LONG), 0))
        await asyncio.sleep(0)
        await asyncio.gather(engine.fill([], 1, 0), engine.fill(engine.encode("ab"), 2, 1))
        assert filling.done()
        return await engine.generate(Sampling(5), 3, 2)

    async def flat(engine: TinyEngine) -> list[int]:
        await engine.fill(engine.encode(LONG + "ab"), 0)
        return await engine.generate(Sampling(5), 0)

    assert asyncio.run(chained(TinyEngine())) == asyncio.run(flat(TinyEngine()))


def test_tokens_after_an_output_see_it() -> None:
    """Text, output, text, output in one context equal a flat fill of what was there."""

    async def turns(engine: TinyEngine) -> list[int]:
        await engine.fill(engine.encode("one "), 0)
        first = await engine.generate(Sampling(5), 0)
        await engine.fill(engine.encode(" two "), 0)
        again = await engine.generate(Sampling(5), 0)
        assert engine.contexts[0].tokens == [*b"one ", *first, *b" two ", *again]
        await engine.fill([*b"one ", *first, *b" two "], 1)
        assert await engine.generate(Sampling(5), 1) == again
        return again

    asyncio.run(turns(TinyEngine()))


def test_a_stop_text_ends_an_output_and_is_left_out() -> None:
    """The context goes on without it."""

    async def stopped(engine: TinyEngine) -> tuple[str, str, list[int]]:
        await engine.fill(engine.encode(PROMPT), 0)
        whole = engine.decode(await engine.generate(Sampling(20), 1, 0))
        stop = whole[4:6]
        cut = engine.decode(await engine.generate(Sampling(20, stop=("never there", stop)), 2, 0))
        assert cut == whole[: whole.index(stop)]
        assert engine.decode(engine.contexts[2].own) == cut
        return whole, cut, await engine.generate(Sampling(2), 2)

    whole, cut, more = asyncio.run(stopped(TinyEngine()))
    assert TinyEngine().decode(more) == whole[len(cut) : len(cut) + 2]


def test_a_stop_text_that_is_no_utf8_stops_nobody() -> None:
    """Half a pair of surrogates is ``?``, as in prompts; what runs beside it goes on."""
    outputs = asyncio.run(three(TinyEngine(), Sampling(10, stop=("\ud800\ud800",)), fork=True))
    assert outputs == asyncio.run(three(TinyEngine(), Sampling(10), fork=True))


def test_no_token_where_none_is_asked_for() -> None:
    """At most 0 tokens are none."""

    async def none(engine: TinyEngine) -> list[int]:
        await engine.fill([1], 0)
        return await engine.generate(Sampling(0), 0)

    assert asyncio.run(none(TinyEngine())) == []


def test_next_to_no_temperature_is_none() -> None:
    """Scores beyond the largest float are no warning."""
    scores, rng = np.random.default_rng(1).standard_normal(END + 1), np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert chosen(scores, 1e-320, rng) == chosen(scores, 0, None)


def test_tokens_are_drawn_by_their_weights() -> None:
    """At temperature 2 scores of ln 4 and 0 are 2 to 1; at 0 the first of the largest is taken."""
    scores = np.full(END + 1, -np.inf)
    scores[65], scores[66] = np.log(4), 0.0
    rng = np.random.default_rng(1)
    drawn = [chosen(scores, 2.0, rng) for _ in range(3_000)]
    assert set(drawn) == {65, 66}
    assert drawn.count(65) == pytest.approx(2_000, abs=90)
    scores[66] = scores[65]
    assert chosen(scores, 0.0, rng) == 65


def refused(call: Coroutine[Any, Any, Any]) -> AppError:
    """Return the error of a call."""
    with pytest.raises(AppError) as caught:
        asyncio.run(call)
    return caught.value


def test_an_output_that_runs_out_of_room_fails_alone() -> None:
    """The other one, which has what it needs, ends well; what failed can be freed."""

    async def two(engine: TinyEngine) -> list[Any]:
        await asyncio.gather(engine.fill([1] * 6, 0), engine.fill([2] * 6, 1))
        calls = engine.generate(Sampling(100), 0), engine.generate(Sampling(3), 1)
        ended = await asyncio.gather(*calls, return_exceptions=True)
        await engine.free(0)
        await engine.free(1)
        return ended

    engine = TinyEngine(capacity=30)
    error, output = asyncio.run(two(engine))
    assert (error.code, len(output)) == (502, 3)
    assert "at most 30 in all" in str(error)
    assert (engine.contexts.held, len(engine.contexts)) == (0, 0)


def test_a_prompt_larger_than_the_engine_is_refused() -> None:
    """At once, and nothing is held."""
    engine = TinyEngine(capacity=10)
    assert refused(engine.fill([0] * 11, 0)).code == 502
    assert len(engine.contexts) == 0


def test_cancelled_callers_leave_nothing_that_hangs() -> None:
    """A fill goes on for its forks; an output ends; both can be freed; a free drops what was to be computed."""

    async def cancelled(engine: TinyEngine) -> None:
        fill = asyncio.create_task(engine.fill([3] * 300, 0))
        await asyncio.sleep(0)
        fork = asyncio.create_task(engine.fill([4], 1, 0))
        await asyncio.sleep(0)
        fill.cancel()
        assert await fork == 1
        output = asyncio.create_task(engine.generate(Sampling(1_000), 1))
        await asyncio.sleep(0.01)
        output.cancel()
        await asyncio.gather(output, return_exceptions=True)
        assert await engine.fill([5], 2, 1) == 1
        dropped = asyncio.create_task(engine.fill([6] * 10_000, 3))
        await asyncio.sleep(0)
        for id in (3, 2, 1, 0):
            await engine.free(id)
        assert [type(error) for error in await asyncio.gather(dropped, return_exceptions=True)] == [AppError]

    engine = TinyEngine()
    asyncio.run(asyncio.wait_for(cancelled(engine), 20))
    assert (engine.contexts.held, len(engine.contexts)) == (0, 0)


def test_a_fault_of_the_model_reaches_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody hangs, and the engine goes on with what was computed."""

    def broken(*_: object) -> None:
        monkeypatch.undo()
        raise FloatingPointError("planted")

    async def once(engine: TinyEngine) -> int:
        await engine.fill([1], 0)
        monkeypatch.setattr("teltheory.systems.apps.engines.tiny.forward", broken)
        with pytest.raises(FloatingPointError, match="planted"):
            await engine.generate(Sampling(2), 0)
        return await engine.fill([2], 1, 0)

    assert asyncio.run(asyncio.wait_for(once(TinyEngine()), 5)) == 1


@given(st.text("aé€😀\n\0", max_size=20))
def test_texts_come_back_from_their_tokens(text: str) -> None:
    """Bytes are tokens."""
    engine = TinyEngine
    assert engine.decode(engine, engine.encode(engine, text)) == text

"""Requests on engines: what is filled in, what is shared, what is freed, on asyncio and on SimPy."""

import asyncio
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest
import simpy
from counted import CountedEngine
from hypothesis import example, given, settings
from hypothesis import strategies as st
from refusals import refused

from teltheory.systems.apps import AppError, Port, Request, Sampling
from teltheory.systems.apps.engines import Kept, Until
from teltheory.systems.apps.engines.keeping import never
from teltheory.systems.apps.engines.tiny import TinyEngine
from teltheory.systems.apps.running import Ran, encoded, run, run_parts

Prompt = tuple[tuple[int, ...] | Sampling, ...]
PIECES = st.sampled_from([(1,), (2,), (1, 2), (2, 1, 1), (), Sampling(2), Sampling(0)])
BEGINNINGS = st.sampled_from([(1,), (2,), (1, 2), (1, 2, 1)])
PROMPTS = st.lists(st.tuples(BEGINNINGS, PIECES, PIECES, PIECES) | st.tuples(BEGINNINGS, PIECES), max_size=6)


def in_turn(prompts: Sequence[Prompt], kept: Kept) -> list[Ran]:
    """Run prompts one after another."""

    async def each() -> list[Ran]:
        return [await run_parts(prompt, kept) for prompt in prompts]

    return asyncio.run(each())


def at_the_same_time(prompts: Sequence[Prompt], kept: Kept) -> list[Any]:
    """Run prompts side by side on asyncio; what fails is returned."""

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(run_parts(prompt, kept) for prompt in prompts), return_exceptions=True)

    return asyncio.run(all_of_them())


def simulated(prompts: Sequence[Prompt], kept_on: Callable[[CountedEngine], Kept]) -> tuple[list[Ran], Kept]:
    """Run prompts side by side on SimPy, a second per token."""
    env = simpy.Environment()

    async def wait(tokens: int) -> None:
        await Until(env.timeout(tokens))

    kept = kept_on(CountedEngine(wait))
    processes = [env.process(run_parts(prompt, kept)) for prompt in prompts]
    env.run()
    return [process.value for process in processes], kept


def close(kept: Kept) -> None:
    """Close, and see that nothing is left."""
    asyncio.run(kept.close())
    assert (kept.held, kept.idle, kept.hashes) == (0, 0, frozenset())
    assert (kept.engine.contexts.held, len(kept.engine.contexts)) == (0, 0)


async def a_moment(tokens: int) -> None:
    """Let others go on."""
    await asyncio.sleep(0)


@given(PROMPTS)
@example([((1, 2), Sampling(2)), ((1,), (2,), Sampling(2), (1,)), ((1,), (2, 1))])
def test_what_is_filled_in_ends_beyond_the_furthest_known_border(prompts: list[Prompt]) -> None:
    """The judge keeps each border as the whole tuple of its tokens; what is generated from was made."""
    borders = set[tuple[int, ...]]()
    kept = Kept(CountedEngine())
    for prompt, ran in zip(prompts, in_turn(prompts, kept), strict=True):
        outputs, sofar, filled, since = iter(ran.outputs), (), 0, 0
        made, new = set[tuple[int, ...]](), set[tuple[int, ...]]()
        for piece in prompt:
            generated = isinstance(piece, Sampling)
            sofar += next(outputs) if generated else piece
            since, filled = (0, filled + since) if generated else (since + len(piece), filled)
            if generated:
                made, new = made | new, set()
            elif sofar in borders:
                since, new = 0, set()
            new.add(sofar)
        borders |= made | new
        assert ran.filled == filled + since
        assert ran.filled + ran.forked == sum(len(piece) for piece in prompt if not isinstance(piece, Sampling))
    assert kept.filled == kept.engine.contexts.filled
    assert kept.held == kept.engine.contexts.held
    close(kept)


@given(PROMPTS)
def test_sharing_changes_no_output(prompts: list[Prompt]) -> None:
    """Outputs are those of an engine for each prompt, on asyncio and on SimPy."""
    alone = [in_turn([prompt], Kept(CountedEngine()))[0].outputs for prompt in prompts]
    kept = Kept(CountedEngine(a_moment))
    assert [ran.outputs for ran in at_the_same_time(prompts, kept)] == alone
    close(kept)
    ran, kept = simulated(prompts, Kept)
    assert [one.outputs for one in ran] == alone
    for one, prompt in zip(ran, prompts, strict=True):
        assert one.filled + one.forked == sum(len(piece) for piece in prompt if not isinstance(piece, Sampling))
    close(kept)


def lines_for(name: str) -> Prompt:
    """Return the parts of a prompt with two outputs."""
    ports = [Port("name", False, "n"), Port("line", True, "l"), Port("more", True, "m")]
    prompt = "Lines for {{input:name}}: {{output:line}} and {{output:more}}"
    return encoded(Request.of(0, prompt, ports, sampling=Sampling(3)), {"name": name}, TinyEngine())


@cache
def run_alone(parts: Prompt) -> Any:
    """Return the outputs of a prompt on a new engine."""
    return in_turn([parts], Kept(TinyEngine()))[0].outputs


@settings(max_examples=10)
@given(st.lists(st.sampled_from(["ab", "ab ", "abc", "b"]), min_size=1, max_size=4))
def test_the_tiny_engine_fills_in_what_the_simulated_one_does(names: list[str]) -> None:
    """Same requests at the same time: the same tokens filled in and forked, and the outputs of flat runs."""
    parts, tiny = [lines_for(name) for name in names], Kept(TinyEngine())
    ran = at_the_same_time(parts, tiny)
    _, kept = simulated(parts, Kept)
    assert (tiny.filled, tiny.forked) == (kept.filled, kept.forked)
    assert tiny.filled == tiny.engine.contexts.filled == tiny.engine.computed - tiny.generated
    assert [one.outputs for one in ran] == [run_alone(part) for part in parts]
    close(tiny)


@given(PROMPTS, st.sets(st.integers(1, 12), max_size=3), st.booleans())
def test_failures_leave_no_context(prompts: list[Prompt], broken: set[int], keeps: bool) -> None:
    """Whatever call breaks, and whoever forked from it; the engine then serves as before."""
    kept = Kept(CountedEngine(a_moment, fails=broken.__contains__))
    kept.wanted = (lambda hash: True) if keeps else never
    for ran in at_the_same_time(prompts, kept):
        assert isinstance(ran, Ran | AppError)
    if not keeps:
        assert (kept.held, len(kept.engine.contexts)) == (0, 0)
    assert kept.held == kept.engine.contexts.held
    close(kept)


@given(PROMPTS, st.integers(0, 6))
def test_cancelled_requests_leave_no_context(prompts: list[Prompt], moments: int) -> None:
    """At any moment."""
    kept = Kept(CountedEngine(a_moment))

    async def cancelled() -> None:
        tasks = [asyncio.create_task(run_parts(prompt, kept)) for prompt in prompts]
        for _ in range(moments):
            await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(cancelled())
    assert kept.held == kept.engine.contexts.held
    close(kept)


@given(PROMPTS, st.integers(8, 20))
def test_idle_contexts_make_room(prompts: list[Prompt], capacity: int) -> None:
    """One after another each prompt fits that fits an empty engine."""
    kept = Kept(CountedEngine(capacity=capacity))
    for prompt in prompts:
        most = sum(piece.max_tokens if isinstance(piece, Sampling) else len(piece) for piece in prompt)
        if most <= capacity:
            in_turn([prompt], kept)
        assert kept.held == kept.engine.contexts.held <= capacity
    close(kept)


def test_the_least_recent_idle_context_goes_first() -> None:
    """A prefix that was used again stays."""
    kept = Kept(CountedEngine(capacity=9))
    system, other, third = (1, 1, 1), (2, 2, 2), (3, 3, 3, 3)
    in_turn([(system,), (other,), (system,), (third,)], kept)
    assert kept.filled == 10
    assert kept.held == 7
    ran = in_turn([(system,), (other,)], kept)
    assert [one.filled for one in ran] == [0, 3]


def test_what_is_not_wanted_is_freed_with_what_is_above_it() -> None:
    """At the end of its request, or by a sweep."""
    in_turn([((1,), (2,), Sampling(2))], kept := Kept(CountedEngine(), wanted=never))
    assert kept.held == 0
    in_turn([((1,), (2,), Sampling(2))], kept := Kept(CountedEngine()))
    assert (kept.held, kept.idle) == (4, 1)
    kept.wanted = never
    asyncio.run(kept.sweep())
    assert (kept.held, len(kept.engine.contexts)) == (0, 0)


def test_a_prefix_that_is_still_filled_in_is_shared() -> None:
    """Sixteen requests at once fill a common prefix in once, and so on both clocks."""
    prompts = [((7,) * 100, (k,), Sampling(3)) for k in range(16)]
    kept = Kept(CountedEngine(a_moment))
    at_the_same_time(prompts, kept)
    assert kept.filled == simulated(prompts, Kept)[1].filled == 100 + 16


def test_a_part_that_failed_is_not_kept() -> None:
    """A request that comes again fills it in anew."""
    kept = Kept(CountedEngine(fails={2}.__contains__))
    refused(AppError, "planted", in_turn, [((1,), (2,), (3,))], kept)
    assert (len(kept.hashes), kept.held, kept.idle) == (1, 1, 1)
    assert [(ran.filled, ran.forked) for ran in in_turn([((1,), (2,), (3,))], kept)] == [(2, 1)]
    close(kept)


def test_a_hash_that_collides_shares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hit is one of tokens."""

    def all_alike(parts: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
        return tuple((0, sum(map(len, parts[: k + 1]))) for k in range(len(parts)))

    monkeypatch.setattr("teltheory.systems.apps.running.prefix_hashes", all_alike)
    kept = Kept(CountedEngine())
    ran = in_turn([((1, 2),), ((1, 3),), ((1, 2),), ((2, 1, 2),)], kept)
    assert [one.filled for one in ran] == [2, 2, 0, 3]
    close(kept)


def test_values_are_tokens_and_no_placeholders() -> None:
    """What looks like a placeholder in a value is text; two outputs see what was filled in between."""
    ports = [Port("task", False, "t"), Port("code", True, "c"), Port("test", True, "e")]
    request = Request.of(0, "do {{input:task}}: {{output:code}} then {{output:test}}", ports, sampling=Sampling(2))
    kept = Kept(CountedEngine())
    ran = asyncio.run(run(request, {"task": "{{output:x}}"}, kept))
    code, test = (kept.engine.decode(output) for output in ran.outputs)
    whole = f"do {{{{output:x}}}}: {code} then {test}".encode()
    assert ran.filled == len(whole) - 4
    assert max((kept.engine.contexts[k].tokens for k in range(6)), key=len) == list(whole)


def test_an_output_of_nothing_says_so() -> None:
    """An engine has nothing to go on with."""
    request = Request.of(0, "{{input:a}}{{output:b}}", [Port("a", False, "a"), Port("b", True, "b")])
    kept = Kept(CountedEngine())
    refused(AppError, "context 0", lambda: asyncio.run(run(request, {"a": ""}, kept)))
    close(kept)

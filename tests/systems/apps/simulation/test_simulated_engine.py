"""The simulated engine: against a plain loop, what it reads, what it counts."""

from dataclasses import replace

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st
from systems.apps.simulation.plain_loop import Plain, run_plain

from teltheory.errors import ArgumentError
from teltheory.systems.apps.engines.protocol import Until
from teltheory.systems.apps.requests import Sampling
from teltheory.systems.apps.simulation.engine import SimulatedEngine
from teltheory.systems.apps.simulation.timing import A6000, LLAMA_7B, LLAMA_13B, READS, IterationTiming

COUNTS = st.integers(1, 400)
REQUESTS = st.lists(st.tuples(st.floats(0, 3), st.integers(1, 3000), st.integers(1, 60)), min_size=1, max_size=12)


@given(COUNTS, COUNTS, COUNTS, st.integers(0, 100_000))
def test_steps_add_up_and_are_told_by_their_time(a, b, batch, read):
    """Law: a + b steps are a steps and then b with longer contexts; the steps until their end are themselves."""
    whole = LLAMA_13B.steps(a + b, batch, read)
    assert whole == pytest.approx(LLAMA_13B.steps(a, batch, read) + LLAMA_13B.steps(b, batch, read + a * batch))
    seconds = LLAMA_13B.steps(a, batch, read)
    assert LLAMA_13B.steps_until(seconds * (1 - 1e-9), batch, read) == a
    assert LLAMA_13B.steps_until(seconds * (1 + 1e-9), batch, read) == a + 1


def test_the_numbers_of_a_step_and_a_fill():
    """By hand, from A100_DECODE, A100_LLAMA2_7B_PREFILL and the fitted numbers."""
    assert LLAMA_7B.steps(1, 4, 1000) == pytest.approx(9.178e-3 + 4 * 2.829e-5 + 1000 * 3.711e-7 + 5e-3 + 4 * 3e-4)
    gpu = 1000 * 6.435331e-5 + 1000 * 1000 * 1.777672e-9 + 4.049011e-3
    assert LLAMA_13B.fill([(1000, 0)]) == pytest.approx(1.94 * gpu + 5e-3)
    assert LLAMA_13B.fill([(400, 600)]) < LLAMA_13B.fill([(1000, 0)])
    later = LLAMA_7B.fill([(400, 600)]) - LLAMA_7B.fill([(400, 0)])
    assert later == pytest.approx(2 * 400 * 600 * 1.777672e-9)
    assert replace(LLAMA_7B, scale=A6000).speed == pytest.approx(768 / 1935)


def test_what_a_step_reads():
    assert [replace(LLAMA_7B, reads=reads).read(100, 40) for reads in READS] == [
        140,
        100 + 40 * LLAMA_7B.repeated,
        100,
    ]
    with pytest.raises(ArgumentError, match="reads: found 'some', expected one of all, paged, kernel"):
        IterationTiming(reads="some")


@given(REQUESTS, st.sampled_from([LLAMA_7B, LLAMA_13B]), st.sampled_from([1000, 8000]))
def test_a_plain_loop_agrees_request_by_request(rows, timing, most):
    env = simpy.Environment()
    engine = SimulatedEngine(env, "e", timing, 10**6, 10**6, most_filled=most)
    ends = {}

    async def one(id, arrival, prompt, answer):
        await Until(env.timeout(arrival))
        process = env.active_process
        await engine.fill([1] * prompt, id)
        await engine.generate(Sampling(answer), id)
        ends[id] = engine.first_tokens[process], env.now

    for id, row in enumerate(rows):
        env.process(one(id, *row))
    env.run()
    plain = [Plain(*row) for row in rows]
    run_plain(plain, timing, most)
    for id, judge in enumerate(plain):
        assert ends[id] == pytest.approx((judge.first, judge.end), abs=1e-7)
    assert engine.contexts.filled == sum(prompt for _, prompt, _ in rows)
    assert engine.contexts.generated == sum(answer for _, _, answer in rows)
    assert engine.busy <= env.now + 1e-9


@pytest.mark.parametrize(("reads", "tokens"), [("all", 3 * 1300), ("paged", 1900 + 0.35 * 2000), ("kernel", 1900)])
def test_three_forks_read_what_they_share_as_the_kernel_does(reads, tokens):
    env, timing = simpy.Environment(), replace(LLAMA_7B, reads=reads)
    engine = SimulatedEngine(env, "e", timing, 10_000, 10_000)
    filled = []

    async def fork(id):
        await engine.fill([1] * 300, id, 0)
        filled.append(env.now)
        await engine.generate(Sampling(20), id)

    env.process(engine.fill([1] * 1000, 0))
    for id in (1, 2, 3):
        env.process(fork(id))
    env.run()
    assert filled == [pytest.approx(timing.fill([(1000, 0), *[(300, 1000)] * 3]))] * 3
    assert env.now - filled[0] == pytest.approx(timing.steps(20, 3, tokens))


def test_an_answer_joins_others_at_the_end_of_a_step():
    """The second one is asked for in the middle of the first one's second step."""
    env = simpy.Environment()
    engine = SimulatedEngine(env, "e", LLAMA_7B, 10_000, 10_000)
    times = {}

    async def first():
        await engine.fill([1] * 100, 0)
        await engine.generate(Sampling(50), 1, 0)
        times["first"] = env.now

    async def second():
        await Until(env.timeout(LLAMA_7B.fill([(100, 0)]) + 1.5 * LLAMA_7B.steps(1, 1, 100)))
        await engine.generate(Sampling(10), 2, 0)
        times["second"] = env.now

    env.process(first())
    env.process(second())
    env.run()
    began = LLAMA_7B.fill([(100, 0)]) + LLAMA_7B.steps(2, 1, 100)
    assert times["second"] == pytest.approx(began + LLAMA_7B.steps(10, 2, 100 + 2))
    assert times["first"] == pytest.approx(times["second"] + LLAMA_7B.steps(38, 1, 100 + 12))


def test_an_answer_waits_for_what_its_parent_still_fills_in():
    env = simpy.Environment()
    engine = SimulatedEngine(env, "e", LLAMA_7B, 10_000, 10_000)
    env.process(engine.fill([1] * 1000, 0))
    env.process(engine.generate(Sampling(10), 1, 0))
    env.run()
    assert env.now == pytest.approx(LLAMA_7B.alone(1000, 10))


def test_answers_are_texts_that_no_other_answer_has():
    env = simpy.Environment()
    engine = SimulatedEngine(env, "e", LLAMA_7B, 10_000, 10_000)
    answers = []

    async def one(id):
        await engine.fill(engine.encode("a prompt"), id)
        answers.append(engine.decode(await engine.generate(Sampling(5), id)))
        await engine.free(id)

    env.process(one(1))
    env.process(one(2))
    env.run()
    assert len(set(answers)) == 2
    assert {len(answer) for answer in answers} == {5}
    assert all(len(set(answer)) == 1 for answer in answers)
    assert len(engine.contexts) == 0

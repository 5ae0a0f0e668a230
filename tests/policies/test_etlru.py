"""ET-LRU against a judge that goes token by token, T-LRU and LRU; the kernel against the reference."""

import math
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from policies.token_by_token import token_by_token
from replay.instances import Case, by_both_engines, cases, examples

import teltheory as tt
from teltheory.policies import Conversation
from teltheory.policies.learned.next_event import next_event
from teltheory.policies.learned.posterior import bayes_posterior
from teltheory.policies.learned.scores import STEEPEST, log_bayes_rate, steps_of
from teltheory.workloads import ConversationModel, sample_conversations
from teltheory.workloads.laws import Empirical, Finite, LogNormal, fixed

mp.dps = 60
HALF_LIFE = math.log(2)
"""A death rate at which the paper's beliefs are powers of two, one a second."""
LAWS = (
    fixed(0),
    fixed(2),
    Finite((1, 3), (Fraction(4, 7), Fraction(3, 7))),
    Finite((0, 2, 9), (Fraction(2, 11), Fraction(4, 11), Fraction(5, 11))),
)
WHOLE_SECONDS = st.integers(0, 5)
RATES = (1.0, 3.0, 13.0)


@st.composite
def instances(draw, times=WHOLE_SECONDS):
    """A case with times, a rate for each conversation or one, and a law for each or one."""
    case = draw(cases())
    gaps = draw(st.lists(times, min_size=len(case.prompt), max_size=len(case.prompt)))
    codes = len({*case.conversation, *(entry[0] for entry in case.initial)})
    rates = draw(st.lists(st.sampled_from(RATES), min_size=max(codes, 1), max_size=max(codes, 1)))
    laws = draw(st.lists(st.sampled_from(LAWS), min_size=max(codes, 1), max_size=max(codes, 1)))
    return case, list(accumulate(gaps)), rates, laws


def replayed(case: Case, times, policy, engine="reference"):
    trace = tt.Trace.from_turns(case.conversation, case.prompt, case.response, times, case.history)
    return tt.replay(trace, policy, case.capacity, case.forced, case.initial, engine).cached.tolist()


@given(instances())
@examples(120)
def test_paper_beliefs_token_by_token_in_fractions(drawn):
    case, times, rates, laws = drawn
    exact = token_by_token(
        case,
        times,
        lambda code, silence: Fraction(rates[code]) / 2**silence,
        lambda code, length, _: laws[code].exactly_at_least(length),
    )
    assert replayed(case, times, tt.ETLRU(case.xi, laws, HALF_LIFE, rates)) == exact


@given(instances())
@examples(100)
def test_posteriors_token_by_token_in_sixty_digits(drawn):
    case, times, rates, laws = drawn
    mu = mpf(0.25)

    def worth(code, silence):
        rate = mpf(rates[code])
        return rate * (mu + rate) / (rate + mu * mp.exp((mu + rate) * silence))

    def survival(code, length, _):
        tail = laws[code].exactly_at_least(length)
        return mpf(tail.numerator) / tail.denominator

    exact = token_by_token(case, times, worth, survival)
    assert replayed(case, times, tt.ETLRU(case.xi, laws, 0.25, rates, belief="bayes")) == exact


@given(instances())
@examples(100)
def test_the_learnt_law_token_by_token(drawn):
    case, times, rates, _ = drawn
    started = {entry[0] for entry in case.initial}
    seen, after = [], []
    for conversation, prompt in zip(case.conversation, case.prompt, strict=True):
        seen += [prompt] if conversation in started else []
        started.add(conversation)
        after.append(list(seen))

    def survival(_, length, turn):
        known = after[turn] or [0]
        return mpf(sum(q >= length for q in known)) / len(known)

    exact = token_by_token(case, times, lambda code, silence: mp.exp(-mpf(0.3) * silence), survival)
    assert replayed(case, times, tt.ETLRU(case.xi, "learnt", 0.3, rates[0])) == exact


@given(case=cases(), data=st.data())
@examples(60)
def test_with_homogeneous_rates_and_a_fixed_prompt_it_is_t_lru(case, data):
    times = list(accumulate(data.draw(st.lists(st.sampled_from([0, 0.3, 7]), min_size=9, max_size=9))))
    times = times[: len(case.prompt)]
    same = replayed(case, times, tt.TLRU(case.xi, case.q_hat, "least-recent"))
    for belief in ("paper", "bayes", "next-event"):
        policy = tt.ETLRU(case.xi, fixed(case.q_hat), 0.1, 0.4, 0.2, belief)
        assert replayed(case, times, policy) == same
    policy = tt.ETLRU(case.xi, fixed(case.q_hat), 0.1, 0.4)
    assert replayed(case, times, policy, "kernel") == same


@given(case=cases(), data=st.data())
@examples(30)
def test_without_a_threshold_and_with_homogeneous_rates_it_is_lru(case, data):
    times = list(accumulate(data.draw(st.lists(st.sampled_from([0, 0.3, 7]), min_size=9, max_size=9))))
    times = times[: len(case.prompt)]
    for law in (LAWS[2], LogNormal(3.0), "learnt"):
        for engine in ("reference", "kernel"):
            assert replayed(case, times, tt.ETLRU(0, law, 0.1, 0.4), engine) == replayed(case, times, tt.LRU())


@given(instances(st.sampled_from([0.0, 0.1, 2.5, 1e4])), st.sampled_from(["paper", "bayes"]), st.data())
@examples(120)
def test_the_kernel_is_the_reference(drawn, belief, data):
    case, times, rates, laws = drawn
    laws = [data.draw(st.sampled_from([law, LogNormal(3.0, 0.8), Empirical.of([0, 1, 1, 4, 6])])) for law in laws]
    for prompts in (laws, laws[0], "learnt"):
        for turn_rate in (rates, rates[0]):
            policy = tt.ETLRU(case.xi, prompts, 0.05, turn_rate, belief=belief)
            assert replayed(case, times, policy, "kernel") == replayed(case, times, policy), policy


def test_thresholds_beyond_every_length():
    trace = tt.Trace.from_turns([0, 1, 2, 0], [4, 3, 3, 1], [1, 0, 2, 0], [0.0, 1.0, 1.5, 2.0])
    for xi in (0, 10, 2**62, 2**63 - 1):
        for rates in (0.2, (0.2, 0.3, 0.1)):
            for prompts in (fixed(2), [fixed(1), fixed(3), Finite((1, 2**40), (Fraction(1, 2),) * 2)], "learnt"):
                policy = tt.ETLRU(xi, prompts, 0.1, rates)
                by_both_engines(trace, policy, 7)


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("belief", ["paper", "bayes"])
def test_the_kernel_is_the_reference_on_a_sample(belief, forced):
    model = ConversationModel(
        birth_rate=0.1, death_rate=0.01, turn_rate=0.02, mean_prompt=20.0, mean_response=30.0
    )
    trace = sample_conversations(model, 250, np.random.default_rng(3))
    rates = np.random.default_rng(4).choice([0.01, 0.02, 0.05], trace.conversations)
    laws = [LogNormal(20.0) if i % 2 else fixed(30) for i in range(trace.conversations)]
    lru = tt.replay(trace, tt.LRU(), 1200, forced)
    for prompts in (fixed(20), Finite((5, 40), (Fraction(2, 3), Fraction(1, 3))), LogNormal(20.0), laws, "learnt"):
        policy = tt.ETLRU(60, prompts, 0.01, rates, belief=belief)
        assert by_both_engines(trace, policy, 1200, forced) != lru


def test_the_next_event_decides_by_the_probability_of_arriving_next():
    silences, rates = np.array([0.0, 3.0]), np.array([1.0, 0.2])
    trace = tt.Trace.from_turns([0, 1, 1], [4, 4, 0], [0, 0, 0], [2.0, 5.0, 5.0])
    likely, _ = next_event(bayes_posterior(silences[::-1], 0.1, rates), rates, 0.1, 0.3)
    gone = int(np.argmin(likely))
    policy = tt.ETLRU(0, fixed(1), 0.1, tuple(rates), 0.3, "next-event")
    conversations = [Conversation(0, 4, 4, None, 0, 0), Conversation(1, 4, 4, None, 1, 1)]
    bound = policy.bound_to(tt.model.instance.Instance.of(trace, 6))
    bound(1).cut(conversations, 2)
    assert [c.cached for c in conversations] == [4 - 2 * (gone == i) for i in range(2)]


def test_the_exempt_conversation_is_a_rival_of_the_others(monkeypatch):
    asked = []

    def noted(alive, rates, mu, births):
        asked.append((alive.tolist(), rates.tolist(), mu, births))
        return next_event(alive, rates, mu, births)

    monkeypatch.setattr("teltheory.policies.learned.etlru.next_event", noted)
    trace = tt.Trace.from_turns([0, 1, 1], [4, 2, 0], [0, 0, 0], [2.0, 5.0, 5.0])
    policy = tt.ETLRU(0, fixed(1), 0.1, (1.0, 0.2), 0.3, "next-event")
    tt.replay(trace, policy, 5, forced=True)
    alive = float(bayes_posterior(np.array([3.0]), 0.1, np.array([1.0]))[0])
    assert asked == [([alive, 1.0], [1.0, 0.2], 0.1, 0.3)]


@given(
    st.sampled_from([fixed(3), LAWS[2], LAWS[3], LogNormal(4.0, 0.7), Empirical.of([0, 2, 2, 5])]),
    st.integers(0, 12),
    st.integers(1, 20),
    st.data(),
)
@examples(150)
def test_steps_are_the_logarithm_of_the_survival(law, xi, longest, data):
    steps = steps_of(law, xi, longest)
    d = data.draw(st.integers(xi - longest + 1, xi))
    tail = float(law.at_least(np.array([max(d, 0)]))[0])
    assert math.exp(steps.at(d)) == pytest.approx(tail, abs=1e-15)


@given(st.floats(1e-4, 10), st.floats(1e-4, 10), st.floats(0, 1e5))
@examples(200)
def test_the_logarithm_of_the_posterior(rate, mu, silence):
    exact = mp.log(mpf(rate) * (mpf(mu) + mpf(rate)) / (rate + mu * mp.exp((mpf(mu) + mpf(rate)) * mpf(silence))))
    assert log_bayes_rate(rate, mu, silence) == pytest.approx(float(exact), rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("death_rate", [0.001, 20.0])
def test_the_kernel_is_the_reference_where_exponents_become_too_large_to_raise(death_rate):
    """Some conversations of a second have been silent for less than 600 / (lambda + mu), some for more."""
    rates, silence = np.random.default_rng(1).uniform(1.0, 1.2, 41), STEEPEST / (death_rate + 1.1)
    arrival = np.concatenate((np.linspace(0.0, silence / 8, 40), np.full(41, 17 * silence / 16)))
    policy = tt.ETLRU(0, LAWS[2], death_rate, rates, belief="bayes")
    for coming in range(5, 200, 5):
        trace = tt.Trace.from_turns([*range(41), *range(40)], [5] * 40 + [coming] + [0] * 40, [0] * 81, arrival)
        by_both_engines(trace, policy, 200)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"xi": -1}, "xi: found -1"),
        ({"prompts": 3}, "prompts: found 3, expected a law"),
        ({"prompts": [fixed(1), 3]}, "expected a law, one for each conversation, or 'learnt'"),
        ({"death_rate": 0}, "death_rate: found 0, expected a finite number above 0"),
        ({"turn_rate": [1.0, -2.0]}, r"turn_rate\[1\]: found -2.0"),
        ({"turn_rate": "much"}, "turn_rate: found 'much'"),
        ({"belief": "hope"}, "belief: found 'hope', expected one of paper, bayes, next-event"),
        ({"belief": "next-event"}, "birth_rate: found None"),
    ],
)
def test_wrong_arguments(changes, message):
    arguments = {"xi": 1, "prompts": fixed(1), "death_rate": 0.1, "turn_rate": 0.2, **changes}
    with pytest.raises(tt.ArgumentError, match=message):
        tt.ETLRU(**arguments)


@pytest.mark.parametrize("engine", ["reference", "kernel"])
def test_what_a_replay_refuses(engine):
    timed = tt.Trace.from_turns([0, 1], [1, 1], [0, 0], [0.0, 1.0])
    untimed = tt.Trace.from_turns([0, 1], [1, 1], [0, 0])
    with pytest.raises(tt.ArgumentError, match="trace: found 'no arrival times', expected arrival times"):
        tt.replay(untimed, tt.ETLRU(0, fixed(1), 0.1, 0.2), 1, engine=engine)
    with pytest.raises(tt.ArgumentError, match=r"turn_rate: found \[0.2\], expected 2 rates, one a conversation"):
        tt.replay(timed, tt.ETLRU(0, fixed(1), 0.1, [0.2]), 1, engine=engine)
    with pytest.raises(tt.ArgumentError, match=r"prompts: found .*, expected 2 laws, one a conversation"):
        tt.replay(timed, tt.ETLRU(0, [fixed(1)], 0.1, 0.2), 1, engine=engine)


def test_the_kernel_leaves_the_next_event_to_the_reference():
    trace = tt.Trace.from_turns([0], [1], [0], [0.0])
    with pytest.raises(tt.ArgumentError, match="engine: found 'kernel', expected 'reference' for ETLRU"):
        tt.replay(trace, tt.ETLRU(0, fixed(1), 0.1, 0.2, 0.3, "next-event"), 1, engine="kernel")

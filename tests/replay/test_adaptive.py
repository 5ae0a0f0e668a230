"""T-LRU with an adaptive threshold: against a judge that goes block by block, and by its laws."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil, floor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusals, refused
from replay.block_by_block import Judge
from replay.instances import TRIMS, Case, by_both_engines, cases, examples, fewer, seeded

import teltheory as tt
from teltheory.policies import AdaptiveTLRU

SHARES = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(4, 5), Fraction(1), Fraction(5, 2)])
LEVELS = st.sampled_from([Fraction(1, 100), Fraction(1, 2), Fraction(2, 3), Fraction(19, 20), Fraction(1)])
MARGINS = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1)])


@st.composite
def adaptive(draw: st.DrawFn, xi: int, q_hat: int) -> AdaptiveTLRU:
    return AdaptiveTLRU(
        xi,
        q_hat,
        draw(LEVELS),
        draw(SHARES),
        window=draw(st.integers(1, 5)),
        every=draw(st.integers(1, 4)),
        hysteresis=draw(MARGINS),
        trim=draw(st.sampled_from(TRIMS)),
    )


@st.composite
def drawn_cases(draw: st.DrawFn, **limits: object) -> tuple[Case, AdaptiveTLRU]:
    case = draw(cases(turns=(1, 12), **limits))
    return case, draw(adaptive(case.xi, case.q_hat))


class AdaptiveJudge(Judge):
    """The judge of `TLRU`, which it is given anew before each cut; what turns computed is counted from totals."""

    def __init__(self, case: Case, policy: AdaptiveTLRU) -> None:
        super().__init__(case, tt.TLRU(policy.xi, policy.q_hat, policy.trim))
        self.rules = policy

    def _cut(self, k: int, arriving: int) -> None:
        self.policy = tt.TLRU(self._threshold(k), self.rules.q_hat, self.rules.trim)
        super()._cut(k, arriving)

    def _threshold(self, k: int) -> int:
        now, rules = self.policy.xi, self.rules
        seen = [h + q - x for h, q, x in zip(self.histories, self.case.prompt, self.reused, strict=False)]
        turns = len(seen)
        if turns < rules.window or (turns - rules.window) % rules.every:
            return now
        last = sorted(seen[turns - rules.window : turns])
        wanted = floor(rules.share * last[ceil(rules.quantile * len(last)) - 1])
        return now if abs(wanted - now) <= rules.hysteresis * max(wanted, now) else wanted


def judged(case: Case, policy: AdaptiveTLRU) -> list[int]:
    return AdaptiveJudge(case, policy).reuses()


@given(drawn_cases())
@examples(1000)
def test_the_reference_against_a_judge_that_goes_block_by_block(drawn):
    case, policy = drawn
    assert case.replay(policy).cached.tolist() == judged(case, policy)


def seeded_policies(seed: int, case: Case) -> list[AdaptiveTLRU]:
    rng = np.random.default_rng(seed)
    plain = AdaptiveTLRU(case.xi, case.q_hat, Fraction(4, 5), Fraction(9, 10), 4, 3, Fraction(0))
    window, every = (int(rng.integers(1, 9)) for _ in range(2))
    return [replace(plain, window=window, every=every, trim=trim) for trim in TRIMS]


def test_longer_traces_agree_too():
    """Traces on which thresholds change often, with what is left of conversations that were cut many times."""
    changed = 0
    for i, case in enumerate(
        seeded(fewer(400, 20), 31, turns=(60, 90), conversations=5, length=30, feasible=True)
    ):
        for policy in seeded_policies(i, case):
            fast = case.replay(policy, "kernel")
            assert fast == case.replay(policy), (case, policy)
            changed += fast != case.replay(policy.at(policy.xi), "kernel")
    assert changed > 0


def test_lengths_and_thresholds_near_2_62():
    unit = 3 * 2**58
    trace = tt.Trace.from_turns([0, 1, 0, 2, 1, 0], [unit, unit - 1, 1, unit, 0, 3], [0, 1, unit, 2, unit, 0])
    for trim in TRIMS:
        policy = AdaptiveTLRU(unit, unit // 2, Fraction(1), Fraction(5, 4), 2, 1, Fraction(0), trim)
        for capacity in (0, unit - 1, unit, 2 * unit + 1, 5 * unit):
            by_both_engines(trace, policy, capacity)
        for engine in ("reference", "kernel"):
            refused(
                tt.ArgumentError,
                "xi: found ",
                partial(tt.replay, trace, replace(policy, share=Fraction(10**30)), unit, engine=engine),
            )


@given(drawn_cases())
@examples(300)
def test_a_threshold_that_never_changes_is_tlru(drawn):
    case, policy = drawn
    fixed = case.replay(policy.at(case.xi))
    assert case.replay(replace(policy, window=len(case.prompt) + 1)) == fixed
    assert case.replay(replace(policy, hysteresis=Fraction(1))) == fixed


@given(drawn_cases(), st.integers(0, 12))
@examples(300)
def test_decisions_depend_on_the_past_alone(drawn, turns):
    case, policy = drawn
    part = slice(0, min(turns, len(case.prompt)))
    history = case.history and case.history[part]
    columns = {"conversation": case.conversation, "prompt": case.prompt, "response": case.response}
    short = replace(case, **{name: column[part] for name, column in columns.items()}, history=history)
    for engine in ("reference", "kernel"):
        whole = case.replay(policy, engine).cached.tolist()
        assert short.replay(policy, engine).cached.tolist() == whole[part]


def test_thresholds_by_hand():
    policy = AdaptiveTLRU(10, 0, Fraction(1, 2), Fraction(2, 3), window=3, every=2, hysteresis=Fraction(1, 4))
    observe = policy.observing()
    seen = [9, 1, 12, 100, 15, 19, 100, 100, 100]
    assert [observe(uncached).xi for uncached in seen] == [10, 10, 6, 6, 10, 10, 10, 10, 66]


def test_the_defaults_by_hand():
    """Four fifths of P95 of the last 500 turns, every 100 turns, if it is a twentieth away (docs/adaptive.md)."""
    observe = AdaptiveTLRU(10, 0).observing()
    seen = [*range(1, 601), *[605] * 100, *[607] * 100]
    # P95 is 475, 575, 605 and 607: 4/5 of it 380, 460, 484 (24 from 460, within 484 / 20) and 485 (25 from it)
    assert [observe(uncached).xi for uncached in seen] == [10] * 499 + [380] * 100 + [460] * 200 + [485]


test_wrong_parameters_are_named = refusals(
    tt.ArgumentError,
    ("xi: found ", lambda: replace(tt.policies.AdaptiveTLRU(1, 1), xi=-1)),
    ("q_hat: found ", lambda: replace(tt.policies.AdaptiveTLRU(1, 1), q_hat=1.5)),
    ("quantile: found ", lambda: replace(tt.policies.AdaptiveTLRU(1, 1), quantile=Fraction(0))),
    ("quantile: found ", lambda: replace(tt.policies.AdaptiveTLRU(1, 1), quantile=Fraction(21, 20))),
    ("quantile: found ", lambda: replace(tt.policies.AdaptiveTLRU(1, 1), quantile=0.95)),
    ("share: found ", lambda: replace(tt.policies.AdaptiveTLRU(1, 1), share=Fraction(-1, 2))),
    ("hysteresis: found ", lambda: replace(tt.policies.AdaptiveTLRU(1, 1), hysteresis=-1)),
    ("window: found ", lambda: replace(tt.policies.AdaptiveTLRU(1, 1), window=0)),
    ("every: found ", lambda: replace(tt.policies.AdaptiveTLRU(1, 1), every=0)),
    ("trim: found ", lambda: replace(tt.policies.AdaptiveTLRU(1, 1), trim="none")),
)

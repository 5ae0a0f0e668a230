"""What is held after each turn, against the block-by-block judge and a figure of the paper."""

from hypothesis import given
from hypothesis import strategies as st
from replay.block_by_block import Judge
from replay.instances import POLICY_NAMES, Case, assume_feasible, cases, policies

import teltheory as tt
from teltheory.replay.chains.reference import replay_reference
from teltheory.replay.chains.states import served_turns


class Watched(Judge):
    """The judge, and what it holds after each of its cuts: conversation, past, cached, least recent first."""

    def __init__(self, case: Case, policy: object) -> None:
        super().__init__(case, policy)
        self.seen: list[list[tuple[int, int, int]]] = []

    def _cut(self, k: int, arriving: int) -> None:
        super()._cut(k, arriving)
        self.seen.append([(c, self.past[c], self.held[c]) for c in self.recency])


def codes_of(case: Case) -> dict[int, int]:
    trace = case.trace
    codes = dict(zip(trace.code.tolist(), case.conversation, strict=True))
    return codes | {s.code: c for s, (c, _, _) in zip(case.instance.initial, case.initial, strict=True)}


@given(case=cases(), name=st.sampled_from(POLICY_NAMES))
def test_states_are_the_judge_s(case: Case, name: str) -> None:
    assume_feasible(case)
    policy, codes = policies(case)[name], codes_of(case)
    judge = Watched(case, policy)
    judge.reuses()
    turns = list(served_turns(case.instance, policy))
    found = [[(codes[h.code], h.past, h.cached) for h in turn.held] for turn in turns]
    assert found[:-1] == judge.seen


@given(case=cases(), name=st.sampled_from(POLICY_NAMES))
def test_turns_are_those_of_the_replay(case: Case, name: str) -> None:
    assume_feasible(case)
    policy = policies(case)[name]
    turns, outcome = list(served_turns(case.instance, policy)), replay_reference(case.instance, policy)
    assert [turn.reused for turn in turns] == outcome.cached.tolist()
    assert [turn.uncached for turn in turns] == outcome.uncached.tolist()
    assert [turn.turn for turn in turns] == list(range(len(turns)))
    optional = turns[:-1] if case.forced else turns
    assert all(sum(h.cached for h in turn.held) <= case.capacity for turn in optional)


def test_figure_2() -> None:
    case = Case((0, 1, 0), (100, 100, 100), (0, 0, 0), None, capacity=100, xi=160, q_hat=100)
    turns = list(served_turns(case.instance, tt.TLRU(160, 100)))
    assert [[(h.past, h.cached) for h in turn.held] for turn in turns] == [
        [(100, 100)],
        [(100, 50), (100, 50)],
        [(100, 0), (200, 100)],
    ]
    assert [(turn.history, turn.total, turn.reused) for turn in turns] == [
        (0, 100, 0),
        (0, 100, 0),
        (100, 200, 50),
    ]

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from teltheory.belief.layout import Layout

CAPS = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


def every(caps, capacity):
    return [kept for kept in product(*(range(cap + 1) for cap in caps)) if sum(kept) <= capacity]


@given(CAPS, st.integers(3, 6))
def test_states_decisions_and_what_leads_from_one_to_another(caps, capacity):
    layout = Layout(caps, capacity)
    states, decisions = every(caps[:-1], capacity), every(caps, capacity)
    assert [tuple(state) for state in layout.states.tolist()] == states
    assert [tuple(kept) for kept in layout.decisions.tolist()] == decisions
    for i, state in enumerate(states):
        row = decisions[layout.first[i] : layout.first[i + 1]]
        assert row == [kept for kept in decisions if kept[:-1] == state]
    for i in range(len(caps)):
        fewer = every(caps[:i] + caps[i + 1 :], capacity)
        assert [fewer[k] for k in layout.without[i]] == [kept[:i] + kept[i + 1 :] for kept in decisions]
    for i in range(len(caps) - 1):
        less = [(*state[:i], max(state[i] - 1, 0), *state[i + 1 :]) for state in states]
        assert [states[k] for k in layout.less[i]] == less


@given(CAPS, st.integers(3, 6))
def test_pairs_are_counted(caps, capacity):
    layout = Layout(caps, capacity)
    found = {False: 0, True: 0}
    for state in every(caps[:-1], capacity):
        for kept in every((*state, caps[-1]), capacity):
            found[False] += 1
            found[True] += kept[-1] == caps[-1]
    assert {forced: layout.pairs(forced) for forced in found} == found

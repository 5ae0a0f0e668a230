"""What runs T-LRU, on larger traces than its rows have: against the reference replay, turn by turn."""

from hypothesis import given
from hypothesis import strategies as st

from proofs_checks.tail_optimized.engines import (
    CalledAgain,
    Server,
    caches_after,
    excesses_of,
    excesses_replayed,
    held,
    replayed,
    reused_in_engine,
)
from teltheory.claims.case import Case, World
from teltheory.policies import TLRU

LENGTHS = st.integers(0, 9)
TURNS = st.lists(st.tuples(st.integers(0, 4), LENGTHS, LENGTHS), min_size=1, max_size=12)


@st.composite
def cases(draw, forced):
    world = World(tuple(draw(TURNS)))
    least = world.forced_capacity() if forced else 0
    return Case(world, draw(st.integers(least, least + 30)), draw(LENGTHS) * 2, draw(LENGTHS), forced)


@given(cases(forced=False))
def test_the_engine_that_lets_the_oldest_mark_go_first_trims_least_recent_first(case):
    assert reused_in_engine(case) == case.reuses(TLRU(case.xi, case.q_hat, "least-recent"))


@given(cases(forced=False), st.booleans())
def test_an_engine_reuses_no_more_than_there_is_and_fits(case, latest_first):
    history = (case.instance.total - [q for _, q, _ in case.world.turns]).tolist()
    reused = reused_in_engine(case, latest_first=latest_first)
    assert all(0 <= x <= min(h, case.capacity) for x, h in zip(reused, history, strict=True))


@given(cases(forced=True), st.sampled_from(["round-robin", "least-recent"]))
def test_the_server_leaves_what_the_reference_replay_leaves(case, trim):
    assert caches_after(case, rounds=trim == "round-robin") == replayed(trim)(case, {})


@given(cases(forced=True))
def test_the_servers_excesses_are_those_of_the_reference_replay(case):
    once, again = excesses_replayed(case, {}).values()
    assert (excesses_of(case, None), excesses_of(case, 1)) == (once, again)


@given(cases(forced=True), st.integers(1, 9))
def test_calls_of_any_size_leave_what_one_call_leaves_where_whole_surpluses_go(case, most):
    assert Server(case, rounds=False, most=most).serve() == Server(case, rounds=False, most=None).serve()


@given(cases(forced=True))
def test_a_server_that_is_called_again_is_a_policy(case):
    policy = TLRU(case.xi, case.q_hat, "least-recent")
    assert held(case, CalledAgain(policy)) == held(case, policy)

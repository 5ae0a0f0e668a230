"""`tt.compare`: rows beside replays by hand, ties of what is the same, and what is blank or not sure."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from sweep.noting import some_trace
from sweep.test_forest_sweeps import SIZE, some_forest

import teltheory as tt
from teltheory.cost.standing import LEAST_CLUSTERS, Standing
from teltheory.errors import ArgumentError
from teltheory.model.clusters import cluster_of, clustered
from teltheory.sweep import compared_jobs, jobs

POLICIES = ["lru", "tlru", "2q", "belady", "tail-optimized-belady"]
FOREST = some_forest(400, 11)
MINE = """
from dataclasses import dataclass, replace
from teltheory import LeastRecentlyUsed

@dataclass(frozen=True)
class Mine(LeastRecentlyUsed):
    pass
"""


def chats(conversations=60, turns=300, seed=5):
    rng = np.random.default_rng(seed)
    conversation = rng.integers(0, conversations, turns)
    return tt.Trace.from_turns(conversation, rng.integers(1, 40, turns), rng.integers(0, 40, turns))


@dataclass(frozen=True)
class Picky:
    """It cuts conversations itself, which has no meaning where blocks are shared."""

    def cut(self, conversations, overflow):
        for conversation in conversations:
            gone = min(conversation.cached, max(overflow, 0))
            conversation.cached -= gone
            overflow -= gone


@pytest.mark.parametrize(
    ("requests", "cache"), [(chats(), "conversations"), (FOREST, "strict"), (FOREST, "holes")]
)
def test_a_row_is_what_a_replay_by_hand_and_the_optimum_say(requests, cache):
    board = tt.compare(requests, POLICIES, [9, 20], xi=[2, 3], caches=[cache])
    assert [(row.capacity // row.unit, row.xi // row.unit, row.policy) for row in board.rows] == [
        (capacity, xi, policy) for capacity in (9, 20) for xi in (2, 3) for policy in POLICIES
    ]
    inner = "strict" if cache == "conversations" else cache
    for row in board.rows:
        problem = tt.Problem(requests, row.capacity // row.unit, row.xi // row.unit, cache=inner)
        outcome, lru = problem.replay(row.policy), problem.replay("lru")
        best, tel = problem.optimum(), problem.tel(outcome)
        prefilled, computed = outcome.in_tokens().prefilled, lru.in_tokens().prefilled
        assert (row.tel, row.lru, row.prefilled) == (tel, problem.tel(lru), prefilled)
        assert row.price == pytest.approx(prefilled / computed - 1)
        assert row.lower == best.lower <= row.upper <= min(best.upper, tel)
        assert row.regret == (tel - row.upper, tel - row.lower)
        assert row.gain == pytest.approx(1 - tel / row.lru)
        assert row.group == ("clairvoyant" if "belady" in row.policy else "online")


@pytest.mark.parametrize("rules", ["vllm", "trtllm", "sglang:chunk=33", tt.Rules.of("sglang:split=yes")])
def test_a_row_under_rules_is_what_their_problem_says(rules):
    board = tt.compare(
        FOREST, ["lru", "tlru:q_hat=20", "tlru:mark=high-water", "belady"], [9, 20], xi=[2], rules=rules
    )
    assert {row.cache for row in board.rows} == {str(rules)}
    nodes, blank = tt.Rules.of(rules).nodes, tt.Rules.of(rules).mark is not None
    for row in board.rows:
        problem = tt.Problem(FOREST, row.capacity // row.unit, 2, rules=rules)
        if row.policy == "tlru:mark=high-water":
            assert (row.blank is not None) == blank
            continue
        below = problem.with_(rules=None, forced=True, cache="holes") if nodes else problem
        assert row.tel == problem.tel(problem.replay(row.policy))
        assert row.lower == below.optimum().lower <= row.upper <= row.tel
        least = min(one.tel for one in board.rows if one.capacity == row.capacity and one.blank is None)
        assert not nodes or row.upper == least > row.lower
    notes = " ".join(board.as_dict()["notes"])
    assert ("of whole nodes no optimum is known" in notes, "caching is forced" in notes) == (
        nodes is not None,
        True,
    )


def test_regret_and_share_are_intervals_where_the_optimum_has_two_sides():
    boards = (tt.compare(some_forest(60, seed), ["lru", "belady"], [4], xi=[1]) for seed in range(60))
    row = next(board.rows[1] for board in boards if board.rows[1].lower < board.rows[1].upper < board.rows[1].lru)
    assert row.regret == (row.tel - row.upper, row.tel - row.lower)
    shares = [(row.lru - row.tel) / (row.lru - side) for side in (row.lower, row.upper)]
    assert row.share_closed == pytest.approx(tuple(sorted(shares)))
    assert shares[0] != shares[1]


@pytest.mark.parametrize(
    ("requests", "cache", "workers"),
    [
        (chats(), "conversations", 1),
        (FOREST, "strict", 1),
        (FOREST, "holes", 1),
        pytest.param(FOREST, "holes", 2, marks=pytest.mark.long),
    ],
)
def test_lru_under_another_name_is_tied_with_lru(tmp_path, requests, cache, workers):
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    own = f"{file}:Mine"
    board = tt.compare(requests, ["lru", "tlru", own], [9], xi=[2], caches=[cache], workers=workers)
    lru, _, mine = board.rows
    assert (mine.gain, mine.gain_interval, mine.rank) == (0, (0, 0), lru.rank)
    assert own in lru.tied
    assert "lru" in mine.tied
    assert lru.clusters >= LEAST_CLUSTERS


def test_ranks_count_policies_of_the_group_that_are_proved_worse():
    short = "threshold-lru:cutoff=90"
    board = tt.compare(chats(), ["lru", "belady", short, "end-aware"], [900, 3000], xi=[20, 100])
    for at in range(0, len(board.rows), 4):
        lru, belady, other, ends = board.rows[at : at + 4]
        for pair in (lru, other), (belady, ends):
            assert sum(row.rank for row in pair) + sum(len(row.tied) for row in pair) / 2 == 1
            better, worse = sorted(pair, key=lambda row: row.tel)
            assert (worse.rank, better.beaten_by) == (0, 0)
            assert (better.rank, better.tied) == (worse.beaten_by, (worse.policy,) * (1 - better.rank))
            assert (better.rank == 0) == (worse.policy in better.tied)
            assert all(row.gain_interval[0] <= row.gain <= row.gain_interval[1] for row in pair)
        assert other.proved == ("lru" not in other.tied)
    assert {row.rank for row in board.rows} == {0, 1}


def test_draws_are_paired():
    noise = np.random.default_rng(1).pareto(1.2, 200) * 1000
    standing = Standing([noise + 1, noise, noise[::-1]])
    difference = standing.above(0, 1)
    assert (difference.low, difference.high) == pytest.approx((200, 200))
    assert standing.among(1, (0, 2)) == ([0], [], [2])
    assert standing.among(0, (1, 2)) == ([], [1], [2])


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=30, max_size=60))
def test_nobody_is_better_and_worse_than_another(pairs):
    standing = Standing([list(one) for one in zip(*pairs, strict=True)])
    one, other = standing.among(0, (1,)), standing.among(1, (0,))
    assert sorted(map(len, one)) == [0, 0, 1]
    assert [[0] * len(some) for some in one] == [[0] * len(other[k]) for k in (1, 0, 2)]


def test_below_30_clusters_there_is_no_interval_and_it_is_said():
    board = tt.compare({"few": some_trace()}, ["lru", "tlru"], [9], xi=[5])
    assert {(row.gain_interval, row.rank, row.tied) for row in board.rows} == {(None, None, ())}
    number = some_trace().conversations
    assert board.as_dict()["notes"] == [
        f"few, conversations: no intervals and ranks: {number} conversations, fewer than 30."
    ]


def test_what_has_no_meaning_for_a_cache_is_blank_with_its_reason():
    board = tt.compare(chats(), ["lru", Picky()], [900], xi=[20], caches=["conversations", "strict"])
    assert [row.tel is None for row in board.rows] == [False, False, False, True]
    assert "a forest is replayed by those alone" in board.rows[3].blank
    assert [note for note in board.as_dict()["notes"] if "Picky() is blank" in note]
    shared = tt.compare(FOREST, ["lru"], [9], xi=[2], caches=["conversations"]).rows
    assert [(row.tel, row.blank) for row in shared] == [(None, "a forest has no private conversations")]


def test_what_a_store_has_is_not_computed_again(tmp_path, monkeypatch):
    asked = (FOREST, POLICIES, [9, 20])
    first = tt.compare(*asked, xi=[2], store=tmp_path / "s")

    def fail(*_, **__):
        raise AssertionError

    monkeypatch.setattr(jobs, "replay", fail)
    monkeypatch.setattr(compared_jobs, "hindsight_optimum", fail)
    assert tt.compare(*asked, xi=[2], store=tmp_path / "s") == first
    with pytest.raises(AssertionError):
        tt.compare(*asked, xi=[3], store=tmp_path / "s")


def test_conversations_are_clusters_of_a_forest_if_no_two_of_them_share_a_prefix():
    trace = tt.Trace.from_turns([0, 1, 0, 2], [1, 1, 1, 1], [0, 0, 0, 0], range(4))
    for paths, called in (([[1], [2], [1], [3]], "conversation"), ([[1], [2], [1], [2]], "root prefix")):
        forest = trace.with_blocks(tt.Forest.from_paths(paths)).forest
        assert clustered(forest)[1] == called
        assert clustered(replace(forest, cluster=np.array([0, 0, 1, 1])))[1] == "session"


def test_clusters_of_a_forest_are_what_is_below_the_system_prompt():
    paths = [[0], *([0, 1 + k % 7, 10 + k] for k in range(70))]
    found, name = clustered(tt.Forest.from_paths(paths))
    assert (name, len(set(cluster_of(found).tolist()))) == ("root prefix", 8)
    again, name = clustered(chats().forest)
    assert (name, cluster_of(again).tolist()) == ("conversation", chats().code.tolist())


def test_text_is_in_tokens_and_numbers_in_the_unit_of_the_requests():
    one, other = (
        tt.compare(FOREST, ["lru"], [size], xi=[xi]) for size, xi in ((9, 2), (f"{9 * SIZE}", f"{2 * SIZE}"))
    )
    assert one == other
    assert (one.rows[0].capacity, one.rows[0].unit) == (9 * SIZE, SIZE)
    seconds = tt.compare(FOREST, ["lru"], [9], ["2s"]).rows[0]
    assert seconds.xi == tt.A100_LLAMA2_7B.threshold(2)


REFUSED = [
    ({"capacities": []}, "capacities"),
    ({"xi": []}, "slo"),
    ({"caches": ["radix"]}, "rules: found 'radix', expected strict, holes"),
    ({"rules": ["sgl"]}, "rules: found 'sgl'"),
    (
        {"rules": "vllm", "traces": chats()},
        "rules: found 'vllm', expected a Forest with them, as trace has private",
    ),
    ({"policies": ["lru:rules=holes"]}, "beside it"),
    ({"policies": []}, "policies"),
    ({"policies": "lru"}, "a list of them"),
    ({"caches": "strict"}, "a list of them"),
    ({"slo": "2s"}, "a list of them"),
    ({"slo": [2]}, "a time with its unit"),
    ({"traces": "trace.jsonl"}, "a Trace, such as read_trace"),
    ({"traces": {"none": None}}, "a Trace or a Forest"),
    ({"traces": {}}, "a Trace or a Forest, or several by name"),
    ({"traces": tt.ModuleTrace.from_requests([[0]], [1])}, "a Trace or a Forest, or several by name"),
]


@pytest.mark.parametrize(("change", "told"), REFUSED)
def test_what_is_asked_wrongly_is_refused(change, told):
    asked = {"traces": FOREST, "policies": ["lru"], "capacities": [9], "xi": [2]} | change
    refused(ArgumentError, told, lambda: tt.compare(**asked))


def test_what_is_asked_twice_has_one_row():
    assert len(tt.compare(FOREST, ["lru", "lru"], [9, 9], xi=[2, 2], caches=["strict", "strict"]).rows) == 1


def test_the_interval_of_a_gain_is_of_shares_in_draws_and_never_above_all():
    rng = np.random.default_rng(4)
    lru, policy = rng.pareto(1.5, 60) * 100, rng.random(60)
    drawn = np.random.default_rng(9).integers(0, 60, (4000, 60))
    shares = 1 - policy[drawn].sum(axis=1) / lru[drawn].sum(axis=1)
    gain = Standing([policy, lru]).gain(0, 1)
    assert gain.value == pytest.approx(1 - policy.sum() / lru.sum())
    assert (gain.low, gain.high) == pytest.approx(np.quantile(shares, [0.025, 0.975]), abs=0.005)
    assert gain.high <= 1
    assert Standing([policy, 0 * lru]).gain(0, 1).value == 0

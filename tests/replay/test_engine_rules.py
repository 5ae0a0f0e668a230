"""Rules of engines: their text, and that replays under them are the engines' own, and those of options by hand."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusals
from strategies import forests

import teltheory as tt
from experiments.engine_cases import hits_of, pool_cases, tree_cases
from experiments.sglang_policies import UNTOLD
from teltheory.policies.online import SLOTLRU
from teltheory.replay.engine_rules import NAMED

VECTORS = json.loads((Path(__file__).parent / "vectors" / "engines.json").read_text())["cases"]
NODES = st.builds(tt.RadixNodes, st.none() | st.integers(1, 9000), *3 * [st.booleans()])
LAST = {"mark": st.sampled_from([None, "high-water", "resident", "last"])}
LAST |= {"trim": st.sampled_from([None, "least-recent", "eager"])}
FLAGS = dict.fromkeys(("orphans", "references", "tail"), st.booleans())
RULES = st.builds(tt.Rules, nodes=NODES, references=st.just(True), **LAST) | st.builds(tt.Rules, **FLAGS, **LAST)
RULES |= st.builds(tt.Rules, references=st.booleans(), priorities=st.booleans(), **LAST)
FOREST = tt.Forest.from_paths([[1, 2], [3], [1, 2, 4]])
TRACE = tt.Trace.from_turns([0, 0], [2, 2], [1, 1])
TLRU = tt.TLRU(2, 1)
REAL = {
    ("vllm", tt.LRU()): [12_204, 15_799, 40_640],
    ("sglang", tt.LRU()): [12_204, 15_780, 40_441],
    ("sglang:chunk=none", tt.TLRU(54, 23)): [12_471, 16_208, 38_992],
}


def under_rules(case, engine):
    """What the requests of an engine's case hit under its rules; a tail is input behind the full blocks."""
    paths, running = case["paths"], case.get("running", 1)
    if case["engine"] == "vllm":
        forest = tt.Forest.from_paths(paths, total=[len(path) + case.get("tail", 1) for path in paths])
        rules = "vllm"
    else:
        forest, renew = tt.Forest.from_paths(paths, case.get("ask")), "yes" if case.get("renew", True) else "no"
        rules = f"sglang:chunk={case.get('chunk') or 'none'}:renew={renew}"
    told = case.get("config") or {}
    policy = tt.TLRU(told["threshold"], told["next_prompt_estimate"]) if told else UNTOLD[case["policy"]]
    options = {"running": running, "engine": engine, "rules": rules}
    return tt.replay(forest, policy, case["capacity"], **options).cached.tolist()


@given(RULES | st.sampled_from([*NAMED.values()]))
def test_the_text_of_rules_is_read_as_the_same_rules(rules):
    assert tt.Rules.of(str(rules)) == rules
    assert hash(tt.Rules.of(str(rules))) == hash(rules)
    assert eval(repr(rules), {"Rules": tt.Rules, "RadixNodes": tt.RadixNodes}) == rules  # noqa: S307
    assert {str(one): one for one in NAMED.values()} == NAMED


@pytest.mark.parametrize("engine", ["reference", "kernel"])
def test_under_its_rules_requests_hit_what_the_real_engine_hit(engine):
    differ = [case for case in VECTORS if under_rules(case, engine) != case["hits"]]
    assert not differ, f"{len(differ)} of {len(VECTORS)} differ, first {differ[:1]}"


@pytest.mark.parametrize(("rules", "policy"), REAL)
def test_the_mooncake_trace_hits_what_it_hit_in_the_real_engines(mooncake_trace, rules, policy):
    forest = mooncake_trace.forest
    found = [tt.replay(forest, policy, size, rules=rules) for size in (586, 1953, 5859)]
    assert [outcome.cached.sum() for outcome in found] == REAL[rules, policy]


@given(st.integers(0, 10**6), st.sampled_from(["lru", "slru", "tlru"]))
def test_under_its_rules_requests_hit_what_the_judged_replay_hits(seed, policy):
    for case in (*pool_cases(seed, 3), *tree_cases(seed, 3, policy, "python")):
        assert under_rules(case, "auto") == hits_of(case)


@pytest.mark.parametrize(
    ("rules", "paths", "tail", "capacity", "policy", "hits"),
    [
        ("vllm", [[1, 2, 3], [1], [4, 5, 6], [1]], 1, 5, TLRU, [0, 1, 0, 0]),
        ("vllm:orphans=no", [[1, 2, 3], [1], [4, 5, 6], [1]], 1, 5, TLRU, [0, 1, 0, 1]),
        ("vllm", [[1], [2], [1, 3]], 0, 2, tt.LRU(), [0, 0, 1]),
        ("sglang", [[1, 2, 3], [4, 5], [1, 2, 3]], 0, 4, tt.TLRU(1, 0), [0, 0, 0]),
        ("sglang:split=yes", [[1, 2, 3], [4, 5], [1, 2, 3]], 0, 4, tt.TLRU(1, 0), [0, 0, 2]),
        ("sglang", [[1, 2], [3], [1], [4], [3]], 0, 3, tt.LRU(), [0, 0, 1, 0, 0]),
        ("sglang:renew=no", [[1, 2], [3], [1], [4], [3]], 0, 3, tt.LRU(), [0, 0, 1, 0, 1]),
    ],
)
def test_small_cases_tell_rules_apart(rules, paths, tail, capacity, policy, hits):
    forest = tt.Forest.from_paths(paths, total=[len(path) + tail for path in paths])
    assert tt.replay(forest, policy, capacity, rules=rules).cached.tolist() == hits


EITHER = forests() | forests().map(lambda forest: replace(forest, total=forest.ask))


@given(EITHER, st.data(), st.integers(0, 6), st.integers(0, 3), st.integers(1, 3))
def test_rules_are_the_options_by_hand(forest, data, xi, q_hat, running):
    room = sum(sorted(forest.past.tolist())[-running:]) + running + data.draw(st.integers(0, 9))
    own, nodes, rules = tt.TLRU(xi, q_hat), data.draw(NODES), tt.Rules.of("sglang")
    seen = replace(forest, ask=forest.ask - ((forest.ask > 0) & (forest.ask == forest.total)))
    tails, pool = running * bool((forest.inputs > forest.ask).any()), {"cache": "holes"}
    pinned, last, resident = {"running": running}, replace(own, mark="last"), replace(own, mark="resident")
    by_hand = [
        (None, {}, tt.replay(forest, own, room)),
        ("strict", {}, tt.replay(forest, own, room)),
        ("holes", {}, tt.replay(forest, own, room, **pool)),
        ("trtllm", pinned, tt.replay(forest, own, room, True, **pinned)),
        ("vllm", pinned, tt.replay(seen, last, room - tails, True, **pool, **pinned)),
        (replace(rules, nodes=nodes), pinned, tt.replay(forest, resident, room, cache=nodes, **pinned)),
    ]
    for rules, options, expected in by_hand:
        found = tt.replay(forest, own, room, rules=rules, **options)
        assert found.cached.tolist() == expected.cached.tolist()


@given(forests(), st.integers(0, 9), st.integers(0, 6))
def test_the_optimum_under_rules_is_below_every_policy_there(forest, room, xi):
    capacity = int(forest.past.max(initial=0)) + room + 1
    for rules in ("vllm", "trtllm", "holes"):
        problem = tt.Problem(forest, capacity, xi, rules=rules)
        for policy in (tt.LRU(), tt.TLRU(xi, 1), tt.Belady()):
            low, high = problem.regret(policy)
            assert low <= high >= 0
            assert problem.replay(policy) == tt.replay(forest, policy, capacity, rules=rules)


def test_an_engine_marks_and_trims_what_policies_leave_out():
    sglang, vllm = tt.Rules.of("sglang"), tt.Rules.of("vllm")
    assert sglang.policy(TLRU) == tt.TLRU(2, 1, "least-recent", "resident")
    assert vllm.policy(tt.EndAwareTLRU(2, 1)) == tt.EndAwareTLRU(2, 1, "least-recent", "last")
    assert sglang.policy(tt.LengthAwareTLRU(2)).mark == "next"
    slo = sglang.policy(SLOTLRU(tt.A100_LLAMA2_7B, 1, 2))
    assert (slo.mark, slo) == ("resident", SLOTLRU(tt.A100_LLAMA2_7B, 1, 2, "least-recent"))
    assert tt.Rules.of("trtllm").policy(TLRU) is TLRU


def under(rules, policy=TLRU, capacity=5, requests=FOREST, **options):
    return lambda: tt.replay(requests, policy, capacity, rules=rules, **options)


LAST_MARK, TIERS = tt.TLRU(2, 1, None, "last"), tt.Tiers((5, 5), (0, 0))
test_what_has_no_meaning_is_one_line = refusals(
    tt.ArgumentError,
    ("rules: found 5, expected strict", under(5)),
    ("rules: found 'vllm:chunk=2k', expected orphans, ", under("vllm:chunk=2k")),
    ("rules: found 'sglang:split=maybe', expected split=yes or no", under("sglang:split=maybe")),
    ("rules: found 'vllm:mark=first', expected mark=none or high", under("vllm:mark=first")),
    ("mark: found 'last', expected resident", under("sglang", LAST_MARK)),
    ("trim: found 'eager', expected least-recent", under("vllm", tt.TLRU(2, 1, "eager"))),
    ("cache: found 'holes', expected none beside the rules sglang", under("sglang", cache="holes")),
    ("rules: found 'vllm', expected a Forest", under("vllm", requests=TRACE)),
    ("rules: found 'vllm', expected one cache", under("vllm", capacity=TIERS)),
    ("tail: found True, expected False where whole", lambda: tt.Rules(tt.RadixNodes(), False, True, True)),
    ("references: found False, expected True", lambda: tt.Rules(tt.RadixNodes())),
    ("nodes: found 3, expected RadixNodes", lambda: tt.Rules(3)),
    ("orphans: found 2, expected True or False", lambda: tt.Rules(orphans=2)),
    ("mark: found 'next', expected one of high-water", lambda: tt.Rules(mark="next")),
    ("rules: found 'sglang', expected blocks", lambda: tt.Problem(FOREST, 5, 1, rules="sglang").optimum()),
    ("rules: found .*, expected None, as a curve", lambda: tt.Problem(FOREST, 5, 1, rules="vllm").curve("lru")),
)

"""Reference and compiled loops agree, request by request, on three real traces."""

import csv

import numpy as np
import pytest
from replay.instances import by_both_engines, fewer

import teltheory as tt
from teltheory.policies import FIFO, GDSF, LFU, PGDSF, S3FIFO, SLRU, TTL, Priority, TwoQ

TRACES = ("mooncake_conversation.jsonl", "claude_code_sessions", "wildchat_turn_lengths.csv")
TIMES = tt.Times(None, rate=0.1)
LENGTHS = ("prompt_tokens", "response_tokens")


@pytest.fixture(scope="module", params=TRACES)
def forest(request, shared):
    """Return the first requests of a trace's forest, in blocks of which paths have a dozen."""
    path = shared(request.param)
    if request.param.startswith("mooncake"):
        trace = request.getfixturevalue("mooncake_trace")
    else:
        trace = wildchat(path) if request.param.startswith("wildchat") else tt.read_trace(path, times=TIMES)
    forest = trace[: fewer(3000, 75)].forest
    return forest.to_blocks(forest.block_size * max(1, int(np.median(forest.past)) // 12))


def wildchat(path):
    """Return the conversations of the file of lengths, all first turns before all second ones, in tokens."""
    with path.open() as file:
        rows = sorted(csv.DictReader(file), key=lambda row: int(row["turn"]))
    past, history = dict.fromkeys((row["conversation_hash"] for row in rows), 0), []
    for row in rows:
        name, whole = row["conversation_hash"], int(row["prompt_tokens"])
        history.append(min(past[name], whole))
        past[name] = whole + int(row["response_tokens"])
    names, whole, response = ([row[column] for row in rows] for column in ("conversation_hash", *LENGTHS))
    prompt = np.array(whole, np.int64) - history
    return tt.Trace.from_turns(names, prompt, np.array(response, np.int64), history=history)


def test_engines_agree_on_a_real_trace(forest):
    xi, q_hat = int(np.quantile(forest.total, 0.9)), 2
    policies = [
        tt.LRU(),
        tt.EndAwareTLRU(xi, q_hat),
        tt.LengthAwareTLRU(xi),
        tt.Belady(),
        tt.TailOptimizedBelady(xi),
        *(tt.TLRU(xi, q_hat, mark=mark) for mark in ("high-water", "resident", "last")),
    ]
    remembering = [FIFO(), LFU(), SLRU(), GDSF(), TwoQ(), S3FIFO()]
    remembering += [PGDSF(range(forest.nodes)), Priority([k % 3 for k in range(len(forest))])]
    remembering += [] if forest.arrival is None else [TTL(30)]
    longest = int(forest.past.max())
    trees = tt.RadixNodes(4 * forest.block_size), tt.RadixNodes(split=True)
    for capacity, forced in ((forest.peak // 20, False), (longest + 8, True)):
        pairs = [(policy, cache) for policy in (*policies, *remembering) for cache in ("strict", "holes")]
        if forced:
            pairs += [(policy, cache) for policy in (*policies, *remembering[:3]) for cache in trees]
        for policy, cache in pairs:
            by_both_engines(forest, policy, capacity, forced, cache=cache)


def test_the_curve_of_a_real_trace_is_what_replays_say(forest):
    xi = int(np.quantile(forest.total, 0.9))
    tlrus = (tt.TLRU(xi, 2, trim) for trim in ("least-recent", "eager"))
    for policy in (tt.LRU(), *tlrus, tt.ThresholdLRU(xi)):
        curve = tt.capacity_curve(forest, policy)
        assert curve.one_pass
        for capacity in (0, 3, forest.peak // 50, forest.peak // 8, forest.peak // 2, forest.peak):
            assert curve.outcome(capacity) == tt.replay(forest, policy, capacity)

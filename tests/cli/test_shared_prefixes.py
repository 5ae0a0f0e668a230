"""Commands on a trace with block hashes: what its requests share is replayed, and `--chains` leaves it aside."""

import json

import pytest

import teltheory as tt
from teltheory.policies.spec import CLAIRVOYANT, ONLINE

SIZE = 512
POLICIES = (*ONLINE, *CLAIRVOYANT)
ASKED = ("--capacity", "2000,4100", "--xi", "600,1100")


@pytest.fixture
def first_line(output):
    """A call of the command line that returns the first line of what it prints."""
    return lambda *arguments: output(*arguments).splitlines()[0]


def test_totals_are_those_of_replays_by_hand(run_json, shared_file):
    forest = tt.read_trace(shared_file).forest
    assert len(forest) == 8
    data = run_json("replay", shared_file, *ASKED, "--policy", "lru,tlru:q_hat=700,belady")
    made = {
        "lru": lambda xi: tt.LRU(),
        "tlru:q_hat=700": lambda xi: tt.TLRU(xi // SIZE, 2),
        "belady": lambda xi: tt.Belady(),
    }
    assert len(data["rows"]) == 2 * 2 * 3
    for row in data["rows"]:
        outcome = tt.replay(forest, made[row["policy"]](row["xi"]), row["capacity"] // SIZE)
        spent = outcome.in_tokens()
        assert row["tel"] == tt.tail_excess_latency(outcome, row["xi"] // SIZE)
        assert row["violations"] == tt.slo_violations(spent, row["xi"])
        assert (row["prefilled"], row["reused"]) == (spent.prefilled, SIZE * outcome.cached.sum())
        assert row["written"] == SIZE * outcome.written.sum()
        assert row["hit_rate"] == float(outcome.hit_rate)
        assert row["p95"] == tt.ttft_quantiles(spent, [0.95], tt.A100_LLAMA2_7B)[0]
        best = tt.hindsight_optimum(forest, row["capacity"] // SIZE, row["xi"] // SIZE, cache="holes").objective
        assert (row["optimum"], row["regret"]) == (best, row["tel"] - best)
        closed = (row["lru"] - row["tel"]) / (row["lru"] - best) if row["lru"] > best else None
        assert row["share_closed"] == closed
    facts = {name: data[name] for name in ("reading", "block_size", "blocks", "rules", "running")}
    assert facts == {
        "reading": "shared prefixes",
        "block_size": SIZE,
        "blocks": forest.peak,
        "rules": "strict",
        "running": 1,
    }


def test_chains_are_the_private_conversations_of_before(run_json, shared_file):
    trace = tt.read_trace(shared_file)
    data = run_json("replay", shared_file, *ASKED, "--chains", "--q-hat", 700)
    assert [row["policy"] for row in data["rows"]][: len(POLICIES)] == list(POLICIES)
    assert data["trim"] == "round-robin"
    assert (data["reading"], data["block_size"], data["rules"]) == ("private conversations", None, None)
    for row in data["rows"]:
        best = tt.hindsight_optimum(trace, row["capacity"], row["xi"]).objective
        assert row["optimum"] == best
        if row["policy"] == "tlru":
            outcome = tt.replay(trace, tt.TLRU(row["xi"], 700), row["capacity"])
            assert row["tel"] == tt.tail_excess_latency(outcome, row["xi"])
            assert row["written"] == (trace.past - outcome.cached).sum()


def test_the_first_line_says_how_the_trace_is_read(first_line, shared_file, trace_file):
    assert first_line("replay", shared_file, *ASKED) == (
        "Shared prefixes: 8 requests, 10 different blocks of 512 tokens."
    )
    larger = first_line("replay", shared_file, *ASKED, "--block-size", 1024)
    assert larger.endswith(" 5 different blocks of 1,024 tokens.")
    aside = "what requests share by their block hashes is left aside."
    for command in (("replay", "--chains"), ("optimum", "--chains"), ("optimum", "--goal", "slo")):
        line = first_line(*command, shared_file, *ASKED)
        assert line.startswith("Private conversations: 8 turns, ")
        assert line.endswith(aside)
    assert first_line("replay", trace_file, *ASKED) == "Private conversations: 3 turns, 2 conversations."


def test_tables_say_their_units_and_which_optimum_it_is(output, shared_file):
    printed = output("replay", shared_file, "--capacity", "4100", "--slo", "44ms")
    text = " ".join(printed.split())
    assert "Capacity 4,100 tokens = 8 blocks, threshold 44ms = 613 tokens = 1 blocks" in printed
    assert "TEL blocks" in printed
    assert "TEL is in blocks. All else is exact in tokens" in text
    assert "no cache has less. Optional caching. Rules: strict." in text
    assert "Trim = least-recent where a policy has none of its own, as requests share prefixes." in text
    header, _ = [line for line in printed.splitlines() if "P50 s" in line]
    assert {"written", "regret", "closed"} <= set(header.split())
    named = [line.split()[0] for line in printed.splitlines() if line.strip()]
    assert [name for name in named if name in POLICIES] == list(POLICIES)


MODES = {
    ("--rules", "holes"): {"cache": "holes"},
    ("--rules", "vllm"): {"rules": "vllm"},
    ("--rules", "sglang:chunk=1500"): {"cache": tt.RadixNodes(1500)},
    ("--rules", "sglang:split=yes", "--running", "2"): {"cache": tt.RadixNodes(8192, True), "running": 2},
    ("--forced",): {"forced": True},
    ("--forced", "--running", "2"): {"forced": True, "running": 2},
}


@pytest.mark.parametrize("flags", MODES, ids=str)
def test_the_cache_and_the_mode_reach_the_replay(run_json, shared_file, flags):
    forest = tt.read_trace(shared_file).forest
    asked = ("--capacity", "5200", "--xi", 600, "--policy", "tail-optimized-belady")
    (row,) = run_json("replay", shared_file, *asked, *flags)["rows"]
    outcome = tt.replay(forest, tt.TailOptimizedBelady(1), 10, **MODES[flags])
    assert (row["tel"], row["reused"]) == (tt.tail_excess_latency(outcome, 1), SIZE * outcome.cached.sum())


def test_a_policy_may_have_rules_and_a_mark_of_its_own(run_json, shared_file):
    texts = ["belady", "belady:rules=holes", "tlru:xi=44ms,mark=last,rules=holes"]
    rows = run_json("replay", shared_file, "--capacity", 2000, "--xi", 600, "--policy", ",".join(texts))["rows"]
    assert [row["policy"] for row in rows] == texts
    forest = tt.read_trace(shared_file).forest
    replays = [(tt.Belady(), "strict"), (tt.Belady(), "holes"), (tt.TLRU(1, 2, mark="last"), "holes")]
    for row, (policy, cache) in zip(rows, replays, strict=True):
        assert row["reused"] == SIZE * tt.replay(forest, policy, 3, cache=cache).cached.sum()


def test_defaults_are_those_of_the_forest(run_json, shared_file):
    data = run_json("replay", shared_file)
    forest = tt.read_trace(shared_file).forest
    most = SIZE * forest.peak
    assert f"5, 20 and 50 % of the {most:,} tokens" in " ".join(data["notes"])
    sizes = sorted({row["capacity"] for row in data["rows"]})
    assert [abs(size - most * share / 100) <= size / 10 for size, share in zip(sizes, (5, 20, 50), strict=True)]
    spent = tt.replay(forest, tt.LRU(), sizes[1] // SIZE).in_tokens()
    xi = max(row["xi"] for row in data["rows"])
    assert tt.slo_violations(spent, xi) == 0
    new = [int(i) - SIZE * int(k) for i, k in zip(forest.inputs, forest.known, strict=True) if k]
    assert data["q_hat"] == -(-sum(new) // len(new))


WRONG = [
    ("replay --without head", "--without: found 'head', expected system-prompt, tools or tokens such as"),
    ("replay --chains --without tools", "--without: found 'tools', expected none with --chains"),
    ("curve --rules holes --chains", "--rules: found 'holes', expected none with --chains"),
    ("curve --capacity 9k --rules vllm", "rules: found 'vllm', expected strict, holes or sglang, as a curve"),
    ("replay --rules warm", "rules: found 'warm', expected strict, holes, vllm"),
    ("replay --policy lru:rules=warm", "rules: found 'warm', expected strict, holes, vllm"),
    ("replay --rules sglang:chunk=x", "chunk: found 'x', expected tokens such as"),
    ("replay --capacity 9k --rules vllm --policy tlru:mark=resident", "mark: found 'resident', expected last"),
    ("replay --capacity 9k --rules sglang:chunk=300", "chunk: found 300, expected at least 512 tokens, a block"),
    ("replay --running 2", "--running: found 2, expected --forced with it"),
    ("replay --chains --rules holes", "--rules: found 'holes', expected none with --chains"),
    ("replay --chains --block-size 512", "--block-size: found 512, expected none with --chains"),
    ("replay --chains --policy lru:rules=holes", "rules: found 'holes', expected a Forest with it"),
    ("replay --block-size 300", "block_size: found 300, expected a multiple or a whole part of 512 tokens"),
    ("replay --forced --capacity 1k", "shared.jsonl, turn 0: forced caching must keep a past of length 3"),
]


@pytest.mark.parametrize(("arguments", "told"), WRONG, ids=lambda value: value[:40])
def test_what_does_not_go_together_is_one_line(refused, shared_file, arguments, told):
    command, *flags = arguments.split()
    assert told in refused(command, shared_file, *flags)


def test_a_trace_that_shares_nothing_has_no_cache_of_blocks(refused, trace_file):
    for command in ("replay", "curve", "advise --slo 1s"):
        name, *options = command.split()
        told = refused(name, trace_file, "--rules", "sglang", *options)
        assert "--rules: found 'sglang', expected a trace with block hashes" in told


def test_curves_are_replays_at_every_capacity(run_json, shared_file, tmp_path):
    forest, figure = tt.read_trace(shared_file).forest, tmp_path / "curves.svg"
    asked = ("--capacity", "2000,4100", "--xi", 600, "--q-hat", 700, "--points", 4, "--figure", figure)
    data = run_json("curve", shared_file, *asked)
    made = {
        "lru": (tt.LRU(), "strict"),
        "threshold-lru": (tt.ThresholdLRU(2), "strict"),
        "tlru:trim=least-recent": (tt.TLRU(1, 2, "least-recent"), "strict"),
    }
    assert [row["policy"] for row in data["rows"][::2]] == [*made, "hindsight"]
    assert len(data["curve"]) == 4 * 4
    optima = [row for row in (*data["rows"], *data["curve"]) if row["policy"] == "hindsight"]
    for row in optima:
        best = tt.hindsight_optimum(forest, row["capacity"] // SIZE, 1, cache="holes").objective
        assert row.get("lower", best) <= best <= row["tel"] <= 1.001 * best
    least = {row["capacity"]: row["tel"] for row in optima}
    for row in data["rows"]:
        assert (row["optimum"], row["regret"]) == (least[row["capacity"]], row["tel"] - least[row["capacity"]])
        assert row["lru"] == tt.tail_excess_latency(tt.replay(forest, tt.LRU(), row["capacity"] // SIZE), 1)
    for row in (row for row in (*data["rows"], *data["curve"]) if row not in optima):
        policy, cache = made[row["policy"]]
        outcome = tt.replay(forest, policy, row["capacity"] // SIZE, cache=cache)
        assert row["tel"] == tt.tail_excess_latency(outcome, 1)
        assert row["uncached_tel"] == sum(max(total - 1, 0) for total in forest.total.tolist())
        assert row["violations"] == tt.slo_violations(outcome.in_tokens(), 600)
        assert (row["reused"], row["written"]) == (SIZE * outcome.cached.sum(), SIZE * outcome.written.sum())
        assert ("p95" in row) == (row in data["rows"])
    assert "hit rate (%)" in figure.read_text()


def test_curves_of_whole_nodes_begin_with_room_for_a_request(run_json, shared_file):
    asked = "--capacity 3000 --xi 600 --points 5 --rules sglang:chunk=none --policy lru,hindsight"
    data = run_json("curve", shared_file, *asked.split())
    forest = tt.read_trace(shared_file).forest
    assert data["curve"][0]["capacity"] == 5 * SIZE
    for row in data["curve"]:
        if row["policy"] == "lru":
            outcome = tt.replay(forest, tt.LRU(), row["capacity"] // SIZE, cache=tt.RadixNodes())
            assert row["reused"] == SIZE * outcome.cached.sum()
        else:
            best = tt.hindsight_optimum(forest, row["capacity"] // SIZE, 1, forced=True, cache="holes")
            assert row["lower"] <= best.lower <= row["tel"]


LOST = {"system-prompt": [1] * 8, "tools": [1] * 8, "1100": [2] * 8, "1.6k": [3, 3, 3, 2, 3, 3, 3, 3]}


@pytest.mark.parametrize(("part", "lost"), LOST.items())
def test_inputs_are_replayed_without_a_part(run_json, shared_file, part, lost):
    forest = tt.read_trace(shared_file).forest
    data = run_json("replay", shared_file, "--capacity", 3000, "--xi", 600, "--policy", "lru", "--without", part)
    assert data["without"] == part
    (row,) = data["rows"]
    assert row["reused"] + row["prefilled"] == sum(forest.inputs.tolist()) - SIZE * sum(lost)


GOLDEN = {300_000: (12_204, 48_261), 1_000_000: (15_803, 47_834), 3_000_000: (40_644, 43_582)}


def test_the_mooncake_trace_has_its_known_hits_and_tail(run_json, mooncake):
    data = run_json("replay", mooncake, "--capacity", "300k,1M,3M", "--xi", "27648,28159", "--policy", "lru")
    for xi in (27_648, 28_159):
        found = {row["capacity"]: (row["reused"], row["tel"]) for row in data["rows"] if row["xi"] == xi}
        assert found == {capacity: (SIZE * hits, tel) for capacity, (hits, tel) in GOLDEN.items()}
    assert data["q_hat"] == 7542


def test_the_curve_of_the_mooncake_trace_has_its_known_points(run_json, mooncake):
    asked = ("--capacity", "300k,1M,3M", "--slo", "2s", "--policy", "lru,hindsight", "--points", 2)
    rows = run_json("curve", mooncake, *asked)["rows"]
    found = {row["capacity"]: (row["reused"], row["tel"]) for row in rows if row["policy"] == "lru"}
    assert found == {capacity: (SIZE * hits, tel) for capacity, (hits, tel) in GOLDEN.items()}
    assert [row["tel"] for row in rows if row["policy"] == "hindsight"] == [36_703, 30_610, 30_568]


def test_advice_is_on_what_requests_share(output, mooncake, mooncake_trace, tmp_path):
    asked = ("advise", mooncake, "--capacity", "1M", "--slo", "2s")
    printed = output(*asked, "--json", numbers := tmp_path / "advice.json")
    (found,) = json.loads(numbers.read_text())["advice"]
    forest = mooncake_trace.forest
    spent = tt.replay(forest, tt.LRU(), 1953).in_tokens()
    row = found["held_out"]["rows"][0]
    assert row["prefilled"] == spent.uncached[found["first_turns"] :].sum()
    assert row["tel"] > found["held_out"]["optimum"]
    assert f"the least TEL on the rest is {found['held_out']['optimum']:,} blocks." in " ".join(printed.split())
    assert printed.startswith("Shared prefixes: 12,031 requests, 170,899 different blocks of 512 tokens.")
    assert "TEL blocks" in printed

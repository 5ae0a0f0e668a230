"""Capacities, thresholds and policies as they are given or chosen by the trace, and what is said of either."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import given_columns

import teltheory as tt
from teltheory.cli.asked.question import chosen_capacities, chosen_thresholds
from teltheory.policies.spec import parse_policy

TRACES = given_columns().map(lambda columns: tt.Trace.from_turns(**columns))
COMMANDS = ("replay", "optimum", "curve")
LATENCIES = [
    tt.A100_LLAMA2_7B,
    tt.A100_LLAMA2_7B_ATTENTION,
    tt.LatencyModel(Fraction(1, 3000), floor=Fraction(1, 70)),
    tt.TableLatency((2, 9), (Fraction(0), Fraction(1, 2)), ((Fraction(2, 7), Fraction(1, 9)), (3, 2))),
]


@given(TRACES)
def test_the_peak_is_what_a_cache_that_keeps_all_pasts_holds(trace):
    held, most = {}, 0
    for conversation, past in zip(trace.conversation.tolist(), trace.past.tolist(), strict=True):
        held[conversation] = past
        most = max(most, sum(held.values()))
    assert trace.peak == most


@given(TRACES, st.integers(1, 20))
def test_where_a_cache_has_the_peak_nothing_is_evicted(trace, more):
    full = tt.replay(trace, tt.LRU(), trace.peak).cached
    assert (full == tt.replay(trace, tt.LRU(), trace.peak + more).cached).all()


def test_the_peak_of_wide_numbers_is_exact():
    trace = tt.Trace.from_turns([0, 1, 0], [2**61, 2**61, 1], [2**60, 2**60, 0], history=[0, 0, 1])
    assert trace.peak == 2**62 + 2**61
    assert tt.Trace.from_turns([], [], []).peak == 0


@pytest.mark.parametrize(
    ("peak", "sizes"),
    [
        (0, (0,)),
        (1, (0, 1)),
        (300, (15, 60, 150)),
        (1_234_567, (62_000, 250_000, 620_000)),
        (99_700, (5000, 20_000, 50_000)),
    ],
)
def test_capacities_are_shares_of_the_peak_to_two_digits(peak, sizes):
    found, origin = chosen_capacities(tt.Trace.from_turns([0], [peak], [0]))
    assert found == sizes
    assert f"5, 20 and 50 % of the {peak:,} tokens" in origin


@pytest.mark.parametrize("latency", LATENCIES, ids=["linear", "attention", "floor", "table"])
@given(trace=TRACES, capacity=st.integers(0, 20))
def test_a_threshold_is_the_least_milliseconds_that_enough_turns_keep(latency, trace, capacity):
    given, _ = chosen_thresholds(trace, capacity, latency, in_seconds=True)
    lru = tt.replay(trace, tt.LRU(), capacity)
    for level, slo in zip((90, 95, 99), given, strict=False):
        if not len(trace):
            assert given == [0]
            continue
        allowed = (100 - level) * len(trace) // 100
        assert tt.ttft_violations(lru, latency, slo.seconds) <= allowed
        assert latency.threshold(slo.seconds) >= 0
        less = slo.seconds - Fraction(1, 1000)
        assert less < latency.ttft(0) or tt.ttft_violations(lru, latency, less) > allowed


@given(TRACES, st.integers(0, 20))
def test_in_tokens_a_threshold_is_a_percentile(trace, capacity):
    given, _ = chosen_thresholds(trace, capacity, tt.LatencyModel(Fraction(1)), in_seconds=False)
    lru = tt.replay(trace, tt.LRU(), capacity)
    if len(trace):
        assert given == tt.ttft_quantiles(lru, (0.9, 0.95, 0.99), tt.LatencyModel(Fraction(1))).tolist()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("turns", ["A,5,5\nB,3,0\n", "A,0,0\n"], ids=["no history", "no tokens"])
def test_small_traces_break_no_default(run_json, tmp_path, command, turns):
    file = tmp_path / "small.csv"
    file.write_text(f"conversation,prompt,response\n{turns}")
    data = run_json(command, file)
    assert any("as none is given: 5, 20 and 50 %" in line for line in data["notes"])
    assert any("Thresholds, as none is given" in line for line in data["notes"])
    assert data["rows"]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_was_chosen_is_said_and_what_was_given_is_not(in_words, run_json, trace_file, command):
    data = run_json(command, trace_file)
    assert {row["capacity"] for row in data["rows"]} == {15, 60, 150}
    out = in_words(command, trace_file)
    assert all(line in out for line in data["notes"])
    given = run_json(command, trace_file, "--capacity", 100, "--xi", 5)["notes"]
    assert not any("none is given" in line for line in given)


@pytest.mark.parametrize("command", COMMANDS)
def test_rows_that_can_only_be_alike_are_said_to_be(run_json, trace_file, command):
    """Figure 2 has 300 tokens at its peak, and inputs of up to 200."""
    notes = run_json(command, trace_file, "--capacity", "299,300,1k", "--xi", "199,200", "--slo", "1s")["notes"]
    never_full = [line for line in notes if line.startswith("Never full")]
    assert never_full == [
        "Never full, so that nothing is evicted for want of room: capacity 300, 1,000; "
        "all pasts together have 300 tokens at their peak."
    ]
    no_turn = [line for line in notes if line.startswith("No turn")]
    alike = "200 tokens, 1s = 13,947 tokens"
    assert no_turn == [f"No turn can be above the threshold {alike}: the longest input has 200 tokens."]
    assert not any(
        line.startswith(("Never", "No turn"))
        for line in run_json(command, trace_file, "--capacity", 299, "--xi", 199)["notes"]
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_comma_lists_capacities_and_thresholds(run_json, trace_file, command):
    listed = run_json(command, trace_file, "--capacity", "50,0.1k", "--xi", "10,20", "--slo", "1ms,2ms")
    repeated = ("--capacity", 50, "--capacity", 100, "--xi", 10, "--xi", 20, "--slo", "1ms", "--slo", "2ms")
    assert listed == run_json(command, trace_file, *repeated)
    assert {(row["capacity"], row["xi"]) for row in listed["rows"]} == {
        (capacity, xi) for capacity in (50, 100) for xi in (10, 20, 13, 27)
    }


def test_a_threshold_of_a_policy_is_in_tokens_or_a_time(run_json, trace_file):
    """The time is made tokens by the latency of the command, and the policy is shown as it was written."""
    spec = parse_policy("TLRU:xi=200ms,q_hat=0.1k")
    assert spec.build(0, 9, latency=tt.A100_LLAMA2_7B) == tt.TLRU(2789, 100)
    assert spec.build(0, 9, latency=tt.LatencyModel(Fraction(1, 1000))) == tt.TLRU(200, 100)
    asked = ("replay", trace_file, "--capacity", 100, "--xi", 5)
    in_time = run_json(*asked, "--policy", "TLRU:xi=5ms,q_hat=0.1k")["rows"]
    in_tokens = run_json(*asked, "--policy", "tlru:xi=69,q_hat=100")["rows"]
    assert [row.pop("policy") for row in (*in_time, *in_tokens)] == [
        "tlru:xi=5ms,q_hat=100",
        "tlru:xi=69,q_hat=100",
    ]
    assert in_time == in_tokens


def test_the_threshold_of_a_policy_is_one_of_the_table_where_none_is_given(run_json, trace_file):
    data = run_json("replay", trace_file, "--capacity", 100, "--policy", "lru,tlru:xi=5ms")
    assert data["slo"] == {"69": "5ms"}
    assert {row["xi"] for row in data["rows"]} == {69}


@pytest.mark.parametrize("command", ["replay", "curve"])
def test_policies_are_listed_by_commas_in_any_case(run_json, trace_file, command):
    """A comma before `key=value` belongs to the policy, any other one begins the next."""
    text = "LRU,T-LRU:xi=5,trim=least-recent,ThresholdLRU:cutoff=3"
    data = run_json(command, trace_file, "--capacity", 100, "--xi", 5, "--policy", text)
    names = ["lru", "tlru:xi=5,trim=least-recent", "threshold-lru:cutoff=3"]
    assert [row["policy"] for row in data["rows"]] == names

"""What is shown of values: a line whatever their size, tables with the numbers that others compute, plots."""

import re
from dataclasses import make_dataclass
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from strategies import forests, given_columns, timed_columns, turn_columns

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.model.display import in_short
from teltheory.serving.served import Served
from teltheory.workloads import wildchat_like

LONGEST = 200
TRACES = (timed_columns(turn_columns()) | given_columns()).map(lambda columns: tt.Trace.from_turns(**columns))
CHATS = wildchat_like().sample(20_000, np.random.default_rng(0))
SOME = CHATS[:300]
TIERS = tt.Tiers((4000, 4000), loads=(0, 0))
MODULES = tt.ModuleTrace.from_requests([[k % 40, 40] for k in range(3000)], [3] * 41, [1] * 3000)


def large():
    """Values of many numbers, of the public classes that hold some."""
    yield from (CHATS, CHATS.forest, CHATS.to_blocks(16), CHATS.with_blocks(CHATS.forest), MODULES)
    best = tt.hindsight_optimum(CHATS, 4000, 2789)
    outcome, proof = best.outcome, best.certificate
    yield from (best, outcome, proof, tt.replay(SOME, tt.LRU(), TIERS))
    yield tt.Optimum(
        10**9, 2 * 10**9, 10**9, outcome, proof, "heuristic", proof.kept, 1e9, "time limit", {"allowed": 1}
    )
    yield from (tt.hindsight_curve(SOME, 2789, 1000, 20_000), tt.CapacityCurve(CHATS, tt.LRU()))
    times = CHATS.arrival
    yield Served(outcome, outcome.cached, *[times] * 5, replicas=10**6)


def test_a_line_stands_for_a_value_of_any_size():
    for value in large():
        assert repr(value).startswith(type(value).__name__ + "(")
        assert len(repr(value)) < LONGEST, type(value)
        assert "\n" not in repr(value)
        table = value._repr_html_()
        assert table.startswith("<table>")
        assert len(table) < 10 * LONGEST


def test_fields_are_shown_in_short_and_no_more_than_fit():
    many = in_short(make_dataclass("Many", [f"field_{k}" for k in range(99)]))
    assert len(repr(many(*range(99)))) < LONGEST
    best = tt.hindsight_optimum(SOME, 4000, 2789)
    assert "certificate=Certificate(...)" in repr(best)
    assert "kept=<300 numbers>" in repr(best.certificate)


def test_a_trace_says_how_large_it_is_and_what_it_shares():
    assert repr(tt.Trace.from_turns([0], [1], [1])) == "Trace(1 turn, 1 conversation)"
    timed = tt.Trace.from_turns([0, 0] * 600, [1] * 1200, [1] * 1200, arrival=range(0, 12_000, 10))
    assert repr(timed.with_blocks(timed.forest)) == "Trace(1,200 turns, 1 conversation, 3.33 h, shared prefixes)"
    assert repr(tt.Trace.from_turns([], [], [], arrival=[])) == "Trace(0 turns, 0 conversations)"
    assert repr(tt.Forest.from_paths([[1, 2], [1, 3]], block_size=16)) == (
        "Forest(2 requests, 3 nodes, blocks of 16 tokens)"
    )
    assert "<td>none</td>" in tt.Trace.from_turns([], [], [])._repr_html_()


def test_names_in_tables_are_no_markup():
    assert "&lt;b&gt;" in tt.describe(SOME).summary().__class__("<b>", {"<b>": 1})._repr_html_()


@given(TRACES)
def test_a_summary_has_the_numbers_of_the_description(trace):
    found, described = trace.summary(), tt.describe(trace)
    assert (found["turns"], found["conversations"]) == (len(trace), trace.conversations)
    assert found["most that can be hit"] == described.ceiling
    assert found.get("input tokens, P99") == (described.inputs.p99 if len(trace) else None)
    assert repr(found).count("\n") == len(found)


@given(forests(), st.integers(0, 9), st.integers(0, 4))
def test_a_summary_has_the_numbers_of_the_metrics(forest, capacity, xi):
    for size in (capacity, tt.Tiers((capacity, 2), loads=(0, 0))):
        outcome = tt.replay(forest, tt.LRU(), size)
        found = outcome.summary(xi)
        assert found[f"TEL({xi})"] == tt.tail_excess_latency(outcome, xi)
        assert found[f"turns above {xi}"] == tt.slo_violations(outcome, xi)
        assert (found["hit rate"], found["prefilled"]) == (outcome.hit_rate, outcome.prefilled)
        assert found.get("uncached, most") == max(outcome.uncached, default=None)
        assert len(outcome.summary()) == len(found) - 2


@pytest.fixture
def ax():
    from matplotlib.figure import Figure

    return Figure().subplots()


@settings(max_examples=4)
@given(TRACES, st.integers(0, 12), st.integers(0, 12))
def test_the_area_right_of_the_threshold_is_tel(trace, capacity, xi):
    from matplotlib.figure import Figure

    outcome = tt.replay(trace, tt.LRU(), capacity)
    axes = outcome.plot(xi, ax=Figure().subplots())
    at, above = (np.asarray(values) for values in axes.lines[0].get_data())
    area = (np.diff(at) * above[:-1])[at[:-1] >= xi].sum()
    assert len(trace) * area == pytest.approx(tt.tail_excess_latency(outcome, xi))


def test_plots_show_what_they_are_of(ax):
    assert SOME.plot(ax=ax) is ax
    assert [line.get_label() for line in ax.lines] == ["input", "prompt", "response"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length (tokens)", "share above it")
    refused(ArgumentError, "kind: found 'arrivals'", lambda: tt.Trace.from_turns([0], [1], [1]).plot("arrivals"))


@pytest.mark.parametrize("blocks", [None, 2])
def test_every_axis_says_its_unit(ax, blocks):
    trace = SOME if blocks is None else SOME.to_blocks(blocks)
    curve, served = tt.capacity_curve(trace, tt.LRU()), tt.serve(trace, tt.LRU(), 4000, latency=tt.A100_LLAMA2_7B)
    draws = (trace.plot, tt.replay(trace, tt.LRU(), 100).plot, tt.replay(trace.forest, tt.LRU(), 100).plot)
    for draw in (*draws, curve.plot, partial(curve.plot, 100), served.plot):
        draw(ax=ax)
        for label in (ax.get_xlabel(), ax.get_ylabel()):
            assert label == "share above it" or re.search(
                r"\((tokens.*|blocks of 2 tokens|s|share of .*)\)$", label
            )


def test_policies_on_the_same_axes_are_told_apart_and_the_threshold_is_drawn_once(ax):
    outcome = tt.replay(SOME, tt.LRU(), 100)
    for name in ("LRU", "mine"):
        outcome.plot(xi=5, ax=ax, label=name)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["LRU", "ξ = 5", "mine"]


def test_the_arrivals_of_a_plot_are_all_turns(ax):
    counts, edges, _ = SOME.plot("arrivals", ax=ax).patches[0].get_data()
    assert (counts * np.diff(edges)).sum() == pytest.approx(len(SOME))


def test_curves_show_tel_and_hit_rate_at_their_capacities(ax):
    curve = tt.capacity_curve(SOME, tt.LRU())
    curve.plot(2789, ax=ax)
    tt.hindsight_curve(SOME, 2789, 1000, 20_000).plot(ax=ax)
    curve.plot(capacities=[3000, 1000], ax=ax)
    tel, best, hits = (line.get_data() for line in ax.lines)
    assert tel[1].tolist() == curve.tail_excess_latency(tel[0].tolist(), 2789).tolist()
    assert best[0][-1] == 20_000
    assert hits[0].tolist() == [1000, 3000]
    assert hits[1].tolist() == [float(tt.replay(SOME, tt.LRU(), c).hit_rate) for c in (1000, 3000)]
    assert len({line.get_color() for line in ax.lines}) == 3


def test_the_tail_of_replicas_is_shown_with_its_parts(ax):
    served = tt.serve(SOME, tt.LRU(), capacity=4000, replicas=2, latency=tt.A100_LLAMA2_7B)
    assert served.summary("200ms")["requests above the SLO"] == served.slow(0.2)
    assert "TEL" not in served.summary()
    served.plot("200ms", ax=ax)
    assert [line.get_label() for line in ax.lines] == ["TTFT", "wait", "SLO = 0.2 s"]
    table = served.to_arrow()
    assert table["ttft"].to_pylist() == served.ttft.tolist()
    assert table["uncached"].to_pylist() == served.uncached.tolist()


def test_new_axes_are_made_where_none_are_given():
    import matplotlib.pyplot as plt

    try:
        assert SOME.plot().figure.axes
    finally:
        plt.close("all")


def test_what_is_no_trace_is_refused_with_the_function_that_makes_one(tmp_path):
    for use in (
        lambda trace: tt.replay(trace, "lru", 100),
        lambda trace: tt.replay(trace, tt.LRU(), 100),
        lambda trace: tt.hindsight_optimum(trace, 100, 10),
        lambda trace: tt.capacity_curve(trace, "lru"),
        lambda trace: tt.advise(trace, 100, "200ms"),
        lambda trace: tt.serve(trace, "lru", 100),
    ):
        for path in ("chat.csv", tmp_path):
            refused(ArgumentError, "trace: found .*, expected a Trace, such as read_trace", use, path)
        refused(ArgumentError, "trace: found 'dict'", use, {"conversation": [0]})


def test_a_column_is_no_index():
    refused(ArgumentError, "index: found 'prompt', .* an attribute such as trace.prompt$", lambda: SOME["prompt"])

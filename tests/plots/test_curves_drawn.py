"""No text of a figure is cut off."""

import pytest
from figure_texts import check_texts

from teltheory.cli.replay.curve import DEFAULT_POLICIES
from teltheory.plots.curves import caption_of_curves, draw_curves, draw_rates
from teltheory.plots.style import COLUMN, looks, paper
from teltheory.plots.tails import draw_tails

LONG = ("tlru:xi=30000,q_hat=40000,trim=least-recent", "a-policy-of-another-package:seconds=3600,scale=1/2")
TITLES = ("mooncake_$conversation.jsonl", "W" * 200)


def common(policy, k):
    """What has nothing to do with the tail; hindsight has no rate of hits."""
    return {"uncached_tel": 10**9, "hit_rate": None if policy == "hindsight" else k / 10}


def rows(thresholds, policies):
    return [
        {"capacity": 10**k, "xi": xi, "policy": policy, "tel": 10**9 // (k + i + 1), **common(policy, k)}
        for xi in range(thresholds)
        for i, policy in enumerate(policies)
        for k in range(3, 8)
    ]


def test_a_caption_rounds_the_smallest_and_the_largest_capacity_alike():
    (first, *_, last) = rows(1, ("lru",))
    said = caption_of_curves(
        [first | {"capacity": 87_500}, last | {"capacity": 87_500_288}], {0: "2 s"}, "a trace"
    )
    assert "by capacity from 87.5k to 87.5M tokens, under" in said


@pytest.mark.parametrize(
    ("thresholds", "policies", "title"), [(1, LONG[1:], TITLES[0]), (4, DEFAULT_POLICIES + LONG, TITLES[1])]
)
def test_every_text_of_the_curves_is_within_the_figure(thresholds, policies, title):
    labels = dict.fromkeys(range(thresholds), "500ms = 12,345,678 tokens")
    with paper():
        figure = draw_curves(rows(thresholds, policies), labels, title)
        check_texts(figure, 3 + thresholds)
    names = {line.name for line in looks(policies).values()}
    assert {text.get_text() for text in figure.legends[0].get_texts()} == names
    assert draw_curves(rows(thresholds, policies), labels, "").get_suptitle() == ""


def test_a_system_looks_the_same_beside_others_and_beside_its_parts():
    groups = {"systems": ["none", "ragcache"], "parts": ["ragcache", "without host"]}
    shown = [
        {"rate": rate, "system": system, "mean": 0.05 * rate * (i + 1), "p95": 0.2 * rate * (i + 1)}
        for i, system in enumerate(("none", "ragcache", "without host"))
        for rate in (1, 2, 10)
    ]
    figure = draw_rates(shown, groups, "mine")
    drawn = {(line.get_label(), line.get_color()) for panel in figure.axes for line in panel.get_lines()}
    assert len(drawn) == len(dict(drawn)) == 3
    figure.draw_without_rendering()
    for panel in figure.axes:
        ticks = [text.get_text() for text in panel.get_xticklabels()]
        assert {"1", "2", "5", "10"} <= set(ticks)


def test_bars_of_one_threshold_fit_a_column_and_long_names_of_servers_are_within_it():
    server = "8 replicas by round-robin, one store, arrivals x 0.8124; 114,440 + 7,629,395 tokens"
    seconds = {"waiting": 60, "loading": 1, "computing": 5}
    shown = [{"xi": 1, "server": server, "policy": policy, **seconds} for policy in ("lru", "lru+tlru")]
    with paper():
        figure = draw_tails(shown, {1: "2s = 19,983 tokens = 39 blocks"}, TITLES[0])
        check_texts(figure, 3)
    assert figure.get_figwidth() == COLUMN

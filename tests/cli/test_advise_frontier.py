"""`teltheory advise` ends with a frontier: as tables, in the JSON, on the page and as a figure."""

import gzip
import json
import re
from base64 import b64decode
from fractions import Fraction

import numpy as np
import pytest
from advice.advised_traces import engineers
from figure_texts import check_texts

import teltheory as tt
from teltheory.advice.sentences_of_frontier import tables_of_frontier
from teltheory.cli.advise.frontier import frontier_as_data, frontier_chart
from teltheory.plots.frontier import draw_frontier
from teltheory.plots.style import paper


@pytest.fixture(scope="module")
def advice():
    return tt.advise(engineers(), 50_000, Fraction(1, 10))


def gaining(advice):
    """Points that do not lose on the first part."""
    return [point for point in advice.frontier.points if point.first.gain >= 0]


def matches(line, spots):
    return line.get_xydata().shape == (len(spots), 2) and np.allclose(line.get_xydata(), spots)


def test_it_is_printed_written_and_drawn(run, tmp_path, capsys, monkeypatch, advice):
    monkeypatch.setattr("teltheory.report.page._vega", lambda: "")
    names = ("chat.csv", "numbers.json", "page.html", "frontier.svg")
    file, numbers, page, figure = (tmp_path / name for name in names)
    tt.write_trace(engineers(), file)
    asked = ("advise", file, "--capacity", 50_000, "--slo", "100ms", "--json", numbers, "--html", page)
    assert run(*asked, "--figure", figure) == 0
    text, html = " ".join(capsys.readouterr().out.split()), page.read_text()
    lru, freely = advice.choice.tried[0].cost, advice.choice.freely
    xi, q_hat = advice.as_set(freely.margin)
    assert (
        f"Without limits: {100 * freely.gain:.1f} % lower with ξ = {xi:,} and Q̂ = {q_hat:,}, for "
        f"{freely.cost.prefilled / lru.prefilled:.3f} times the prefill and a P50 of "
        f"{1000 * freely.cost.p50:.1f} ms in the place of {1000 * lru.p50:.1f}."
    ) in text
    assert text.count("Without limits") == 1
    assert "it helps, for 1.0" in text
    for title, heads, rows in tables_of_frontier(advice):
        assert " ".join([*title.split(), *" ".join(heads).split()]) in text
        assert f"<strong>{title}</strong>" in html
        for row in rows:
            assert " ".join(" ".join(row).split()) in text
            assert all(f">{cell}</td>" in html for cell in row if cell)
    found = json.loads(numbers.read_text())["advice"][0]["frontier"]
    assert found == json.loads(json.dumps(frontier_as_data(advice.frontier)))
    assert "P50 of TTFT" in figure.read_text() or figure.stat().st_size > 10_000
    drawn = [gzip.decompress(b64decode(one)).decode() for one in re.findall('data-gzip="([^"]*)"', html)]
    assert any("Frontier: large is what is advised" in chart for chart in drawn)


def test_without_limits_the_setting_is_advised_that_they_forbid(in_words, tmp_path, advice):
    tt.write_trace(engineers(), file := tmp_path / "chat.csv")
    limits = ("--work-cost", "none", "--median-cost", "NONE")
    text = in_words("advise", file, "--capacity", 50_000, "--slo", "100ms", *limits)
    xi, q_hat = advice.as_set(advice.choice.freely.margin)
    assert f"ADVICE: T-LRU with ξ = {xi:,} and Q̂ = {q_hat:,} tokens." in text
    assert "Without limits" not in text
    assert "it helps, for 1.5" in text


def test_the_data_has_every_point_and_says_which_is_which(advice):
    frontier = advice.frontier
    data = frontier_as_data(frontier)
    assert len(data["points"]) == len(frontier.points) == len(advice.choice.tried)
    for point, told in zip(frontier.points, data["points"], strict=True):
        assert (told["xi"], told["q_hat"], told["policy"]) == (point.xi, point.q_hat, point.policy)
        assert told["rest"]["cost"]["prefilled"] == point.rest.cost.prefilled
        assert told["first"]["broken"] == point.first.broken
        for mark in ("front", "shown", "further"):
            assert told[mark] == (point in getattr(frontier, mark))
        assert told["advised"] == (point.xi == advice.xi and point.q_hat == advice.q_hat)
    for part, lru in (("first", frontier.lru.first), ("rest", frontier.lru.rest)):
        assert data["limits"][part]["prefilled"] == pytest.approx(1.05 * lru.cost.prefilled)


@pytest.mark.parametrize("columns", [1, 3])
def test_the_figure_has_every_point_the_limits_and_no_text_is_cut_off(advice, columns):
    data = frontier_as_data(advice.frontier)
    with paper():
        names = [f"{k},000 tokens" for k in range(columns)]
        figure = draw_frontier([data] * columns, names, advice.goal.name, "a $ chat.csv")
        check_texts(figure, 10)
        upper, lower = figure.axes[0], figure.axes[columns]
        for panel, measure in ((upper, "gain"), (lower, "p50")):
            lines = panel.get_lines()
            for part in ("first", "rest"):
                lru = advice.frontier.lru
                base = getattr(lru, part).cost.prefilled
                sides = [getattr(point, part) for point in gaining(advice)]
                spots = [
                    (side.cost.prefilled / base, 100 * side.gain if measure == "gain" else side.cost.p50)
                    for side in sides
                ]
                assert any(matches(line, spots) for line in lines)
                place = gaining(advice).index(advice.frontier.advised)
                stars = [tuple(*line.get_xydata()) for line in lines if line.get_marker() == "*"]
                assert any(star == pytest.approx(spots[place]) for star in stars)
            assert [set(line.get_xdata()) for line in lines if line.get_linestyle() == ":"] == [{1.05}] * 2
        across = [line.get_ydata()[0] for line in lower.get_lines() if line.get_linewidth() == 0.8]
        assert across == pytest.approx([data["limits"][part]["p50"] for part in ("first", "rest")])


def test_the_chart_of_the_page_has_every_point_on_both_parts_and_the_limits(advice):
    chart = frontier_chart(advice).to_dict()
    dots, limits = sorted(chart["datasets"].values(), key=len, reverse=True)
    for part, name in (("first part", "first"), ("rest", "rest")):
        told = [row for row in dots if row["part"] == part]
        assert [row["gain"] for row in told] == [getattr(one, name).gain for one in gaining(advice)]
        assert [row["p95"] for row in told] == [getattr(one, name).cost.p95 for one in gaining(advice)]
        assert sum(row["advised"] for row in told) == 1
        most = [row for row in limits if row["part"] == part]
        assert [row["prefill"] for row in most if "prefill" in row] == pytest.approx([1.05])

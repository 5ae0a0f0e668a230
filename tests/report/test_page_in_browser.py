"""The page in Chromium: it loads in silence, asks for nothing, and its charts show what Python computes."""

from __future__ import annotations

import pytest
from report.chromium import chromium, opened
from report.pages import CLOSING, HOSTILE, ROWS, made

import teltheory as tt
from teltheory.policies.spec import default_estimate
from teltheory.report.explorer import Steps

__all__ = ["chromium"]

CHART = "#charts-1"
NUMBERS = f"{CHART} .mark-text text"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return made(tmp_path_factory.mktemp("page"))


@pytest.fixture
def page(chromium, built):
    with opened(chromium, built[0]) as page:
        page.wait_for_selector(f"{CHART} select")
        yield page


def choose(page, place, label):
    page.locator(f"{CHART} select").nth(place).select_option(label=label)


def chosen(page):
    return [one.evaluate("one => one.selectedOptions[0].label") for one in page.locator(f"{CHART} select").all()]


def expected(trace, capacity, xi):
    """The TEL of LRU, T-LRU and the optimum, from the reference and the solver."""
    policies = (tt.LRU(), tt.TLRU(xi, default_estimate(trace)))
    outcomes = [tt.replay(trace, policy, capacity, engine="reference") for policy in policies]
    tels = [tt.tail_excess_latency(outcome, xi) for outcome in outcomes]
    return {f"{tel:,}" for tel in (*tels, tt.hindsight_optimum(trace, capacity, xi, method="lp").objective)}


def test_the_chosen_numbers_are_pythons_and_a_link_brings_them_back(page, built):
    steps = Steps.of(built[1], tt.A100_LLAMA2_7B)
    for capacity, (xi, slo) in zip(steps.capacities[3::2], list(steps.slos.items())[3::2], strict=False):
        choose(page, 0, f"{capacity:,} tokens")
        choose(page, 1, f"{float(1000 * slo):g} ms = {xi:,} tokens")
        page.wait_for_timeout(100)
        assert expected(built[1], capacity, xi) <= set(page.locator(NUMBERS).all_text_contents())
    choose(page, 2, "P95 s")
    before = chosen(page)
    assert f"charts-1.capacity={capacity}&charts-1.threshold={xi}&charts-1.measure=P95+s" in page.url
    page.reload()
    page.wait_for_selector(f"{CHART} select")
    page.wait_for_function(f"document.querySelector('{CHART} select').value === '{capacity}'")
    assert chosen(page) == before
    assert page.locator(CHART).get_by_text(f"P95 s at capacity {capacity:,}").count() == 1


def test_a_point_says_its_numbers_when_it_is_pointed_at(page):
    page.locator(f"{CHART} .mark-symbol path").first.hover()
    page.wait_for_selector(".vg-tooltip.visible")
    assert "capacity" in page.locator(".vg-tooltip").inner_text()


def test_the_ledger_is_filtered_and_a_link_opens_a_row(page):
    rows = page.locator("details[data-verdict]:visible")
    assert rows.count() == len(ROWS)
    page.get_by_label("holds").uncheck()
    assert rows.count() == 2
    page.locator("a[href='#theorem-31.mean-estimate']").first.click()
    assert page.locator("[id='theorem-31.mean-estimate']").is_visible()


def test_hostile_names_are_text_and_nothing_else(page):
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate("window.hacked") is None
    assert page.eval_on_selector_all("img", "all => all.map(one => one.naturalWidth)") == [90, 90, 90]
    text = page.locator("body").inner_text()
    for name in (HOSTILE, CLOSING, "<b>.csv", "Means & ends", "<i>new"):
        assert name in text
    assert page.locator("[onclick], [onerror], i").count() == 0


def test_on_paper_everything_is_open(page):
    page.emulate_media(media="print")
    heights = "all => all.map(one => one.lastElementChild.getBoundingClientRect().height)"
    assert min(page.locator("details").evaluate_all(heights)) > 0
    assert page.locator("nav:visible").count() == 0

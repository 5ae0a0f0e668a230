"""The page in Chromium: it loads in silence, asks for nothing, and its charts show what Python computes."""

import re

import pytest
from report.chromium import opened
from report.pages import CLOSING, HOSTILE, ROWS, made

import teltheory as tt
from teltheory.policies.spec import default_estimate
from teltheory.report.explorer import ChartChoices

CHART = "#charts-1"
NUMBERS = f"{CHART} .mark-text text"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return made(tmp_path_factory.mktemp("page"))


@pytest.fixture
def page(chromium, built):
    with opened(chromium, built[0]) as page:
        page.wait_for_selector(f"{CHART}.drawn")
        yield page


@pytest.fixture(scope="module")
def seen(chromium, built):
    """One page for tests that only look at it."""
    with opened(chromium, built[0]) as page:
        page.wait_for_selector(f"{CHART}.drawn")
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
    steps = ChartChoices.of(built[1], tt.A100_LLAMA2_7B)
    for capacity, (xi, slo) in zip(steps.capacities[3::2], list(steps.slos.items())[3::2], strict=False):
        choose(page, 1, f"{capacity:,} tokens")
        choose(page, 2, f"{float(1000 * slo):g} ms = {xi:,} tokens")
        for tel in expected(built[1], capacity, xi):
            page.locator(NUMBERS).filter(has_text=re.compile(f"^{tel}$")).first.wait_for(state="attached")
    choose(page, 0, "P95 s")
    before = chosen(page)
    for part in (f"charts-1.capacity={capacity}", f"charts-1.threshold={xi}", "charts-1.measure=P95+s"):
        assert part in page.url
    page.reload()
    page.wait_for_selector(f"{CHART}.drawn")
    assert chosen(page) == before
    assert page.locator(CHART).get_by_text(f"P95 s at capacity {capacity:,}").count() == 1


def test_a_pointer_shows_the_values_of_all_policies(seen, built):
    steps = ChartChoices.of(built[1], tt.A100_LLAMA2_7B)
    seen.locator(CHART).scroll_into_view_if_needed()
    box = seen.locator(f"{CHART} .concat_0_layer_0_pathgroup .background").first.bounding_box()
    seen.mouse.move(box["x"] + 3, box["y"] + 40, steps=3)
    seen.wait_for_selector(".vg-tooltip.visible")
    said = set(seen.locator(".vg-tooltip").inner_text().split())
    xi = int(seen.locator(f"{CHART} select").nth(2).input_value())
    assert {"LRU", "T-LRU", "optimum", f"{steps.capacities[0]:,}"} <= said
    assert expected(built[1], steps.capacities[0], xi) <= said


def rows_shown(page):
    return page.eval_on_selector_all("[data-verdict]:not([hidden])", "all => all.map(one => one.id)")


def test_search_filter_and_what_is_open_are_in_the_link_and_a_hidden_row_is_opened_by_one(page, chromium, built):
    assert rows_shown(page) == [one["id"] for one in ROWS]
    page.locator("#search").fill("NO WORSE than <")
    assert rows_shown(page) == ["trim.eager"]
    assert page.locator("#found").inner_text() == "1 of 5 rows"
    page.locator("#search").fill("theorem 3.1")
    page.get_by_label("holds").uncheck()
    assert rows_shown(page) == ["theorem-31.mean-estimate", "table-1"]
    page.locator("[id='table-1'] > summary").click()
    page.wait_for_function("location.hash.includes('table-1')")
    with opened(chromium, built[0], page.url.partition("#")[1] + page.url.partition("#")[2]) as again:
        again.wait_for_selector("#search")
        assert rows_shown(again) == ["theorem-31.mean-estimate", "table-1"]
        assert again.locator("#search").input_value() == "theorem 3.1"
        assert not again.get_by_label("holds").is_checked()
        assert again.get_by_text("Rule: all of them").is_visible()
        again.get_by_label("refuted").uncheck()
        assert rows_shown(again) == ["table-1"]
        again.locator("a[href='#theorem-31.mean-estimate']").first.click()
        again.get_by_text("Repair. Take the largest.").wait_for()
        assert "at=theorem-31.mean-estimate" in again.url


def test_on_a_phone_nothing_is_cut_off_and_no_text_is_tiny(chromium, built):
    with opened(chromium, built[0], viewport={"width": 390, "height": 844}) as page:
        page.wait_for_selector(f"{CHART}.drawn")
        check_width(page, 390)
        sizes = "all => all.filter(one => one.textContent).map(one => parseFloat(getComputedStyle(one).fontSize))"
        assert min(page.eval_on_selector_all("body *:not(script, style)", sizes)) >= 11
        choose(page, 0, "P95 s")
        page.set_viewport_size({"width": 844, "height": 390})
        page.wait_for_function(f"document.querySelector('{CHART} svg').clientWidth > 400")
        assert chosen(page)[0] == "P95 s"
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_function(f"document.querySelector('{CHART} svg').clientWidth < 390")
        check_width(page, 390)


def check_width(page, width):
    """Nothing is wider than the window, and the charts not than their place."""
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate(f"document.querySelector('{CHART}').scrollWidth") <= width - 2 * 12


def test_hostile_names_are_text_and_nothing_else(seen):
    seen.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    seen.wait_for_function("[...document.images].every(one => one.naturalWidth)")
    assert seen.evaluate("window.hacked") is None
    assert seen.eval_on_selector_all("img", "all => all.map(one => one.naturalWidth)") == [900, 900, 900]
    text = seen.locator("body").inner_text()
    for name in (HOSTILE, CLOSING, "<b>.csv", "Means & ends", "<i>new"):
        assert name in text
    assert seen.locator("[onclick], [onerror], i").count() == 0


def test_on_paper_everything_is_open(seen):
    seen.emulate_media(media="print")
    heights = "all => all.map(one => one.lastElementChild.getBoundingClientRect().height)"
    assert min(seen.locator("details").evaluate_all(heights)) > 0
    assert seen.locator("nav:visible").count() == 0

"""The page in Chromium: it loads in silence, asks for nothing, and its sliders agree with the Python API."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from report.chromium import chromium, opened
from report.pages import CLOSING, HOSTILE, ROWS, made, sentence, texts

import teltheory as tt
from teltheory.report.blocks import Code, Note
from teltheory.report.explorer import explore
from teltheory.report.page import Page, Section, render
from teltheory.units import read_time

__all__ = ["chromium"]

LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 640}, "is_mobile": True, "has_touch": True},
    "without script": {"java_script_enabled": False},
}
FILTER = "input[name=verdict][value='{}']"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return made(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def file(built):
    return built[0]


@pytest.fixture
def page(chromium, file):
    with opened(chromium, file) as page:
        yield page


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_it_loads_in_silence(chromium, file, look):
    with opened(chromium, file, **look) as page:
        assert page.title() == "Tail-optimised prompt caching"
        assert page.locator("h1").is_visible()


def numbers(page, anchor):
    """The table beside the sliders."""
    lines = page.locator(f"#{anchor} .now tbody tr").all()
    return [line.locator("td").all_text_contents() for line in lines]


def settings(page, anchor):
    """The capacity and the SLO that the table says it is for; the sliders have to say the same."""
    capacity, threshold = page.locator(f"#{anchor} .setting").all_text_contents()
    sliders = page.locator(f"#{anchor} input[type=range]").all()
    assert [capacity, threshold] == [slider.get_attribute("aria-valuetext") for slider in sliders]
    assert [capacity, threshold] == page.locator(f"#{anchor} .slider output").all_text_contents()
    slo, xi = re.fullmatch(r"(.+) = ([\d,]+) tokens", threshold).groups()
    assert tt.A100_LLAMA2_7B.threshold(read_time("slo", slo.replace(" ", ""))) == int(xi.replace(",", ""))
    return int(re.fullmatch(r"([\d,]+) tokens", capacity)[1].replace(",", "")), slo


@pytest.mark.parametrize("anchor", ["trace-1", "trace-2"])
def test_the_sliders_show_what_python_computes(page, built, anchor):
    trace, seen = built[1][anchor], set()
    first, second = (page.locator(f"#slider-{anchor}-{k}") for k in (1, 2))
    last = [int(slider.get_attribute("max")) for slider in (first, second)]
    assert min(last) >= 10
    places = [None, (0, 0), (3, 8), (12, 5), (17, last[1]), (last[0], last[1] // 2)]
    for place in places:
        if place is not None:
            first.fill(str(place[0]))
            second.fill(str(place[1]))
        shown, (capacity, slo) = numbers(page, anchor), settings(page, anchor)
        assert shown == texts(trace, capacity, slo)
        seen.add((capacity, slo))
    assert len(seen) == len(places)


def test_what_is_said_moves_with_the_sliders(page, built):
    said = page.locator("#trace-1 .said")
    for place in (2, 12):
        page.locator("#slider-trace-1-1").fill(str(place))
        for part in sentence(numbers(page, "trace-1")):
            assert part in said.text_content()


def test_the_summary_is_what_the_sliders_start_with(page):
    summary = page.locator("header p").all_text_contents()
    for anchor in ("trace-1", "trace-2"):
        said = page.locator(f"#{anchor} .said").text_content()
        assert any(text.endswith(said) for text in summary)
    assert summary[1].startswith(
        "Built-in trace, seed 8, with 5,000 tokens and a threshold of 100ms = 1,394 tokens: "
    )
    assert summary[2].startswith(f"{HOSTILE}, with 6,000 tokens and a threshold of 120ms = 1,673 tokens: ")


def test_the_keyboard_moves_a_slider(page):
    page.locator("#slider-trace-1-1").focus()
    before = settings(page, "trace-1")
    page.keyboard.press("ArrowRight")
    assert settings(page, "trace-1")[0] > before[0]
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert settings(page, "trace-1")[1] != before[1]


def number(label):
    """The number that a label such as 1.5M stands for."""
    return float(label.rstrip("kMG")) * {"k": 10**3, "M": 10**6, "G": 10**9}.get(label[-1], 1)


def drawn(drawing):
    """Heights of dots and of the uppermost line above the line of 0, and the number that this line stands for."""
    lines = [float(line.get_attribute("y1")) for line in drawing.locator(".grid").all()]
    label = drawing.locator("text[text-anchor=end]").nth(len(lines) - 1).text_content()
    dots = [lines[0] - float(dot.get_attribute("cy")) for dot in drawing.locator("circle").all()]
    return dots, lines[0] - lines[-1], number(label)


def test_the_curves_are_in_proportion_to_the_numbers(page):
    """A dot is as far above the line of 0 as its number says, lies on its curve, and stands above its step."""
    drawings = page.locator("#trace-1 .curves svg")
    page.locator("#slider-trace-1-1").fill("7")
    for column in (7, 6, 2):
        page.locator("#slider-trace-1-measure").select_option(str(column))
        shown = [line[column].replace(",", "") for line in numbers(page, "trace-1")]
        values = [float(text) for text in shown if text]
        for drawing in drawings.all():
            dots, height, top = drawn(drawing)
            assert [dot * top / height for dot in dots] == pytest.approx(values)
            for k, dot in enumerate(drawing.locator("circle").all()):
                points = re.findall(r"[\d.]+ [\d.]+", drawing.locator(f"path.s{k}").get_attribute("d"))
                x, y = (float(dot.get_attribute(name)) for name in ("cx", "cy"))
                assert f"{x:.1f} {y:.1f}" in points


def test_the_dots_stand_above_the_step_that_is_named_below(page):
    """The first step of each slider is always named."""
    for k in (1, 2):
        page.locator(f"#slider-trace-1-{k}").fill("0")
    capacity, slo = settings(page, "trace-1")
    names = []
    for drawing in page.locator("#trace-1 .curves svg").all():
        named = drawing.locator("text[text-anchor=middle]").first
        assert named.get_attribute("x") == drawing.locator("circle").first.get_attribute("cx")
        names.append(named.text_content())
    assert (number(names[0]), names[1]) == (capacity, slo)


def test_a_tel_above_the_exact_floats_is_shown_to_the_last_digit(chromium, tmp_path):
    trace = tt.Trace.from_turns([0, 1, 0], [2**55 + 1, 2**55 + 1, 1], [0, 0, 0])
    sliders = explore("big", "Big", trace, tt.A100_LLAMA2_7B, capacities=[0, 2**60], slos=[1, 2], q_hat=0)
    text = render(Page("Big", "", [Note("Mind.", "warn"), Code("a <b>")], [Section("one", "One", [sliders])]))
    (tmp_path / "big.html").write_text(text, encoding="utf-8")
    with opened(chromium, tmp_path / "big.html") as page:
        page.locator("#slider-big-1").fill("1")
        page.locator("#slider-big-2").fill("0")
        xi = tt.A100_LLAMA2_7B.threshold(1)
        assert numbers(page, "big")[0][-1] == f"{2 * (2**55 + 1 - xi):,}"
        assert page.locator("#top code").text_content() == "a <b>"


def shown(page):
    return page.locator(".entry:visible").count()


def test_the_ledger_is_filtered_by_verdict(page):
    assert shown(page) == len(ROWS)
    page.locator(FILTER.format("holds")).uncheck()
    assert shown(page) == 2
    assert page.locator(".filter .count").text_content() == f"2 of {len(ROWS)} statements"
    assert page.locator(".group h3:visible").count() == 2
    page.locator(FILTER.format("holds")).check()
    page.locator(FILTER.format("refuted")).uncheck()
    assert not page.locator("[id='claim-theorem-31.mean-estimate']").is_visible()
    page.get_by_role("button", name="Open all").click()
    assert page.locator(".entry[open]").count() == len(ROWS) - 1
    page.get_by_role("button", name="Close all").click()
    assert page.locator(".entry[open]").count() == 0


def test_a_link_to_a_statement_shows_it(chromium, file, page):
    page.locator(FILTER.format("refuted")).uncheck()
    page.evaluate("location.hash = '#claim-theorem-31.mean-estimate'")
    entry = "[id='claim-theorem-31.mean-estimate']"
    page.wait_for_selector(f"{entry}[open]")
    assert page.locator(FILTER.format("refuted")).is_checked()
    with opened(chromium, file, "#claim-trim.eager") as other:
        assert other.locator("[id='claim-trim.eager'][open]").is_visible()
        assert other.locator(".entry[open]").count() == 1


def test_every_link_and_every_label_leads_somewhere(page):
    ids = page.eval_on_selector_all("[id]", "all => all.map(one => one.id)")
    assert len(ids) == len(set(ids))
    links = page.eval_on_selector_all("[href]", "all => all.map(one => one.getAttribute('href'))")
    assert len(links) >= len(ROWS) + 8
    assert {link[0] for link in links} == {"#"}
    for name in ("for", "aria-labelledby", "data-source"):
        links += page.eval_on_selector_all(f"[{name}]", f"all => all.map(one => '#' + one.getAttribute('{name}'))")
    assert {link[1:] for link in links} <= set(ids)
    assert page.locator("[src]:not([src^='data:'])").count() == 0


def test_it_can_be_used_without_seeing_it(page):
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    unnamed = "all => all.filter(one => !one.labels.length && !one.textContent.trim()).length"
    assert page.eval_on_selector_all("input, select, button", unnamed) == 0
    levels = page.eval_on_selector_all("h1, h2, h3", "all => all.map(one => Number(one.tagName[1]))")
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
    assert page.locator("th:not([scope])").count() == 0
    assert page.locator("table:not(:has(caption))").count() == 0
    assert page.locator("img:not([alt]), img[alt='']").count() == 0
    assert page.locator("svg:not([aria-label])").count() == 0
    assert page.locator(".scroll:not([tabindex='0'][aria-label])").count() == 0


CONTRASTS = """() => {
  const rgba = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, k) => {
    const c = [r, g, b][k] / 255;
    return sum + weight * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  }, 0);
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    throw new Error("nothing behind the text");
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const one = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !one.checkVisibility() || one.closest("script")) continue;
    const style = getComputedStyle(one), drawn = one.closest("svg");
    const [a, b] = [light(rgba(drawn ? style.fill : style.color)), light(behind(one))];
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), one.tagName, walk.currentNode.data.trim()]);
  }
  return { found, page: light(rgba(getComputedStyle(document.body).backgroundColor)) };
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(chromium, file, scheme):
    with opened(chromium, file, color_scheme=scheme) as page:
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        measured = page.evaluate(CONTRASTS)
    assert len(measured["found"]) > 500
    assert [text for text in measured["found"] if text[0] < 4.5] == []
    assert measured["page"] > 0.9 if scheme == "light" else measured["page"] < 0.05


def test_nothing_is_wider_than_a_phone_but_tables_in_their_boxes(chromium, file):
    with opened(chromium, file, **LOOKS["phone"]) as page:
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert page.evaluate("document.body.scrollWidth") <= 360
        wide = page.eval_on_selector_all(
            ".scroll", "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
        )
        assert wide > 0


HEIGHTS = "all => all.map(one => one.getBoundingClientRect().height)"


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_on_paper_everything_is_open_and_no_control_is_left(chromium, file, script):
    with opened(chromium, file, java_script_enabled=script, color_scheme="dark") as page:
        bodies = page.locator("details > .body")
        assert not any(body.is_visible() for body in bodies.all())
        assert page.locator(".controls:visible").count() == (3 if script else 0)
        page.emulate_media(media="print", color_scheme="dark")
        if script:
            page.wait_for_selector("details:not([open])", state="detached")
        assert min(bodies.evaluate_all(HEIGHTS)) > 10
        assert page.locator("button:visible, input:visible, select:visible, nav:visible").count() == 0
        assert page.locator(".now:visible").count() == 2
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(28, 31, 35)"
        page.emulate_media(media="screen")
        page.wait_for_selector("details[open]", state="detached")
        assert not any(body.is_visible() for body in bodies.all())


def test_without_script_the_numbers_are_there(chromium, file, built):
    with opened(chromium, file, java_script_enabled=False) as page:
        assert page.locator(".entry:visible").count() == len(ROWS)
        capacity, threshold = page.locator("#trace-2 .setting").all_text_contents()
        size, slo = int(capacity.split()[0].replace(",", "")), threshold.split(" = ")[0]
        assert numbers(page, "trace-2") == texts(built[1]["trace-2"], size, slo)
        rows = [
            line.locator("th, td").all_text_contents() for line in page.locator("#trace-2 details tbody tr").all()
        ]
        assert len(rows) == 5 * 3 * 3
        for at in (0, 21):
            size, slo = int(rows[at][0].split()[0].replace(",", "")), rows[at][1].split(" = ")[0]
            assert [line[3:] for line in rows[at : at + 3]] == texts(built[1]["trace-2"], size, slo)


def test_hostile_names_are_text_and_nothing_else(page):
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.locator("#slider-trace-2-1").fill("3")
    page.wait_for_timeout(50)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 3
    assert page.eval_on_selector_all("img", "all => all.every(one => one.complete && one.naturalWidth === 90)")
    text = page.locator("body").inner_text()
    for name in (HOSTILE, CLOSING, "<b>.csv", "Means & ends", "<i>new"):
        assert name in text
    assert page.locator("script").count() == 3
    assert page.locator("b:not(.setting), i, [onclick], [onerror]").count() == 0

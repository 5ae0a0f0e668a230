"""Timelines show the numbers of the tables they are drawn from, one for each replayed counterexample."""

import re
import xml.etree.ElementTree as ET

import pytest
from report.ledger_rows import EXAMPLE, row

from teltheory.claims.erratum import Erratum
from teltheory.claims.state_tables import facts, traced
from teltheory.policies import LRU
from teltheory.report.errata import errata_markdown
from teltheory.report.timeline import panels, with_timelines

EXAMPLES = {
    "replayed": {
        **EXAMPLE,
        "turns": [[0, 2, 1], [1, 1, 0], [0, 3, 0]],
        "xi": 2,
        "capacity": 2,
        "values": {"LRU": 3},
    },
    "numbers": {"printed": 7, "values": {"told": 8}},
}


def page(name):
    show = {"replayed": traced({"LRU": lambda case: LRU()}), "numbers": facts}[name]
    words = dict.fromkeys(("title", "place", "printed", "fact", "repair"), "x")
    erratum = Erratum(**words, shows={"a.row": show}, no_timeline="numbers that are printed")
    return errata_markdown([{**row("a.row", "refuted"), "counterexample": EXAMPLES[name]}], (erratum,))


def test_bars_have_the_lengths_of_the_replay():
    drawn = with_timelines(page("replayed"))
    figure = ET.fromstring(re.search(r"<svg.*</svg>", drawn)[0])
    bars = [(rect.get("fill"), float(rect.get("width"))) for rect in figure.iter("rect")]
    token = bars[1][1]
    tokens = [(fill, round(width / token)) for fill, width in bars]
    cached, computed, above = "#a9bdd6", "#3f78b5", "#d64541"
    assert tokens == [(computed, 2), (computed, 1), (cached, 1), (computed, 2), (above, 3)]
    ticks = [float(re.match("M([0-9.]+)", path.get("d"))[1]) / token for path in figure.iter("path")]
    assert [round(tick) for tick in ticks] == [2, 2, 3]
    texts = [text.text for text in figure.iter("text")]
    assert texts[0] == "LRU: TEL 3, ξ = 2"
    assert [text for text in texts if "+" in text] == ["0 + 2", "0 + 1", "1 + 5"]
    assert drawn.index("<svg") < drawn.index("<details")


def test_what_is_no_replay_has_a_reason_and_no_picture():
    drawn = with_timelines(page("numbers"))
    assert "No timeline: numbers that are printed." in drawn
    assert "<svg" not in drawn


@pytest.mark.ledger
@pytest.mark.repository
def test_every_counterexample_of_the_errata_has_a_timeline_or_a_reason(ledger_and_errata):
    document = ledger_and_errata[1]
    folded = re.findall(r"^<details.*?^</details>", document, re.DOTALL | re.MULTILINE)
    assert len(folded) == document.count("**Refuted: ")
    for text in folded:
        assert bool(panels(text)) != ("No timeline: " in text), text
        assert len(panels(text)) == text.count("| turn | conversation | history |")

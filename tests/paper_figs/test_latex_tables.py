import re

import pytest
import tidy_tables as small
from refusals import refused

from paper_figs import tables
from paper_figs.averages import Averages
from teltheory.errors import FileError


def body(latex):
    """The cells of the lines between the rules, without the break."""
    lines = latex[latex.index(r"\midrule") : latex.index(r"\bottomrule")].splitlines()[1:]
    assert all(line.endswith(r" \\") for line in lines)
    return [line[:-3].split(" & ") for line in lines]


def width(latex):
    """Columns that the preamble of the tabular declares."""
    return len(re.search(r"\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}", latex)[1])


def well_formed(latex):
    """Environments and braces close in order, each line has the declared columns, rules stay inside."""
    stack = []
    for what, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", latex):
        if what == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack
    depth = 0
    for letter in re.sub(r"\\[{}]", "", latex):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        assert depth >= 0
    assert depth == 0
    assert latex.count("$") % 2 == 0
    text = "\n".join(line for line in latex.splitlines() if not line.startswith("%"))
    assert not re.search(r"(?<!\\)[%#]", text)
    columns = width(latex)
    assert {len(cells) for cells in body(latex)} == {columns}
    heads = latex[latex.index(r"\toprule") : latex.index(r"\cmidrule")].splitlines()[1]
    spans = [int(n) for n in re.findall(r"\\multicolumn\{(\d+)\}", heads)]
    assert heads.count("&") + 1 - len(spans) + sum(spans) == columns
    rules = [tuple(map(int, pair)) for pair in re.findall(r"\\cmidrule\(lr\)\{(\d+)-(\d+)\}", latex)]
    assert [b - a + 1 for a, b in rules] == spans
    assert rules[-1][1] == columns


def test_printed_tables_have_the_papers_layout_and_ours_below(tmp_path):
    found = tables.tables_of(small.cells(tmp_path / "cells_wildchat.csv"))
    assert list(found) == ["table_2", "table_3"]
    latex = found["table_2"]
    well_formed(latex)
    assert r"\multicolumn{2}{c}{$\xi$ = 50 ms} & \multicolumn{2}{c}{$\xi$ = 200 ms}" in latex
    assert r"Capacity & LRU & Thre-LRU & LRU & Thre-LRU \\" in latex
    assert body(latex)[:2] == [
        ["1000", r"$0.2$\%", r"$1.2$\%", r"$2.2$\%", r"$3.2$\%"],
        [
            "",
            r"{\tiny $-0.5$\%\,$\bullet$}",
            r"{\tiny $-1.5$\%\,$\circ$}",
            r"{\tiny $-2.5$\%\,$\times$}",
            r"{\tiny $-3.5$\%\,$\bullet$}",
        ],
    ]
    well_formed(found["table_3"])
    assert r"\multicolumn{3}{c}{$\xi$ = 500 ms}" in found["table_3"]
    assert r"Capacity & p90 & p95 & p99 \\" in found["table_3"]


def test_a_trace_has_the_same_tables_with_ours_alone_and_its_name_is_escaped(tmp_path):
    found = tables.tables_of(small.improvements(tmp_path / "improvements_50%_of_us.csv"))
    assert list(found) == [f"table_50%_of_us_{kind}" for kind in ("lru", "above", "threshold")]
    for latex in found.values():
        well_formed(latex)
        assert r"(50\%\_of\_us). TTFT is that of a model composed of operators' timings" in latex
        assert "bullet" not in latex
    latex = found["table_50%_of_us_lru"]
    assert r"$\xi$ = 1,000 ms" in latex
    assert body(latex)[0] == ["1000", *(rf"${value}$\%" for value in ("0.0", "0.2", "0.5", "1.0", "1.2", "1.5"))]


def test_the_added_table_has_every_policy(tmp_path):
    path = small.means(tmp_path / "means_wildchat.csv", thresholds=(50, 100, 200, 300))
    found = tables.tables_of(path)
    latex = found["added_wildchat"]
    well_formed(latex)
    lines = body(latex)
    assert [line[:2] for line in lines[:3]] == [["1000", "LRU"], ["", "Threshold-LRU"], ["", "T-LRU"]]
    assert len(lines) == 12
    means = Averages(path)
    tel, regret, closed = (means.mean(1000, 100, "lru", measure) for measure in ("tel", "regret", "closed"))
    assert lines[0][2:5] == [f"{tel:.0f}", f"{regret:.0f}", rf"${closed}$\%"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(3.14, r"$3.1$\%"), (-0.04, r"$0.0$\%"), (-1.25, r"$-1.2$\%"), (float("nan"), "--"), (float("-inf"), "--")],
)
def test_per_cent_is_rounded_and_what_is_not_defined_is_a_dash(value, shown):
    assert tables.percent(value) == shown


def test_a_table_of_another_name_or_number_is_an_error(tmp_path):
    refused(FileError, "expected cells_", lambda: tables.tables_of(small.curves(tmp_path / "curves_wildchat.csv")))
    path = small.cells(tmp_path / "cells_wildchat.csv")
    path.write_text(path.read_text().replace("\n3,", "\n7,"))
    refused(FileError, "found 7, expected one of 1 to 6", tables.tables_of, path)

"""`teltheory demo`: its numbers are those of the library, its figure and its page have every line."""

import contextlib
import io
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import teltheory as tt
from teltheory.cli import main
from teltheory.cli.demo import LETTERS, NEXT, SEED, TURNS
from teltheory.plots.plain import COLUMNS, HEIGHT, ROWS, WIDTH, Drawn, PlainChart
from teltheory.plots.style import POLICIES
from teltheory.workloads import wildchat_like


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """What a demonstration prints, its page and its JSON."""
    folder, printed = tmp_path_factory.mktemp("demo"), io.StringIO()
    page, data = folder / "demo.html", folder / "demo.json"
    with contextlib.redirect_stdout(printed), pytest.raises(SystemExit) as end:
        main(["demo", "--html", str(page), "--json", str(data)])
    assert end.value.code == 0
    return printed.getvalue(), page.read_text(), json.loads(data.read_text())


@pytest.fixture(scope="module")
def problem():
    trace = wildchat_like().sample(TURNS, np.random.default_rng(SEED))
    return tt.Problem(trace, capacity="4GiB", xi="200ms", model="llama-2-7b")


def test_the_table_has_what_replays_and_the_checked_optimum_say(made, problem):
    printed, page, data = made
    policies = {"lru": tt.LRU(), "tlru": tt.TLRU(problem.threshold, data["q_hat"])}
    outcomes = {name: problem.replay(policy) for name, policy in policies.items()}
    best = problem.optimum()
    problem.check_certificate(best.certificate)
    tels = {name: problem.tel(outcome) for name, outcome in outcomes.items()} | {"hindsight": best.objective}
    rows = {row["policy"]: row for row in data["rows"] if row["capacity"] == problem.memory}
    assert {name: row["tel"] for name, row in rows.items()} == tels
    assert all(f"{tel:,}" in printed and f"{tel:,}" in page for tel in tels.values())
    less = [f"{100 * (1 - tels[name] / tels['lru']):.1f} %" for name in ("tlru", "hindsight")]
    assert f"At 4GiB T-LRU has {less[0]} less TEL than LRU; the optimum, proved, has {less[1]} less." in printed
    times = sum(outcomes["tlru"].uncached.tolist()) / sum(outcomes["lru"].uncached.tolist())
    assert f"The price: {times:.3f} times LRU's prefill" in " ".join(printed.split())


def test_no_policy_is_below_the_optimum_that_is_drawn(made):
    drawn = made[2]["curve"]
    tels = {name: [row["tel"] for row in drawn if row["policy"] == name] for name in LETTERS}
    assert {len(line) for line in tels.values()} == {COLUMNS}
    for lru, tlru, best in zip(*(tels[name] for name in LETTERS), strict=True):
        assert best <= min(lru, tlru)
    assert all(row["lower"] <= row["tel"] for row in drawn if row["policy"] == "hindsight")


def lines_drawn(page):
    [drawn] = re.findall(r"<svg.*?</svg>", page)
    lines = (one.attrib["points"] for one in ElementTree.fromstring(drawn).findall(".//polyline"))
    return [[tuple(map(float, point.split(","))) for point in line.split()] for line in lines]


def test_no_tangent_of_the_page_is_above_the_optimum(made):
    *tangents, best, _, _ = lines_drawn(made[1])
    heights = dict(best)
    assert all(y >= heights[x] - 0.11 for tangent in tangents for x, y in tangent)
    assert [min(y - heights[x] for x, y in tangent) <= 1 for tangent in tangents] == [True] * 4


def test_a_demonstration_says_where_t_lru_is_no_help(made):
    printed, _, data = made
    [said] = re.findall(r"LRU has less TEL from ([\d,]+) tokens on", " ".join(printed.split()))
    tels = {(row["policy"], row["capacity"]): row["tel"] for row in data["curve"]}
    sizes, first = sorted(size for name, size in tels if name == "lru"), int(said.replace(",", ""))
    worse = [tels["lru", size] < tels["tlru", size] for size in sizes[sizes.index(first) - 1 :]]
    assert worse == [False, *[True] * (len(worse) - 1)]


def test_a_terminal_of_80_columns_shows_every_line_without_colours(made):
    printed = made[0]
    assert max(map(len, printed.partition("At 4GiB")[0].splitlines()[3:])) <= 80
    assert {letter for row in re.findall(r"^.{8}\|(.*)$", printed, re.MULTILINE) for letter in row} == set(" .oLT")
    assert "\x1b" not in printed
    assert [line for line in printed.splitlines() if line.startswith("  teltheory ")] == [
        f"  {one}" for one in NEXT
    ]


def test_the_page_stands_alone(made):
    page = made[1]
    assert not re.search(r"<(script|link|img|iframe)|https?://|url\(", page)
    lines = lines_drawn(page)
    assert len(lines) == 3 + 4
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for line in lines for x, y in line)
    assert all(line in page for line in NEXT)


def test_files_that_cannot_be_written_are_refused_before_work(run, capsys, tmp_path):
    for arguments in (["--html", "-"], ["--html", tmp_path / "none" / "a.html"], ["--json", tmp_path]):
        assert run("demo", *arguments) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.count("\n") == 1


def test_json_on_standard_output_is_alone_there(output, tmp_path, monkeypatch, made):
    monkeypatch.chdir(tmp_path)
    assert json.loads(output("demo", "--json", "-")) == made[2]
    assert (tmp_path / "teltheory-demo.html").read_text() == made[1]


def test_letters_stand_where_their_points_are():
    low = Drawn("T", POLICIES["tlru"], [(10, 0.0), (1000, 0.0)])
    high = Drawn("L", POLICIES["lru"], [(10, 100.0), (1000, 0.0)])
    text = PlainChart("title", [low, high]).text().splitlines()
    panel = [line[9:].ljust(COLUMNS) for line in text[1 : ROWS + 1]]
    assert [row.rstrip() for row in panel[1:-1]] == [""] * (ROWS - 2)
    assert panel[0].rstrip() == "L"
    assert panel[-1] == "T" + " " * (COLUMNS - 2) + "L"
    assert text[-2].split() == ["10", "20", "50", "100", "200", "500", "1k"]
    assert text[-1] == "  T T-LRU   L LRU"

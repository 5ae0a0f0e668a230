import subprocess
import sys
from pathlib import Path

import pytest
import tidy_tables as small
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paper_figs import (
    adaptive_threshold,
    capacity_curves,
    distance_to_hindsight,
    figure_3,
    figure_4,
    figures_5_6,
    pareto_front,
    regret_of_beliefs,
    sensitivity,
    style,
    tables,
    ttft_residuals,
    who_comes_back,
)
from teltheory.errors import FileError

READERS = {
    "figure_3": (figure_3.draw, small.timed),
    "figure_4": (figure_4.draw, small.shares),
    "means_w": (figures_5_6.draw, small.means),
    "curves_w": (capacity_curves.draw, small.curves),
    "sensitivity_w": (sensitivity.draw, small.sensitivity),
    "adaptive_threshold": (adaptive_threshold.draw, small.adaptive),
    "pareto_front": (pareto_front.draw, small.front),
    "who_comes_back": (who_comes_back.draw, small.returning),
    "distance_to_hindsight": (distance_to_hindsight.draw, small.closed),
    "regret_of_beliefs": (regret_of_beliefs.draw, small.regrets),
    "ttft_residuals": (ttft_residuals.draw, small.residuals),
    "cells_w": (tables.tables_of, small.cells),
    "improvements_w": (tables.tables_of, small.improvements),
    "means_x": (tables.tables_of, small.means),
}
NASTY = (
    "",
    "nan",
    "-inf",
    "x",
    "1e999",
    "1e308",
    "-1",
    "0",
    "1_000",
    "٣",
    "$x^$",
    "\\frac",
    '"',
    "a,b",
    "\0",
    "9" * 5000,
)
ALWAYS = {
    "no column": lambda lines: [line.rpartition(b",")[0] for line in lines],
    "another column": lambda lines: [line + b",1" for line in lines],
    "column twice": lambda lines: [line + b"," + line.rpartition(b",")[2] for line in lines],
    "renamed column": lambda lines: [b"_" + lines[0], *lines[1:]],
    "text for a number": lambda lines: [lines[0], *(line.replace(b"1", b"l") for line in lines[1:])],
    "another encoding": lambda lines: [lines[0], "café".encode("latin-1") + lines[1], *lines[2:]],
    "sixteen bits": lambda lines: [line.decode().encode("utf-16") for line in lines],
    "doubled row": lambda lines: [*lines, lines[-1]],
    "doubled rows": lambda lines: [*lines, *lines[1:]],
    "two headings": lambda lines: [lines[0], *lines],
    "open quote": lambda lines: [*lines[:-1], b'"' + lines[-1]],
    "empty line": lambda lines: [*lines, b""],
    "no rows": lambda lines: lines[:1],
    "short row": lambda lines: [*lines[:-1], lines[-1].rpartition(b",")[0]],
}
STILL_WHOLE = {
    "another column": ("distance_to_hindsight", "regret_of_beliefs", "ttft_residuals"),
    "no column": ("ttft_residuals",),
}
"""Where a column more is left alone, or is a form of latency model more or less."""


def lines_of(name, folder):
    file = READERS[name][1](folder / f"{name}.csv")
    return file, file.read_bytes().splitlines()


def read(name, file):
    """Read and draw; return the error, None where there is none."""
    try:
        with style.paper():
            drawn = READERS[name][0](file)
            if hasattr(drawn, "draw_without_rendering"):
                drawn.draw_without_rendering()
    except FileError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", READERS)
def test_a_whole_table_is_read(name, tmp_path):
    assert read(name, lines_of(name, tmp_path)[0]) is None


@pytest.mark.parametrize("damage", ALWAYS)
@pytest.mark.parametrize("name", READERS)
def test_a_damaged_table_is_one_line_with_file_line_and_what_was_expected(name, damage, tmp_path):
    file, lines = lines_of(name, tmp_path)
    file.write_bytes(b"\n".join(ALWAYS[damage](lines)) + b"\n")
    said = read(name, file)
    if said is None:
        assert name in STILL_WHOLE.get(damage, ())
        return
    assert said.startswith(str(file))
    assert "\n" not in said
    assert ", line " in said or "found byte" in said
    assert "expected" in said


IN_ANY_ORDER = ("adaptive_threshold", "distance_to_hindsight", "pareto_front", "ttft_residuals")
"""Tables of which a row may be missing."""


@pytest.mark.parametrize("name", sorted(set(READERS) - set(IN_ANY_ORDER)))
def test_a_missing_row_is_one_line(name, tmp_path):
    file, lines = lines_of(name, tmp_path)
    for gone in (2, len(lines) // 2, len(lines) - 1):
        file.write_bytes(b"\n".join([*lines[:gone], *lines[gone + 1 :]]) + b"\n")
        assert "is the table cut off?" in read(name, file)


def test_the_best_fixed_threshold_must_be_there(tmp_path):
    file, lines = lines_of("adaptive_threshold", tmp_path)
    file.write_bytes(b"\n".join(line for line in lines if not line.startswith(b"mooncake,4000,best")) + b"\n")
    assert read("adaptive_threshold", file).endswith("of best-fixed of mooncake at 4000, expected one")


@pytest.mark.parametrize("name", READERS)
def test_what_is_no_table_is_one_line(name, tmp_path):
    file, lines = lines_of(name, tmp_path)
    for content in (b"", b"\xff\xfe", b"\n".join(lines), b"\0" * 100 + b"\n"):
        file.write_bytes(content)
        assert read(name, file).startswith(str(file))
    file.unlink()
    assert "found no such file" in read(name, file)
    file.mkdir()
    assert "found a folder" in read(name, file)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("figure_3", "a server"),
        ("figure_4", "mooncake"),
        ("adaptive_threshold", "mooncake"),
        ("pareto_front", "sharegpt"),
        ("who_comes_back", "a trace"),
        ("regret_of_beliefs", "spread"),
        ("ttft_residuals", "linear"),
    ],
)
def test_dollar_signs_in_a_name_are_no_formula(name, word, tmp_path):
    file, lines = lines_of(name, tmp_path)
    file.write_bytes(b"\n".join(line.replace(word.encode(), b"$x^$") for line in lines) + b"\n")
    assert read(name, file) is None
    file.write_bytes(b"\n".join(line.replace(word.encode(), b"\x07") for line in lines) + b"\n")
    assert name == "ttft_residuals" or "expected a text that can be shown" in read(name, file)


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_a_field_is_drawn_or_said_in_one_line(data, tmp_path):
    name = data.draw(st.sampled_from(sorted(READERS)))
    file, lines = lines_of(name, tmp_path)
    rows = [line.decode().split(",") for line in lines]
    for _ in range(data.draw(st.integers(1, 3))):
        row = data.draw(st.integers(0, len(rows) - 1))
        at = data.draw(st.integers(0, len(rows[row]) - 1))
        rows[row][at] = data.draw(st.sampled_from(NASTY) | st.text(max_size=4))
    dropped = data.draw(st.sets(st.integers(1, len(rows) - 1), max_size=2))
    text = "".join(",".join(row) + "\n" for i, row in enumerate(rows) if i not in dropped)
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    said = read(name, file)
    assert said is None or (said.startswith(str(file)) and "expected" in said and "\n" not in said)


def test_a_file_from_another_program_may_have_a_byte_order_mark_and_its_ends_of_lines(tmp_path):
    file, lines = lines_of("curves_w", tmp_path)
    file.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(lines) + b"\r\n")
    assert read("curves_w", file) is None


@pytest.mark.parametrize(
    ("module", "arguments"),
    [("figure_3", ["FILE", "figure"]), ("all", [".", "."]), ("tables", [])],
)
def test_scripts_end_with_2_and_one_line(module, arguments, tmp_path):
    file = tmp_path / "cells_w.csv"
    file.write_text("a,b\n1,2\n")
    command = [sys.executable, "-m", f"paper_figs.{module}", *(str(file) if a == "FILE" else a for a in arguments)]
    here = {"cwd": tmp_path, "env": {"PYTHONPATH": str(Path(__file__).parents[2]), "MPLCONFIGDIR": str(tmp_path)}}
    done = subprocess.run(command, capture_output=True, text=True, check=False, **here)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1

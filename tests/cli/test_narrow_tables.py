"""Tables on a narrow terminal: nothing is wider than it, nothing is lost, and no line ends in blanks."""

import pytest

from teltheory.cli.printed.output import console, show
from teltheory.cli.printed.tables import plain_table

NAMES = [f"column {n}" for n in range(12)]
ROWS = [[f"policy {k}", *(f"{k}.{n:04}" for n in range(12))] for k in range(3)]


def printed(capsys, *parts):
    show(console(), *parts)
    return capsys.readouterr().out.splitlines()


def table():
    return plain_table("Capacity 20,000 tokens", ["policy", *NAMES], ROWS, left=("policy",))


@pytest.mark.parametrize("width", [20, 33, 80, 108, 200])
def test_a_table_goes_on_below_where_the_width_is_given(width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    found = printed(capsys, table(), "a sentence " * 30, "  --a command" * 30)
    assert max(map(len, found[:-1])) <= width <= len(found[-1])
    assert not any(line.endswith(" ") for line in found)
    said = "\n".join(found)
    assert all(said.count(cell) == 1 for row in ROWS for cell in row[1:])
    assert len({said.count(row[0]) for row in ROWS}) == 1


def test_without_a_width_a_table_is_whole(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    found = printed(capsys, table())
    assert [line.split() for line in found[-4:-1]] == [row[0].split() + row[1:] for row in ROWS]

"""An author of a policy: writes ten lines into a file, replays them beside LRU, and asks where they lose."""

import re

import pytest

MINE = """
from dataclasses import dataclass
import teltheory as tt

@dataclass(frozen=True)
class HalfAbove(tt.LeastRecentlyUsed):
    xi: int
    @tt.on_arrays
    def budget(self, node):
        return tt.policies.larger(0, node.past - self.xi) // 2
"""


@pytest.fixture
def own(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)


def test_ten_lines_stand_beside_lru(walk, own):
    walk("teltheory trace sample wildchat-like t.csv --turns 1000")
    told = walk("teltheory replay t.csv --capacity 50k --slo 200ms --policy mine.py:HalfAbove,lru")
    assert [line.split()[0] for line in told.splitlines() if "%" in line][:2] == ["mine.py:HalfAbove", "lru"]


def test_ten_lines_stand_on_a_board_with_an_interval(walk, own, tmp_path):
    walk("teltheory trace sample wildchat-like t.csv --turns 2000")
    asked = "--capacity 20k --slo 200ms --policy lru,tlru,mine.py:HalfAbove --html board.html"
    told = walk(f"teltheory compare t.csv {asked}")
    (row,) = [line for line in told.splitlines() if line.strip().startswith("mine.py:HalfAbove")]
    assert len(re.findall(r"-?[\d.]+ % to -?[\d.]+ %", row)) == 1
    assert "mine.py:HalfAbove" in (tmp_path / "board.html").read_text()


def test_where_they_lose_is_a_small_trace(walk, own):
    told = walk("teltheory policy never-worse mine.py:HalfAbove")
    assert told.startswith("mine.py:HalfAbove is worse than lru on ")


def test_a_slip_in_the_class_names_those_that_are_there(walk, own):
    told = walk("teltheory policy never-worse mine.py:HalfAbov", code=2)
    assert "HalfAbove" in told
    assert told.count("\n") == 1

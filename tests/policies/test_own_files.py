"""Policies of Python files: ``mine.py:Class`` wherever a short form is read."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from refusals import refused

import teltheory as tt
from teltheory.cli import main
from teltheory.errors import FileError
from teltheory.policies.own_files import HINT, class_in_file, parted
from teltheory.policies.spec import parse_policies, parse_policy, policy_texts
from teltheory.sweep.jobs import described

MINE = """from __future__ import annotations
from dataclasses import dataclass
import teltheory as tt
from teltheory.policies import larger

@dataclass(frozen=True)
class HalfAbove(tt.LeastRecentlyUsed):
    xi: int
    share: int = 2
    @tt.on_arrays
    def budget(self, node):
        return larger(0, node.past - self.xi) // self.share

@dataclass(frozen=True)
class OnlyLatest(tt.Hint):
    def holds(self, request, now):
        return request.latest

@dataclass
class Thawed(tt.LeastRecentlyUsed):
    xi: int = 0

@dataclass(frozen=True)
class NoPolicy:
    xi: int = 0

number = 3
"""
TRACE = tt.Trace.from_turns([0, 1, 0, 1, 0], [50, 10, 10, 10, 10], [0] * 5)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    return file


def test_a_file_s_policy_is_replayed_and_swept_by_its_name(mine):
    own = class_in_file(f"{mine}:HalfAbove")
    text = f"{mine}:HalfAbove:share=3"
    problem = tt.Problem(TRACE, capacity=60, xi=5)
    expected = tt.replay(TRACE, own(5, 3), 60).uncached.tolist()
    assert problem.replay(text).uncached.tolist() == expected != problem.replay("lru").uncached.tolist()
    assert tt.replay(TRACE, f"{text},xi=5", 60).uncached.tolist() == expected
    rows = tt.sweep(TRACE, tt.Grid([text, "lru"], capacities=[60], thresholds=[5])).to_pandas()
    assert rows["tel"].tolist()[0] == sum(max(one - 5, 0) for one in expected)
    assert rows["policy"].tolist()[0] == text


def test_lists_and_tiers_keep_the_colons_of_a_file(mine):
    text = f"{mine}:HalfAbove:xi=5,share=3"
    assert policy_texts([f"lru,{text},tlru"]) == ("lru", text, "tlru")
    assert [spec.text for spec in parse_policies(f"lru+{text}").specs] == ["lru", text]
    assert parted(text) == (f"{mine}:HalfAbove", "xi=5,share=3")
    assert parted("tlru:xi=5") == ("tlru", "xi=5")


def test_a_plus_in_a_parameter_is_no_tier():
    assert parse_policies("priority:kinds=agent+chat").build(0, 0) == tt.policies.Priority.by_kinds("agent+chat")
    tiers = parse_policies("priority:kinds=agent+chat+tlru:xi=5+lru").specs
    assert [spec.text for spec in tiers] == ["priority:kinds=agent+chat", "tlru:xi=5", "lru"]


def test_another_process_runs_the_file_itself(mine):
    sent = parse_policy(f"{mine}:HalfAbove").build(7, 0), class_in_file(f"{mine}:OnlyLatest", HINT)()
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(_sent_back, *sent).result() == sent


def _sent_back(policy, hint):
    assert policy.budget(type("Node", (), {"past": 9})) == 1
    assert hint.holds(type("Request", (), {"latest": True}), 0)
    return policy, hint


def test_a_changed_file_counts_at_once_and_stored_results_of_the_old_one_do_not(mine):
    old = class_in_file(f"{mine}:HalfAbove")
    assert class_in_file(f"{mine}:HalfAbove") is old
    mine.write_text(MINE.replace("share: int = 2", "share: int = 4"))
    new = class_in_file(f"{mine}:HalfAbove")
    assert (old(1).share, new(1).share) == (2, 4)
    assert described(old(1, 3)) != described(new(1, 3))
    assert [path.name for path in mine.parent.iterdir()] == ["mine.py"]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (":Half", "mine.py: found no Half, expected one of its policies: HalfAbove"),
        ("", "mine.py: found no class, expected one of its policies: HalfAbove"),
        (":number", "mine.py: found number, which is no policy, expected"),
        (":NoPolicy", "mine.py: found NoPolicy, which is no policy, expected"),
        (":Thawed", "mine.py: found Thawed, which is no policy, expected"),
    ],
)
def test_what_is_no_policy_is_said_with_those_that_are(mine, kind, said):
    refused(FileError, said, parse_policy, f"{mine}{kind}")


def test_what_a_file_raises_is_said_with_its_line(mine):
    for text, said in (
        ("\n\n1 / 0", "line 3: found ZeroDivisionError"),
        ("\ndef f(", "line 2: found SyntaxError"),
    ):
        mine.write_text(text)
        refused(FileError, rf"mine\.py, {said}", parse_policy, f"{mine}:HalfAbove")
    mine.write_text("exit()")
    refused(FileError, r"mine\.py: found that the file ended the program", parse_policy, f"{mine}:HalfAbove")
    refused(FileError, "none.py: found no such file", parse_policy, f"{mine.parent}/none.py:HalfAbove")
    mine.write_text("x = 3")
    refused(FileError, "expected a frozen dataclass with rules", parse_policy, f"{mine}:HalfAbove")


def test_the_command_line_says_which_line_of_a_rule_raised(mine, tmp_path, capsys):
    mine.write_text(MINE.replace("// self.share", "// 0"))
    (tmp_path / "t.csv").write_text("conversation,prompt,response\n0,5,0\n1,5,0\n0,5,0\n")
    asked = ("replay", tmp_path / "t.csv", "--capacity", "6", "--xi", "1", "--policy", f"{mine}:HalfAbove")
    with pytest.raises(SystemExit) as ended:
        main([*map(str, asked)])
    said = capsys.readouterr()
    assert (ended.value.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert "mine.py, line 12: found ZeroDivisionError" in said.err


def test_a_policy_that_needs_a_file_is_shown_one():
    refused(tt.ArgumentError, r'as et-lru:model=rates.json, a file such as \{"death_rate"', parse_policy, "et-lru")


def test_the_model_of_the_example_is_read(tmp_path, monkeypatch):
    kind = tt.ETLRU
    text = kind.example[kind.example.index("{") : kind.example.index("}") + 1]
    monkeypatch.chdir(tmp_path)
    Path("rates.json").write_text(text)
    assert parse_policy(kind.example.partition(", ")[0]).build(5, 0) == kind(5, "learnt", 0.002, 0.02)

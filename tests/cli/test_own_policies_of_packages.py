"""Policies of another package, found by their entry points."""

from __future__ import annotations

import textwrap

import pytest

import teltheory as tt
from teltheory.policies.spec import others, parse_policy

MODULE = """
from dataclasses import dataclass, field
from fractions import Fraction
from teltheory.policies import LeastRecentlyUsed, on_arrays

@dataclass(frozen=True)
class LongestFirst(LeastRecentlyUsed):
    @on_arrays
    def eviction_key(self, conversation):
        return -conversation.past

@dataclass(frozen=True)
class Share(LeastRecentlyUsed):
    xi: int
    share: Fraction = Fraction(1, 2)
    trim: str = "least-recent"
    def budget(self, conversation):
        return max(0, conversation.past - self.xi) * self.share.numerator // self.share.denominator

@dataclass(frozen=True)
class TTL:
    seconds: float
    scale: "fractions.Fraction" = Fraction(1)
    slo: int = 1
    made: int = field(init=False)
    many: tuple = field(default_factory=tuple)
    def __post_init__(self):
        object.__setattr__(self, "made", 7)
        if self.seconds <= 0:
            raise ValueError("seconds: expected more than 0")
    def bound_to(self, instance):
        least = self.seconds * self.scale.numerator / self.scale.denominator / self.slo
        return lambda turn: SilentSince(instance.trace.arrival, instance.trace.arrival[turn] - least)

@dataclass(frozen=True, eq=False)
class SilentSince(LeastRecentlyUsed):
    arrival: object
    least: float
    def drops(self, conversation):
        return conversation.last >= 0 and self.arrival[conversation.last] < self.least

class NoDataclass(LeastRecentlyUsed):
    pass

no_policy = 3
a_value = TTL(1.0)
"""
POINTS = """
[teltheory.policies]
longest-first = own_policies_of_a_test:LongestFirst
share = own_policies_of_a_test:Share
number = own_policies_of_a_test:no_policy
missing = own_policies_of_a_test:Nothing
gone = own_policies_that_are_gone:Nothing
value = own_policies_of_a_test:a_value
no-dataclass = own_policies_of_a_test:NoDataclass
ttl = own_policies_of_a_test:TTL
lru = own_policies_of_a_test:LongestFirst
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    info = folder / "own_policies_of_a_test-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "own_policies_of_a_test.py").write_text(textwrap.dedent(MODULE))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own-policies-of-a-test\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(folder)


def test_a_policy_of_another_package_is_replayed(package, run_json, trace_file):
    asked = (
        "--capacity",
        100,
        "--xi",
        60,
        "--policy",
        "longest-first",
        "--policy",
        "share:share=1/4",
        "--policy",
        "lru",
    )
    rows = run_json("replay", trace_file, *asked)["rows"]
    import own_policies_of_a_test as own

    trace = tt.read_trace(trace_file)
    expected = [own.LongestFirst(), own.Share(60, own.Fraction(1, 4)), tt.LRU()]
    tels = [tt.tail_excess_latency(tt.replay(trace, policy, 100), 60) for policy in expected]
    assert [row["tel"] for row in rows] == tels
    assert [row["policy"] for row in rows] == ["longest-first", "share:share=1/4", "lru"]


def test_notes_name_the_policies_that_the_reference_replays(package, run, capsys, tmp_path):
    file = tmp_path / "long.csv"
    file.write_text("conversation,prompt,response,arrival\n" + "".join(f"{k % 7},2,1,{k}\n" for k in range(2000)))
    policies = ("--policy", "ttl:seconds=5", "--policy", "longest-first", "--policy", "tlru")
    assert run("replay", file, "--capacity", 100, "--xi", 60, *policies) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Replayed by the slow reference, as no compiled loop is known to fit: ttl:seconds=5.0." in said


def test_fields_are_read_by_their_types(package):
    import own_policies_of_a_test as own

    def built(text):
        return parse_policy(text).build(5, 6)

    assert built("ttl:seconds=2.5,scale=1/2,slo=3") == own.TTL(2.5, own.Fraction(1, 2), 3)
    assert built("share:share=0.25,trim=eager") == own.Share(5, own.Fraction(1, 4), "eager")
    assert built("share:xi=7") == own.Share(7)
    assert built("longest-first") == own.LongestFirst()
    assert built("lru") == tt.LRU()


def test_a_policy_that_looks_at_the_clock(package, tmp_path, run_json):
    file = tmp_path / "timed.csv"
    tt.write_trace(tt.Trace.from_turns([0, 1, 0], [10] * 3, [0] * 3, arrival=[0, 5, 20]), file)
    asked = ("--capacity", 100, "--xi", 0, "--policy", "ttl:seconds=4", "--policy", "ttl:seconds=4,scale=3/2")
    assert [row["tel"] for row in run_json("replay", file, *asked)["rows"]] == [40, 30]


def test_arrival_times_reach_processes_and_tell_traces_apart_in_a_store(package, tmp_path, run_json):
    asked = ("--capacity", 100, "--xi", 0, "--policy", "ttl:seconds=4", "--store", tmp_path / "store.jsonl")
    tels = []
    for times in ([0, 1, 2], [0, 5, 20]):
        file = tmp_path / "timed.csv"
        tt.write_trace(tt.Trace.from_turns([0, 1, 0], [10] * 3, [0] * 3, arrival=times), file)
        tels += [run_json("replay", file, *asked)["rows"][0]["tel"]]
        tels += [run_json("replay", file, *asked[:-2], "--workers", 2)["rows"][0]["tel"]]
    assert tels == [30, 30, 40, 40]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("number", "a dataclass as own_policies_of_a_test:no_policy"),
        ("missing", "an entry point that can be loaded"),
        ("gone", "an entry point that can be loaded"),
        ("value", "a dataclass as own_policies_of_a_test:a_value"),
        ("no-dataclass", "a dataclass as own_policies_of_a_test:NoDataclass"),
        ("ttl", "seconds=... with it"),
        ("ttl:seconds=nan", "a number such as 2.5"),
        ("ttl:seconds=x", "a number such as 2.5"),
        ("ttl:seconds=-1", "seconds: expected more than 0"),
        ("ttl:seconds=1,seconds=2", "seconds=..., scale=..., slo=..., many=..., each at most once"),
        ("ttl:seconds=1,made=2", "seconds=..., scale=..., slo=..., many=..., each at most once"),
        ("other", "one of lru, threshold-lru"),
        ("share:share=x", "a share such as 0.95"),
        ("share:xi=-1", "expected tokens"),
        ("share:other=1", "share=..., trim=..."),
    ],
)
def test_what_is_wrong_with_a_policy_is_one_line(package, run, trace_file, capsys, policy, message):
    assert run("replay", trace_file, "--capacity", 100, "--xi", 60, "--policy", policy) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_the_names_of_other_packages_are_among_the_choices(package, run, trace_file, capsys):
    assert run("replay", trace_file, "--policy", "none") == 2
    choices = capsys.readouterr().err
    assert "longest-first" in choices
    assert choices.count(" lru,") == 1
    assert "lru" not in others()


def test_the_smallest_trace_on_which_one_is_worse(package, run, run_json, capsys):
    assert run("never-worse", "longest-first") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "longest-first is worse than lru on A(0+1) B(0+2) B(0+0); C=1 xi=0 Q=0: policy 2, other 1." in text
    found = run_json("never-worse", "longest-first")
    assert found["verdict"] == "refuted"
    assert found["counterexample"]["values"] == {"policy": 2, "other": 1}


def test_within_the_bounds_nothing_speaks_against_t_lru(run, capsys):
    assert run("never-worse", "tlru", "--turns", 3, "--tokens", 3, "--samples", 50) == 0
    tried = "on all 8,272 instances of up to 3 turns and 3 tokens, and on 50 random ones."
    assert f"tlru has a TEL of at most lru's {tried}" in " ".join(capsys.readouterr().out.split())
    assert run("never-worse", "lru", "--than", "tlru", "--turns", 3, "--tokens", 3, "--forced") == 0
    assert "lru is worse than tlru on" in " ".join(capsys.readouterr().out.split())


def test_an_estimate_that_is_given_is_the_only_one(run, capsys):
    assert run("never-worse", "tlru:q_hat=0", "--samples", 0) == 0
    assert "on A(0+2) B(0+1) B(1+0); C=1 xi=1 Q=0: policy 1, other 0." in " ".join(capsys.readouterr().out.split())


def test_what_only_a_random_trace_shows_is_said_to_be_no_smallest_one(run, capsys):
    few = ("--turns", 1, "--tokens", 1)
    assert run("never-worse", "lru", "--than", "tail-optimized-belady", *few, "--samples", 500) == 0
    assert "(a random trace, shrunk: there may be a smaller one)." in " ".join(capsys.readouterr().out.split())
    assert run("never-worse", "belady", *few, "--samples", 0) == 0
    assert "instances of up to 1 turns and 1 tokens." in " ".join(capsys.readouterr().out.split())


def test_the_command_line_hands_over_its_bounds(run_json):
    found = run_json("never-worse", "threshold-lru:cutoff=1", "--forced", "--conversations", 2, "--tokens", 3)
    assert found["counterexample"]["forced"]
    assert found["scope"]["bounds"]["tokens_by_turns"] == {"1": 3, "2": 3, "3": 3, "4": 3}
    assert found["scope"]["bounds"]["conversations"] == 2


def test_a_policy_of_another_package_has_a_curve(package, run, run_json, trace_file, capsys):
    """In any case of its name, as the toolkit's own; the error for any other name lists it and hindsight."""
    asked = ("curve", trace_file, "--capacity", "100,200", "--xi", 60, "--policy")
    rows = run_json(*asked, "Longest-First")["rows"]
    replayed = run_json("replay", trace_file, *asked[2:], "longest-first")["rows"]
    assert [(row["policy"], row["tel"]) for row in rows] == [("longest-first", row["tel"]) for row in replayed]
    assert run(*asked, "shortest-first") == 2
    error = capsys.readouterr().err
    assert "longest-first" in error
    assert "hindsight" in error

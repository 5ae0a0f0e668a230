"""Without machine code the reference runs, or a command ends with 2; either way one line says what to do."""

import re

import pytest

import teltheory as tt
from teltheory.base import loops
from teltheory.errors import MachineCodeError
from teltheory.replay.asked import KERNEL_FROM, REFERENCE_TO

LACKING = r"machine code: found none for this machine; .+ makes it; "
POLICIES = ["lru", "tlru:xi=9,q_hat=2", "tlru:xi=9,q_hat=2,trim=least-recent"]


@pytest.fixture
def without(monkeypatch, tmp_path):
    """Take the library away."""
    monkeypatch.setattr(loops, "LIBRARY", "none.so")
    for known in (loops._library, loops.loop):
        known.cache_clear()


def trace_of(turns):
    return tt.Trace.from_turns([k % 3 for k in range(turns)], [k % 5 for k in range(turns)], [1] * turns)


@pytest.mark.parametrize("policy", [tt.LRU(), tt.TLRU(9, 2), tt.TLRU(9, 2, "least-recent")])
def test_the_reference_stands_in_once_it_is_said(without, policy):
    trace = trace_of(KERNEL_FROM)
    with pytest.warns(UserWarning, match=f"{LACKING}the reference replays meanwhile"):
        found = tt.replay(trace, policy, 10)
    assert (found.cached == tt.replay(trace, policy, 10, engine="reference").cached).all()


def test_what_would_take_long_is_refused_and_so_is_the_kernel_that_is_asked_for(without):
    with pytest.raises(MachineCodeError, match=f"{LACKING}without it at most {REFERENCE_TO:,} turns are replayed"):
        tt.replay(trace_of(REFERENCE_TO + 1), tt.LRU(), 10)
    with pytest.raises(MachineCodeError, match=LACKING[:-2] + "$"):
        tt.replay(trace_of(3), tt.LRU(), 10, engine="kernel")
    assert (tt.replay(trace_of(REFERENCE_TO + 1), tt.LRU(), 10, engine="reference").cached >= 0).all()


@pytest.fixture
def file(tmp_path):
    """Return a file of a trace of so many turns."""

    def of(turns):
        place = tmp_path / f"{turns}.csv"
        rows = [f"{k % 3},{k % 5},1\n" for k in range(turns)]
        place.write_text("conversation,prompt,response\n" + "".join(rows))
        return place

    return of


@pytest.mark.filterwarnings("default:machine code:UserWarning")
def test_a_command_warns_in_one_line_and_prints_what_the_loops_print(without, monkeypatch, run, capsys, file):
    words = [
        "replay",
        file(KERNEL_FROM),
        "--capacity",
        10,
        *[word for name in POLICIES for word in ("--policy", name)],
    ]
    assert run(*words) == 0
    printed, said = capsys.readouterr()
    assert re.fullmatch(rf"teltheory: {LACKING}the reference .*\n", said)
    monkeypatch.undo()
    assert run(*words) == 0
    assert capsys.readouterr() == (printed, "")


def test_a_command_that_would_take_long_ends_with_2_and_one_line(without, run, capsys, file):
    assert run("replay", file(REFERENCE_TO + 1), "--capacity", 10, "--policy", "lru") == 2
    printed, said = capsys.readouterr()
    assert printed == ""
    assert re.fullmatch(rf"teltheory: {LACKING}without it at most 10,000 turns are replayed\n", said)

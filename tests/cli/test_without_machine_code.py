"""Without machine code something slower runs, or a command ends with 2; either way one line says what to do."""

import re
from fractions import Fraction

import pytest

import teltheory as tt
from teltheory.base import loops
from teltheory.errors import MachineCodeError
from teltheory.policies import LFU
from teltheory.replay.asked import KERNEL_FROM, REFERENCE_TO

LACKING = r"machine code: found none for this machine; .+ makes it"
SLOWER = f"{LACKING}; something slower runs meanwhile"
POLICIES = ["lru", "tlru:xi=9,q_hat=2", "tlru:xi=9,q_hat=2,trim=least-recent"]


@pytest.fixture
def without(monkeypatch):
    """Take the library away."""
    monkeypatch.setattr(loops, "LIBRARY", "none.so")
    for known in (loops._library, loops.loop):
        known.cache_clear()


def trace_of(turns):
    columns = [[k % most for k in range(turns)] for most in (3, 5, 2)]
    return tt.Trace.from_turns(*columns, arrival=list(range(turns)))


LONG = trace_of(KERNEL_FROM)
SETS = tt.ModuleTrace.from_requests([[k % 3, 3 + k % 7] for k in range(KERNEL_FROM)], list(range(1, 11)))
TIERS = tt.Tiers((5, 10), (0, Fraction(1, 3)))
STANDS_IN = {
    "LRU": (LONG, tt.LRU(), 10),
    "T-LRU": (LONG, tt.TLRU(9, 2), 10),
    "T-LRU by recency": (LONG, tt.TLRU(9, 2, "least-recent"), 10),
    "Belady": (LONG, tt.Belady(), 10),
    "a policy with a memory": (trace_of(60), LFU(), 10),
    "a forest": (trace_of(70).forest, tt.LRU(), 10),
    "tiers": (LONG, tt.LRU(), TIERS),
    "module sets": (SETS, tt.LRU(), 12),
}


@pytest.mark.parametrize("case", STANDS_IN)
def test_the_reference_stands_in_and_it_is_said(without, case):
    with pytest.warns(UserWarning, match=SLOWER):
        found = tt.replay(*STANDS_IN[case])
    assert (found.cached == tt.replay(*STANDS_IN[case], engine="reference").cached).all()


def test_requests_are_served_and_the_optimum_of_conversations_is_proved(without, monkeypatch):
    def asked():
        served = tt.serve(LONG, tt.LRU(), 10, replicas=2)
        return served.start.tolist(), tt.hindsight_optimum(trace_of(50), 3, 10).objective

    with pytest.warns(UserWarning, match=SLOWER):
        found = asked()
    monkeypatch.undo()
    assert found == asked()


def test_what_would_take_long_is_refused_and_so_is_what_is_asked_for_by_name(without):
    with pytest.raises(
        MachineCodeError, match=f"{LACKING}; without it at most {REFERENCE_TO:,} turns are replayed"
    ):
        tt.replay(trace_of(REFERENCE_TO + 1), tt.LRU(), 10)
    with pytest.raises(MachineCodeError, match=LACKING):
        tt.replay(trace_of(REFERENCE_TO), LFU(), 10)
    for asked in (
        lambda: tt.replay(trace_of(3), tt.LRU(), 10, engine="kernel"),
        lambda: tt.hindsight_optimum(trace_of(3), 3, 10, method="greedy"),
    ):
        with pytest.raises(MachineCodeError, match=f"{LACKING}$"):
            asked()


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
    words = ["replay", file(KERNEL_FROM), "--capacity", 10, *[w for name in POLICIES for w in ("--policy", name)]]
    assert run(*words) == 0
    printed, said = capsys.readouterr()
    assert re.fullmatch(rf"teltheory: {SLOWER}\n", said)
    monkeypatch.undo()
    assert run(*words) == 0
    assert capsys.readouterr() == (printed, "")


def test_a_command_that_would_take_long_or_has_nothing_slower_ends_with_2_and_one_line(without, run, capsys, file):
    for words in (("replay", file(REFERENCE_TO + 1), "--policy", "lru", "--capacity", 10), ("curve", file(3))):
        assert run(*words) == 2
        printed, said = capsys.readouterr()
        assert printed == ""
        assert re.fullmatch(rf"teltheory: {LACKING}.*\n", said)

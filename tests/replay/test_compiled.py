"""Machine code on disk is never older than the sources that it was made of."""

import subprocess
import sys

import pytest

CALLER = """
from teltheory.replay.compiled import compiled
from tiny.callee import answer

@compiled
def twice():
    return 2 * answer()

print(twice(), sum(twice.stats.cache_hits.values()))
"""
CALLEE = """
from teltheory.replay.compiled import compiled

@compiled
def answer():
    return {}
"""


CALLS = """
import gc
import numpy as np
import teltheory as tt
from numba.core.dispatcher import Dispatcher

trace = tt.sample_conversations(tt.ConversationModel(), 50, np.random.default_rng(0))
for policy in (tt.LRU(), tt.TLRU(xi=100, q_hat=10), tt.TailOptimizedBelady(xi=100)):
    tt.replay(trace, policy, capacity=500, engine="kernel")
tt.capacity_curve(trace, tt.LRU()).cached(500)
ours = [found for found in gc.get_objects() if isinstance(found, Dispatcher) and "teltheory" in found.__module__]
print(sum(sum(one.stats.cache_hits.values()) for one in ours))
print(sum(sum(one.stats.cache_misses.values()) for one in ours))
"""


@pytest.fixture
def callee(tmp_path):
    """The file of a package whose caller, a process of its own, calls what it has."""
    package = tmp_path / "tiny"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "caller.py").write_text(CALLER)
    return package / "callee.py"


def started(callee):
    """A process that calls, and prints the answer and what it read from disk."""
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.path.append({str(callee.parents[1])!r}); import tiny.caller",
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.long
def test_a_change_in_another_file_is_seen(callee):
    printed = []
    for value in (3, 3, 5):
        callee.write_text(CALLEE.format(value))
        printed.append(started(callee).communicate()[0].split())
    assert printed == [["6", "0"], ["6", "1"], ["10", "0"]]


@pytest.mark.long
def test_a_change_in_a_file_of_which_nothing_is_compiled_throws_nothing_away(callee):
    callee.write_text(CALLEE.format(3))
    printed = []
    for value in (1, 2):
        (callee.parent / "plain.py").write_text(f"PLAIN = {value}\n")
        printed.append(started(callee).communicate()[0].split())
    assert printed == [["6", "0"], ["6", "1"]]


@pytest.mark.long
def test_a_change_in_a_constant_that_is_compiled_in_is_seen(callee):
    callee.write_text(f"from tiny.plain import PLAIN\n{CALLEE.format('PLAIN')}")
    printed = []
    for value in (3, 3, 5):
        (callee.parent / "plain.py").write_text(f"PLAIN = {value}\n")
        printed.append(started(callee).communicate()[0].split())
    assert printed == [["6", "0"], ["6", "1"], ["10", "0"]]


@pytest.mark.long
def test_of_processes_at_the_same_time_one_compiles(callee):
    callee.write_text(CALLEE.format(3))
    both = [started(callee) for _ in range(2)]
    assert sorted(process.communicate()[0].split() for process in both) == [["6", "0"], ["6", "1"]]


@pytest.mark.long
def test_a_second_process_compiles_nothing():
    def hits_and_misses():
        done = subprocess.run([sys.executable, "-c", CALLS], capture_output=True, text=True, check=True)
        return [int(word) for word in done.stdout.split()]

    hits_and_misses()
    hits, misses = hits_and_misses()
    assert hits > 3
    assert misses == 0

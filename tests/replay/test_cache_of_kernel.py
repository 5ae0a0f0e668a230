"""What one process compiled, the next one reads from disk."""

import subprocess
import sys

import pytest

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


@pytest.mark.long
def test_a_second_process_compiles_nothing():
    def hits_and_misses():
        done = subprocess.run([sys.executable, "-c", CALLS], capture_output=True, text=True, check=True)
        return [int(word) for word in done.stdout.split()]

    hits_and_misses()
    hits, misses = hits_and_misses()
    assert hits > 3
    assert misses == 0

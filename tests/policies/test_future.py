"""Who looks at turns that are still to come is named where it is served and advised."""

from dataclasses import dataclass

import numpy as np
import pytest

import teltheory as tt
from teltheory.policies import LFU, AdaptiveTLRU, LeastRecentlyUsed, larger, on_arrays
from teltheory.policies.future import looks_ahead
from teltheory.serving.serve import Serving
from teltheory.workloads import wildchat_like

FUTURE = (tt.Belady(), tt.TailOptimizedBelady(3), tt.EndAwareTLRU(3, 1), tt.LengthAwareTLRU(3))
PAST = (tt.LRU(), tt.TLRU(3, 1), tt.ThresholdLRU(3), LFU(), AdaptiveTLRU(3, 1), tt.ReturnAwareTLRU(3, 1))
CHATS, MORE = (wildchat_like().sample(turns, np.random.default_rng(0)) for turns in (120, 1000))


@dataclass(frozen=True)
class LongKnowNext(LeastRecentlyUsed):
    """What is long keeps what its next turn asks for."""

    xi: int

    @on_arrays
    def budget(self, node):
        return larger(node.past - self.xi, 0) if np.any(node.past <= 500) else node.next.history


@pytest.mark.parametrize("policy", [*FUTURE, *PAST], ids=repr)
def test_the_policies_that_know_of_later_turns(policy):
    assert looks_ahead(policy) == (policy in FUTURE)
    assert looks_ahead((tt.LRU(), policy)) == (policy in FUTURE)


def test_a_custom_one_is_named_by_serve_and_advise():
    assert looks_ahead(LongKnowNext(9))
    for engine in ("reference", "kernel"):
        served = tt.serve(CHATS, tt.Belady(), 20_000, engine=engine)
        assert served.looks_ahead
        assert served.summary()["policy"] == "looks at later turns, as no server can"
    assert "policy" not in tt.serve(CHATS, tt.LRU(), 20_000).summary()
    for serving in (None, Serving()):
        advice = tt.advise(MORE, 20_000, "200ms", policy=tt.EndAwareTLRU, serving=serving)
        assert advice.warnings[0] == "EndAwareTLRU looks at later turns, as no server can."
    assert "later turns" not in " ".join(tt.advise(MORE, 20_000, "200ms").warnings)

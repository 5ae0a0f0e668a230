"""Small workloads for the server; times are whole eighths of a second, which floats add up exactly."""

from fractions import Fraction
from itertools import permutations

import numpy as np
from hypothesis import strategies as st

import teltheory as tt
from teltheory.model.tiers import Tiers
from teltheory.systems.rag.faults import GPULoss, RequestFault
from teltheory.systems.rag.workload import Workload

LATENCY = tt.LatencyModel(Fraction(1, 8), constant=Fraction(1, 4))
LOAD = 1 / 16
TIERS = Tiers((9, 8), (0, Fraction(1, 2)))
DOCUMENTS = 5
eighths = st.sampled_from([eighth / 8 for eighth in range(13)])
faults = st.lists(
    st.one_of(
        st.builds(GPULoss, eighths, eighths),
        st.builds(RequestFault, st.just(0), st.integers(1, 3), st.booleans()),
    ),
    max_size=3,
)

lists = [[list(found) for found in permutations(range(DOCUMENTS), size)] for size in range(3)]
found = st.sampled_from([*lists[0] * 4, *lists[1] * 2, *lists[2]])


def workload_of(lists, length, seconds, arrival, question=1, system=0):
    """Return a workload of lists of documents, by request and stage; times as `Workload.of` takes them."""
    stages, most = len(lists[0]), max(1, *(len(found) for stages in lists for found in stages))
    found = np.full((len(lists), stages, most), -1)
    for place in np.ndindex(len(lists), stages):
        documents = lists[place[0]][place[1]]
        found[(*place, slice(len(documents)))] = documents
    asked = np.broadcast_to(question, len(lists)).tolist()
    return Workload.of(length, found, np.array(seconds, np.float64), asked, arrival, system)


@st.composite
def workloads(draw, most=8, stages=3):
    """Up to `most` requests for up to two documents, searched in up to three stages."""
    n, stages = draw(st.integers(1, most)), draw(st.integers(1, stages))
    lists = [[draw(found) for _ in range(stages)] for _ in range(n)]
    length = [draw(st.integers(1, 4)) for _ in range(DOCUMENTS)]
    seconds = [[draw(eighths) for _ in range(stages)] for _ in range(n)]
    arrival = np.cumsum([draw(eighths) for _ in range(n)]).tolist()
    question = [draw(st.integers(0, 3)) for _ in range(n)]
    return workload_of(lists, length, seconds, arrival, question, draw(st.integers(0, 1)))

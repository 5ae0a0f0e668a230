"""Small workloads for the server; times are whole eighths of a second, which floats add up exactly."""

from fractions import Fraction

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
eighths = st.integers(0, 12).map(lambda eighth: eighth / 8)
faults = st.lists(
    st.one_of(
        st.builds(GPULoss, eighths, eighths),
        st.builds(RequestFault, st.just(0), st.integers(1, 3), st.booleans()),
    ),
    max_size=3,
)


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
    some = st.lists(st.integers(0, DOCUMENTS - 1), max_size=2, unique=True)
    lists = [[draw(some) for _ in range(stages)] for _ in range(n)]
    length = draw(st.lists(st.integers(1, 4), min_size=DOCUMENTS, max_size=DOCUMENTS))
    seconds = [[draw(eighths) for _ in range(stages)] for _ in range(n)]
    arrival = np.cumsum([draw(eighths) for _ in range(n)]).tolist()
    question = [draw(st.integers(0, 3)) for _ in range(n)]
    return workload_of(lists, length, seconds, arrival, question, draw(st.integers(0, 1)))

"""What RAGCache's notes say of served requests: gains, retries after a failure, and how large the host is.

Retries are decided with the package's server (`teltheory.systems.rag.server`), a token a second, so that seconds
count tokens. A second simulator judges that server (`tests/systems/rag/event_loop.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from proofs_checks.ragcache.knowledge_tree import PAPER
from proofs_checks.ragcache.skew import nothing
from teltheory.claims.claim import Values, rows
from teltheory.claims.data_files import Missing
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import reading, sharpness
from teltheory.claims.worlds import Given
from teltheory.cost.latency import LatencyModel
from teltheory.model.tiers import Tiers
from teltheory.policies import LRU
from teltheory.systems.rag.faults import RequestFault
from teltheory.systems.rag.served import RagServed
from teltheory.systems.rag.server import Server, serve
from teltheory.systems.rag.workload import Workload

TIMINGS = Missing(
    "timings of vLLM with Faiss and of RAGCache on its GPU, and its workloads, are not here; docs/rag-measured.md "
    "has what a model gives"
)
gains = rows(source="Abstract (RAGCache)", relation=bool, space=TIMINGS, origin=PAPER)
ttft = gains("ragcache.gains.ttft", "The TTFT is up to 4 times shorter than that of vLLM with Faiss.")(nothing)
throughput = gains("ragcache.gains.throughput", "The throughput is up to 2.1 times that of vLLM with Faiss.")(
    nothing
)

DOCUMENTS, QUESTION, PATIENCE = 2, 1, 100.0
LISTS: tuple[tuple[int, ...], ...] = ((0,), (1,), (0, 1), (1, 0))


@dataclass(frozen=True)
class Failing(ToldCase):
    """Requests for lists of two documents, the tokens of both, the room, and which request fails first.

    Requests come so far apart that none waits; the retry of the one that fails comes after so many others.
    """

    lists: tuple[tuple[int, ...], ...]
    lengths: tuple[int, ...]
    room: int
    fails: int
    others: int = 0

    def served(self, *faults: RequestFault) -> RagServed:
        """Serve them, by LRU and one GPU."""
        found = np.array([[(*docs, *(-1,) * (DOCUMENTS - len(docs)))] for docs in self.lists])
        n = len(self.lists)
        arrival, seconds = [PATIENCE * k for k in range(n)], np.zeros((n, 1))
        workload = Workload.of(list(self.lengths), found, seconds, [QUESTION] * n, arrival)
        server = Server(Tiers((self.room,)), LRU(), timeout=PATIENCE * self.others + PATIENCE / 2)
        return serve(workload, server, LatencyModel(Fraction(1)), 0, faults)


def failures(most: int, others: int) -> Iterator[list[Failing]]:
    """Yield runs of up to so many requests; the one that fails has so many after it."""
    for n in range(1 + others, most + 1):
        for total in range(2, 7):
            lengths = [(first, total - first) for first in range(1, total)]
            yield [
                Failing(lists, pair, room, n - 1 - others, others)
                for lists in product(LISTS, repeat=n)
                for pair in lengths
                for room in range(max(pair), total + 1)
                if room >= max(sum(pair[one] for one in docs) for docs in lists)
            ]


retry = rows(source="Fault tolerance (RAGCache): retries after a time-out")
ALONE = Listed(
    lambda most: failures(most, 0),
    2,
    3,
    "up to {} requests for two documents of up to 6 tokens together; the last one fails, so that none comes "
    "before its retry",
)


@retry(
    "ragcache.retry.before",
    "A request that fails before its first iteration ends is computed again: the retry computes what the attempt "
    "did, and nothing else is lost.",
    relation=lambda of: of["retry"] == of["attempt"] == of["lost"],
    space=ALONE,
    origin=PAPER,
)
def before(case: Failing) -> Values:
    """Count the tokens of the attempt, without a failure and as lost, and of the retry."""
    usual, failed = case.served(), case.served(RequestFault(case.fails))
    return {
        "attempt": int(usual.uncached[case.fails]),
        "lost": int(failed.totals.lost_seconds),
        "retry": int(failed.uncached[case.fails]),
    }


def computed_after(case: Failing) -> Values:
    """Count the tokens that the retry after the first token computes."""
    failed = case.served(RequestFault(case.fails, after_first_token=True))
    return {"retry": int(failed.totals.resumed_seconds), "question": QUESTION}


after = retry(
    "ragcache.retry.after",
    "One that fails after its first iteration goes on with the tensors that are stored: of its documents the "
    "retry computes nothing.",
    relation=lambda of: of["retry"] == of["question"],
    space=ALONE,
    origin=PAPER,
)(computed_after)

after_others = retry(
    "ragcache.retry.after.others",
    "The same if another request comes before the retry.",
    relation=lambda of: of["retry"] == of["question"],
    space=Listed(
        lambda most: failures(most, 1),
        2,
        3,
        "up to {} requests for two documents of up to 6 tokens together; the last but one fails",
    ),
    origin=sharpness("ragcache.retry.after", "nothing that is stored goes before the retry"),
)(computed_after)


@dataclass(frozen=True)
class Machine(ToldCase):
    """A machine by its GPU, and the GB of the host and of the GPU."""

    gpu: str
    host_gb: int
    gpu_gb: int


SERVERS = (Machine("RTX 4090", 224, 24), Machine("A40", 224, 48), Machine("A100", 224, 40))
hosts = rows(source="Swap out only once (RAGCache): “one to two orders of magnitude larger”", kind="arithmetic")
host_size = hosts(
    "ragcache.host-size",
    "The host's memory is one to two orders of magnitude larger than the GPU's.",
    relation=bool,
    space=Missing("the notes end before the evaluation, so the memories of its machines are not here"),
    origin=PAPER,
)(nothing)

host_size_elsewhere = hosts(
    "ragcache.host-size.elsewhere",
    "On servers with a GPU the host's memory is 10 to 100 times the GPU's.",
    relation=lambda of: 10 <= of["times"] <= 100,
    space=Given(SERVERS, "the three GPU servers of Prompt Cache's evaluation, 224 GB each"),
    origin=reading("of the servers of another paper, whose hosts it names"),
)(lambda case: {"times": Fraction(case.host_gb, case.gpu_gb)})

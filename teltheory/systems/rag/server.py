"""A RAG server as a value: its memory, its queue, its pipeline, and what it does when something fails.

`serve` runs a workload through it:

1. Request k comes at its arrival and waits for a searcher, first come, first served; its search takes the
   workload's stages, one after the other.
2. After a stage a speculative generation may begin, by `teltheory.systems.rag.speculation`; after the last the
   documents are known. A generation joins the queue of `teltheory.systems.rag.waiting`.
3. Whenever the GPU is free it takes the next of the queue, up to `batch` of them, into one iteration. What is
   cached then is hit, what is in the host is loaded, and the rest of the documents and the question are computed:
   latency.ttft(uncached, cached) + loaded x `load` seconds, and copied x `load` seconds if what makes room is
   copied out before. The times of an iteration's generations add up; all of them have their first tokens at its
   end, and what they computed is cached from then on.
4. TTFT is the time of the first token, or of the end of the search if that is later, less the arrival.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from teltheory.base.extras import needed
from teltheory.cost.latency import Latency
from teltheory.errors import ArgumentError
from teltheory.model.numbers import real_number, whole_number
from teltheory.model.tiers import Tiers
from teltheory.replay.tiers.replicas import Replicas
from teltheory.replay.tiers.tree import TieredTree
from teltheory.systems.rag.faults import Fault
from teltheory.systems.rag.served import RagServed
from teltheory.systems.rag.speculation import INTERRUPTIONS, Admission, Interruption
from teltheory.systems.rag.tree import Nothing, StartedGeneration, Tree
from teltheory.systems.rag.workload import Workload

Copying: TypeAlias = Literal["beside", "before"]


@dataclass(frozen=True)
class Server:
    """A RAG server with one GPU.

    Parameters
    ----------
    tiers : Tiers
        Its memory: a GPU, or a GPU and its host.
    policy : policy, or tuple of policies
        What it evicts: one policy, or one a tier.
    block : int
        Tokens that memory comes in; a document's last block takes as much as a full one.
    window : int
        How often a request may be overtaken in the queue by those with a larger OrderPriority; 0: never.
    patience : float, optional
        Seconds in the queue after which nobody overtakes it, whatever the window.
    speculation : {"always", "idle", "spare", "queue:m"}, optional
        When a generation begins before its documents are known; None: never.
    interruption : {"at once", "after the iteration"}
        When a running generation that is cancelled gives the GPU back.
    batch : int
        Generations an iteration at most, 1 or more.
    searchers : int, optional
        Searches that run at once, 1 or more; None: all.
    copying : {"beside", "before"}
        Whether what is copied out to the host leaves beside the prefill, which takes no time, or before it, which
        takes as long as loading it.
    reuse : bool
        Whether anything is cached from one request to the next.
    replicas : Replicas, optional
        Nodes that are copied to the host as soon as they are computed; None: none.
    timeout : float
        Seconds after its failure at which a generation is tried again.
    retries : int
        Retries a request at most.
    """

    tiers: Tiers
    policy: Any
    block: int = 1
    window: int = 0
    patience: float | None = None
    speculation: str | None = None
    interruption: Interruption = "at once"
    batch: int = 1
    searchers: int | None = None
    copying: Copying = "beside"
    reuse: bool = True
    replicas: Replicas | None = None
    timeout: float = 0.0
    retries: int = 3

    def __post_init__(self) -> None:
        if len(self.tiers) > 2 or self.tiers.mode == "inclusive":
            raise ArgumentError("tiers", self.tiers, "a GPU, or a GPU and its host, not inclusive")
        for name in ("block", "batch", "searchers"):
            if getattr(self, name) is not None and whole_number(name, getattr(self, name)) < 1:
                raise ArgumentError(name, getattr(self, name), "1 or more")
        for name in ("window", "retries"):
            whole_number(name, getattr(self, name))
        for name in ("patience", "timeout"):
            if getattr(self, name) is not None:
                real_number(name, getattr(self, name), 0, closed=True)
        if self.interruption not in INTERRUPTIONS:
            raise ArgumentError("interruption", self.interruption, "one of " + ", ".join(INTERRUPTIONS))
        if self.copying not in get_args(Copying):
            raise ArgumentError("copying", self.copying, "one of " + ", ".join(get_args(Copying)))
        if self.yields and self.interruption != "at once":
            raise ArgumentError("interruption", self.interruption, "at once, as spare generations yield")

    def moved(self, start: StartedGeneration) -> int:
        """Return the tokens that a prefill waits for: loaded, and copied out if that comes before."""
        return start.loaded + (start.copied if self.copying == "before" else 0)

    @property
    def yields(self) -> bool:
        """Whether speculative generations give the GPU back to those whose documents are known."""
        admission = Admission.of(self.speculation)
        return admission is not None and admission.yields

    def tree(self, workload: Workload) -> Tree:
        """Return its memory before the first request."""
        if not self.reuse:
            return Nothing(workload.forest, self.tiers, self.block)
        return TieredTree(workload.forest, self.tiers, self.policy, self.block, self.replicas)


def serve(
    workload: Workload, server: Server, latency: Latency, load: float = 0.0, faults: Sequence[Fault] = ()
) -> RagServed:
    """Run a workload through a server, event by event.

    Parameters
    ----------
    workload : Workload
        What is asked, and when.
    server : Server
        The server.
    latency : Latency
        Seconds of a prefill.
    load : float
        Seconds to load a token from the host, or to copy one there.
    faults : sequence of GPULoss or RequestFault
        What goes wrong.

    Raises
    ------
    ForcedCachingError
        If the documents of a request do not fit into the first tier.
    ArgumentError
        For a negative time or an unknown request.
    TelTheoryError
        Without SimPy, which the extra `rag` installs.
    """
    real_number("load", load, 0, closed=True)
    needed("simpy", "rag")
    from teltheory.systems.rag.simulation import Simulation

    return Simulation(workload, server, server.tree(workload), latency, load, faults).run()

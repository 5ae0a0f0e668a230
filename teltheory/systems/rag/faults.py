"""What goes wrong in a RAG server: its GPU is lost, or the generation of a request fails.

RAGCache (Jin et al. 2024, "fault tolerance") names both, a copy of the hottest upper nodes in host memory,
time-outs and retries. When faults come is the caller's to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from teltheory.errors import ArgumentError
from teltheory.model.numbers import real_number, whole_number


@dataclass(frozen=True)
class GPULoss:
    """The GPU loses its memory, and the prefills that it runs fail.

    Parameters
    ----------
    at, down : float
        When, and for how many seconds no prefill begins; seconds.
    """

    at: float
    down: float = 0.0

    def __post_init__(self) -> None:
        for name in ("at", "down"):
            object.__setattr__(self, name, real_number(name, getattr(self, name), 0, closed=True))


@dataclass(frozen=True)
class RequestFault:
    """A generation for the answer of a request fails.

    Parameters
    ----------
    request : int
        Which, in order of arrival from 0.
    attempt : int
        Which attempt fails, 1 for the first.
    after_first_token : bool
        Whether that is after its first iteration, so that its KV cache is kept, or before it ends.
    """

    request: int
    attempt: int = 1
    after_first_token: bool = False

    def __post_init__(self) -> None:
        for name in ("request", "attempt"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name)))
        if not self.attempt:
            raise ArgumentError("attempt", 0, "1 for the first attempt, 2 for the second, ...")


Fault = GPULoss | RequestFault


def failing(faults: Sequence[Fault], requests: int) -> set[tuple[int, int, bool]]:
    """Return which (request, attempt, after the first token) fail.

    Raises
    ------
    ArgumentError
        A request that does not exist.
    """
    found = [fault for fault in faults if isinstance(fault, RequestFault)]
    for fault in found:
        if fault.request >= requests:
            raise ArgumentError("faults", fault.request, f"a request from 0 to {requests - 1}")
    return {(fault.request, fault.attempt, fault.after_first_token) for fault in found}

"""The prefill of one request with one list of documents, from the queue to its first token."""

from __future__ import annotations

from dataclasses import dataclass

WAITING, LEFT, RUNNING, STOPPED, DONE = "waiting", "left", "running", "stopped", "done"


@dataclass(slots=True, eq=False)
class Generation:
    """The prefill of a question with one list of documents.

    Attributes
    ----------
    request, leaf : int
        Whose, and the node of the knowledge tree at the end of its documents, -1 if there is none.
    total : int
        Tokens of the prompt: system prompt, documents and question.
    confirmed : bool
        Whether its documents are known to be the answer.
    resumes : bool
        Whether the first token was delivered before, so that a retry continues.
    abandoned : bool
        Whether nobody wants it any more although it runs on.
    ticket, joined : int, float
        Its place in the queue, and since when, in seconds.
    state : str
        "waiting", "left" (the queue), "running", "stopped" or "done".
    iteration, begins, seconds : float
        When its iteration began, and when its part of that begins and how long it takes, in seconds.
    cached : tuple of int
        Tokens that it found in each tier.
    """

    request: int
    leaf: int
    total: int
    confirmed: bool = False
    resumes: bool = False
    abandoned: bool = False
    ticket: int = -1
    joined: float = 0.0
    state: str = WAITING
    iteration: float = 0.0
    begins: float = 0.0
    seconds: float = 0.0
    cached: tuple[int, ...] = ()

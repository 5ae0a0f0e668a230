"""What one client may ask a server for."""

from __future__ import annotations

from dataclasses import dataclass

from teltheory.errors import ArgumentError


@dataclass(frozen=True)
class Limits:
    """Bounds on bodies, sessions and waiting; what is beyond one is an error.

    Attributes
    ----------
    body, session, memory : int
        Bytes of a body; of the prompts and values of a session; of all sessions, and chats on their way, together.
    depth, values : int
        Levels of a body that stand in each other, and values in it at all levels.
    name : int
        Characters of a name or a variable's id.
    sessions, requests, sets : int
        Open sessions; requests of one, and values that a client sets in one.
    chats, answering, connections : int
        Requests that may wait for an engine when a chat comes; HTTP requests that are answered at a time;
        connections, with those that have sent no request yet.
    heading, reading, waiting : float
        Seconds in which a head and a body must be there, and that a get waits at most.
    idle : float
        Seconds after which a session that nobody uses may be closed.

    Raises
    ------
    ArgumentError
        For one that is not more than 0.
    """

    body: int = 2**22
    session: int = 2**23
    memory: int = 2**28
    depth: int = 16
    values: int = 10_000
    name: int = 200
    sessions: int = 1_000
    requests: int = 500
    sets: int = 2_000
    chats: int = 1_000
    answering: int = 256
    connections: int = 1_024
    heading: float = 10.0
    reading: float = 30.0
    waiting: float = 600.0
    idle: float = 3_600.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise ArgumentError(name, value, "more than 0")

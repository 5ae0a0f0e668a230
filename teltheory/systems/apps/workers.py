"""Threads for what takes time, such as patterns that clients send: few, and shared fairly among sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
WORKERS = 2


class Workers:
    """Threads that nobody else waits for; a session has at most one at a time, and those that wait take turns."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(WORKERS, "teltheory-transforms")
        self._free = asyncio.Semaphore(WORKERS)

    async def run(self, turn: asyncio.Lock, work: Callable[..., T], *arguments: object) -> T:
        """Return what a function returns, in a thread; `turn` is the lock of a session."""
        async with turn, self._free:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)

    def close(self) -> None:
        """Begin nothing any more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

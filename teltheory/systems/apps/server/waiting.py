"""Waiting for something as long as the client waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request as Call

from teltheory.systems.apps.faults import LATE, AppError

T = TypeVar("T")


async def while_there(call: Call, work: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns, which ends when the client hangs up."""
    task, gone = asyncio.ensure_future(work), asyncio.ensure_future(_gone(call))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise AppError(LATE, "client", "the end of its connection", "one that waits for the answer")
    finally:
        for waiting in (task, gone):
            waiting.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _gone(call: Call) -> None:
    while (await call.receive())["type"] != "http.disconnect":
        pass

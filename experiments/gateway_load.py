"""A bounded load on the gateway: 10,000 requests, 600 clients that send slowly, and patterns that take long.

    python -m experiments.gateway_load

starts two servers and the gateway as processes of their own. It prints how many requests were answered, how much
memory the gateway has before, at the most and after, and how long another client's pattern waits. The exit code is
1 if memory is not back within 20 % of its start (which is taken after a first thousand requests), if a request is
not answered, or if a pattern waits for more than a second beyond its own time.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import httpx

from experiments.gateway_checks import CHAT, HELLO, PATH, started

REQUESTS, SLOW, FIRST = 10_000, 600, 1_000
SLOW_PATTERN = "regex:" + "(a*)*" * 3 + "b"
TEXT = "a" * 60


def memory(pid: int) -> float:
    """Return the MiB that a process has in memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1_024


async def chats(client: httpx.AsyncClient, url: str, count: int) -> int:
    """Send chats of some thousand tokens, 32 at a time; return how many were answered."""
    gate = asyncio.Semaphore(32)

    async def one(k: int) -> bool:
        async with gate:
            body = CHAT | {"messages": [HELLO | {"content": f"{k} of many, " * 300}], "stream": k % 2 == 0}
            return (await client.post(url + PATH, json=body)).status_code == httpx.codes.OK

    return sum(await asyncio.gather(*map(one, range(count))))


async def slowly(port: int, until: asyncio.Event) -> None:
    """Send the head of a request byte by byte, and come again when the server has had enough."""
    while not until.is_set():
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            for byte in b"POST /v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\n" * 10:
                if until.is_set():
                    break
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.5)
            writer.close()
        except OSError:
            await asyncio.sleep(0.5)


async def pattern(client: httpx.AsyncClient, url: str, transforms: str) -> float:
    """Return the seconds until a value was transformed."""
    session = (await client.post(f"{url}/v1/session", json={})).json()["session_id"]
    port = {"name": "x", "in_out": False, "semantic_var_id": "x", "transforms": transforms}
    answer = {"name": "y", "in_out": True, "semantic_var_id": "y", "transforms": ""}
    body: dict[str, Any] = {"session_id": session, "placeholders": [port, answer]}
    await client.post(f"{url}/v1/set", json={"session_id": session, "semantic_var_id": "x", "value": TEXT})
    begun = time.perf_counter()
    await client.post(f"{url}/v1/submit", json=body | {"prompt": "Say {{input:x}}: {{output:y}}"})
    asked = {"session_id": session, "semantic_var_id": "y", "criteria": "latency"}
    await client.post(f"{url}/v1/get", json=asked)
    return time.perf_counter() - begun


async def patterns(client: httpx.AsyncClient, url: str) -> tuple[float, float]:
    """Return how long a quick pattern takes alone, and beside twenty slow ones of one client."""
    alone = await pattern(client, url, "regex:a+")
    slow = [asyncio.create_task(pattern(client, url, SLOW_PATTERN)) for _ in range(2)]
    await asyncio.sleep(0.3)
    beside = await pattern(client, url, "regex:a+")
    await asyncio.gather(*slow)
    return alone, beside


async def loaded(url: str, pid: int) -> bool:
    """Print what is found; return whether all is within its bounds."""
    async with httpx.AsyncClient(timeout=120, trust_env=False) as client:
        await chats(client, url, FIRST)
        before, most, end = memory(pid), 0.0, asyncio.Event()
        slow = [asyncio.create_task(slowly(int(url.rpartition(":")[2]), end)) for _ in range(SLOW)]
        work = asyncio.create_task(chats(client, url, REQUESTS))
        while not work.done():
            most = max(most, memory(pid))
            await asyncio.sleep(0.5)
        alone, beside = await patterns(client, url)
        end.set()
        await asyncio.gather(*slow)
        await asyncio.sleep(3)
        after = memory(pid)
    sys.stdout.write(f"answered: {work.result():,} of {REQUESTS:,}, beside {SLOW} slow clients\n")
    sys.stdout.write(f"memory: {before:.0f} MiB before, {most:.0f} at the most, {after:.0f} after\n")
    sys.stdout.write(f"a pattern: {alone:.2f} s alone, {beside:.2f} s beside another's slow ones\n")
    return work.result() == REQUESTS and after <= 1.2 * before and beside - alone <= 1


def main() -> int:
    """Return 0 if all is within its bounds."""
    with started() as (url, up, pid, _):
        for one in up:
            httpx.post(f"{one}/set", json={"first": 0.0, "each": 0.0})
        return not asyncio.run(loaded(url, pid))


if __name__ == "__main__":
    sys.exit(main())

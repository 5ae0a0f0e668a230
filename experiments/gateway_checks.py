"""G1 to G28: the gateway before two servers that stream ten pieces, the first after 60 ms and then each 20 ms.

    python -m experiments.gateway_checks

starts both servers and the gateway as processes of their own and prints a line a check: what was found, and what
was to be reached. Times are medians of five runs, interleaved with the same calls sent to a server itself. The
exit code is 1 if a check fails.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import httpx

from teltheory.systems.apps.server.listening import bound

HELLO = {"role": "user", "content": "Hello"}
CHAT: dict[str, Any] = {"model": "m", "messages": [HELLO]}
STREAM = CHAT | {"stream": True}
RUNS, AT_ONCE = 5, 64
PATH = "/v1/chat/completions"


@dataclass
class Place:
    """The gateway, the two servers behind it, and the gateway's process."""

    url: str
    up: tuple[str, str]
    pid: int
    client: httpx.AsyncClient

    async def set(self, *said: dict[str, Any]) -> None:
        """Say how the servers answer from now on, each or both alike."""
        for url, one in zip(self.up, said * (3 - len(said)), strict=True):
            await self.client.post(f"{url}/set", json={"fault": None, "dies": None, **one})

    async def calls(self) -> list[int]:
        """Return how many calls each server had."""
        return [len((await self.client.get(f"{url}/stats")).json()["calls"]) for url in self.up]

    async def post(self, body: object, path: str = PATH, url: str = "") -> httpx.Response:
        """Send a body to the gateway, or elsewhere."""
        return await self.client.post((url or self.url) + path, json=body)

    async def many(self, bodies: Sequence[object], at_once: int = 20, url: str = "") -> list[httpx.Response]:
        """Send several, some at a time."""
        gate = asyncio.Semaphore(at_once)

        async def one(body: object) -> httpx.Response:
            async with gate:
                return await self.post(body, url=url)

        return await asyncio.gather(*map(one, bodies))

    async def first(self, url: str) -> float:
        """Return the milliseconds until the first piece of a stream."""
        begun = time.perf_counter()
        async with self.client.stream("POST", url + PATH, json=STREAM) as answer:
            pieces = answer.aiter_raw()
            await anext(pieces)
            found = time.perf_counter() - begun
            async for _ in pieces:
                pass
        return 1_000 * found

    def processor(self) -> float:
        """Return the milliseconds that the gateway has computed."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return 1_000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


Found = tuple[object, str, bool]


async def one_call(place: Place) -> list[Found]:
    """G1 to G3."""
    found: list[Found] = []
    for body in (CHAT, CHAT | {"messages": [HELLO] * 4}, STREAM):
        await place.set({})
        await place.post(body)
        calls = sum(await place.calls())
        found.append((f"{calls} call", "1", calls == 1))
    return found


BODIES: tuple[tuple[str, dict[str, Any]], ...] = (
    (PATH, CHAT | {"messages": [HELLO] * 3}),
    (PATH, CHAT | {"temperature": 0.5, "seed": 7}),
    (PATH, CHAT | {"top_p": 0.5, "response_format": {"type": "json_object"}, "new": [None]}),
    (PATH, CHAT | {"tools": [{"type": "function"}], "tool_choice": "auto"}),
    ("/v1/completions", {"model": "m", "prompt": [1, 2, 3]}),
)


async def as_sent(place: Place) -> list[Found]:
    """G4 to G8."""
    found: list[Found] = []
    for path, body in BODIES:
        await place.set({"echo": True})
        answer = await place.post(body, path)
        said = json.loads(answer.headers.get("x-request-id", "{}"))
        same = said == {"path": path, "body": body}
        found.append(("as sent" if same else "changed", "as sent", same))
    await place.set({"echo": False})
    return found


async def as_answered(place: Place) -> list[Found]:
    """G9 to G12."""
    await place.set({})
    direct, through = await place.post(CHAT, url=place.up[0]), await place.post(CHAT)
    streams = [(await place.post(STREAM, url=url)).text for url in (place.up[0], place.url)]
    events = [[json.loads(e[6:]) for e in text.split("\n\n") if e.startswith("data: {")] for text in streams]
    usage = direct.json()["usage"] == through.json()["usage"]
    reason = [answer.json()["choices"][0]["finish_reason"] for answer in (direct, through)]
    last = [event[-1] for event in events]
    pieces = [len(event) for event in events]
    return [
        ("equal" if usage else "other", "upstream's usage", usage),
        (reason[1], reason[0], reason[0] == reason[1]),
        ("equal" if last[0] == last[1] else "other", "both in a stream", last[0] == last[1]),
        (f"{pieces[1]} pieces", str(pieces[0]), pieces[0] == pieces[1]),
    ]


async def first_pieces(place: Place) -> list[Found]:
    """G13 and G14."""
    await place.set({})
    idle, full = [], []
    for _ in range(RUNS):
        direct, through = [median([await place.first(url) for _ in range(5)]) for url in (place.up[0], place.url)]
        idle.append(through - direct)
        late = []
        for url in (place.up[0], place.url):
            times = await asyncio.gather(*(place.first(url) for _ in range(AT_ONCE)))
            late.append(quantiles(times, n=20)[-1])
        full.append(late[1] - late[0])
    return [
        (f"{median(idle):.1f} ms over direct", "<= 10", median(idle) <= 10),
        (f"P95 {median(full):.0f} ms over direct with {AT_ONCE} at once", "<= 250", median(full) <= 250),
    ]


async def processor(place: Place) -> list[Found]:
    """G15 and G16."""
    found: list[Found] = []
    for body, most in ((STREAM, 8), (CHAT, 5)):
        await place.set({"first": 0.0, "each": 0.0})
        times = []
        for _ in range(RUNS):
            before = place.processor()
            await place.many([body] * 200, 8)
            times.append((place.processor() - before) / 200)
        found.append((f"{median(times):.1f} ms of processor a chat", f"<= {most}", median(times) <= most))
    await place.set({"first": 0.06, "each": 0.02})
    return found


async def left(place: Place) -> list[Found]:
    """G17."""
    await place.set({"first": 5.0})
    for body in (STREAM, CHAT):
        try:
            await place.client.post(place.url + PATH, json=body, timeout=0.5)
        except httpx.ReadTimeout:
            continue
    begun, ended = time.perf_counter(), 0
    while ended < 2 and time.perf_counter() - begun < 4:
        await asyncio.sleep(0.05)
        ended = sum([(await place.client.get(f"{url}/stats")).json()["ended"] for url in place.up])
    await place.set({"first": 0.06})
    return [(f"{ended} of 2 calls ended", "2", ended == 2)]


async def burst(url: str) -> float:
    """Return the seconds of 100 chats at once, by a client of their own: its pool looks at all connections."""
    several = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(timeout=60, limits=several, trust_env=False) as client:
        begun = time.perf_counter()
        await asyncio.gather(*(client.post(url + PATH, json=CHAT) for _ in range(100)))
        return time.perf_counter() - begun


async def spread(place: Place) -> list[Found]:
    """G18 to G20."""
    found: list[Found] = []
    for system in ([], [{"role": "system", "content": "Be brief and kind."}]):
        await place.set({"first": 0.0, "each": 0.0})
        bodies = [CHAT | {"messages": [*system, HELLO | {"content": f"{k} of them " * 200}]} for k in range(200)]
        answers = await place.many(bodies)
        calls = await place.calls()
        apart = (max(calls) - min(calls)) / max(calls)
        fine = apart <= 0.2 and all(answer.status_code == 200 for answer in answers)
        found.append((f"{calls[0]} and {calls[1]} calls", "<= 20 % apart, all answered", fine))
    await place.set({"first": 0.06, "each": 0.02})
    ratios = []
    for _ in range(RUNS):
        direct, through = [await burst(url) for url in (place.up[0], place.url)]
        ratios.append(through / direct)
    return [*found, (f"{median(ratios):.2f} x direct for 100 at once", "<= 1.5", median(ratios) <= 1.5)]


async def sticky(place: Place) -> list[Found]:
    """G21 and G22."""
    await place.set({"first": 0.0, "each": 0.0})
    tenants = [[HELLO | {"content": f"tenant {k}, " * 500}] for k in range(12)]
    for turn in range(8):
        await place.many([CHAT | {"messages": messages} for messages in tenants], 3)
        for messages in tenants:
            messages += [{"role": "assistant", "content": "hello"}, HELLO | {"content": f"{turn}, " * 300}]
    hits = [(await place.client.get(f"{url}/stats")).json()["hits"] for url in place.up]
    firsts, later = [sum(not hit for hit in one) for one in hits], 12 * 7
    share = sum(sum(one) for one in hits) / later
    await place.set({"first": 0.06, "each": 0.02})
    return [
        (f"{share:.0%} of later turns where their prefix lies", ">= 90 %", share >= 0.9),
        (f"{firsts[0]} and {firsts[1]} tenants", "5 to 7 each", set(firsts) <= {5, 6, 7}),
    ]


async def refused(place: Place) -> list[Found]:
    """G23 to G26."""
    await place.set({"fault": [400, "too long"]})
    wrong = await place.post(CHAT)
    await place.set({"fault": [429, "slow down"]})
    busy = await place.post(CHAT)
    await asyncio.sleep(7.5)
    await place.set({"fault": [429, "slow down"]}, {})
    other = [(await place.post(CHAT)).status_code for _ in range(4)]
    await asyncio.sleep(7.5)
    await place.set({"dies": 3})
    begun = time.perf_counter()
    text = (await place.post(STREAM)).text
    seconds, told = time.perf_counter() - begun, '"error"' in text
    await place.set({})
    after = busy.headers.get("retry-after")
    return [
        (
            f"{wrong.status_code}, {wrong.text}",
            "400 with its text",
            wrong.status_code == 400 and "too long" in wrong.text,
        ),
        (
            f"{busy.status_code}, Retry-After {after}",
            "429, Retry-After 7",
            (busy.status_code, after) == (429, "7"),
        ),
        (f"{other}", "200 of the other", other == [200] * 4),
        (f"an error event: {told}, after {seconds:.1f} s", "within 2 s", told and seconds <= 2),
    ]


async def healthy(place: Place) -> list[Found]:
    """G27."""
    said = await place.client.get(f"{place.url}/health")
    return [(f"{said.status_code}, {len(said.json()['engines'])} engines", "200", said.status_code == 200)]


CHECKS: tuple[Callable[[Place], Awaitable[list[Found]]], ...] = (
    one_call,
    as_sent,
    as_answered,
    first_pieces,
    processor,
    left,
    spread,
    sticky,
    refused,
    healthy,
)


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run a module of this Python until the block ends."""
    with subprocess.Popen([sys.executable, "-m", *arguments], stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running
        finally:
            running.terminate()


def free() -> int:
    """Return a port that is free."""
    with bound("127.0.0.1", 0) as at:
        port: int = at.getsockname()[1]
    return port


@contextmanager
def started() -> Iterator[tuple[str, tuple[str, str], int, subprocess.Popen[str]]]:
    """Give the gateway's address, those of two servers, the gateway's process number, and the second server."""
    ports = free(), free()
    urls = f"http://127.0.0.1:{ports[0]}", f"http://127.0.0.1:{ports[1]}"
    engines = [part for url in urls for part in ("--engine", url)]
    server = "experiments.gateway_upstream"
    with process(server, str(ports[0])), process(server, str(ports[1])) as second:
        for url in urls:
            _until(url)
        with process("teltheory", "apps", "server", "--port", "0", "--served-model", "m", *engines) as gateway:
            assert gateway.stdout is not None
            url = gateway.stdout.readline().split()[2].rstrip(":")
            yield url, urls, gateway.pid, second


def _until(url: str) -> None:
    for _ in range(200):
        try:
            httpx.get(f"{url}/stats")
            return
        except httpx.ConnectError:
            time.sleep(0.05)


async def checked(url: str, up: tuple[str, str], pid: int, second: subprocess.Popen[str]) -> bool:
    """Run all checks and print them; return whether all hold."""
    several = httpx.Limits(max_connections=None, keepalive_expiry=2)
    number, fine = 0, True
    async with httpx.AsyncClient(timeout=60, limits=several, trust_env=False) as client:
        place = Place(url, up, pid, client)
        for check in CHECKS:
            for found, expected, holds in await check(place):
                number, fine = number + 1, fine and holds
                _print(number, found, expected, holds)
        second.terminate()
        second.wait()
        answers = [(await place.post(CHAT)).status_code for _ in range(4)]
        holds = answers == [200] * 4
        _print(number + 1, answers, "200 of the other, with one engine down", holds)
    return fine and holds


def _print(number: int, found: object, expected: str, holds: bool) -> None:
    sys.stdout.write(f"G{number:<3}{'holds' if holds else 'FAILS'}  {found} ({expected})\n")
    sys.stdout.flush()


def main() -> int:
    """Return 0 if all checks hold."""
    with started() as place:
        return not asyncio.run(checked(*place))


if __name__ == "__main__":
    sys.exit(main())

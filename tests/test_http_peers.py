"""What an HTTP peer sends is read up to a bound, and no part of the key that was sent to it is shown."""

import asyncio
import gzip
import socketserver
import threading
from contextlib import suppress

import pytest
from refusals import refused

from teltheory.base import peers
from teltheory.server.client import Completions
from teltheory.systems.apps.engines.remote import RemoteEngine
from teltheory.systems.apps.server.client import RemoteSession

KEY = "sk-" + "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
EVENTS = "text/event-stream"


@pytest.fixture
def peer():
    """A server on 127.0.0.1 that answers with some pieces of a body, and counts the bytes that it got rid of."""

    class Answering(socketserver.StreamRequestHandler):
        def handle(self):
            size = 0
            while (line := self.rfile.readline()) not in (b"\r\n", b""):
                size = int(line.split(b":")[1]) if line.lower().startswith(b"content-length:") else size
            self.rfile.read(size)
            self.wfile.write(f"HTTP/1.1 {server.head}\r\nConnection: close\r\n\r\n".encode())
            with suppress(OSError):
                for piece in server.pieces:
                    self.wfile.write(piece)
                    server.sent += len(piece)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads, head, pieces, sent = True, "", (), 0
        url = property(lambda self: f"http://127.0.0.1:{self.server_address[1]}")

    with Server(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def probed(url):
    async def asked():
        async with Completions(url, "m", key=KEY, timeout=30) as server:
            await server.ask("hello")

    asyncio.run(asked())


def remote(url):
    engine = RemoteEngine(url, "m", fills=True, key=KEY, timeout=30)
    asyncio.run(engine.fill([104, 105], 0))


CLIENTS = [probed, remote, RemoteSession]
ENDLESS = [
    (f"200 OK\r\nContent-Type: {EVENTS}", b": nothing yet\n\n" * 4096),
    (f"200 OK\r\nContent-Type: {EVENTS}", b"x" * 65536),
    ("500 Broken", b"x" * 65536),
]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(("head", "piece"), ENDLESS, ids=["lines", "a line", "an error"])
def test_an_endless_answer_is_read_up_to_the_bound(peer, monkeypatch, client, head, piece):
    monkeypatch.setattr(peers, "MOST", 2**20)
    peer.head, peer.pieces = head, (piece for _ in range(2**12))
    refused(ValueError, "more than 1,048,576 bytes", client, peer.url)
    assert peer.sent < 2**24


@pytest.mark.parametrize("client", CLIENTS)
def test_a_compressed_answer_is_not_unpacked(peer, client):
    peer.head, peer.pieces = "200 OK\r\nContent-Encoding: gzip", [gzip.compress(b"x" * 2**20)]
    refused(ValueError, "a compressed answer", client, peer.url)


@pytest.mark.parametrize("client", [probed, remote])
@pytest.mark.parametrize("head", ["200 OK", f"200 OK\r\nContent-Type: {EVENTS}", "401 No"])
@pytest.mark.parametrize("before", [0, 120, 168, 185, 199, 790])
def test_no_part_of_a_key_is_shown(peer, client, head, before):
    body = "y" * before + KEY + "z" * 9
    peer.head, peer.pieces = head, [f"data: {body}\n\n".encode()]
    error = refused(ValueError, peer.url, client, peer.url)
    assert "sk-" not in str(error)
    assert KEY[10:14] not in str(error)

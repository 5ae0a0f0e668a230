"""A small HTTP server of completions on this machine, which caches prefixes in blocks of eight words' letters."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

BLOCK = 8
Reply = tuple[int, object]


class Completions:
    """The model: a token is a letter; an answer says how long its prompt was. `fault` may change any reply."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.fault: Callable[[Reply], Reply] = lambda reply: reply
        self.reports, self.delay, self.known = True, 0.0, set[str]()

    def answer(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> Reply:
        self.asked.append((path, body, headers))
        prompt = body["messages"][0]["content"] if "chat" in path else body["prompt"]
        blocks = [prompt[:end] for end in range(BLOCK, len(prompt) + 1, BLOCK)]
        cached = max((len(block) for block in blocks if block in self.known), default=0)
        time.sleep(self.delay)
        self.known.update(blocks)
        text = f"<{len(prompt)}>"[: body["max_tokens"]]
        choice = {"message": {"role": "assistant", "content": text}} if "chat" in path else {"text": text}
        details = {"prompt_tokens_details": {"cached_tokens": cached}} if self.reports else {}
        usage = {"prompt_tokens": len(prompt), "completion_tokens": len(text), **details}
        return self.fault((200, {"choices": [{"index": 0, **choice}], "usage": usage}))


@contextmanager
def served() -> Iterator[tuple[str, Completions]]:
    """Serve on a free port; give the address and the model."""
    model = Completions()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, said = model.answer(self.path, body, dict(self.headers))
            content = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(content)))
            with suppress(BrokenPipeError, ConnectionResetError):  # who asked waits no more
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""A server as vLLM is one, on this machine: it counts calls, keeps bodies, and streams ten pieces."""

import asyncio
import json
from contextlib import ExitStack, contextmanager

from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from teltheory.systems.apps.server.listening import listening

PIECES = 10
USAGE = {
    "prompt_tokens": 900,
    "completion_tokens": PIECES,
    "total_tokens": 900 + PIECES,
    "prompt_tokens_details": {"cached_tokens": 512},
}


class Upstream:
    """What it was asked, and how it answers: `fault` is for all calls, `dies` the pieces before its end."""

    def __init__(self, model="m", first=0.0, each=0.0):
        self.model, self.first, self.each = model, first, each
        self.calls, self.ended, self.running, self.most = [], 0, 0, 0
        self.fault, self.dies, self.known, self.hits = None, None, set(), []

    def app(self):
        """Return the application."""
        paths = ("/v1/chat/completions", "/v1/completions")
        listed = Route("/v1/models", lambda call: JSONResponse({"data": [{"id": self.model}]}))
        return Starlette(routes=[listed, *(Route(path, self.answer, methods=["POST"]) for path in paths)])

    async def answer(self, call):
        """Answer a call."""
        data = await call.body()
        self.calls.append((call.url.path, data, dict(call.headers)))
        if self.fault is not None:
            status, text = self.fault
            headers = {"retry-after": "7"} if status == 429 else {}
            return JSONResponse({"error": {"message": text}}, status, headers)
        body = json.loads(data)
        self.remember(body)
        if body.get("stream"):
            return StreamingResponse(self.pieces(), media_type="text/event-stream")
        await self.busy(self.first + self.each * PIECES, call)
        return JSONResponse(whole(self.model, "chat" in call.url.path))

    def remember(self, body):
        """Count a hit where the beginning of a prompt, without its last message, was here."""
        said = [json.dumps(message) for message in body.get("messages", ())]
        beginning = "".join(said[:-2])
        self.hits.append(bool(beginning) and beginning in self.known)
        self.known.update("".join(said[: k + 1]) for k in range(len(said)))

    async def busy(self, seconds, call):
        """Take time as long as somebody waits, and count those who do."""
        self.running += 1
        self.most = max(self.most, self.running)
        end = asyncio.get_running_loop().time() + seconds
        try:
            while asyncio.get_running_loop().time() < end and not await call.is_disconnected():
                await asyncio.sleep(0.01)
        finally:
            self.running -= 1
            self.ended += 1

    async def pieces(self):
        """Give ten pieces, the last with a reason and what it took."""
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            for k in range(PIECES):
                await asyncio.sleep(self.each if k else self.first)
                if k == self.dies:
                    raise ConnectionResetError
                yield f"data: {json.dumps(piece(self.model, k))}\n\n"
            yield "data: [DONE]\n\n"
        finally:
            self.running -= 1
            self.ended += 1


def piece(model, k):
    """Return the k-th chunk of a streamed chat."""
    last = k == PIECES - 1
    choice = {"index": 0, "delta": {"content": f"w{k} "}, "finish_reason": "tool_calls" if last else None}
    head = {"id": "chatcmpl-up", "object": "chat.completion.chunk", "created": 1, "model": model}
    return {**head, "choices": [choice], "usage": USAGE if last else None}


def whole(model, chat):
    """Return an answer that is not streamed."""
    said = {"message": {"role": "assistant", "content": "hello"}} if chat else {"text": "hello"}
    choice = {"index": 0, **said, "logprobs": None, "finish_reason": "length"}
    kind = "chat.completion" if chat else "text_completion"
    return {"id": "up", "object": kind, "created": 1, "model": model, "choices": [choice], "usage": USAGE}


@contextmanager
def upstreams(*servers):
    """Serve each on a port of its own and give their addresses."""
    with ExitStack() as stack:
        yield [stack.enter_context(listening(server.app())) for server in servers]

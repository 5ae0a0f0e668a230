"""An engine at an OpenAI-compatible server: contexts are texts here, and prefixes that the server caches there.

1. Fill: a completion of the text so far with one token at most, which is thrown away; then the server has cached
   the prefix. What was computed is the prompt less ``usage.prompt_tokens_details.cached_tokens``.
2. Generate: a completion of the text so far. A chat server gets the text as one message of the user.
3. FreeContext cannot be expressed: the text is forgotten here, and the server evicts what it likes when it likes.
4. A fork is sent when the parent's fill was answered, so that it finds the prefix.
5. A body of a client passes on as it came, and the answer comes back unread: `relay`.

Where a server cuts a text into other tokens at the end of a fill than in the middle of a prompt, it reuses up to
the last block of equal tokens. Nothing is sent elsewhere: redirects are not followed, proxies are not asked.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from teltheory.base.extras import needed
from teltheory.errors import ArgumentError, printable, shown
from teltheory.systems.apps.engines.contexts import Context, Contexts
from teltheory.systems.apps.engines.tokens import from_utf8, utf8
from teltheory.systems.apps.faults import ENGINE, LATE, AppError
from teltheory.systems.apps.requests import Sampling

if TYPE_CHECKING:
    import httpx

CAPACITY = 16_000_000
CONNECTING = 5.0
PATHS = {False: "/v1/completions", True: "/v1/chat/completions"}


@dataclass
class Usage:
    """Tokens by the server's count, so far; `cached` is None while the server has not said."""

    calls: int = 0
    prompt: int = 0
    completion: int = 0
    cached: int | None = None


class RemoteEngine:
    """One model of one server, on asyncio.

    Parameters
    ----------
    url, model : str
        Address, with or without ``/v1``, and what the server calls the model.
    key : str or None
        API key; no message shows it.
    chat : bool
        Whether to ask ``/v1/chat/completions`` and not ``/v1/completions``.
    fills : bool
        Whether fills are sent, for a server that keeps what it has computed; without, a prompt is computed whole
        when its output is generated.
    timeout : float
        Seconds for an answer.
    capacity, latency_capacity : int
        Tokens of its contexts, as `encode` counts; as many as a scheduler gives it at once.
    encode, decode : function
        The tokenizer of contexts; by default tokens are bytes, so that capacities are too.
    count : function or None
        Tokens of a text at the server, for the places of chats; None: a quarter of its bytes.
    transport : httpx.AsyncBaseTransport or None
        What carries requests; None: the network.

    Attributes
    ----------
    contexts : Contexts
        What it stands for, in tokens of `encode`.
    usage : Usage
        What the server counted.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str | None = None,
        chat: bool = False,
        fills: bool = False,
        timeout: float = 120.0,
        name: str = "",
        capacity: int = CAPACITY,
        latency_capacity: int = CAPACITY,
        encode: Callable[[str], list[int]] = utf8,
        decode: Callable[[Sequence[int]], str] = from_utf8,
        count: Callable[[str], int] | None = None,
        transport: Any = None,
    ) -> None:
        self.url, self.model, self.name = _checked(url), model, name or model
        if key is not None and not (key and key.isascii() and key.isprintable()):
            raise ArgumentError("key", "nothing that can be a key", "printable ASCII characters")
        self.capacity, self.latency_capacity = capacity, latency_capacity
        self.encode, self.decode, self.count = encode, decode, count
        self.contexts, self.usage = Contexts(capacity, self.name), Usage()
        self._key, self._chat, self._fills = key, chat, fills
        self._timeout, self._transport = timeout, transport
        self._answered: dict[int, asyncio.Event] = {}
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def fill(self, token_ids: Sequence[int], context_id: int, parent: int | None = None) -> int:
        """Put tokens at the end of a context; return those of its prompt that the server had to compute."""
        context = self.contexts.fill(token_ids, context_id, parent)
        if not self._fills or not token_ids:
            return 0
        _, computed = await self._in_turn(context, Sampling(max_tokens=1))
        return computed

    async def generate(self, sampling: Sampling, context_id: int, parent: int | None = None) -> list[int]:
        """Let the server go on with a context; tokens are those of `encode`, and may be more than `max_tokens`."""
        context = self.contexts.begin(context_id, parent)
        before = len(context.own)
        try:
            text, _ = await self._in_turn(context, sampling) if sampling.max_tokens else ("", 0)
            self.contexts.append(context_id, *self.encode(text))
        finally:
            self.contexts.end(context_id)
        return context.own[before:]

    async def free(self, context_id: int) -> None:
        """Forget a context; the server is not told."""
        self.contexts.free(context_id)
        self._answered.pop(context_id, None)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def relay(self, path: str, body: bytes) -> httpx.Response | None:
        """Send a body as it is; return the answer, of which only the head was read, or None if nobody listens.

        Raises
        ------
        AppError
            502: the connection broke after it was there.
        """
        import httpx

        client, limit = self._http(), httpx.Timeout(None, connect=CONNECTING)
        sent = {"Content-Type": "application/json"}
        asked = client.build_request("POST", self.url + path, content=body, headers=sent, timeout=limit)
        try:
            answer: httpx.Response = await client.send(asked, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            return None
        except httpx.HTTPError as error:
            raise self.broken(error) from None
        return answer

    def broken(self, error: Exception) -> AppError:
        """Return what is told of a connection that broke."""
        found = f"no answer ({self._shown(str(error)) if str(error) else type(error).__name__})"
        return self._fault(ENGINE, found, "a server at that address")

    async def models(self) -> list[str] | None:
        """Return the names of the models that the server says it has; None if nobody answers or says so."""
        import httpx

        try:
            said = (await self._http().get(self.url + "/v1/models", timeout=CONNECTING)).json()
            return [str(model["id"]) for model in said["data"]]
        except (httpx.HTTPError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None

    async def _in_turn(self, context: Context, sampling: Sampling) -> tuple[str, int]:
        """Ask for a context once those before it were answered, or failed."""
        text, answered = self.decode(context.tokens), asyncio.Event()
        above = context.parent
        before = [self._answered.get(id) for id in (context.id, above.id if above else context.id)]
        self._answered[context.id] = answered
        try:
            for event in before:
                if event is not None:
                    await event.wait()
            return await self._ask(text, sampling)
        finally:
            answered.set()

    async def _ask(self, text: str, sampling: Sampling) -> tuple[str, int]:
        """Return the text of an answer, and how many tokens of the prompt were computed for it."""
        httpx = needed("httpx", "apps")
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._http().post(self.url + PATHS[self._chat], json=self._body(text, sampling))
        except (TimeoutError, httpx.TimeoutException):
            raise self._fault(LATE, f"no answer within {self._timeout:g} s", "one in time") from None
        except httpx.HTTPError as error:
            raise self.broken(error) from None
        if response.status_code != httpx.codes.OK:
            found = f"HTTP {response.status_code}: {self._shown(response.text)}"
            raise self._fault(ENGINE, found, "an answer")
        return self._read(response.text)

    def _http(self) -> Any:
        """Return the client of this event loop."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            headers = {} if self._key is None else {"Authorization": f"Bearer {self._key}"}
            client = needed("httpx", "apps").AsyncClient
            from teltheory.base.peers import bounded_async

            carrying = bounded_async(self._transport)
            self._client = client(headers=headers, timeout=None, transport=carrying, trust_env=False)
            self._loop = loop
        return self._client

    def _body(self, text: str, sampling: Sampling) -> Mapping[str, Any]:
        prompt = {"messages": [{"role": "user", "content": text}]} if self._chat else {"prompt": text}
        stop = {"stop": list(sampling.stop)} if sampling.stop else {}
        asked = {"max_tokens": sampling.max_tokens, "temperature": sampling.temperature, **stop}
        return {"model": self.model, **prompt, **asked}

    def _read(self, body: str) -> tuple[str, int]:
        try:
            said = json.loads(body)
            choice = said["choices"][0]
            text = (choice["message"]["content"] or "") if self._chat else choice["text"]
            usage = said.get("usage") or {}
            prompt, completion = (usage.get(f"{way}_tokens") or 0 for way in ("prompt", "completion"))
            cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
            whole = all(type(count) is int and count >= 0 for count in (prompt, completion, cached or 0))
            if not isinstance(text, str) or not whole or (cached or 0) > prompt:
                raise TypeError
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
            raise self._fault(ENGINE, self._shown(body), "an answer as OpenAI's servers give") from None
        self._count(prompt, completion, cached)
        return text, prompt - (cached or 0)

    def _count(self, prompt: int, completion: int, cached: int | None) -> None:
        usage = self.usage
        usage.calls, usage.prompt = usage.calls + 1, usage.prompt + prompt
        usage.completion += completion
        if cached is not None:
            usage.cached = (usage.cached or 0) + cached

    def _shown(self, text: str) -> str:
        """Return the beginning of what the server wrote; the key goes before anything is cut."""
        from teltheory.base.peers import without_key

        return shown(without_key(text, self._key))

    def _fault(self, code: int, found: str, expected: str) -> AppError:
        return AppError(code, f"engine {self.name} at {self.url}", printable(found), expected)


def _checked(url: str) -> str:
    """Return an address without ``/v1``; no error shows credentials."""
    httpx = needed("httpx", "apps")
    expected = "an address such as http://localhost:8000, without credentials"
    try:
        parsed = httpx.URL(url.strip())
    except (httpx.InvalidURL, ValueError):
        raise ArgumentError("url", "text that is no address", expected) from None
    if parsed.userinfo or parsed.query or parsed.scheme not in ("http", "https") or not parsed.host:
        raise ArgumentError("url", parsed.host or "no host", expected)
    return str(parsed).rstrip("/").removesuffix("/v1")

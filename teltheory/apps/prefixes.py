"""Hashes of prefixes, and the store that finds what shares one (Parrot, Sections 4.2 and 5.3).

1. A prompt is split where its variables stand. After each part the tokens up to there are hashed: 128 bits of
   BLAKE2b over the tokens, not the characters, so that only prompts whose keys and values are equal are equal.
2. The hash depends on the tokens alone, not on where the parts end.
3. The store maps a hash to the requests that begin with it, and to the contexts of engines that hold it.
4. The longest prefix that is known wins. A hit is confirmed by comparing the tokens, where the store has them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, KeysView, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from teltheory.apps.requests import Request

Hashes = tuple[tuple[int, int], ...]


def prefix_hashes(parts: Sequence[Sequence[int]]) -> Hashes:
    """Return (hash, tokens up to there) after each part of a prompt; `parts` are token ids."""
    running, length = blake2b(digest_size=16), 0
    found = []
    for part in parts:
        running.update(np.asarray(part, dtype="<i8").tobytes())
        length += len(part)
        found.append((int.from_bytes(running.digest(), "big"), length))
    return tuple(found)


def known_parts(
    request: Request, values: Mapping[str, str], encode: Callable[[str], Sequence[int]]
) -> list[tuple[int, ...]]:
    """Return the token ids of a request's parts, up to the first placeholder whose value is not known.

    Parameters
    ----------
    request : Request
        The request.
    values : mapping of str to str
        Texts by the name of the placeholder, as they are filled in (after their transforms).
    encode : callable
        The engine's tokenizer. A value is text, and a placeholder in it is none.
    """
    parts: list[tuple[int, ...]] = []
    for part in request.parts:
        text = part if isinstance(part, str) else values.get(part.name)
        if text is None:
            break
        parts.append(tuple(encode(text)))
    return parts


@dataclass(frozen=True)
class Shared:
    """A known prefix: its hash, its length in tokens, who begins with it, and its context on each engine."""

    hash: int
    length: int
    requests: tuple[Hashable, ...]
    contexts: Mapping[str, int]


@dataclass
class _Known:
    """What the store has of a hash: `tokens` begin with the prefix, and may go on."""

    length: int
    tokens: Sequence[int] | None
    requests: dict[Hashable, None] = field(default_factory=dict)
    contexts: dict[str, int] = field(default_factory=dict)


class Prefixes:
    """The store of prefixes: hash -> requests that begin with it, and contexts that hold it."""

    def __init__(self) -> None:
        self._known: dict[int, _Known] = {}
        self._on: dict[str, dict[int, None]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def add(self, request: Hashable, hashes: Hashes, tokens: Sequence[int] | None = None) -> None:
        """Enter a request under each of its prefixes; a collision, which `tokens` show, leaves the first one."""
        for key, length in hashes:
            known = self._entry(key, length, tokens)
            if known is not None:
                known.requests[request] = None

    def keep(self, engine: str, context: int, hashes: Hashes, tokens: Sequence[int] | None = None) -> None:
        """Enter the context of an engine that ends where the last of these prefixes does."""
        if not hashes:
            return
        key, length = hashes[-1]
        known = self._entry(key, length, tokens)
        if known is not None:
            known.contexts.setdefault(engine, context)
            self._on.setdefault(engine, {})[key] = None

    def longest(self, hashes: Hashes, tokens: Sequence[int] | None = None) -> Shared | None:
        """Return the longest of these prefixes that the store has, confirmed by `tokens` where both have them."""
        for key, length in reversed(hashes):
            known = self._known.get(key)
            if known is not None and length and _same(known, length, tokens):
                return Shared(key, length, tuple(known.requests), dict(known.contexts))
        return None

    def on(self, engine: str) -> KeysView[int]:
        """Return the hashes of the prefixes that an engine has contexts of; the view follows the store."""
        return self._on.setdefault(engine, {}).keys()

    def remove(self, request: Hashable, hashes: Hashes) -> None:
        """Take a request out."""
        for key, _ in hashes:
            known = self._known.get(key)
            if known is not None:
                known.requests.pop(request, None)
                self._forget(key, known)

    def drop(self, engine: str, context: int, hashes: Hashes) -> None:
        """Take a context out that was freed."""
        key = hashes[-1][0] if hashes else None
        known = None if key is None else self._known.get(key)
        if key is not None and known is not None and known.contexts.get(engine) == context:
            del known.contexts[engine]
            del self._on[engine][key]
            self._forget(key, known)

    def _entry(self, key: int, length: int, tokens: Sequence[int] | None) -> _Known | None:
        known = self._known.setdefault(key, _Known(length, tokens))
        return known if _same(known, length, tokens) else None

    def _forget(self, key: int, known: _Known) -> None:
        if not known.requests and not known.contexts:
            del self._known[key]


def _same(known: _Known, length: int, tokens: Sequence[int] | None) -> bool:
    if known.length != length:
        return False
    if known.tokens is None or tokens is None:
        return True
    return tuple(known.tokens[:length]) == tuple(tokens[:length])

"""Where prompts are cut into contexts, so that others can fork there.

1. A prompt up to its first output is parts, text and inputs. Its borders are the ends of those parts.
2. Sharing "none": it is filled in as one part. "static": its first text is a part of its own, which a server that
   was told of fixed prompts shares (vLLM's static prefix sharing).
3. "dynamic": so is what ends where an engine keeps a context, and where requests that are in the server begin to
   differ: fewer of them share the next border than this one. Parts between such borders are filled in together.

What comes after the first output is cut at every part.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import chain

from teltheory.systems.apps.engines.keeping import Tokens
from teltheory.systems.apps.prefixes import Hashes
from teltheory.systems.apps.requests import Sampling

SHARING = ("dynamic", "static", "none")


def leading(parts: Sequence[Tokens | Sampling]) -> list[Tokens]:
    """Return the parts before the first output."""
    return [part for part in parts[: _first_output(parts)] if not isinstance(part, Sampling)]


def cuts(
    hashes: Hashes, sharing: str, text_first: bool, sharers: Mapping[int, int], kept: Container[int]
) -> Iterator[int]:
    """Yield after how many parts a prompt is cut.

    Parameters
    ----------
    hashes : tuple of (hash, tokens)
        The prompt's borders.
    sharing : str
        One of `SHARING`.
    text_first : bool
        Whether its first part is text.
    sharers : mapping of int to int
        How many requests in the server have a border.
    kept : container of int
        Borders that the engine has contexts of.
    """
    for k, (name, _) in enumerate(hashes[:-1], 1):
        static = sharing != "none" and k == 1 and text_first
        shared = sharers.get(name, 0) > max(1, sharers.get(hashes[k][0], 0))
        if static or (sharing == "dynamic" and (shared or name in kept)):
            yield k


def joined(parts: Sequence[Tokens | Sampling], cut: Sequence[int]) -> list[Tokens | Sampling]:
    """Return a prompt whose parts before the first output are put together up to each cut."""
    end = _first_output(parts)
    given = leading(parts)
    ends = [*cut, end] if end else []
    begins = [0, *cut]
    whole: list[Tokens | Sampling] = [
        tuple(chain.from_iterable(given[a:b])) for a, b in zip(begins, ends, strict=False)
    ]
    return [*whole, *parts[end:]]


def _first_output(parts: Sequence[Tokens | Sampling]) -> int:
    return next((k for k, part in enumerate(parts) if isinstance(part, Sampling)), len(parts))

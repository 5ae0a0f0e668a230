"""Tokens of texts, by a tokenizer that the user chooses and has on disk. Nothing is ever downloaded.

A message counts as its text alone: no chat template, no special tokens around it. What the text itself holds of
special tokens counts as ordinary text in a `.tiktoken` file, and as the file says in a `tokenizer.json`. In the
estimate a token is four characters, and what it is called is a checksum of them.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

from teltheory.base.extras import needed
from teltheory.base.input_files import read_bytes
from teltheory.errors import ArgumentError, FileError

ESTIMATE = "characters/4"
MOST_RANKS = 10**8
EXPECTED = (
    "a tokenizer.json of Hugging Face, a cl100k_base.tiktoken or other .tiktoken file, or 'characters/4' for an "
    "estimate"
)
_O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"\s*[\r\n]+",
    r"\s+(?!\S)",
    r"\s+",
)
_R50K = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
_CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|"
    r"\s+(?!\S)|\s"
)
PATTERNS = {"r50k_base": _R50K, "p50k_base": _R50K, "cl100k_base": _CL100K, "o200k_base": "|".join(_O200K)}
"""How the encodings of tiktoken split a text; a `.tiktoken` file has only their ranks."""


@dataclass(frozen=True)
class Counter:
    """Turns texts into their numbers of tokens, or into the ids of these; a report calls it by `name`."""

    name: str
    count: Callable[[Sequence[str]], list[int]] = field(repr=False)
    encode: Callable[[Sequence[str]], list[Sequence[int]]] = field(repr=False)


def _quarters(texts: Sequence[str]) -> list[Sequence[int]]:
    return [[_checksum(text[i : i + 4]) for i in range(0, len(text), 4)] for text in texts]


def _checksum(characters: str) -> int:
    return crc32(characters.encode("utf-8", "surrogatepass"))


def counter(tokenizer: object) -> Counter:
    """Return the counter of a file, of ``"characters/4"``, or of a tokenizer that was made elsewhere."""
    if tokenizer == ESTIMATE:
        name = f"an estimate, {ESTIMATE} rounded up"
        return Counter(name, lambda texts: [-(-len(text) // 4) for text in texts], _quarters)
    if isinstance(tokenizer, (str, Path)):
        return _from_file(Path(tokenizer))
    if callable(getattr(tokenizer, "encode_batch", None)) and callable(getattr(tokenizer, "token_to_id", None)):
        own = needed("tokenizers", "datasets").Tokenizer.from_str(tokenizer.to_str())  # type: ignore[attr-defined]
        return _hugging_face(own, "tokenizer", "a tokenizer of Hugging Face")
    if callable(getattr(tokenizer, "encode_ordinary_batch", None)):
        named = f"the encoding {getattr(tokenizer, 'name', 'without a name')!r} of tiktoken"
        return _tiktoken(tokenizer, "tokenizer", named)
    raise ArgumentError("tokenizer", tokenizer, EXPECTED)


def needed_counter(tokenizer: object, format: str) -> Counter:
    """Return the counter for a format that holds text; none is an `ArgumentError` that says what to pass."""
    if tokenizer is None:
        raise ArgumentError("tokenizer", None, f"{EXPECTED}, as {format} holds text and no token counts")
    return counter(tokenizer)


def _from_file(file: Path) -> Counter:
    if file.suffix not in (".json", ".tiktoken"):
        raise ArgumentError("tokenizer", str(file), EXPECTED)
    content = read_bytes(file, "a tokenizer's file")
    name = f"{file.name}, SHA-256 {hashlib.sha256(content).hexdigest()[:16]}"
    if file.suffix == ".tiktoken":
        return _rank_file(file, content, name)
    made = needed("tokenizers", "datasets").Tokenizer
    with _reported(str(file), "a tokenizer.json of Hugging Face"):
        return _hugging_face(made.from_file(str(file)), str(file), name)


@contextmanager
def _reported(name: str, expected: str) -> Iterator[None]:
    """Say as a `FileError` what a tokenizer's library found wrong; a panic in it is no `Exception`."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit, FileError):
        raise
    except BaseException as error:
        raise FileError(f"{name}: {str(error)[:200]}, expected {expected}") from None


def _rank_file(file: Path, content: bytes, name: str) -> Counter:
    import base64

    pattern = PATTERNS.get(file.stem)
    if pattern is None:
        raise FileError(f"{file}: found the name {file.stem!r}, expected one of {', '.join(PATTERNS)}")
    ranks = {}
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token, validate=True)] = int(rank)
        except ValueError:
            raise FileError(f"{file}, line {number}: found {line!r:.60}, expected a token and its rank") from None
    if len(set(ranks.values())) < len(ranks) or not all(0 <= rank < MOST_RANKS for rank in ranks.values()):
        raise FileError(f"{file}: found a rank twice or out of bounds, expected 0 to {MOST_RANKS:,}, each once")
    missing = [value for value in range(256) if bytes([value]) not in ranks]
    if missing:
        raise FileError(f"{file}: found no rank of byte {missing[0]}, expected ranks of all 256 bytes")
    made = needed("tiktoken", "datasets").Encoding
    with _reported(str(file), "the ranks of a tokenizer"):
        return _tiktoken(
            made(file.stem, pat_str=pattern, mergeable_ranks=ranks, special_tokens={}), str(file), name
        )


def _hugging_face(tokenizer: Any, place: str, name: str) -> Counter:
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def made(texts: Sequence[str]) -> list[Any]:
        with _reported(place, "a tokenizer of any text"):
            found = tokenizer.encode_batch_fast([_paired(text) for text in texts], add_special_tokens=False)
        return list(found)

    return Counter(name, lambda texts: list(map(len, made(texts))), lambda texts: [one.ids for one in made(texts)])


def _paired(text: str) -> str:
    """Return a text whose lone surrogates, which no UTF-8 has, are replaced."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _tiktoken(encoding: Any, place: str, name: str) -> Counter:
    def encode(texts: Sequence[str]) -> list[Sequence[int]]:
        with _reported(place, "a tokenizer of any text"):
            return [encoding.encode_ordinary(text) for text in texts]

    return Counter(name, lambda texts: list(map(len, encode(texts))), encode)

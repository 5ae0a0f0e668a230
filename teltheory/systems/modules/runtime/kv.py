"""Keys and values of tokens, and the memory in which a prompt's are put behind each other.

Buffered concatenation (Gim et al. 2024, section 4.2): memory is allocated once, grows if a prompt needs more, and
serves the next prompt again. Kept keys and values are copied into it; what a model computes anew it writes behind
them itself, so that a step of decoding copies nothing that is already there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from teltheory.base.extras import needed
from teltheory.errors import ArgumentError
from teltheory.model.numbers import BoolArray, IntArray

STEP = 256
"""A buffer's room is a multiple of this many tokens."""


@dataclass(frozen=True, eq=False)
class KV:
    """Keys and values of tokens, of all layers.

    Attributes
    ----------
    keys, values : torch.Tensor (layers, heads, tokens, width)
        Position embeddings are in the keys already, if the model rotates them.
    positions : int64 array (tokens,)
        Positions that the tokens were computed at.
    """

    keys: Any = field(repr=False)
    values: Any = field(repr=False)
    positions: IntArray

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def nbytes(self) -> int:
        """Bytes of keys and values."""
        return int(self.keys.nbytes + self.values.nbytes)

    def select(self, mask: BoolArray) -> KV:
        """Return a copy of some tokens; the memory of the others is not held by it."""
        chosen = needed("torch", "modules").from_numpy(np.flatnonzero(mask)).to(self.keys.device)
        keys, values = (one.index_select(2, chosen) for one in (self.keys, self.values))
        return KV(keys, values, self.positions[mask])

    def to(self, device: str) -> KV:
        """Return it on a device, such as "cpu" or "cuda"; itself if it is there."""
        return KV(self.keys.to(device), self.values.to(device), self.positions)


@dataclass(frozen=True)
class KVShape:
    """What the keys and values of one token take: layers, heads, width, number format, and where they are."""

    layers: int
    heads: int
    width: int
    dtype: Any
    device: str

    @property
    def token_bytes(self) -> int:
        """Bytes of one token's keys and values, all layers."""
        return 2 * self.layers * self.heads * self.width * int(self.dtype.itemsize)


class Buffer:
    """Memory for the keys and values of one prompt after another; a model takes it for its cache.

    Attributes
    ----------
    shape : KVShape
        What one token takes.
    used : int
        Tokens in it.
    serving : object
        Another one for each prompt, by which a result knows whether its keys and values are still here.
    """

    is_compileable = False

    def __init__(self, shape: KVShape, room: int = 0) -> None:
        self.shape, self.used, self.serving = shape, 0, object()
        self._positions: IntArray = np.empty(0, np.int64)
        self.keys, self.values = self._memory(0), self._memory(0)
        self.reserve(room)

    @property
    def room(self) -> int:
        """Tokens that it has memory for."""
        return len(self._positions)

    @property
    def positions(self) -> IntArray:
        """Positions of the tokens in it."""
        return self._positions[: self.used]

    @property
    def nbytes(self) -> int:
        """Bytes of its memory, used or not."""
        return self.room * self.shape.token_bytes

    def reset(self) -> None:
        """Forget the tokens, keep the memory."""
        self.used, self.serving = 0, object()

    def cut(self, tokens: int) -> None:
        """Forget all but the first tokens."""
        if not 0 <= tokens <= self.used:
            raise ArgumentError("tokens", tokens, f"at most the {self.used} in the buffer")
        self.used = tokens

    def reserve(self, more: int) -> None:
        """Make room for more tokens behind those in it; what is in it is copied only if the memory must grow."""
        if self.used + more <= self.room:
            return
        room = -(-max(self.used + more, self.room * 3 // 2) // STEP) * STEP
        for name in ("keys", "values"):
            memory = self._memory(room)
            memory[:, :, : self.used] = getattr(self, name)[:, :, : self.used]
            setattr(self, name, memory)
        self._positions = np.concatenate((self.positions, np.empty(room - self.used, np.int64)))

    def add(self, parts: Sequence[KV]) -> None:
        """Copy keys and values behind those in it."""
        self.reserve(sum(map(len, parts)))
        for part in parts:
            end = self.used + len(part)
            self.keys[:, :, self.used : end] = part.keys
            self.values[:, :, self.used : end] = part.values
            self.wrote(part.positions)

    def wrote(self, positions: IntArray) -> None:
        """Count tokens as there, after their keys and values were written in all layers."""
        end = self.used + len(positions)
        self._positions[self.used : end] = positions
        self.used = end

    def last(self, tokens: int) -> KV:
        """Return the last tokens in it, without a copy: good until the next `reset`."""
        part = slice(self.used - tokens, self.used)
        return KV(self.keys[:, :, part], self.values[:, :, part], self._positions[part].copy())

    def update(self, keys: Any, values: Any, layer: int, *_: object, **__: object) -> tuple[Any, Any]:
        """Write new keys and values of a layer (1, heads, new, width); return all, as a model's cache does."""
        end = self.used + keys.shape[2]
        self.keys[layer, :, self.used : end] = keys[0]
        self.values[layer, :, self.used : end] = values[0]
        return self.keys[layer : layer + 1, :, :end], self.values[layer : layer + 1, :, :end]

    def get_seq_length(self, layer: int = 0) -> int:
        """Return the tokens in it, as a model's cache does."""
        return self.used

    get_query_offset = get_seq_length

    def get_mask_sizes(self, new: int, layer: int = 0) -> tuple[int, int]:
        """Return the number of keys that new tokens meet, and the first one's, as a model's cache does."""
        return self.used + new, 0

    def _memory(self, tokens: int) -> Any:
        shape = self.shape
        size = (shape.layers, shape.heads, tokens, shape.width)
        return needed("torch", "modules").empty(size, dtype=shape.dtype, device=shape.device)

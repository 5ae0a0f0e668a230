"""The architecture in a Hugging Face ``config.json``.

Families call the same number by several names; what they leave out has the family's usual value:

- key-value heads: as many as attention heads, or 1 with ``multi_query`` (GPT-BigCode, the first Falcons);
- width of a head: hidden size / attention heads;
- bytes per number: 2, or those of ``torch_dtype`` (``dtype``), or of ``quantization_config.kv_cache_scheme``.

``kv_lora_rank`` and ``qk_rope_head_dim`` are multi-head latent attention (DeepSeek): their sum is kept of a token
in a layer. Where layers keep less than all tokens, or another state, there are no bytes per token, and the file is
refused. What a token costs to compute is read too (`teltheory.cost.weights`), where the file says it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from teltheory.base.input_files import read_json
from teltheory.cost.kv_cache import Architecture, TokenWork
from teltheory.cost.weights import weights_of
from teltheory.errors import FileError, printable, shown

MOST_BYTES = 1 << 20
LARGEST = 10**6
LAYERS = ("num_hidden_layers", "n_layer", "num_layers")
HEADS = ("num_attention_heads", "n_head")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num")
HEAD_DIM = ("head_dim", "kv_channels")
HIDDEN = ("hidden_size", "n_embd")
DTYPES = {"float16": 2, "bfloat16": 2, "float32": 4, "float8_e4m3fn": 1, "float8_e5m2": 1}
BITS = {"fp8": 8, "mxfp4": 4.25}
"""Of a stored weight, by the method that it is quantized with; 16 for others."""
NOT_UNIFORM = (
    "attention_chunk_size",
    "attn_layer_period",
    "attn_type_list",
    "block_configs",
    "full_attention_interval",
    "hybrid_override_pattern",
    "index_head_dim",
    "linear_attn_config",
    "mamba_d_state",
    "num_kv_shared_layers",
    "sliding_window_pattern",
    "ssm_state_size",
)
"""Fields of models some of whose layers keep something else than keys and values of all tokens."""


def read_architecture(file: str | Path) -> Architecture:
    """Read what the KV cache depends on from a ``config.json``.

    Raises
    ------
    FileError
        If the file can't be read, a field is missing or no number, or layers keep something else than keys and
        values of all tokens; the error names file and field.
    """
    data = read_json(Path(file), "a model's config.json", MOST_BYTES)
    if not isinstance(data, Mapping):
        raise FileError(f"{file}: expected a model's config.json, an object")
    return _Config(str(file), data.get("text_config", data)).architecture()


class _Config:
    """The fields of one file."""

    def __init__(self, place: str, data: object) -> None:
        self.place = place
        if not isinstance(data, Mapping):
            self._fail("text_config", data, "an object")
        self.data: Mapping[str, Any] = data

    def architecture(self) -> Architecture:
        self._check_uniform()
        layers, name = self._number(LAYERS), printable(Path(self.place).name)
        width = self._bytes_per_number()
        if self._given(("kv_lora_rank",)) is not None:
            latent = self._number(("kv_lora_rank",)) + self._number(("qk_rope_head_dim",))
            return Architecture(name, layers, 1, latent, width, True, self._work(layers, 1, latent))
        kv_heads, head_dim = self._kv_heads(), self._head_dim()
        return Architecture(name, layers, kv_heads, head_dim, width, False, self._work(layers, kv_heads, head_dim))

    def _work(self, layers: int, kv_heads: int, head_dim: int) -> TokenWork | None:
        """Return what a token costs to compute; None if the file doesn't say it."""
        if self._given(HEADS) is None or self._given(HIDDEN) is None:
            return None
        weights = weights_of(self.data, self._number, kv_heads, head_dim)
        if weights is None:
            return None
        widths = 2 * head_dim
        if self.data.get("kv_lora_rank"):
            names = ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
            widths = sum(self._number((name,)) for name in names)
        quantized = self.data.get("quantization_config")
        method = quantized.get("quant_method") if isinstance(quantized, Mapping) else None
        pair = layers * self._number(HEADS) * widths
        return TokenWork(weights.active, weights.stored, pair, bits=BITS.get(str(method), 16))

    def _check_uniform(self) -> None:
        refused = "a model whose layers all keep keys and values of all tokens; give --kv-bytes"
        for field in NOT_UNIFORM:
            if self.data.get(field):
                self._fail(field, self.data[field], refused)
        window, longest = self.data.get("sliding_window"), self.data.get("max_position_embeddings")
        sees_all = isinstance(window, int) and isinstance(longest, int) and window >= longest
        if window and not sees_all and self.data.get("use_sliding_window", True):
            self._fail("sliding_window", window, refused)
        kinds = self.data.get("layer_types") or []
        other = [kind for kind in kinds if kind != "full_attention"] if isinstance(kinds, list) else [kinds]
        if other:
            self._fail("layer_types", other[0], refused)

    def _kv_heads(self) -> int:
        if self.data.get("multi_query") is True and not self.data.get("new_decoder_architecture"):
            return 1
        return self._number(KV_HEADS if self._given(KV_HEADS) is not None else HEADS)

    def _head_dim(self) -> int:
        if self._given(HEAD_DIM) is not None:
            return self._number(HEAD_DIM)
        hidden, heads = self._number(HIDDEN), self._number(HEADS)
        if hidden % heads:
            self._fail(str(self._given(HIDDEN)), hidden, f"a multiple of the {heads} attention heads, or head_dim")
        return hidden // heads

    def _bytes_per_number(self) -> int:
        quantized = self.data.get("quantization_config")
        scheme = quantized.get("kv_cache_scheme") if isinstance(quantized, Mapping) else None
        if scheme is not None:
            bits = scheme.get("num_bits") if isinstance(scheme, Mapping) else scheme
            if bits not in (8, 16):
                self._fail("quantization_config.kv_cache_scheme.num_bits", bits, "8 or 16")
            return int(bits) // 8
        field = self._given(("torch_dtype", "dtype"))
        if field is None:
            return 2
        found = self.data[field]
        if not isinstance(found, str) or found not in DTYPES:
            self._fail(field, found, "one of " + ", ".join(DTYPES))
        return DTYPES[found]

    def _given(self, names: tuple[str, ...]) -> str | None:
        """Return the first of some fields that is there."""
        return next((name for name in names if self.data.get(name) is not None), None)

    def _number(self, names: tuple[str, ...]) -> int:
        field = self._given(names)
        if field is None:
            raise FileError(f"{self.place}, {names[0]}: found none, expected one")
        found = self.data[field]
        if type(found) is not int or not 1 <= found <= LARGEST:
            self._fail(field, found, f"a whole number from 1 to {LARGEST:,}")
        return found

    def _fail(self, field: str, found: object, expected: str) -> NoReturn:
        raise FileError(f"{self.place}, {field}: found {shown(found, 60)}, expected {expected}")

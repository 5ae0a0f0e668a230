"""The size of a KV cache: bytes a token of common architectures, and a capacity in bytes as one in tokens.

Every layer keeps a key and a value of each token for each of its key-value heads:

    bytes per token = 2 x layers x key-value heads x width of a head x bytes per number.

Multi-head latent attention keeps one vector in the place of both, for all heads.

The shapes are those of the models' published ``config.json`` (``num_hidden_layers``, ``num_key_value_heads`` and,
where there is no ``head_dim``, ``hidden_size / num_attention_heads``). Numbers have two bytes (float16, bfloat16)
unless somebody says otherwise.
"""

from dataclasses import dataclass

from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number


@dataclass(frozen=True)
class KVSize:
    """The size of a token in a KV cache.

    Attributes
    ----------
    name : str
        Of what it is the size.
    bytes_per_token : int
        1 or more; of all GPUs of a replica.
    """

    name: str
    bytes_per_token: int

    def __post_init__(self) -> None:
        if whole_number(self.name, self.bytes_per_token) < 1:
            raise ArgumentError(self.name, self.bytes_per_token, "1 byte or more")

    def tokens(self, size: int) -> int:
        """Return how many whole tokens a size in bytes holds."""
        return whole_number("size", size) // self.bytes_per_token

    def bytes(self, tokens: int) -> int:
        """Return the size of a number of tokens, in bytes."""
        return whole_number("tokens", tokens) * self.bytes_per_token


@dataclass(frozen=True)
class Architecture:
    """What the KV cache of a transformer depends on.

    Attributes
    ----------
    name : str
        As on the command line.
    layers, kv_heads, head_dim : int
        Layers, key-value heads of a layer, numbers of a head; 1 or more.
    bytes_per_number : int
        2 for float16 and bfloat16, 1 for fp8, 4 for float32.
    latent : bool
        Multi-head latent attention: one vector of `head_dim` numbers is kept in the place of key and value.
    """

    name: str
    layers: int
    kv_heads: int
    head_dim: int
    bytes_per_number: int = 2
    latent: bool = False

    def __post_init__(self) -> None:
        for name in ("layers", "kv_heads", "head_dim", "bytes_per_number"):
            if whole_number(name, getattr(self, name)) < 1:
                raise ArgumentError(name, getattr(self, name), "1 or more")

    @property
    def bytes_per_token(self) -> int:
        """Size of the keys and values of one token."""
        vectors = 1 if self.latent else 2
        return vectors * self.layers * self.kv_heads * self.head_dim * self.bytes_per_number

    def tokens(self, size: int) -> int:
        """Return how many whole tokens a size in bytes holds."""
        return self.stored().tokens(size)

    def stored(self, gpus: int = 1, dtype: str | None = None) -> KVSize:
        """Return the size of a token on all GPUs of a replica together.

        Parameters
        ----------
        gpus : int
            Tensor parallel: each GPU has an equal part of the key-value heads. Where there are more GPUs than
            heads, each has one, so that heads are there several times; so is what latent attention keeps.
        dtype : str, optional
            A key of `NUMBERS`, in the place of `bytes_per_number`.

        Raises
        ------
        ArgumentError
            If the heads can't be divided, or the format is not known.
        """
        if self.kv_heads % gpus and gpus % self.kv_heads:
            expected = f"a number that divides the {self.kv_heads} key-value heads of {self.name}, or a multiple"
            raise ArgumentError("tensor_parallel", gpus, expected)
        if dtype is not None and dtype not in NUMBERS:
            raise ArgumentError("kv_dtype", dtype, "one of " + ", ".join(NUMBERS))
        copies, width = max(gpus // self.kv_heads, 1), NUMBERS.get(dtype or "", self.bytes_per_number)
        told = [f"{dtype} KV cache"] * (dtype is not None) + [f"{gpus} GPUs"] * (gpus > 1)
        size = self.bytes_per_token // self.bytes_per_number * width * copies
        return KVSize(", ".join([self.name, *told]), size)


NUMBERS = {"fp8": 1, "fp16": 2, "bf16": 2, "fp32": 4}
"""Bytes of a number, by its format."""

ARCHITECTURES = {
    shape.name: shape
    for shape in (
        Architecture("llama-2-7b", 32, 32, 128),
        Architecture("vicuna-7b", 32, 32, 128),
        Architecture("llama-2-13b", 40, 40, 128),
        Architecture("vicuna-13b", 40, 40, 128),
        Architecture("llama-2-70b", 80, 8, 128),
        Architecture("llama-3-8b", 32, 8, 128),
        Architecture("llama-3-70b", 80, 8, 128),
        Architecture("mistral-7b", 32, 8, 128),
        Architecture("mixtral-8x7b", 32, 8, 128),
        Architecture("qwen2.5-7b", 28, 4, 128),
        Architecture("qwen2.5-32b", 64, 8, 128),
    )
}
"""By name. Llama 3 stands for 3.1 too, Vicuna for versions 1.1 to 1.5: the shapes are the same."""


def architecture(name: str) -> Architecture:
    """Return an architecture by its name, in capitals or not."""
    found = ARCHITECTURES.get(name.strip().lower())
    if found is None:
        raise ArgumentError("model", name, "one of " + ", ".join(ARCHITECTURES))
    return found

"""The size of a KV cache: bytes a token of common architectures, and a capacity in bytes as one in tokens.

Every layer keeps a key and a value of each token for each of its key-value heads:

    bytes per token = 2 x layers x key-value heads x width of a head x bytes per number.

Multi-head latent attention keeps one vector in the place of both, for all heads.

Numbers have two bytes (float16, bfloat16) unless somebody says otherwise. What a token costs to compute is beside
it, as both follow from the same ``config.json``; `teltheory.cost.catalogue` has the shapes of known models.
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
class TokenWork:
    """What a token costs to compute, counted in products of two numbers, each of 2 FLOPs.

    Attributes
    ----------
    active, weights : int
        Weights of all layers: those that a token is multiplied with, and those that are stored.
    pair : int
        Products of a pair of tokens in the layers that look at all tokens before.
    near : int
        Products of a token in the layers that look at a window of tokens only, the window full.
    bits : float
        Of a stored weight: 16, or 8 in fp8.
    """

    active: int
    weights: int
    pair: int
    near: int = 0
    bits: float = 16


@dataclass(frozen=True)
class Architecture:
    """What the KV cache of a transformer depends on, and what computing it costs.

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
    work : TokenWork or None
        What a token costs to compute, if that is known.
    """

    name: str
    layers: int
    kv_heads: int
    head_dim: int
    bytes_per_number: int = 2
    latent: bool = False
    work: TokenWork | None = None

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

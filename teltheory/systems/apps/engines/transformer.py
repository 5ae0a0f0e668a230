"""A small transformer in numpy: drawn weights, float64, as few lines as it takes to be one.

1. Token ids become rows by an embedding, plus sines and cosines of their positions (Vaswani et al. 2017).
2. Each layer adds attention over all earlier tokens, then two products with a maximum between them; rows are
   divided by their root mean square before each.
3. Scores of the next token are a product with the last row.

What attention needs of earlier tokens is kept as `ModelState`. A pass computes rows of several contexts at once:
products with weights are one for all of them, attention is one for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from teltheory.model.numbers import FloatArray
from teltheory.systems.apps.engines.attention import attend, merge

SHARP = 4.0
"""What drawn scores are multiplied by; at 1 attention is so even that outputs hardly depend on prompts."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Weights of one layer."""

    queries_keys_values: FloatArray
    out: FloatArray
    up: FloatArray
    down: FloatArray


@dataclass(frozen=True, eq=False)
class Transformer:
    """Weights of a model. Draw one with `Transformer.drawn`.

    Attributes
    ----------
    embedding : float array (vocabulary, width)
        Rows of tokens.
    layers : tuple of Layer
        From the first.
    scores : float array (width, vocabulary)
        From a last row to the next token.
    heads : int
        Heads of attention.
    """

    embedding: FloatArray
    layers: tuple[Layer, ...]
    scores: FloatArray
    heads: int

    @classmethod
    def drawn(
        cls, rng: np.random.Generator, vocabulary: int, layers: int = 2, width: int = 32, heads: int = 4
    ) -> Transformer:
        """Draw weights."""

        def weights(rows: int, columns: int) -> FloatArray:
            return np.asarray(rng.standard_normal((rows, columns)) / np.sqrt(rows))

        embedding = rng.standard_normal((vocabulary, width))
        sharp = np.repeat([SHARP, 1.0, 1.0], width)
        drawn = tuple(
            Layer(
                weights(width, 3 * width) * sharp,
                weights(width, width),
                weights(width, 4 * width),
                weights(4 * width, width),
            )
            for _ in range(layers)
        )
        return cls(embedding, drawn, weights(width, vocabulary), heads)

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return int(self.embedding.shape[1])

    def empty(self) -> ModelState:
        """Return the state of no token."""
        kept = np.zeros((len(self.layers), 0, self.heads, self.width // self.heads))
        return ModelState(kept, kept, np.zeros((0, self.width)))


@dataclass(eq=False)
class ModelState:
    """What a model keeps of tokens.

    Attributes
    ----------
    keys, values : float array (layers, tokens, heads, size)
        For attention.
    last : float array (tokens, width)
        Rows after the last layer.
    """

    keys: FloatArray
    values: FloatArray
    last: FloatArray

    def __len__(self) -> int:
        return len(self.last)

    def add(self, new: ModelState) -> None:
        """Put tokens at the end."""
        self.keys = np.concatenate([self.keys, new.keys], axis=1)
        self.values = np.concatenate([self.values, new.values], axis=1)
        self.last = np.concatenate([self.last, new.last])

    def cut(self, tokens: int) -> ModelState:
        """Return the state of the first tokens."""
        return ModelState(self.keys[:, :tokens], self.values[:, :tokens], self.last[:tokens])


@dataclass(frozen=True, eq=False)
class New:
    """Tokens to compute in one context: their ids, the position of the first, and states of those before."""

    tokens: Sequence[int]
    begin: int
    before: Sequence[ModelState]


def forward(model: Transformer, news: Sequence[New]) -> list[ModelState]:
    """Compute tokens of several contexts in one pass; return the state of the new ones for each."""
    ends = np.cumsum([len(new.tokens) for new in news])[:-1]
    positions = np.concatenate([new.begin + np.arange(len(new.tokens)) for new in news])
    x = model.embedding[[token for new in news for token in new.tokens]] + _waves(positions, model.width)
    kept = []
    for depth, layer in enumerate(model.layers):
        each = _scaled(x) @ layer.queries_keys_values
        queries, keys, values = np.moveaxis(each.reshape(len(x), 3, model.heads, -1), 1, 0)
        own = [np.split(rows, ends) for rows in (queries / np.sqrt(queries.shape[2]), keys, values)]
        seen = [_seen(depth, new, *rows) for new, *rows in zip(news, *own, strict=True)]
        x = x + np.concatenate(seen).reshape(x.shape) @ layer.out
        x = x + np.maximum(_scaled(x) @ layer.up, 0) @ layer.down
        kept.append((own[1], own[2]))
    last = np.split(_scaled(x), ends)
    return [
        ModelState(np.stack([keys[k] for keys, _ in kept]), np.stack([values[k] for _, values in kept]), last[k])
        for k in range(len(news))
    ]


def _seen(depth: int, new: New, queries: FloatArray, keys: FloatArray, values: FloatArray) -> FloatArray:
    """Attention of one context's new tokens over those before, part by part, and over themselves."""
    before = [attend(queries, state.keys[depth], state.values[depth]) for state in new.before if len(state)]
    return merge([*before, attend(queries, keys, values, np.tri(len(queries), dtype=bool))])


def _scaled(x: FloatArray) -> FloatArray:
    return np.asarray(x / np.sqrt(np.mean(x**2, axis=1, keepdims=True) + 1e-12))


def _waves(positions: FloatArray, width: int) -> FloatArray:
    angles = positions[:, None] / 10_000.0 ** (np.arange(width // 2) / (width // 2))
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)

"""What a prompt says and costs without reuse: full attention over the same tokens, with gaps and without."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter, process_time
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.systems.modules.items import Pass
from teltheory.systems.modules.pml.layout import Piece
from teltheory.systems.modules.pml.prompt import Fresh, Resolved
from teltheory.systems.modules.runtime.inference import Prefilled, decode
from teltheory.systems.modules.runtime.kv import Buffer
from teltheory.systems.modules.runtime.models import Model


def full_pass(resolved: Resolved, gaps: bool = False) -> Pass:
    """Return the one causal pass over all tokens of a prompt.

    Parameters
    ----------
    resolved : Resolved
        The prompt.
    gaps : bool
        At the positions of its schema; else one token after another from 0, as a model is used to them.
    """
    own = resolved.layout.own
    texts = [piece for path in resolved.kept for piece in own[path] if piece.parameter is None]
    pieces: list[Piece | Fresh] = sorted([*texts, *resolved.fresh], key=lambda piece: piece.start)
    tokens = np.array([token for piece in pieces for token in piece.tokens], np.int64)
    at = np.array([piece.start + k for piece in pieces for k in range(len(piece.tokens))], np.int64)
    return Pass(tokens, at if gaps else np.arange(len(tokens)), np.ones(len(tokens), bool))


def prefill_full(model: Model, resolved: Resolved, gaps: bool = False, buffer: Buffer | None = None) -> Prefilled:
    """Compute all tokens of a prompt in one pass, as a server without a cache does.

    Parameters
    ----------
    model : Model
        The model.
    resolved, gaps
        As in `full_pass`.
    buffer : Buffer or None
        Memory to use again; what is in it is forgotten. None: memory of its own.

    Raises
    ------
    ArgumentError
        A prompt without a token, or one of more positions than the model has.
    """
    one = full_pass(resolved, gaps)
    if not len(one.tokens):
        raise ArgumentError("prompt", "no tokens", "at least one")
    end = int(one.positions[-1]) + 1
    model.check_positions("prompt", end)
    buffer = model.buffer() if buffer is None else buffer
    buffer.reset()
    logits, _ = model.forward(one.tokens, one.positions, buffer, last_only=True)
    return Prefilled(logits[-1], buffer, buffer.used, 0, end, buffer.serving)


@dataclass(frozen=True, eq=False)
class FullAnswer:
    """What a prompt was answered by full attention; fields as in `Answer`."""

    tokens: list[int]
    text: str
    logits: Any = field(repr=False)
    ttft: float
    cpu: float


def answer_full(model: Model, resolved: Resolved, tokens: int = 32, buffer: Buffer | None = None) -> FullAnswer:
    """Answer a prompt by full attention over its tokens, without gaps."""
    wall, cpu = perf_counter(), process_time()
    prefilled = prefill_full(model, resolved, buffer=buffer)
    int(prefilled.logits.argmax())
    wall, cpu = perf_counter() - wall, process_time() - cpu
    ids = decode(model, prefilled, tokens)
    return FullAnswer(ids, model.tokenizer.decode(ids), prefilled.logits, wall, cpu)

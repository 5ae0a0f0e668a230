"""Cached inference: a prompt's kept keys and values, its fresh tokens computed with them, and decoding.

1. The keys and values of the prompt's items are copied behind each other into a buffer.
2. Fresh tokens (arguments, text that is not cached, new text) are computed in one pass at their own positions.
   Each sees every token of the prompt at a smaller position, kept or fresh, and itself.
3. If the prompt's last token is a kept one, it is computed anew as a fresh one: what follows is read from it.
4. Decoding goes on at the largest position + 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import IntArray
from teltheory.systems.modules.items import Item, PromptPlan, encoding
from teltheory.systems.modules.runtime.encoding import encode
from teltheory.systems.modules.runtime.kv import KV, Buffer
from teltheory.systems.modules.runtime.models import Model


@dataclass(frozen=True, eq=False)
class Prefilled:
    """A prompt whose tokens are all computed.

    Attributes
    ----------
    logits : torch.Tensor (vocabulary,)
        Of the prompt's last token.
    buffer : Buffer
        Keys and values of all its tokens.
    tokens, kept : int
        Tokens of the prompt, and those of them that were not computed.
    next : int
        Position of the first token that is decoded.
    """

    logits: Any = field(repr=False)
    buffer: Buffer = field(repr=False)
    tokens: int
    kept: int
    next: int
    serving: object = field(repr=False)


@dataclass(frozen=True, eq=False)
class Answer:
    """What a prompt was answered, and at what cost.

    Attributes
    ----------
    tokens : list of int
        Token ids, without the one that ends an answer.
    text : str
        Their text.
    logits : torch.Tensor (vocabulary,)
        From which the first token was chosen.
    kept, fresh, encoded : int
        Tokens of the prompt that were at hand, that were computed as fresh ones, and that were encoded first. The
        prompt's last token, if it is at hand or encoded, is computed too and counts twice.
    gaps : int
        Empty positions before the prompt's last token.
    ttft, cpu : float
        Seconds until the first token, and seconds of the processor in them, encoding included.
    """

    tokens: list[int]
    text: str
    logits: Any = field(repr=False)
    kept: int
    fresh: int
    encoded: int
    gaps: int
    ttft: float
    cpu: float


def prefill(model: Model, plan: PromptPlan, kept: Mapping[Item, KV], buffer: Buffer | None = None) -> Prefilled:
    """Compute a prompt's fresh tokens with the kept keys and values of its items.

    Parameters
    ----------
    model : Model
        The model.
    plan : Plan
        The prompt.
    kept : mapping of Item to KV
        At least the plan's items.
    buffer : Buffer or None
        Memory to use again; what is in it is forgotten. None: memory of its own.

    Raises
    ------
    ArgumentError
        An item without its keys and values, a prompt without a token, or one of more positions than the model has.
    """
    missing = next((item.name for item in plan.items if item not in kept), None)
    if missing is not None:
        raise ArgumentError("kept", f"nothing for {missing}", "keys and values of each item of the prompt")
    parts = [kept[item] for item in plan.items]
    tokens, positions = fresh_tokens(plan)
    last = last_kept(plan, parts, positions)
    if last is not None:
        tokens, positions = np.append(tokens, last.token), np.append(positions, last.position)
        part = parts[last.part]
        parts[last.part] = part.select(part.positions < last.position)
    end = int(positions[-1]) + 1
    model.check_positions("prompt", end)
    buffer = model.buffer() if buffer is None else buffer
    buffer.reset()
    buffer.reserve(sum(map(len, parts)) + len(tokens))
    buffer.add(parts)
    logits, _ = model.forward(tokens, positions, buffer, last_only=True)
    return Prefilled(logits[-1], buffer, buffer.used, buffer.used - len(tokens), end, buffer.serving)


def fresh_tokens(plan: PromptPlan) -> tuple[IntArray, IntArray]:
    """Return token ids and positions, by position, of what a prompt computes anew."""
    tokens = [token for piece in plan.fresh for token in piece.tokens]
    positions = [piece.start + k for piece in plan.fresh for k in range(len(piece.tokens))]
    return np.array(tokens, np.int64), np.array(positions, np.int64)


class Last(NamedTuple):
    """A prompt's last token that is a kept one: in which part, its id and its position."""

    part: int
    token: int
    position: int


def last_kept(plan: PromptPlan, parts: Sequence[KV], positions: IntArray) -> Last | None:
    """Return a prompt's last token if it is a kept one, given its parts and the positions of its fresh tokens."""
    ends = [int(part.positions[-1]) if len(part) else -1 for part in parts]
    at = int(np.argmax(ends)) if ends else 0
    if len(positions) and (not ends or ends[at] < positions[-1]):
        return None
    if not ends or ends[at] < 0:
        raise ArgumentError("prompt", "no tokens", "at least one")
    one = encoding(plan.resolved.layout, plan.items[at])
    return Last(at, int(one.tokens[one.keep][-1]), ends[at])


def decode(model: Model, prefilled: Prefilled, tokens: int) -> list[int]:
    """Return the ids of at most so many tokens, each the likeliest; the one that ends an answer ends it, unlisted.

    Raises
    ------
    ArgumentError
        A buffer that serves another prompt by now, or more positions than the model has.
    """
    buffer = prefilled.buffer
    if buffer.serving is not prefilled.serving:
        raise ArgumentError(
            "prefilled", "a buffer that serves another prompt", "one that no other prompt took since"
        )
    model.check_positions("tokens", prefilled.next + max(tokens - 1, 0))
    buffer.cut(prefilled.tokens)
    answer: list[int] = []
    logits = prefilled.logits
    while len(answer) < tokens:
        token = int(logits.argmax())
        if token == model.tokenizer.end:
            break
        answer.append(token)
        if len(answer) < tokens:
            at = prefilled.next + len(answer) - 1
            logits = model.forward(np.array([token]), np.array([at]), buffer, last_only=True)[0][-1]
    return answer


def answer(
    model: Model, plan: PromptPlan, kept: Mapping[Item, KV], tokens: int = 32, buffer: Buffer | None = None
) -> Answer:
    """Answer a prompt; items that are not kept are encoded first, and forgotten after."""
    wall, cpu = perf_counter(), process_time()
    missing = [item for item in plan.items if item not in kept]
    made = encode(model, plan.resolved.layout, missing)
    at_hand = [kept[item] for item in plan.items if item in kept]
    prefilled = prefill(model, plan, {**kept, **made}, buffer)
    int(prefilled.logits.argmax())
    wall, cpu = perf_counter() - wall, process_time() - cpu
    encoded = sum(map(len, made.values()))
    ids = decode(model, prefilled, tokens)
    return Answer(
        ids,
        model.tokenizer.decode(ids),
        prefilled.logits,
        sum(map(len, at_hand)),
        prefilled.tokens - prefilled.kept,
        encoded,
        prefilled.next - prefilled.tokens,
        wall,
        cpu,
    )

"""Batches: prompts of one schema as one sequence, in which a shared module stands once (Gim et al. 2024, 3.4).

1. The keys and values of all items of all prompts are in one buffer, each item once; behind them are the fresh
   tokens of all prompts. There is no padding, and nothing shared is copied.
2. A mask says who sees what: a token sees those of its own prompt at smaller positions, and itself. So two prompts
   may import different members of a union, which have the same positions.
3. Decoding computes a token of each prompt a step, until the last has ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import BoolArray, IntArray
from teltheory.systems.modules.items import Item, PromptPlan, size
from teltheory.systems.modules.runtime.inference import fresh_tokens, last_kept
from teltheory.systems.modules.runtime.kv import KV, Buffer
from teltheory.systems.modules.runtime.models import Model, seen_by_position


@dataclass(frozen=True, eq=False)
class Together:
    """Prompts whose tokens are all computed.

    Attributes
    ----------
    logits : torch.Tensor (prompts, vocabulary)
        Of each prompt's last token.
    buffer : Buffer
        Keys and values of all tokens of all prompts.
    member : bool array (prompts, tokens)
        Which tokens of the buffer belong to which prompt.
    fresh : int64 array (prompts,)
        Tokens of each prompt that were computed.
    next : int64 array (prompts,)
        Position of the first token that is decoded.
    """

    logits: Any = field(repr=False)
    buffer: Buffer = field(repr=False)
    member: BoolArray = field(repr=False)
    fresh: IntArray
    next: IntArray
    serving: object = field(repr=False)


def prefill_together(
    model: Model, plans: Sequence[PromptPlan], kept: Mapping[Item, KV], buffer: Buffer | None = None
) -> Together:
    """Compute the fresh tokens of all prompts in one pass.

    Parameters
    ----------
    model : Model
        The model.
    plans : sequence of Plan
        Prompts of one layout, one or more.
    kept : mapping of Item to KV
        At least their items.
    buffer : Buffer or None
        Memory to use again; what is in it is forgotten. None: memory of its own.

    Raises
    ------
    ArgumentError
        No prompt, prompts of several layouts, an item without its keys and values, a prompt without a token or of
        more positions than the model has.
    """
    items = _shared(plans)
    missing = next((item.name for item in items if item not in kept), None)
    if missing is not None:
        raise ArgumentError("kept", f"nothing for {missing}", "keys and values of each item of the prompts")
    buffer = model.buffer() if buffer is None else buffer
    buffer.reset()
    buffer.reserve(sum(len(kept[item]) for item in items) + sum(plan.resolved.new + 1 for plan in plans))
    buffer.add([kept[item] for item in items])
    member = np.array([_of_prompt(plan, items, kept) for plan in plans])
    tokens, positions, owner = _fresh(plans, kept, member, buffer.positions)
    for end in positions[-len(plans) :].tolist():
        model.check_positions("prompt", end + 1)
    member = np.concatenate((member, owner[None, :] == np.arange(len(plans))[:, None]), axis=1)
    visible = seen_by_position(positions, np.concatenate((buffer.positions, positions))) & member[owner]
    logits, _ = model.forward(tokens, positions, buffer, visible, last_only=len(plans))
    fresh = np.bincount(owner, minlength=len(plans)).astype(np.int64)
    return Together(logits, buffer, member, fresh, positions[-len(plans) :] + 1, buffer.serving)


def decode_together(model: Model, together: Together, tokens: int) -> list[list[int]]:
    """Return for each prompt the ids of at most so many tokens, as `decode` does for one.

    Raises
    ------
    ArgumentError
        A buffer that serves other prompts by now, or more positions than the model has.
    """
    buffer = together.buffer
    if buffer.serving is not together.serving:
        raise ArgumentError("together", "a buffer that serves another prompt", "one that none took since")
    model.check_positions("tokens", int(together.next.max()) + max(tokens - 1, 0))
    buffer.cut(together.member.shape[1])
    answers: list[list[int]] = [[] for _ in together.next]
    member, logits, running = together.member, together.logits, np.arange(len(answers))
    while tokens > 0 and len(running):
        chosen = logits.argmax(dim=-1).cpu().numpy()
        goes_on = chosen != (-1 if model.tokenizer.end is None else model.tokenizer.end)
        running, chosen = running[goes_on], chosen[goes_on]
        for prompt, token in zip(running.tolist(), chosen.tolist(), strict=True):
            answers[prompt].append(token)
        if not len(running) or len(answers[running[0]]) >= tokens:
            break
        at = together.next[running] + len(answers[running[0]]) - 1
        member = np.concatenate((member, np.arange(len(answers))[:, None] == running[None, :]), axis=1)
        logits, _ = model.forward(chosen, at, buffer, member[running], last_only=len(running))
    return answers


def tokens_together(plans: Sequence[PromptPlan]) -> tuple[int, int]:
    """Return the tokens that prompts keep keys and values of: in one batch, and each prompt by itself."""
    fresh = sum(plan.resolved.new for plan in plans)
    layout = plans[0].resolved.layout
    shared = sum(size(layout, item) for item in _shared(plans))
    apart = sum(size(layout, item) for plan in plans for item in plan.items)
    return shared + fresh, apart + fresh


def _shared(plans: Sequence[PromptPlan]) -> list[Item]:
    """Return the items of all prompts, each once."""
    if not plans:
        raise ArgumentError("prompts", "none", "one or more")
    if any(plan.resolved.layout is not plans[0].resolved.layout for plan in plans):
        raise ArgumentError("prompts", "several layouts", "prompts of one schema, by one layout")
    return list(dict.fromkeys(item for plan in plans for item in plan.items))


def _of_prompt(plan: PromptPlan, items: Sequence[Item], kept: Mapping[Item, KV]) -> BoolArray:
    """Return which kept tokens belong to a prompt."""
    flags = np.array([item in plan.items for item in items], bool)
    return np.repeat(flags, [len(kept[item]) for item in items])


def _fresh(
    plans: Sequence[PromptPlan], kept: Mapping[Item, KV], member: BoolArray, positions: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return ids, positions and prompts of all fresh tokens, the last of each prompt behind all others.

    The last token of a prompt, if it is a kept one, becomes a fresh one, and the kept one no longer its member.
    """
    rows, ends = [], []
    for number, plan in enumerate(plans):
        tokens, at = fresh_tokens(plan)
        last = last_kept(plan, [kept[item] for item in plan.items], at)
        if last is not None:
            member[number] &= positions != last.position
            tokens, at = np.append(tokens, last.token), np.append(at, last.position)
        own = np.stack((tokens, at, np.full(len(at), number)))
        rows.append(own[:, :-1])
        ends.append(own[:, -1:])
    tokens, at, owner = np.concatenate((*rows, *ends), axis=1)
    return tokens, at, owner

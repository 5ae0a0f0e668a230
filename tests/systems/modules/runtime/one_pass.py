"""The judge: a prompt as one pass over all its tokens and those that its items saw, under an explicit mask.

A token stands there once for each item whose encoding read it, and the tokens of different items do not see each
other. What an item's encoding reads is written here again from the definition of each way.
"""

from dataclasses import dataclass

import numpy as np
import torch
from plain_models import plain_logits

from teltheory.systems.modules.pml.schema import Module, Union


@dataclass
class Scene:
    tokens: list
    positions: list
    seen: np.ndarray


def standing(schema, branch):
    """Paths that stand in the schema with one member of each union: that of a branch, or the default."""
    found = []

    def walk(module, path, cached):
        cached = cached and module.cache
        if cached:
            found.append(path)
        for child in module.children:
            if isinstance(child, Module):
                walk(child, (*path, child.name), cached)
            elif isinstance(child, Union):
                own = [
                    one for one in child.members if any(b[: len(path) + 1] == (*path, one.name) for b in branch)
                ]
                for member in own or [one for one in child.members if one.name == child.default]:
                    walk(member, (*path, member.name), cached)

    walk(schema, (), True)
    return set(found)


def read_by(layout, item):
    if item.way == "alone":
        return set(item.paths)
    everything = standing(layout.schema, item.paths)
    if item.way == "whole":
        return everything
    return {path for path in everything if any(own[: len(path)] == path for own in item.paths)}


def scene(plan):
    """All tokens of a prompt and of what its items saw, and who sees whom; its last token is the last row."""
    layout = plan.resolved.layout
    rows = []  # (token, position, the item that it was encoded for or None, whether it is in the prompt)
    for item in plan.items:
        read = read_by(layout, item)
        for piece in layout.pieces:
            if piece.path in read:
                kept = piece.path in item.paths and piece.parameter is None
                rows += [(token, piece.start + k, item, kept) for k, token in enumerate(piece.tokens)]
    fresh = [(token, piece.start + k, None, True) for piece in plan.fresh for k, token in enumerate(piece.tokens)]
    last = max(row[1] for row in rows + fresh if row[3])
    for k, (token, position, item, kept) in enumerate(rows):
        if kept and position == last:
            rows[k] = (token, position, item, False)
            fresh.append((token, position, None, True))
    rows += sorted(fresh, key=lambda row: row[1])
    return Scene([row[0] for row in rows], [row[1] for row in rows], sees(rows))


def sees(rows):
    seen = np.eye(len(rows), dtype=bool)
    for q, (_, at, item, _) in enumerate(rows):
        for k, (_, before, other, in_prompt) in enumerate(rows):
            seen[q, k] |= before < at and (in_prompt if item is None else item is other)
    return seen


def going_on(one, tokens):
    """The scene with tokens decoded behind its last one; each sees what the last one saw, and those before it."""
    length, more = len(one.tokens), len(tokens)
    seen = np.zeros((length + more, length + more), bool)
    seen[:length, :length] = one.seen
    seen[length:, :length] = one.seen[-1]
    seen[length:, length:] = np.tril(np.ones((more, more), bool))
    positions = [one.positions[-1] + 1 + k for k in range(more)]
    return Scene([*one.tokens, *tokens], [*one.positions, *positions], seen)


def judged(module, plan, decoded=(), dtype=torch.float64):
    """Logits (1 + decoded, vocabulary) of the prompt's last token and of the tokens decoded after it."""
    one = going_on(scene(plan), list(decoded))
    return plain_logits(module, one.tokens, one.positions, one.seen, dtype)[-1 - len(decoded) :]

"""How well a prompt is answered, by how its modules were encoded, against full attention over the same tokens.

Each task is read in several ways, and its candidate answers are scored by their likelihood in one pass: all stand
behind the prompt at the same positions, and each sees the prompt and itself. What is counted:

1. *right*: the likeliest candidate is the right one (sum of the logarithms of its tokens' probabilities);
2. *exact*: greedy decoding would begin with the right answer, token by token;
3. *same*: the first token is the one of full attention;
4. *KL*: Kullback-Leibler divergence of the first token's distribution from full attention's, in nats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from teltheory.base.extras import needed
from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.systems.modules.answers import opened
from teltheory.systems.modules.items import Item, Pass, Way, encoding, plan
from teltheory.systems.modules.pml.layout import layout
from teltheory.systems.modules.pml.prompt import Resolved, read_prompt, resolve
from teltheory.systems.modules.pml.reading import read_schema
from teltheory.systems.modules.pml.roles import CHATML, Roles
from teltheory.systems.modules.runtime import KV, Model, Prefilled, encode, prefill
from teltheory.systems.modules.runtime.full import full_pass, prefill_full
from teltheory.systems.modules.tasks import QuestionTask, in_one_module
from teltheory.systems.modules.tasks import tasks as make

FULL = "full"
"""The reading that all others are held against."""
SINKS = 4
"""First tokens of a schema that each module sees in the reading "sinks" (Xiao et al. 2024 keep four)."""


@dataclass(frozen=True)
class Read:
    """What one task came to in one reading; see the module's first lines."""

    kind: str
    reading: str
    chosen: int
    right: bool
    exact: bool
    same: bool
    kl: float


def resolved(model: Model, task: QuestionTask, roles: Roles = CHATML) -> Resolved:
    """Return a task's prompt in its schema's layout, up to where the answer begins."""
    prompt = opened(read_prompt(task.prompt, roles), roles, task.opening)
    return resolve(prompt, layout(read_schema(task.schema, roles), model.tokenizer))


def _modular(way: Way, together: bool = False) -> Callable[[Model, QuestionTask, Roles], Prefilled]:
    def read(model: Model, task: QuestionTask, roles: Roles) -> Prefilled:
        planned = plan(resolved(model, task, roles), way, [task.facts] if together else ())
        return prefill(model, planned, encode(model, planned.resolved.layout, planned.items))

    return read


def _behind(before: Callable[[Resolved, QuestionTask], Pass]) -> Callable[[Model, QuestionTask, Roles], Prefilled]:
    """Return a reading that encodes each module behind some tokens, as far as they are at smaller positions."""

    def read(model: Model, task: QuestionTask, roles: Roles) -> Prefilled:
        asked = resolved(model, task, roles)
        planned, first = plan(asked), before(asked, task)
        return prefill(model, planned, {item: _encoded(model, asked, item, first) for item in planned.items})

    return read


def _encoded(model: Model, asked: Resolved, item: Item, first: Pass) -> KV:
    own = encoding(asked.layout, item)
    seen = first.positions < own.positions[0]
    tokens = np.concatenate((first.tokens[seen], own.tokens))
    positions = np.concatenate((first.positions[seen], own.positions))
    _, kv = model.forward(tokens, positions, last_only=True)
    return kv.select(np.arange(len(tokens)) >= seen.sum())


def _first_tokens(asked: Resolved, task: QuestionTask) -> Pass:
    """Return the first tokens of a schema, which may be all that a module lacks: attention sinks."""
    whole = full_pass(asked, gaps=True)
    return Pass(whole.tokens[:SINKS], whole.positions[:SINKS], whole.keep[:SINKS])


def _strangers(asked: Resolved, task: QuestionTask) -> Pass:
    """Return the text of another question of the same kind up to the end of its notes."""
    other = make(1, "strangers", [task.kind])[0]
    schema = layout(read_schema(other.schema), asked.layout.tokenizer)
    whole = full_pass(resolve(read_prompt(other.prompt), schema), gaps=True)
    kept = whole.positions < schema.length
    return Pass(whole.tokens[kept], whole.positions[kept], whole.keep[kept])


READINGS: dict[str, Callable[[Model, QuestionTask, Roles], Prefilled]] = {
    FULL: lambda model, task, roles: prefill_full(model, resolved(model, task, roles)),
    "gaps": lambda model, task, roles: prefill_full(model, resolved(model, task, roles), gaps=True),
    "one module": lambda model, task, roles: _modular("whole")(model, in_one_module(task), roles),
    "whole": _modular("whole"),
    "scaffold": _modular("alone", together=True),
    "strangers": _behind(_strangers),
    "ancestors": _modular("ancestors"),
    "sinks": _behind(_first_tokens),
    "alone": _modular("alone"),
}
"""How a prompt is read.

============  =====================================================================================================
reading       what a module was encoded with
============  =====================================================================================================
full          nothing is kept: full attention, one token after another
gaps          nothing is kept: full attention, at the schema's positions
one module    all notes in one module, with what is before it: what the public code's harnesses measure
whole         the whole schema
scaffold      the other modules of the prompt; the anonymous text by itself
strangers     the anonymous text and the notes of another question of the same kind
ancestors     the anonymous text
sinks         the first four tokens of the anonymous text
alone         nothing
============  =====================================================================================================
"""


def checked_readings(readings: Iterable[str]) -> list[str]:
    """Return readings with full attention first; an unknown one is an error."""
    for name in readings:
        if name not in READINGS:
            raise ArgumentError("reading", name, f"one of {', '.join(READINGS)}")
    return list(dict.fromkeys((FULL, *readings)))


def read_all(
    model: Model, tasks: Iterable[QuestionTask], readings: Sequence[str] = tuple(READINGS), roles: Roles = CHATML
) -> list[Read]:
    """Read each task in each way.

    Parameters
    ----------
    model : Model
        The model.
    tasks : iterable of Task
        The tasks.
    readings : sequence of str
        Ways of `READINGS`; full attention is read in any case.
    roles : Roles
        What role tags become.

    Raises
    ------
    ArgumentError
        An unknown reading.
    """
    named = checked_readings(readings)
    return [read for task in tasks for read in _read(model, task, named, roles)]


def _read(model: Model, task: QuestionTask, readings: Iterable[str], roles: Roles) -> list[Read]:
    answers = [np.array(model.tokenizer.encode(f" {text}"), np.int64) for text in task.candidates]
    found: list[Read] = []
    of_full: FloatArray | None = None
    for name in readings:
        rows = candidate_rows(model, READINGS[name](model, task, roles), answers)
        first = rows[0][0]
        of_full = first if of_full is None else of_full
        chosen = int(np.argmax([_likelihood(some, ids) for some, ids in zip(rows, answers, strict=True)]))
        exact = bool(np.all(rows[task.right].argmax(1) == answers[task.right]))
        same = bool(first.argmax() == of_full.argmax())
        found.append(Read(task.kind, name, chosen, chosen == task.right, exact, same, divergence(of_full, first)))
    return found


def candidate_rows(model: Model, prefilled: Prefilled, answers: Sequence[IntArray]) -> list[FloatArray]:
    """Return the logarithms of probabilities from which each answer's tokens would be drawn, (tokens, vocabulary).

    One pass serves all answers: each sees the prompt and its own tokens.
    """
    buffer, torch = prefilled.buffer, needed("torch", "modules")
    lengths = [len(ids) for ids in answers]
    positions = np.concatenate([prefilled.next + np.arange(length) for length in lengths])
    visible = np.zeros((len(positions), buffer.used + len(positions)), bool)
    visible[:, : buffer.used] = True
    ends = np.cumsum(lengths)
    for end, length in zip(ends.tolist(), lengths, strict=True):
        own = slice(end - length, end)
        visible[own, buffer.used :][:, own] = np.tri(length, dtype=bool)
    logits, _ = model.forward(np.concatenate(answers), positions, buffer, visible)
    after = log_probabilities(torch.cat((prefilled.logits[None], logits)))
    buffer.cut(prefilled.tokens)
    return [_rows(after, end - length, length) for end, length in zip(ends.tolist(), lengths, strict=True)]


def _rows(after: FloatArray, begin: int, length: int) -> FloatArray:
    return np.concatenate((after[:1], after[1 + begin : begin + length]))


def _likelihood(rows: FloatArray, ids: IntArray) -> float:
    return float(rows[np.arange(len(ids)), ids].sum())


def log_probabilities(logits: Any) -> FloatArray:
    """Return logarithms of probabilities from a model's logits, in double precision."""
    found: FloatArray = logits.double().log_softmax(-1).cpu().numpy()
    return found


def divergence(expected: FloatArray, found: FloatArray) -> float:
    """Return the Kullback-Leibler divergence of a distribution from the expected one, in nats, from logarithms."""
    return float(np.sum(np.exp(expected) * (expected - found)))

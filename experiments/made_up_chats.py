"""Made-up conversations whose lengths and numbers of turns move: rules for promises are tried on them.

Of some kinds a turn goes on with an older conversation or begins one; lengths or the chance to go on change along
the trace. Of the others a conversation begins with a document at a time of its own, and questions follow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import teltheory as tt

TURNS = 5000
LONGEST = 120_000
OPEN = 300
"""Conversations that may go on."""


@dataclass(frozen=True)
class Steady:
    """A kind whose turns come one by one; `stay` and `scale` are of the place in the trace, from 0 to 1."""

    stay: Callable[[float], float]
    scale: Callable[[float], float]
    prompt: Callable[[np.random.Generator], float]
    document: int = 0


@dataclass(frozen=True)
class Begun:
    """A kind whose conversations begin with a document: so many turns, and seconds between them."""

    starts: int
    until: float
    turns: Callable[[np.random.Generator], int]
    document: Callable[[np.random.Generator, float], float]
    question: tuple[float, float] = (6.0, 1.2)
    pause: float = 0.02


def always(value: float) -> Callable[[float], float]:
    """Return what is the same all along."""
    return lambda _: value


def lognormal(mean: float, sigma: float) -> Callable[[np.random.Generator], float]:
    """Return a law of lengths."""
    return lambda rng: float(rng.lognormal(mean, sigma))


def _poisson(mean: float) -> Callable[[np.random.Generator], int]:
    return lambda rng: 1 + int(rng.poisson(mean))


KINDS: dict[str, Steady | Begun] = {
    "longer": Steady(always(0.75), lambda x: 3**x, lognormal(7.5, 1.3)),
    "shorter": Steady(always(0.75), lambda x: 3**-x, lognormal(8.5, 1.3)),
    "more turns": Steady(lambda x: 0.6 + 0.35 * x, always(1), lognormal(7.5, 1.3)),
    "agents": Steady(always(0.96), always(1), lognormal(6.5, 1.0), 15_000),
    "heavy tails": Steady(always(0.7), always(1), lambda rng: 600 * (float(rng.pareto(1.4)) + 0.1)),
    "days": Steady(always(0.7), lambda x: 1 + 2 * max(0.0, float(np.sin(6 * np.pi * x))), lognormal(7.5, 1.2)),
    "passages": Steady(always(0.45), always(1), lognormal(8.3, 0.6)),
    "a switch": Steady(lambda x: 0.6 if x < 0.4 else 0.85, lambda x: 1 if x < 0.4 else 2.5, lognormal(7.3, 1.2)),
    "books": Begun(625, 1, _poisson(7), lambda rng, _: float(rng.lognormal(9.3, 0.9))),
    "young": Begun(312, 0.5, _poisson(15), lambda rng, _: float(rng.lognormal(8.3, 1)), (7.0, 1.2), 0.04),
    "waves": Begun(625, 1, _poisson(7), lambda rng, x: float(rng.lognormal(8 + (int(6 * x) * 7 % 5) / 2, 0.7))),
    "chats and books": Begun(
        1000,
        1,
        lambda rng: 1 + int(rng.geometric(0.25)),
        lambda rng, _: float(rng.lognormal(10.3, 0.7) if rng.random() < 0.08 else rng.lognormal(6, 1)),
    ),
}


def made_up(kind: str, seed: int) -> tt.Trace:
    """Return a trace of a kind."""
    rng = np.random.default_rng(seed)
    law = KINDS[kind]
    turns = list(_steady(law, rng) if isinstance(law, Steady) else _begun(law, rng))
    conversation, prompt = zip(*turns, strict=True)
    lengths = [max(1, min(int(length), LONGEST)) for length in prompt]
    return tt.Trace.from_turns(conversation, lengths, rng.lognormal(5.5, 0.7, len(turns)).astype(np.int64))


def _steady(law: Steady, rng: np.random.Generator) -> list[tuple[int, float]]:
    found: list[tuple[int, float]] = []
    active: list[int] = []
    begun = 0
    for turn in range(TURNS):
        place, new = turn / TURNS, not active or rng.random() > law.stay(turn / TURNS)
        if new:
            active = [*active[-OPEN + 1 :], begun]
            begun += 1
        else:
            back = min(int(rng.exponential(25)), len(active) - 1)
            active.append(active.pop(len(active) - 1 - back))
        found.append((active[-1], law.scale(place) * law.prompt(rng) + law.document * new))
    return found


def _begun(law: Begun, rng: np.random.Generator) -> list[tuple[int, float]]:
    found = []
    for conversation, start in enumerate(np.sort(rng.random(law.starts) * law.until).tolist()):
        now = start
        for turn in range(law.turns(rng)):
            length = rng.lognormal(*law.question) if turn else law.document(rng, start)
            found.append((now, conversation, float(length)))
            now += rng.exponential(law.pause)
    return [(conversation, length) for _, conversation, length in sorted(found)[:TURNS]]

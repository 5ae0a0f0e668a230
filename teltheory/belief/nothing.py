"""What keeping nothing costs, in the finite model: the cost of a policy is that less its saving.

A turn of a past L of C + xi or more costs as much more as L is longer. So N, the cost of all turns ahead where
every past is cut to C + xi, needs B_k, how many turns of slot k's conversation are expected ahead, discounted: a
turn that adds d tokens above the cut adds d B_0 to what follows.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from teltheory.belief.bounds import Ahead
from teltheory.belief.model import starts
from teltheory.belief.slots import SlotModel
from teltheory.belief.sweeps import MOST_SWEEPS
from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray

NEAR = 1e-12


class _Move(NamedTuple):
    """A next turn, for all configurations: who has it, chance, cost, what it adds above the cut, and then."""

    slot: int
    chance: FloatArray
    cost: float
    above: float
    then: IntArray


def cost_of_nothing(slots: SlotModel, ahead: Ahead) -> float:
    """Return the excess of keeping nothing, from the start; of a turn in the mean if turns are averaged."""
    moves, gamma = _moves(slots), float(ahead.discount)
    many = len(moves[0].chance)
    cost, turns = np.zeros(many), np.zeros((slots.silent + 1, many))
    paid, every, longer = sum(move.cost * move.chance for move in moves), _matrix(moves), _matrix(moves, "above")
    own = [_matrix([move for move in moves if move.slot == k]) for k in range(slots.silent)]
    others = [_matrix([move for move in moves if move.slot != k]) for k in range(slots.silent)]
    for done in range(ahead.turns or MOST_SWEEPS):
        next_cost = paid + gamma * (every @ cost + longer @ turns[0])
        next_turns = np.zeros_like(turns)
        for k in range(slots.silent):
            next_turns[k] = own[k] @ (1 + gamma * turns[0]) + gamma * (others[k] @ turns[k + 1])
        change = next_cost - cost
        cost, turns = next_cost, next_turns
        if ahead.turns is None and np.ptp(change) < NEAR * (1 + abs(change[0])) and done > slots.silent:
            return (
                float(change.mean())
                if gamma == 1
                else _at_start(slots, cost + change.mean() * gamma / (1 - gamma), turns)
            )
    if ahead.turns is None:
        raise ArgumentError("cost of keeping nothing", "no limit", f"one after {MOST_SWEEPS:,} sweeps")
    return _at_start(slots, cost, turns)


def _matrix(moves: list[_Move], weight: str | None = None) -> Any:
    """Return the chances of the next configurations, each times what a move has by this name."""
    from scipy.sparse import csr_matrix

    many = len(moves[0].chance)
    chance = np.concatenate([move.chance * (getattr(move, weight) if weight else 1) for move in moves])
    there = np.flatnonzero(chance)
    places = there % many, np.concatenate([move.then for move in moves])[there]
    return csr_matrix((chance[there], places), (many, many))


def _at_start(slots: SlotModel, cost: FloatArray, turns: FloatArray) -> float:
    model, total = slots.model, 0.0
    for p, recent, _ in starts(model):
        place = slots.place(recent, (0,) * len(recent.conversations))
        at = _configuration(slots, place)
        total += float(p) * cost[at]
        for one in recent.conversations:
            total += float(p) * max(one.past - model.capacity - model.xi, 0) * turns[one.silent][at]
    return total


def _configuration(slots: SlotModel, place: int) -> int:
    row, theta = divmod(place, len(slots.types))
    history, rest = divmod(row, slots.rests)
    wide, at = len(slots.types) + 1, 0
    for k in range(slots.silent - 2, -1, -1):
        at = at * wide + slots.ways[rest // len(slots.ways) ** k % len(slots.ways)][0] + 1
    return int((history * wide ** (slots.silent - 1) + at) * len(slots.types) + theta)


def _moves(slots: SlotModel) -> list[_Move]:
    """Return all next turns; a configuration is gaps, a type or none (0) for slots 1 ..., and theta's type."""
    types, wide, top = len(slots.types), len(slots.types) + 1, slots.silent - 1
    at = np.arange(slots.histories * wide**top * types)
    theta, rest = at % types, at // types % wide**top
    history = at // (types * wide**top)
    there = [theta, *(rest // wide**k % wide - 1 for k in range(top))]
    rates = np.array([float(r) for r in slots.rates]).reshape(slots.histories, -1, slots.silent, types)
    found, shares = [], [float(w) for _, w in slots.model.gaps]
    for g, share in enumerate(shares):
        weights = [np.where(t >= 0, rates[history, g, k, t], 0.0) for k, t in enumerate(there)]
        total = sum(weights, np.full(len(at), float(slots.model.birth_rate)))
        past = history % max(slots.histories // len(shares), 1) * len(shares) + g if top else history
        for slot in range(-1, slots.silent):
            up = np.zeros(len(at), np.int64)
            for k in range(top):
                up += (0 if k == slot else there[k] + 1) * wide**k
            base = (past * wide**top + up) * types
            weight = weights[slot] if slot >= 0 else np.full(len(at), float(slots.model.birth_rate))
            for t in range(types) if slot >= 0 else (types,):
                here = np.ones(len(at), bool) if slot < 0 else there[slot] == t
                for p, cost, above, then in _turns(slots, t):
                    chance = np.where(here, share * weight / total * p, 0.0)
                    found.append(_Move(slot, chance, cost, above, base + then))
    return found


def _turns(slots: SlotModel, t: int) -> list[tuple[float, float, float, int]]:
    """Return the turns of a type, or (last) of a new one: chance, cost, tokens above the cut, and then."""
    model, found = slots.model, []
    begun = [(slots.types[t], Fraction(1))] if t < len(slots.types) else []
    begun += [((k, 0, 0), kind.share) for k, kind in enumerate(model.kinds) if not begun and kind.share]
    for (k, turns, past), share in begun:
        kind = model.kinds[k]
        for q, p in kind.prompt(turns).outcomes:
            for a, r in kind.response.outcomes:
                whole, cut = past + q + a, past + q + a
                if not model.forced:
                    cut = min(whole, model.capacity + model.xi)
                then = slots.types.index((k, min(turns + 1, len(kind.prompts) - 1), cut))
                found.append((float(share * p * r), float(max(past + q - model.xi, 0)), float(whole - cut), then))
    return found

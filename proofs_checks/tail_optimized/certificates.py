"""Every hindsight optimum has a proof (ours): a set P of steps whose rooms and uncovered caps are what is kept.

The bound is counted here from the turns, interval by interval, in whole numbers; how P is found, and why it always
closes the gap, stands in `teltheory.optimal.greedy`.
"""

from __future__ import annotations

from dataclasses import replace

from proofs_checks.tail_optimized.instances.bounds import judged, of_states
from teltheory.claims.case import Case
from teltheory.claims.claim import Values, claim
from teltheory.claims.compiled_check.space import CompiledWorlds
from teltheory.claims.origin import OURS
from teltheory.claims.registry import run
from teltheory.claims.worlds import SmallWorlds
from teltheory.optimal.greedy import certified_greedy
from teltheory.policies import TailOptimizedBelady

WITH_STARTS = judged(SmallWorlds({}, {}, conversations=3, starts=1))
FORCED = replace(WITH_STARTS, forced=True)


def kept_upper_bound(case: Case, steps: list[int]) -> int:
    """Return the room at the steps and the caps of the reuse intervals that cover none of them; an upper bound."""
    past = {conversation: length for conversation, length, _ in case.world.initial}
    held = {conversation: cached for conversation, _, cached in case.world.initial}
    last_turn = dict.fromkeys(past, 0)
    room = [case.capacity] * (len(case.world.turns) + 2)
    caps = 0
    for turn, (conversation, prompt, response) in enumerate(case.world.turns, start=1):
        history = past.get(conversation, 0)
        cap = min(history, max(0, history + prompt - case.xi), held.pop(conversation, history))
        begin = last_turn.get(conversation, turn) + 1 + (case.forced and last_turn.get(conversation, 0) > 0)
        if not any(begin <= step <= turn for step in steps):
            caps += cap
        past[conversation], last_turn[conversation] = history + prompt + response, turn
        room[turn + 1] -= past[conversation] if case.forced else 0
    return sum(room[step] for step in steps) + caps


def closes(values: Values) -> bool:
    """Whether as much is kept as the set of steps allows."""
    return bool(values["kept"] == values["room at P and caps that cover none"])


def closed(case: Case) -> Values:
    """Count what Tail-Optimized Belady keeps, and the bound of its set of steps."""
    totals = case.instance.total.tolist()
    without = sum(max(total - case.xi, 0) for total in totals)
    _, steps = certified_greedy(case.instance, case.xi)
    return {
        "kept": without - case.tel(TailOptimizedBelady(case.xi)),
        "room at P and caps that cover none": kept_upper_bound(case, steps.tolist()),
    }


certificate = claim(
    "theorem-b1.certificate",
    "Theorem B.1",
    "A set P of steps proves every optimum: what is kept is the room at P and the caps of the reuse intervals "
    "that cover no step of P.",
    relation=closes,
    space=WITH_STARTS,
    compiled=CompiledWorlds("least bound", of_states(WITH_STARTS)),
    origin=OURS,
    certified=True,
)(closed)

certificate_forced = claim(
    "theorem-b1.certificate.forced",
    "Theorem B.1 and Appendix E, (9)",
    "The same under forced caching, with the room that exempt conversations leave.",
    relation=closes,
    space=FORCED,
    compiled=CompiledWorlds("least bound", of_states(FORCED)),
    origin=OURS,
    certified=True,
)(closed)


if __name__ == "__main__":
    run(__file__)

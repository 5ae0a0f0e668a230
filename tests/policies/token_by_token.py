"""A judge of ET-LRU, written from Algorithm 2 and the toolkit's decisions: dicts and lists, one token at a time.

It shares nothing with the policy. `worth` says what a conversation's belief turn rate is, in exact or in very long
numbers, from its rate and its silence; `survival` the probability of a prompt of at least so much.
"""

from collections.abc import Callable, Sequence
from typing import Any

from replay.instances import Case, lengths


def token_by_token(
    case: Case, times: Sequence[Any], worth: Callable[[int, Any], Any], survival: Callable[[int, int, int], Any]
) -> list[int]:
    """What each turn reuses; `worth` of a code and a silence, `survival` of a code, a length and the turn."""
    codes: dict[int, int] = {}
    for conversation in (*case.conversation, *(entry[0] for entry in case.initial)):
        codes.setdefault(conversation, len(codes))
    past = {c: length for c, length, _ in case.initial}
    held = {c: cached for c, _, cached in case.initial}
    last = dict.fromkeys(held, times[0] if times else 0)
    recency = list(held)
    reused = []
    for k, (c, (h, _, after)) in enumerate(zip(case.conversation, lengths(case), strict=True)):
        reused.append(min(held.get(c, 0), h))
        past[c] = held[c] = after
        last[c] = times[k]
        recency = [other for other in recency if other != c] + [c]
        if case.forced and k == len(times) - 1:
            break
        movable = [other for other in recency if not (case.forced and other == c)]
        while sum(held.values()) > case.capacity:
            scores = []
            for rank, i in enumerate(movable):
                if held[i] >= 1:
                    tail = survival(codes[i], held[i] - past[i] + case.xi, k)
                    scores.append((worth(codes[i], times[k] - last[i]) * tail, rank, i))
            held[min(scores)[2]] -= 1
    return reused

"""Small worlds enumerated by compiled checks, against plain Python with the reference replay, a case at a time.

Plain Python goes through a small class of worlds and the compiled check through a larger one of the same claim, so
that neither measures its beginning; what is compared is the time a case within the hypotheses.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from benchmarks.timing import Job, Ratio, Report, Timing, measure
from proofs_checks import all_claims
from teltheory.claims.case import Case
from teltheory.claims.claim import Claim, CompiledSpace
from teltheory.claims.comparison import plain_tally
from teltheory.claims.worlds import SmallWorlds

CLAIMS = (
    "theorem-31",
    "theorem-31.threshold-lru",
    "algorithm-1.repaired",
    "trim.order-is-free",
    "trim.order-is-free.named",
    "stack.tlru",
    "theorem-b1",
    "theorem-b1.cap-is-enough",
    "theorem-b1.certificate",
)
"""One for each kind of check: two policies, three, a reading, all orders, nine policies, a formula, all states."""

PLAIN = (3, 2, 3, 0)
COMPILED = (4, 2, 6, 0)
"""Turns, conversations, tokens, conversations in the initial cache."""


def cases(space: SmallWorlds) -> list[Case]:
    """Return the cases of the small class."""
    turns, _, tokens, _ = PLAIN
    sized = replace(space, quick={turns: tokens}, starts=0)
    classes = zip(sized.sizes("quick"), sized.classes("quick"), strict=True)
    return next(list(found) for size, found in classes if size == PLAIN)


def against_plain(rounds: int, report: Report) -> dict[str, Any]:
    """Time both for every kind of check; return plain data.

    Parameters
    ----------
    rounds : int
        Timings of each.
    report : callable
        Called with what is measured next.
    """
    chosen = [claim for claim in all_claims() if claim.id in CLAIMS]
    return {"plain": PLAIN, "compiled": COMPILED, "rows": [_row(claim, rounds, report) for claim in chosen]}


def _row(claim: Claim[Case], rounds: int, report: Report) -> dict[str, Any]:
    assert claim.compiled is not None
    plain_cases = plain_tally(claim, claim.compiled, cases(claim.space))  # type: ignore[arg-type]
    within = (plain_cases.within, claim.compiled.tally(*COMPILED).within)
    plain, fast = _a_case(claim, claim.compiled, within, rounds, report)
    speeds = {"plain_a_second": 1 / plain.median, "compiled_a_second": 1 / fast.median}
    return {"name": claim.id, "cases": within, **speeds, "times": asdict(Ratio.of(plain, fast))}


def _a_case(
    claim: Claim[Case],
    compiled: CompiledSpace[Case],
    within: tuple[int, int],
    rounds: int,
    report: Report,
) -> tuple[Timing, Timing]:
    """Return the seconds a case of plain Python, which begins with fresh worlds, and of the compiled check."""
    jobs = [
        Job(
            f"{claim.id}, plain",
            lambda fresh: plain_tally(claim, compiled, fresh),
            lambda: cases(claim.space),  # type: ignore[arg-type]
        ),
        Job(f"{claim.id}, compiled", lambda _: compiled.tally(*COMPILED)),
    ]
    timings = measure(jobs, rounds, report).values()
    plain, fast = (Timing(tuple(s / n for s in timing.seconds)) for timing, n in zip(timings, within, strict=True))
    return plain, fast

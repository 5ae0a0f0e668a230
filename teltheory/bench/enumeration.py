"""Small worlds enumerated by compiled checks, against plain Python with the reference replay, a case at a time.

Plain Python goes through a small class of worlds and the compiled check through a larger one of the same claim, so
that neither measures its beginning; what is compared is the time a case within the hypotheses.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, TypeAlias

from teltheory.bench.timing import Job, Ratio, Report, Timing, measure
from teltheory.claims.case import Case
from teltheory.claims.claim import Claim, CompiledSpace
from teltheory.claims.comparison import plain_tally
from teltheory.claims.registry import all_claims
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

Size: TypeAlias = tuple[int, int, int, int]
"""Turns, conversations, tokens, conversations in the initial cache."""


def cases(space: SmallWorlds, plain: Size) -> list[Case]:
    """Return the cases of the small class."""
    turns, _, tokens, _ = plain
    sized = replace(space, quick={turns: tokens}, starts=0)
    classes = zip(sized.sizes("quick"), sized.classes("quick"), strict=True)
    return next(list(found) for size, found in classes if size == plain)


def against_plain(sizes: tuple[Size, Size], rounds: int, report: Report) -> dict[str, Any]:
    """Time both for every kind of check; return plain data."""
    chosen = [claim for claim in all_claims() if claim.id in CLAIMS]
    rows = [_row(claim, sizes, rounds, report) for claim in chosen]
    return {"plain": sizes[0], "compiled": sizes[1], "rows": rows}


def _row(claim: Claim[Case], sizes: tuple[Size, Size], rounds: int, report: Report) -> dict[str, Any]:
    assert claim.compiled is not None
    plain_cases = plain_tally(claim, claim.compiled, cases(claim.space, sizes[0]))  # type: ignore[arg-type]
    within = (plain_cases.within, claim.compiled.tally(*sizes[1]).within)
    plain, fast = _a_case(claim, claim.compiled, sizes, within, rounds, report)
    speeds = {"plain_a_second": 1 / plain.median, "compiled_a_second": 1 / fast.median}
    return {"name": claim.id, "cases": within, **speeds, "times": asdict(Ratio.of(plain, fast))}


def _a_case(
    claim: Claim[Case],
    compiled: CompiledSpace[Case],
    sizes: tuple[Size, Size],
    within: tuple[int, int],
    rounds: int,
    report: Report,
) -> tuple[Timing, Timing]:
    """Return the seconds a case of plain Python, which begins with fresh worlds, and of the compiled check."""
    jobs = [
        Job(
            f"{claim.id}, plain",
            lambda fresh: plain_tally(claim, compiled, fresh),
            lambda: cases(claim.space, sizes[0]),  # type: ignore[arg-type]
        ),
        Job(f"{claim.id}, compiled", lambda _: compiled.tally(*sizes[1])),
    ]
    timings = measure(jobs, rounds, report).values()
    plain, fast = (Timing(tuple(s / n for s in timing.seconds)) for timing, n in zip(timings, within, strict=True))
    return plain, fast

"""One threshold for all turns of an application: plans in hindsight, in fractions and in whole tokens.

docs/proofs-parrot.md has the proofs and the counterexamples by hand.
"""

from collections.abc import Iterator
from dataclasses import replace

from proofs_checks.parrot.plain_applications import belady
from proofs_checks.parrot.small_applications import Applications, SmallApplications
from proofs_checks.parrot.tail_jobs import Jobs, small_jobs
from proofs_checks.parrot.tail_plans import least, relaxed
from proofs_checks.tiers.chains import Row
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed
from teltheory.claims.origin import sharpness

row = rows(source="Plans in hindsight for applications: docs/parrot.md")
PROGRAM = SmallApplications({2: 3, 3: 3, 4: 3, 5: 3}, {2: 4, 3: 4, 4: 4, 5: 4}, responses=False)
ONE_TURN = "each application has one turn"
INTEGRAL = "the linear program over reuse intervals, with one threshold an application, has the least excess"


def both(case: Applications) -> Values:
    """Compare plans in fractions with all plans of whole tokens."""
    return {"linear program": relaxed(case), "least": least(case)}


def same(of: Values) -> bool:
    """Whether all values are the same."""
    return len(set(of.values())) == 1


program = row(
    "parrot.tail.program",
    f"{INTEGRAL.capitalize()} of all plans for its optimum.",
    relation=same,
    space=PROGRAM,
    origin=sharpness("parrot.tail.program.once", ONE_TURN),
)(both)

program_path = row(
    "parrot.tail.program.path",
    "The same by the heaviest path, even of one application.",
    relation=same,
    space=replace(PROGRAM, measure="path", few=1),
    origin=sharpness("parrot.tail.program.once.path", ONE_TURN),
)(both)

program_alone = row(
    "parrot.tail.program.alone",
    f"Where there is one application, {INTEGRAL} of all plans for its optimum.",
    relation=same,
    space=replace(PROGRAM, few=1, quick={2: 4, 3: 4, 4: 2}),
)(both)


def one_reuse(case: Applications) -> bool:
    """Whether no application has more than one turn that continues a conversation."""
    continuing = [turn[0] for k, turn in enumerate(case.turns) if case.previous(k) >= 0]
    return len(continuing) == len(set(continuing))


FEW = replace(
    PROGRAM, quick={2: 4, 3: 4, 4: 3}, allowed=one_reuse, said="one turn at most continues a conversation"
)
program_once = row(
    "parrot.tail.program.once",
    f"Where no application has more than one turn that continues a conversation, {INTEGRAL} of all plans for its "
    "optimum.",
    relation=same,
    space=FEW,
)(both)

program_once_path = row(
    "parrot.tail.program.once.path",
    "The same by the heaviest path.",
    relation=same,
    space=replace(FEW, measure="path", edges=True, quick={2: 4, 3: 3, 4: 1}),
)(both)


def within_prompts(case: Applications) -> bool:
    """Whether no application's prompts, which are computed whatever is cached, are below xi."""
    prompts: dict[int, int] = {}
    for application, _, prompt, _ in case.turns:
        prompts[application] = prompts.get(application, 0) + prompt
    return min(prompts.values()) >= case.xi


WITHIN = "xi within the prompts"


@row(
    "parrot.tail.program.prompts",
    f"Where each threshold is at most the sum of its application's prompts, {INTEGRAL} of all plans, and so has "
    "Belady.",
    relation=same,
    space=replace(
        PROGRAM, quick={2: 4, 3: 4, 4: 3}, responses=True, allowed=within_prompts, said="xi within the prompts"
    ),
)
def program_prompts(case: Applications) -> Values:
    """Compare with Belady's excess."""
    return {**both(case), "Belady": sum(case.excesses(belady(case)).values())}


def waiting_together(_: int) -> Iterator[Iterator[Applications]]:
    """Yield two conversations of one application that wait together, among three of others."""
    stays = ((0, 3, 0), (1, 5, 1), (2, 7, 2), (4, 8, 1), (6, 9, 3))
    turns: dict[int, Row] = {}
    for name, (begin, end, application) in enumerate(stays):
        turns[begin] = (application, name, 1, 0)
        turns[end] = (application, name, 0 if application == 1 else 2, 0)
    yield iter([Applications(tuple(turns[k] for k in range(10)), ((),) * 10, 2, 3)])


program_together = row(
    "parrot.tail.program.together",
    f"Where the conversations of each application all wait at one moment, {INTEGRAL} of all plans for its "
    "optimum.",
    relation=same,
    space=Listed(waiting_together, 1, 1, "{} trace of ten turns"),
    origin=sharpness("parrot.tail.program.once", ONE_TURN),
)(both)


JOBS = Listed(small_jobs, 4, 5, "all jobs with intervals at times that are used once, up to {} intervals in all")


@row(
    "parrot.tail.jobs",
    "With a conversation of two turns for each interval, a job an application, and room for one token, the least "
    "excess is the number of jobs that can't be served by intervals that do not overlap.",
    relation=lambda of: of["least"] == of["by path"] == of["jobs"] - of["served"],
    space=JOBS,
)
def jobs(case: Jobs) -> Values:
    """Count jobs that can be served, and the least excess by either measure."""
    found = {"least": least(case.applications()), "by path": least(case.applications("path"))}
    return {**found, "jobs": len(case.jobs), "served": case.served}


@row(
    "parrot.tail.jobs.one-application",
    "With all jobs in one application, by the heaviest path, the least excess is 0 if all jobs can be served, and "
    "else 1.",
    relation=lambda of: of["least"] == int(of["served"] < of["jobs"]),
    space=JOBS,
)
def jobs_together(case: Jobs) -> Values:
    """Count jobs that can be served, and the least excess."""
    return {
        "least": least(case.applications("path", together=True)),
        "jobs": len(case.jobs),
        "served": case.served,
    }

"""Applications of a file, run: a session for each, and what became of its variables.

1. All requests of all applications are submitted, in order; what a client sets is set; then every variable that a
   request produces is asked for: by the criterion of the file, the others for throughput, which changes no label.
2. A failure is told at each variable that it reaches. The other variables are there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from teltheory.errors import listed
from teltheory.systems.apps.explain import Encode, known_tokens
from teltheory.systems.apps.faults import UNKNOWN, AppError
from teltheory.systems.apps.records import Application, prompt_of
from teltheory.systems.apps.sessions import Manager, Session


@dataclass(frozen=True)
class Answered:
    """What became of the variables of an application: texts, and failures of those that have none."""

    values: Mapping[str, str]
    failures: Mapping[str, AppError]


async def answer(
    applications: Sequence[Application], manager: Manager, timeout: float | None = None
) -> list[Answered]:
    """Run applications side by side.

    Raises
    ------
    AppError
        404: a variable that nobody sets or produces; and what `Session.submit` refuses.
    """
    for one in applications:
        if one.missing:
            place = f"application {one.name}"
            raise AppError(UNKNOWN, place, f"no value of {listed(one.missing)}", "one for each that it consumes")
    sessions = [manager.session() for _ in applications]
    try:
        for one, session in zip(applications, sessions, strict=True):
            _submit(one, session)
        asked = [_asked(one, session, timeout) for one, session in zip(applications, sessions, strict=True)]
        return await asyncio.gather(*asked)
    finally:
        for session in sessions:
            await session.close()


def _submit(one: Application, session: Session) -> None:
    for request in one.graph.requests.values():
        session.submit(prompt_of(request), request.ports, request.model, request.sampling, request.name)
    for variable, value in one.values.items():
        session.set(variable, value)


async def _asked(one: Application, session: Session, timeout: float | None) -> Answered:
    criteria = {variable: one.gets.get(variable, "throughput") for variable in one.graph.producers}
    gets = [session.get(variable, criterion, timeout) for variable, criterion in criteria.items()]
    found = dict(zip(criteria, await asyncio.gather(*gets, return_exceptions=True), strict=True))
    for outcome in found.values():
        if isinstance(outcome, BaseException) and not isinstance(outcome, AppError):
            raise outcome
    failures = {variable: outcome for variable, outcome in found.items() if isinstance(outcome, AppError)}
    values = {variable: outcome for variable, outcome in found.items() if isinstance(outcome, str)}
    return Answered({**one.values, **values}, failures)


def prompt_tokens(one: Application, answered: Answered, encode: Encode) -> int:
    """Return the tokens of all texts and inputs of prompts that ran: what is filled in where nothing is shared."""
    known = replace(one, values=answered.values)
    ran = (
        k
        for k, request in one.graph.requests.items()
        if answered.failures.keys().isdisjoint((*request.inputs, *request.outputs))
    )
    return sum(known_tokens(known, k, encode) for k in ran)

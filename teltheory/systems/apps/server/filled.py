"""Chats in which variables of a session stand: ``session_id`` beside messages, ``{{input:NAME}}`` in a text."""

from __future__ import annotations

import json
import re
from typing import Any

from teltheory.systems.apps.faults import MALFORMED, AppError
from teltheory.systems.apps.server.calls import CRITERIA
from teltheory.systems.apps.server.relay import parsed
from teltheory.systems.apps.server.sessions import Sessions

FIELD, PLACE = "session_id", re.compile(r'\{\{input:([^{}"\\]+)\}\}')


async def filled(body: bytes, sessions: Sessions, timeout: float) -> bytes:
    """Return a body with the values of its variables once they are there; one without a session as it came."""
    said = parsed(body)
    if FIELD not in said:
        return body
    if not isinstance(id := said.pop(FIELD), str):
        raise AppError(MALFORMED, f"body, {FIELD}", "no text", "the id of an open session")
    names = dict.fromkeys(PLACE.findall(json.dumps(said, ensure_ascii=False)))
    async with sessions.using(id) as session:
        values = await session.gets(dict.fromkeys(names, CRITERIA), timeout)
    return json.dumps(_with(said, dict(zip(names, values, strict=True)))).encode()


def _with(found: Any, values: dict[str, str]) -> Any:
    """Return JSON in whose texts values stand for their places."""
    if isinstance(found, str):
        return PLACE.sub(lambda place: values[place[1]], found)
    if isinstance(found, dict):
        return {name: _with(one, values) for name, one in found.items()}
    return [_with(one, values) for one in found] if isinstance(found, list) else found

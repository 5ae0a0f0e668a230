"""Applications over HTTP: the paper's two bodies, and what it leaves open (Parrot, Section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from teltheory.base.extras import needed
from teltheory.systems.apps.server.door import Door
from teltheory.systems.apps.server.limits import Limits

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from teltheory.systems.apps.sessions import Manager

__all__ = ["Door", "Limits", "application"]


def application(manager: Manager, limits: Limits | None = None, door: Door | None = None) -> Starlette:
    """Return an ASGI application over a manager, which it closes when the server ends.

    Parameters
    ----------
    manager : Manager
        Engines and sessions.
    limits : Limits, optional
        What a client may ask for.
    door : Door, optional
        Hosts and a token; without, anybody comes in who can reach the address.

    Raises
    ------
    TelTheoryError
        Without Starlette, which the extra `apps` installs.
    """
    needed("starlette", "apps")
    from teltheory.systems.apps.server.asgi import application as made

    return made(manager, limits or Limits(), door or Door())

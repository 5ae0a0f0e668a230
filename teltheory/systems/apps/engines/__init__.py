"""Engines behind one protocol: a tiny transformer that really runs, and servers that know OpenAI's requests."""

from teltheory.systems.apps.engines.contexts import Context, Contexts
from teltheory.systems.apps.engines.keeping import Kept
from teltheory.systems.apps.engines.protocol import Engine, Until
from teltheory.systems.apps.engines.remote import RemoteEngine
from teltheory.systems.apps.engines.tiny import TinyEngine

__all__ = ["Context", "Contexts", "Engine", "Kept", "RemoteEngine", "TinyEngine", "Until"]

"""Engines behind one protocol: a tiny transformer that really runs, and servers that know OpenAI's requests."""

from teltheory.apps.engines.contexts import Context, Contexts
from teltheory.apps.engines.keeping import Kept
from teltheory.apps.engines.protocol import Engine, Until
from teltheory.apps.engines.remote import RemoteEngine
from teltheory.apps.engines.tiny import TinyEngine

__all__ = ["Context", "Contexts", "Engine", "Kept", "RemoteEngine", "TinyEngine", "Until"]

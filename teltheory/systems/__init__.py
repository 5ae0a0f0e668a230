"""Systems of papers, each replayed to the same outcome: RAGCache, Prompt Cache, Parrot."""

from importlib import import_module
from types import ModuleType

__all__ = ["apps", "modules", "rag"]


def __getattr__(name: str) -> ModuleType:
    """Load a system when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")

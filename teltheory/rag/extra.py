"""The packages of the extra `rag`, which only this part of the toolkit needs."""

from importlib import import_module
from typing import Any

from teltheory.errors import TelTheoryError


def needed(module: str) -> Any:
    """Return a module of the extra `rag`; without it the error says what to install."""
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise TelTheoryError(f"{name} is not installed, expected it: pip install 'teltheory[rag]'") from None

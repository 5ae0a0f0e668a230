"""Packages of the extras, which only some parts of the toolkit need."""

from importlib import import_module
from typing import Any

from teltheory.errors import TelTheoryError


def needed(module: str, extra: str) -> Any:
    """Return a module of an extra; without it the error says what to install."""
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise TelTheoryError(f"{name} is not installed, expected it: pip install 'teltheory[{extra}]'") from None

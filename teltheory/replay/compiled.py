"""Compilation to machine code, kept on disk between runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile a function on its first call."""
    return cast("F", njit(cache=True)(function))

"""Compilation to machine code, kept on disk between runs (`teltheory.replay.machine_code`)."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import config, njit, types
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from teltheory.errors import ArgumentError
from teltheory.replay.machine_code import keep

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile a function on its first call."""
    return _compiled(function)


def uncounted(function: F) -> F:
    """Compile a function that makes no array, on its first call, without counting references to arrays.

    What is inlined counts them too if it loops, which can cost ten times what it does. Only numbers are returned.
    """
    return _compiled(function, _nrt=False)


def inlined(function: F) -> F:
    """Compile a function into each of its callers.

    A call of a compiled function that loops counts references to its arrays, atomically: in a step of a replay
    that can cost more than what the function does.
    """
    return _compiled(function, inline="always")


def _compiled(function: F, **options: Any) -> F:
    if config.DISABLE_JIT:
        expected = "0 or nothing: the loops are made for machine code (replay has engine='reference')"
        raise ArgumentError("NUMBA_DISABLE_JIT", config.DISABLE_JIT, expected)
    dispatcher = njit(**options)(function)
    keep(dispatcher)
    return cast("F", dispatcher)


@intrinsic  # type: ignore[untyped-decorator]
def leading_zeros(typing_context: Any, word: Any) -> tuple[Signature, Callable[..., Any]]:
    """Count the zero bits before the highest set bit of a 64-bit word that is not 0: one machine instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), generate

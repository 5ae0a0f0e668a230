"""Compilation to machine code, kept on disk between runs.

numba looks at a function's own file to see whether its machine code is out of date, not at the files of what it
calls. So a stamp beside the machine code names the sources of its folder and of all of this one, and code without
the right stamp is discarded.

Of several processes that need a function at the same time one compiles it; the others wait and find it on disk.
"""

import inspect
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

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
    dispatcher = njit(cache=True, **options)(function)
    cache = Path(dispatcher.stats.cache_path)
    _discard_stale(cache, Path(inspect.getfile(function)).parent)
    if fcntl is not None:
        dispatcher.compile = _one_at_a_time(dispatcher.compile, cache / f"{function.__qualname__}.lock")
    return cast("F", dispatcher)


def _one_at_a_time(compile_it: Callable[[Any], object], lock: Path) -> Callable[[Any], object]:
    """Let one process at a time compile or load; callers wait before callees, so that none wait for each other."""

    def alone(signature: Any) -> object:
        try:
            file = lock.open("a")
        except OSError:
            return compile_it(signature)
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            return compile_it(signature)

    return alone


@lru_cache
def _discard_stale(cache: Path, sources: Path) -> None:
    files = {*sources.glob("*.py"), *Path(__file__).parent.rglob("*.py")}
    digest = sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()
    stamp = cache / f"{digest}.stamp"
    if stamp.exists():
        return
    for pattern in ("*.nbi", "*.nbc", "*.stamp"):
        for file in cache.glob(pattern):
            file.unlink(missing_ok=True)
    cache.mkdir(parents=True, exist_ok=True)
    stamp.touch()


@intrinsic  # type: ignore[untyped-decorator]
def leading_zeros(typing_context: Any, word: Any) -> tuple[Signature, Callable[..., Any]]:
    """Count the zero bits before the highest set bit of a 64-bit word that is not 0: one machine instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), generate

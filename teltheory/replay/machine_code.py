"""Machine code on disk: where it is kept, what is done where it can't be or is broken, and who compiles.

1. numba looks at a function's own file to see whether its machine code is out of date, not at the files of what
   it calls. So a stamp beside the machine code names the sources of what is compiled in its folder and in all of
   this one, and of what these import by name; code without the right stamp is discarded.
2. A file ends in the digest of the rest of it. One that does not is as good as none: the function is compiled
   again, which writes the file anew.
3. Of several processes that need a function at the same time one compiles it; the others wait and find it on disk.
   Who has waited for `PATIENCE` seconds compiles for itself, and leaves the disk to the one that holds the lock.
4. Where nothing can be written, functions are compiled in memory. A warning says so, once.
"""

from __future__ import annotations

import inspect
import os
import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

SAID_AFTER = 5.0
"""Seconds of waiting for another process after which it is said."""

PATIENCE = 60.0
"""Seconds of waiting for another process after which a function is compiled without it."""

_PAUSE = 0.02
_IMPORT = re.compile(rb"^[ ]*(?:from [\w.]*?(\w*) import|import) (.*)$", re.MULTILINE)
_WORD = re.compile(rb"\w+")
_DIGEST = sha256().digest_size


class _Sealed(IndexDataCacheFile):  # type: ignore[misc]
    """numba's index and data of one function, each in a file that ends in the digest of the rest of it."""

    @contextmanager
    def _open_for_write(self, file: str) -> Iterator[IO[bytes]]:
        with super()._open_for_write(file) as beside:
            content = BytesIO()
            yield content
            beside.write(content.getvalue() + sha256(content.getvalue()).digest())

    def _load_index(self) -> dict[Any, str]:
        return super()._load_index() if _is_whole(Path(self._index_path)) else {}

    def _load_data(self, name: str) -> Any:
        return super()._load_data(name) if _is_whole(Path(self._data_path(name))) else None


def _is_whole(file: Path) -> bool:
    """Whether a file is as it was written; a warning says where one is not."""
    try:
        content = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        content = b""
    whole = sha256(content[:-_DIGEST]).digest() == content[-_DIGEST:]
    if not whole:
        _tell(f"in {file.parent} was not as it was written, and is compiled again")
    return whole


class MachineCode(FunctionCache):  # type: ignore[misc]
    """The machine code of a function on disk, as numba keeps it, and the lock of who compiles it.

    Raises
    ------
    OSError, RuntimeError
        If there is no folder for it that can be written to.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        name, stamp = self._impl.filename_base, self._impl.locator.get_source_stamp()
        self._cache_file = _Sealed(self.cache_path, name, stamp)
        self._lock = Path(self.cache_path) / f"{name}.lock"
        _discard_stale(Path(self.cache_path), Path(inspect.getfile(function)).parent)

    def save_overload(self, signature: Any, code: Any) -> None:
        """Keep machine code; where the disk is full, or lets nobody write, only a warning says so."""
        try:
            super().save_overload(signature, code)
        except OSError as error:
            _tell(f"can't be kept in {self.cache_path} ({error.strerror}): every process compiles in memory")

    def alone(self, compile_it: Callable[[Any], object], signature: Any) -> object:
        """Compile or load while no other process does; callers wait before callees, never for each other."""
        with global_compiler_lock:
            try:
                lock = self._lock.open("a+")
            except OSError:
                return compile_it(signature)
            with lock:
                taken = _taken(lock)
                if not taken:
                    self.disable()
                try:
                    return compile_it(signature)
                finally:
                    self.enable()
                    if taken:
                        lock.truncate(0)


def keep(dispatcher: Any) -> None:
    """Let numba's dispatcher of a function keep its machine code on disk, or let it warn when it compiles."""
    compile_it = dispatcher.compile
    try:
        dispatcher._cache = MachineCode(dispatcher.py_func)
        dispatcher.compile = partial(dispatcher._cache.alone, compile_it)
    except (OSError, RuntimeError):  # the second is numba's, if it finds no folder
        dispatcher.compile = partial(_in_memory, compile_it)


def _in_memory(compile_it: Callable[[Any], object], signature: Any) -> object:
    _tell("can't be kept: no folder for it can be written to, and every process compiles in memory")
    return compile_it(signature)


def _taken(lock: IO[str]) -> bool:
    """Take a lock; False after `PATIENCE` seconds, and where the system has no locks."""
    begun = time.monotonic()
    while fcntl is not None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waited = time.monotonic() - begun
        except OSError:
            return False
        else:
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            break
        if waited >= PATIENCE:
            return False
        if waited >= SAID_AFTER:
            lock.seek(0)
            holder = lock.read() or "that names itself nowhere"
            _tell(f"is awaited of the process {holder} ({lock.name}), and compiled here too after {PATIENCE:g} s")
        time.sleep(_PAUSE)
    return True


@lru_cache
def _tell(what: str) -> None:
    warnings.warn(f"machine code {what}", stacklevel=2)


class _Source(NamedTuple):
    """The text of a file, whether something of it is compiled, and the last names of what it imports."""

    text: bytes
    compiles: bool
    imported: frozenset[bytes]

    @classmethod
    @lru_cache
    def of(cls, file: Path) -> _Source:
        """Read a file, once in a process: folders share those of this one."""
        text = file.read_bytes()
        lines = _IMPORT.findall(text)
        names = frozenset(name for line in lines for name in _WORD.findall(b" ".join(line)))
        return cls(text, b"compiled" in names, names)


def _in_machine_code(files: Sequence[Path]) -> list[bytes]:
    """Return the text of each file of which something is compiled, or may be a constant in what is."""
    sources = {file: _Source.of(file) for file in files}
    names = {name for one in sources.values() if one.compiles for name in one.imported}
    return [one.text for file, one in sources.items() if one.compiles or _module(file).encode() in names]


def _module(file: Path) -> str:
    return file.parent.name if file.stem == "__init__" else file.stem


@lru_cache
def _discard_stale(cache: Path, sources: Path) -> None:
    files = {*sources.glob("*.py"), *Path(__file__).parent.rglob("*.py")}
    digest = sha256(b"".join(_in_machine_code(sorted(files)))).hexdigest()
    stamp = cache / f"{digest}.stamp"
    if stamp.exists():
        return
    for pattern in ("*.nbi", "*.nbc", "*.stamp"):
        for file in cache.glob(pattern):
            file.unlink(missing_ok=True)
    cache.mkdir(parents=True, exist_ok=True)
    stamp.touch()

"""Policies of Python files: ``mine.py:Class`` names one wherever a short form does.

A file is run when a policy of it is first asked for, and again after it was changed. Its module is named after its
content, so that results stored of an older version are not those of a newer one. Another process that is sent such
a policy runs the file itself.
"""

import copyreg
import re
from collections.abc import Hashable
from dataclasses import is_dataclass
from difflib import get_close_matches
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

from teltheory.base.input_files import read_bytes
from teltheory.base.python_files import run_file
from teltheory.errors import FileError, listed
from teltheory.policies.policy import OTHER_WAYS, RULES

EXPECTED = "a Python file with a policy, as mine.py:Class"
_NAME = re.compile(r"(.+\.py)(?::([^:]*))?(?::(.*))?", re.DOTALL)


def parted(text: str) -> tuple[str, str]:
    """Return the name in a short form, and its parameters: what follows the first colon, of a file the second."""
    if (found := _NAME.fullmatch(text)) is not None:
        file, kind, rest = found.groups(default="")
        return f"{file}:{kind}", rest
    name, _, rest = text.partition(":")
    return name, rest


def is_in_file(name: str) -> bool:
    """Whether a policy's name is that of a class in a file."""
    return _NAME.fullmatch(name) is not None


def class_in_file(name: str) -> type[Any]:
    """Return the class that ``mine.py:Class`` names.

    Raises
    ------
    FileError
        If there is no such file, if it does not run, or has no such policy: with the place and what it has.
    """
    file, _, kind = name.rpartition(":")
    module = _module(file, sha256(read_bytes(Path(file), EXPECTED)).hexdigest()[:12])
    found = getattr(module, kind, None)
    if not _is_policy(found):
        what = "no class" if not kind else f"no {kind}" if found is None else f"{kind}, which is no policy"
        raise FileError(f"{file}: found {what}, expected {_had(module, kind)} (docs/own-policies.md)")
    return found


def _had(module: ModuleType, kind: str) -> str:
    """Return the policies that a file has, the nearest name first."""
    own = [name for name, value in vars(module).items() if _is_policy(value) and _is_of(module, value)]
    names = dict.fromkeys((*get_close_matches(kind, own, 1, 0), *own))
    return f"one of its policies: {listed(list(names))}" if own else "a frozen dataclass with rules"


def _is_of(module: ModuleType, kind: type[Any]) -> bool:
    return kind.__module__ == module.__name__


def _is_policy(found: Any) -> TypeGuard[type[Any]]:
    """Whether something is a class that makes policies: a frozen dataclass with rules, or another way to cut."""
    if not (isinstance(found, type) and is_dataclass(found) and issubclass(found, Hashable)):
        return False
    says = {*dir(found), *found.__dataclass_fields__}
    return says >= {*RULES, "trim"} or not says.isdisjoint(OTHER_WAYS)


@lru_cache
def _module(file: str, content: str) -> ModuleType:
    """Return the module of a file that says this; each policy of it says how another process makes it."""
    module = run_file(Path(file), f"{Path(file).stem}_{content}", EXPECTED)
    for name, kind in vars(module).items():
        if _is_policy(kind) and _is_of(module, kind):
            copyreg.pickle(kind, partial(_reduced, f"{Path(file).resolve()}:{name}"))
    return module


def _reduced(name: str, policy: Any) -> tuple[Any, ...]:
    """Return how a policy of a file is sent to another process: the name of its class, and its state."""
    reduced: Any = object.__reduce_ex__(policy, 2)
    return (_blank, (name,), *reduced[2:])


def _blank(name: str) -> Any:
    """Return a policy of a file, whose fields are filled in next."""
    return object.__new__(class_in_file(name))

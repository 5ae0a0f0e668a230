"""Policies and hints of Python files: ``mine.py:Class`` names one wherever a short form does.

A file is run when a policy of it is first asked for, and again after it was changed. Its module is named after its
content, so that results stored of an older version are not those of a newer one. Another process that is sent such
a policy runs the file itself.
"""

import copyreg
import re
from collections.abc import Callable, Hashable
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
from teltheory.policies.hinted import Hint
from teltheory.policies.policy import OTHER_WAYS, RULES

POLICY, HINT = "policy", "hint"
PAGES = {POLICY: "docs/own-policies.md", HINT: "docs/hints.md"}
EXPECTED_CLASS = {POLICY: "a frozen dataclass with rules", HINT: "a frozen dataclass derived from tt.Hint"}
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


def class_in_file(name: str, what: str = POLICY) -> type[Any]:
    """Return the class that ``mine.py:Class`` names: a policy, or a hint.

    Raises
    ------
    FileError
        If there is no such file, if it does not run, or has no such class: with the place and what it has.
    """
    file, _, kind = name.rpartition(":")
    module = _module(file, sha256(read_bytes(Path(file), EXPECTED)).hexdigest()[:12])
    found: Any = getattr(module, kind, None)
    if not IS[what](found):
        had = "no class" if not kind else f"no {kind}" if found is None else f"{kind}, which is no {what}"
        raise FileError(f"{file}: found {had}, expected {_had(module, kind, what)}")
    made: type[Any] = found
    return made


def _had(module: ModuleType, kind: str, what: str) -> str:
    """Return the policies or hints that a file has, the nearest name first."""
    own = [name for name, value in vars(module).items() if IS[what](value) and _is_of(module, value)]
    names = dict.fromkeys((*get_close_matches(kind, own, 1, 0), *own))
    found = (
        f"one of its {what.replace('policy', 'policie')}s: {listed(list(names))}" if own else EXPECTED_CLASS[what]
    )
    return f"{found} ({PAGES[what]})"


def _is_of(module: ModuleType, kind: type[Any]) -> bool:
    return kind.__module__ == module.__name__


def _is_policy(found: Any) -> TypeGuard[type[Any]]:
    """Whether something is a class that makes policies: a frozen dataclass with rules, or another way to cut."""
    if not (isinstance(found, type) and is_dataclass(found) and issubclass(found, Hashable)):
        return False
    says = {*dir(found), *found.__dataclass_fields__}
    return says >= {*RULES, "trim"} or not says.isdisjoint(OTHER_WAYS)


def _is_hint(found: Any) -> bool:
    """Whether something is a class that makes hints: a frozen dataclass of the base of all hints."""
    own = isinstance(found, type) and issubclass(found, Hint) and issubclass(found, Hashable)
    return own and is_dataclass(found)


IS: dict[str, Callable[[Any], bool]] = {POLICY: _is_policy, HINT: _is_hint}


@lru_cache
def _module(file: str, content: str) -> ModuleType:
    """Return the module of a file that says this; each policy and hint of it says how another process makes it."""
    module = run_file(Path(file), f"{Path(file).stem}_{content}", EXPECTED)
    for name, kind in vars(module).items():
        for what, is_one in IS.items():
            if is_one(kind) and _is_of(module, kind):
                copyreg.pickle(kind, partial(_reduced, f"{Path(file).resolve()}:{name}", what))
    return module


def _reduced(name: str, what: str, value: Any) -> tuple[Any, ...]:
    """Return how a policy or hint of a file is sent to another process: the name of its class, and its state."""
    reduced: Any = object.__reduce_ex__(value, 2)
    return (_blank, (name, what), *reduced[2:])


def _blank(name: str, what: str) -> Any:
    """Return a policy or hint of a file, whose fields are filled in next."""
    return object.__new__(class_in_file(name, what))

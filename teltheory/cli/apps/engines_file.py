"""A file of engines: for each of them where it is, and what a scheduler should know of it.

    [[engine]]
    url = "http://localhost:8000"
    model = "llama"
    name = "left"
    api_key_env = "LEFT_KEY"
    tokenizer = "tokenizer.json"
    capacity = 64_000
    latency_capacity = 8_000
    keeps_contexts = true
    chat = false

An address and a model are needed. Capacities are in tokens of all its requests: in all, and while one is there
that asks for latency.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from teltheory.base.input_files import read_bytes
from teltheory.errors import ArgumentError, FileError, TelTheoryError, shown
from teltheory.formats.counting import counter
from teltheory.systems.apps.engines.remote import CAPACITY, RemoteEngine

EXPECTED = "a TOML file with a table [[engine]] for each engine"
BYTES = 4
"""Of a token: what a remote engine's contexts are counted in."""
KINDS: Mapping[str, tuple[type, str]] = {
    "url": (str, "a text"),
    "model": (str, "a text"),
    "name": (str, "a text"),
    "api_key_env": (str, "the name of an environment variable"),
    "tokenizer": (str, "a file"),
    "capacity": (int, "a whole number of tokens from 1"),
    "latency_capacity": (int, "a whole number of tokens from 1"),
    "keeps_contexts": (bool, "true or false"),
    "chat": (bool, "true or false"),
}


def engines_in(path: Path) -> list[RemoteEngine]:
    """Return the engines of a file; a `FileError` names the file and the engine."""
    tables = _tables(path)
    found = []
    for k, table in enumerate(tables):
        place = f"{path}, engine {k}"
        _check(table, place)
        try:
            found.append(_engine(table, path.parent, k))
        except TelTheoryError as error:
            raise FileError(f"{place}, {error}") from None
    names = [engine.name for engine in found]
    for name in names:
        if names.count(name) > 1:
            raise FileError(f"{path}: found {names.count(name)} engines of the name {name!r}, expected one")
    return found


def key_of(variable: str, argument: str = "--api-key-env") -> str:
    """Return what an environment variable holds."""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ArgumentError(argument, variable, "an environment variable with a key")
    return key


def _tables(path: Path) -> list[dict[str, Any]]:
    try:
        said = tomllib.loads(read_bytes(path, EXPECTED, 2**20).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: found no TOML ({error}), expected {EXPECTED}") from None
    others = [name for name in said if name != "engine"]
    tables = said.get("engine")
    if others or not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise FileError(f"{path}: found {shown(others[0]) if others else 'none'}, expected {EXPECTED}")
    return tables


def _check(table: Mapping[str, Any], place: str) -> None:
    for name in ("url", "model"):
        if name not in table:
            raise FileError(f"{place}: found no {name}, expected one")
    for name, value in table.items():
        if name not in KINDS:
            raise FileError(f"{place}: found {shown(name)}, expected one of {', '.join(KINDS)}")
        kind, expected = KINDS[name]
        small = kind is int and isinstance(value, int) and value < 1
        if type(value) is not kind or value == "" or small:
            raise FileError(f"{place}, {name}: found {shown(value)}, expected {expected}")


def _engine(table: Mapping[str, Any], folder: Path, k: int) -> RemoteEngine:
    capacity = table.get("capacity", CAPACITY // BYTES)
    latency = table.get("latency_capacity", capacity)
    return RemoteEngine(
        table["url"],
        table["model"],
        key=key_of(table["api_key_env"], "api_key_env") if "api_key_env" in table else None,
        chat=table.get("chat", False),
        fills=table.get("keeps_contexts", False),
        name=table.get("name", f"remote {k}"),
        capacity=BYTES * capacity,
        latency_capacity=BYTES * latency,
        count=_count(folder / table["tokenizer"]) if "tokenizer" in table else None,
    )


def _count(file: Path) -> Callable[[str], int]:
    made = counter(str(file))
    return lambda text: made.count([text])[0]

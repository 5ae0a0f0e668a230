"""What a shell completes in the place of a value; `click` asks for it when the shell does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click


def policies(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the policies that a text may go on to, the last one of a list: their names, then Python files."""
    from teltheory.policies.spec import NAMED, others

    before, comma, begun = incomplete.rpartition(",")
    names = [*NAMED, *others(), *_python_files(begun)]
    return [before + comma + name for name in names if name.startswith(begun)]


def models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of models that begin with a text; with an organisation those of Hugging Face."""
    from teltheory.cost.catalogue import known_models

    names = [one.hub if "/" in incomplete else name for name, one in known_models().items()]
    return [name for name in names if name.lower().startswith(incomplete.lower())]


def gpus(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of GPUs that begin with a text."""
    from teltheory.cost.catalogue import known_gpus

    return [name for name in known_gpus() if name.startswith(incomplete.lower())]


def traces(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of public traces that begin with a text."""
    from teltheory.formats.datasets import datasets

    return [name for name in datasets() if name.startswith(incomplete)]


def _python_files(begun: str) -> Iterator[str]:
    """Yield the Python files that a path may go on to, and folders; a class follows after a colon."""
    folder, slash, _ = begun.rpartition("/")
    for found in sorted(Path(folder or slash or ".").glob("*")):
        if not found.name.startswith(".") and (found.is_dir() or found.suffix == ".py"):
            yield f"{folder}{slash}{found.name}" + ("/" if found.is_dir() else ":")

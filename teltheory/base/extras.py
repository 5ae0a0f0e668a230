"""Packages of the extras, which only some parts of the toolkit need."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from teltheory.errors import TelTheoryError

REPORT = ("matplotlib", "altair", "vl_convert", "jinja2", "markdown_it")
"""What figures and pages are made with."""
OF = dict.fromkeys(REPORT, "report") | {
    "distributed": "cluster",
    "faiss": "rag",
    "sklearn": "rag",
    "torch": "modules",
    "transformers": "modules",
    "gguf": "modules",
    "networkx": "apps",
    "starlette": "apps",
    "uvicorn": "apps",
    "z3": "proofs",
    "cvc5": "proofs",
    "tiktoken": "datasets",
    "httpx_sse": "calibrate",
}
"""The extra that a package comes with."""


class MissingPackageError(TelTheoryError):
    """A package of an extra is not installed; the message says what to install."""


def needed(module: str, extra: str) -> Any:
    """Return a module of an extra; without it the error says what to install."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingPackageError(not_there(module, extra)) from None


def not_there(module: str, extra: str) -> str:
    """Return the sentence that says what to install."""
    name = module.partition(".")[0]
    return f"{name} is not installed, expected it: pip install 'teltheory[{extra}]'"


def lacking(*packages: str) -> list[str]:
    """Return those packages that are not installed; nothing is loaded."""
    return [name for name in packages if find_spec(name) is None]


def check_report(*packages: str) -> None:
    """Raise, before long work, if a package of `REPORT` that draws or makes pages is not there; all by default."""
    for name in lacking(*(packages or REPORT)):
        raise MissingPackageError(not_there(name, "report"))

